"""Selected rows of ORC files."""

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.fs
from pyroaring import BitMap

from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
from tests.support.data_files import read
from tools.tables import make_table


def test_timestamps_of_orc_that_are_no_nanoseconds(tmp_path: Path) -> None:
    """Of the years 1 to 9999, to the microsecond; Arrow's nanoseconds overflow."""
    first, last = -62_135_596_800_000_000, 253_402_300_799_999_999
    values = [first, last, -1, 0, 2**63 // 1000 + 1]
    values += [random.Random(1).randint(first, last) for _ in range(500)]
    micros = pa.array([None, *values], pa.timestamp("us"))
    millis = pa.array([None, *(value // 1000 for value in values)], pa.int64())
    one = pa.array(range(len(micros) + 1), pa.int32())
    data = pa.table(
        {
            "t6": micros,
            "z6": micros.cast(pa.timestamp("us", "UTC")),
            "t3": millis.cast(pa.timestamp("ms")),
            "s": pa.StructArray.from_arrays([micros], ["x"], mask=micros.is_null()),
            "l": pa.ListArray.from_arrays(one, micros),
            "m": pa.MapArray.from_arrays(one, ["k"] * len(micros), micros),
        }
    )
    path = make_table(tmp_path, "t", [data], {"file.format": "orc"})
    options = {"file-index.bitmap.columns": "t6,m[k]", "file-index.bsi.columns": "z6,t3"}
    rewrite_index(path, set=options, engine=local_engine(1))
    table = Table.at(path)
    (file,) = table.files(table.snapshot())
    found = read(table, file)
    assert found.cast(data.schema) == data
    assert read(table, file, ["m", "t3"], BitMap([0, 2])) == found.select(["m", "t3"]).take([0, 2])
    for column in ("t6", "z6", "t3", "m['k']"):
        asked = count(table, f"{column} >= TIMESTAMP '2500-01-01'", engine=local_engine(1))
        late = sum(value >= 16_725_225_600_000_000 for value in values)
        assert (asked.count, asked.origin) == (late, "index"), column
