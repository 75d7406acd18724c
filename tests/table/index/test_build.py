"""The index of one data file: built under the names and types of its own schema."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from pyroaring import BitMap

from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.table.store import Table
from tests.support.tables import (
    EMBEDDED,
    SCHEMA,
    STATUS,
    append,
    files,
    ids,
    indexes,
    make,
    rows,
    run_rewrite,
)


@pytest.mark.parametrize("file_format", ["parquet", "orc", "avro"])
def test_formats(file_format: str, tmp_path: Path) -> None:
    names = ["id", "status"] if file_format == "avro" else SCHEMA.names  # pypaimon's has no maps
    path = make(tmp_path, [rows(0, 9).select(names)], {"file.format": file_format})
    columns = "status" if file_format == "avro" else "status,m[k]"
    run_rewrite(path, set={"file-index.bitmap.columns": columns, **EMBEDDED})
    (file,) = files(path)
    assert file.format == file_format
    with FileIndex.open(file.embedded_index, Table.at(path).schema.columns) as opened:
        assert opened.evaluate("status IS NULL").rows == BitMap([2, 6])
        if file_format != "avro":
            assert opened.evaluate("m['k'] = 'v1'").rows == BitMap([1, 7])


def test_files_of_an_older_schema_are_indexed_under_its_names(tmp_path: Path) -> None:
    from pypaimon import CatalogFactory
    from pypaimon.schema.data_types import AtomicType
    from pypaimon.schema.schema_change import SchemaChange

    path = make(tmp_path, [rows(0, 8)])
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    changes = [
        SchemaChange.rename_column("status", "state"),
        SchemaChange.add_column("status", AtomicType("INT")),
        SchemaChange.drop_column("amount"),
        SchemaChange.add_column("amount", AtomicType("STRING")),
    ]
    for change in changes:
        catalog.alter_table("default.t", [change], False)
    now = pa.schema([*[SCHEMA.field(n) for n in ("id",)], ("state", pa.string())])
    data = pa.table(
        {
            "id": [8, 9],
            "state": ["PAID", None],
            "m": pa.array([[], []], SCHEMA.field("m").type),
            "day": ["a", "a"],
            "status": pa.array([1, 2], pa.int32()),
            "amount": ["x", "y"],
        }
    )
    assert now.names == data.schema.names[:2]
    append(path, data)
    summary = run_rewrite(path, set={"file-index.bitmap.columns": "state,status,amount"})
    assert summary.values == 8 + 3 * 2
    assert indexes(path) == [
        {"status": {"bitmap"}},  # the column that is "state" by now
        {"state": {"bitmap"}, "status": {"bitmap"}, "amount": {"bitmap"}},
    ]
    old = files(path)[0]
    with FileIndex.open(old.index, Table.at(path).schema_at(old.schema_id).columns) as opened:
        assert opened.evaluate("status = 'PENDING'").rows == BitMap([3, 7])
    assert (
        run_rewrite(path, set={"file-index.bitmap.columns": "state,status,amount"}).snapshot is None
    )
    assert ids(path) == list(range(10))


def test_column_whose_older_type_an_index_refuses(tmp_path: Path) -> None:
    from pypaimon import CatalogFactory
    from pypaimon.schema.data_types import AtomicType
    from pypaimon.schema.schema_change import SchemaChange

    path = make(tmp_path, [rows(0, 8)])
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    change = SchemaChange.update_column_type("amount", AtomicType("STRING"))
    catalog.alter_table("default.t", [change], False)
    append(path, rows(8, 2).set_column(2, "amount", [["x", "y"]]))
    with pytest.raises(UnsupportedError):
        run_rewrite(path, set={"file-index.bsi.columns": "amount"})
    run_rewrite(
        path, set={"file-index.bitmap.columns": "amount,id", "file-index.bsi.columns": "id"}
    )
    assert indexes(path)[0] == {"amount": {"bitmap"}, "id": {"bitmap", "bsi"}}


def test_data_file_with_other_rows_than_the_manifest_says(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8), rows(8, 4)], STATUS)
    first, second = files(path)
    Path(first.path).write_bytes(Path(second.path).read_bytes())
    with pytest.raises(CorruptFileError, match="has 4 rows, but 8 according to the manifest"):
        run_rewrite(path)
