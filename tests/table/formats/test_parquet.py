"""Selected rows of Parquet files."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap

from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from paimon_ksy.types.timestamps import WIDE, alike
from tests.support.data_files import STORAGE, data_file, read_rows
from tests.support.query_tables import LOCAL
from tools.tables import make_table


@pytest.mark.parametrize("first", [0, 7, 15_000, 39_940])
def test_rows_of_pages_beside_those_of_a_column_of_one_page(tmp_path: Path, first: int) -> None:
    size = 40_000
    kind = np.full(size, "MANY")
    kind[first : first + 50] = "FEW"
    kind[first + 3] = "MANY"
    notes = [f"{n:0100}" for n in range(size)]
    rows = pa.table({"id": np.arange(size, dtype=np.int32), "note": notes, "kind": kind})
    table = Table.at(make_table(tmp_path, "notes", [rows]))
    rewrite_index(table, set={"file-index.bitmap.columns": "kind"}, engine=LOCAL)
    found = query(Table.at(table.location), "kind = 'FEW'")
    wanted = [n for n in range(first, first + 50) if n != first + 3]
    assert found["id"].to_pylist() == wanted
    assert found["note"].to_pylist() == [notes[n] for n in wanted]
    assert set(found["kind"].to_pylist()) == {"FEW"}


@pytest.mark.parametrize("few", [[0], [3, 4, 5], [19_990, 59_999], [*range(0, 60_000, 7)]])
def test_timestamps_of_any_year(few: list[int], tmp_path: Path) -> None:
    """Arrow alone reads INT96s as nanoseconds, which overflow; pages are read by themselves."""
    kind = pa.timestamp("us")
    some = [253_402_300_799_999_999, -62_135_596_800_000_000, None, 0, -1, 1_700_000_000_123_456]
    times = [some[row % len(some)] for row in range(60_000)]
    path = tmp_path / "data.parquet"
    lists = pa.array([[some[3], None], None] * 30_000, pa.list_(kind))
    rows = pa.table({"t": pa.array(times, kind), "l": lists, "n": range(60_000)})
    pq.write_table(
        rows,
        path,
        row_group_size=20_000,
        data_page_size=1 << 12,
        write_page_index=True,
        use_deprecated_int96_timestamps=True,
    )
    columns = Schema.parse("t TIMESTAMP(9), l ARRAY<TIMESTAMP(9)>, n BIGINT")
    schema = TableSchema(0, columns, {"t": 0, "l": 1, "n": 2}, (), (), {})
    file = data_file(path, num_rows=60_000)
    for positions in (few, range(60_000)):
        chosen = None if len(positions) == 60_000 else BitMap(positions)
        found = [*read_rows(STORAGE, file, schema, schema, ["n", "t", "l"], chosen)]
        read = pa.Table.from_batches(alike(found))
        assert read["n"].to_pylist() == [*positions]
        due = [None if (time := times[at]) is None else time * 1000 for at in positions]
        ticks = read["t"] if read["t"].type == WIDE else read["t"].cast(pa.int64())
        assert ticks.to_pylist() == due
        assert read["l"].to_pylist() == lists.take(pa.array(positions)).to_pylist()
