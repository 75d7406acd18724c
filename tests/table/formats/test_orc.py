"""Selected rows of ORC files."""

import json
import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pytest
from pyroaring import BitMap

from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
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
    (file,) = table.data_files.of(table.snapshot())
    found = read(table, file)
    assert found.cast(data.schema) == data
    assert read(table, file, ["m", "t3"], BitMap([0, 2])) == found.select(["m", "t3"]).take([0, 2])
    for column in ("t6", "z6", "t3", "m['k']"):
        asked = count(table, f"{column} >= TIMESTAMP '2500-01-01'", engine=local_engine(1))
        late = sum(value >= 16_725_225_600_000_000 for value in values)
        assert (asked.count, asked.origin) == (late, "index"), column


@pytest.mark.parametrize("primary_keys", [(), ("id",)])
def test_chars_have_no_padding(primary_keys: tuple[str, ...], tmp_path: Path) -> None:
    padded = ["a    ", None, "é    ", "     ", "abcde"]
    data = pa.table({"id": range(5), "c": padded})
    options = {"file.format": "orc", "bucket": "1"} if primary_keys else {"file.format": "orc"}
    again = [data] * (1 + bool(primary_keys))  # which have to be merged
    path = make_table(tmp_path, "t", again, options, primary_keys=primary_keys)
    file = Path(path, "schema", "schema-0")
    document: dict[str, Any] = json.loads(file.read_text())
    document["fields"][1]["type"] = "CHAR(5)"
    file.write_text(json.dumps(document))
    engine = local_engine(1)
    assert query(path, None, ["c"], engine=engine)["c"].to_pylist() == ["a", None, "é", "", "abcde"]
    assert query(path, "c = 'a'", engine=engine).to_pylist() == [{"id": 0, "c": "a"}]
    wanted = {"file-index.bitmap.columns": "c"}
    rewrite_index(path, set=wanted, engine=engine)
    table = Table.at(path)
    right = build_file_index(
        pa.table({"c": ["a", None, "é", "", "abcde"]}), Schema.parse("c CHAR(5)"), wanted
    )
    assert {found.index for found in table.data_files.of(table.snapshot())} == {right}
    assert {found.severity for found in audit(path, deep=True, engine=engine)} <= {"note"}
