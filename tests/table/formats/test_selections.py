"""An open data file: the selected rows of its batches, and what reading them took."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pytest
from pyroaring import BitMap

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.table.io.storage import Storage
from tests.support.data_files import (
    COLUMNS,
    KINDS,
    NUM_ROWS,
    SCHEMA,
    STORAGE,
    ArrowFileIO,
    data,
    read_rows,
    written,
)

SELECTED = {
    "all": None,
    "none": [],
    "first": [0],
    "last": [NUM_ROWS - 1],
    "near": range(10_000, 10_040),
    "ends": [0, 1, 7, 9_999, 10_000, NUM_ROWS - 1],
    "holes": [*range(4_000, 4_050, 3), 9_000, 9_001, *range(15_000, 15_010)],
    "scattered": range(5, NUM_ROWS, 997),
    "often": range(3, NUM_ROWS, 50),
    "many": [n for n in range(NUM_ROWS) if n % 3],
}


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("rows", SELECTED.values(), ids=SELECTED)
@pytest.mark.parametrize("kind", KINDS)
def test_selections(kind: str, rows: Any, tmp_path: Path) -> None:
    file = written(tmp_path, kind)
    for names in (COLUMNS.names, ("m", "id"), ("tags",), ("kind",), ("kind", "amount"), ()):
        effort = ReadStats()
        wanted = data() if rows is None else data().take(pa.array(list(rows), pa.int64()))
        bitmap = None if rows is None else BitMap(rows)
        found = list(read_rows(STORAGE, file, SCHEMA, SCHEMA, names, bitmap, stats=effort))
        assert sum(batch.num_rows for batch in found) == wanted.num_rows
        if names and found:
            table = pa.Table.from_batches(found)
            assert table.equals(wanted.select(names).cast(table.schema))
            table.validate(full=True)


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("kind", KINDS)
def test_no_more_is_read_than_needed(kind: str, tmp_path: Path) -> None:
    file = written(tmp_path, kind)

    def effort(rows: Any, names: Any = COLUMNS.names) -> ReadStats:
        found = ReadStats()
        for _ in read_rows(STORAGE, file, SCHEMA, SCHEMA, names, rows, stats=found):
            pass
        return found

    size = Path(file.path).stat().st_size
    everything, few = effort(None), effort(BitMap([10_000, 10_001]))
    assert everything.groups_skipped == 0
    # Arrow reads ORC in small pieces here and there, some of them twice.
    assert 0.9 * size < everything.bytes_read < (1.5 if kind == "orc" else 1.1) * size + 64_000
    if kind == "parquet-pages":
        assert few.groups_read == everything.groups_read == 1
        assert few.bytes_read < size / 3
    else:
        assert everything.groups_read > 3
        assert few.groups_read == 1
        assert few.groups_skipped >= 2
        assert few.bytes_read < size * 0.8
    if kind != "avro":
        assert effort(None, ["id"]).bytes_read < size / 2
    assert effort(BitMap()) == ReadStats()


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("kind", KINDS)
def test_an_object_store(kind: str, tmp_path: Path) -> None:
    file, storage = written(tmp_path, kind), Storage.of(ArrowFileIO(), "/")
    for rows in (None, BitMap(range(10_000, 10_010)), BitMap(range(0, NUM_ROWS, 1000))):
        effort = ReadStats()
        found = list(read_rows(storage, file, SCHEMA, SCHEMA, ("m", "id"), rows, stats=effort))
        table = pa.Table.from_batches(found)
        wanted = data() if rows is None else data().take(pa.array(list(rows), pa.int64()))
        assert table.equals(wanted.select(["m", "id"]).cast(table.schema))
        assert 0 < effort.bytes_read < Path(file.path).stat().st_size + (64 << 10)
