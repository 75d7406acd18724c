"""The files of schemas, read as pypaimon's `SchemaManager` reads them."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.table.store import Table
from paimon_ksy.table.store.schema_files import SchemaFiles
from tools.tables import make_table


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A table with three versions of its schema."""
    from pypaimon import CatalogFactory
    from pypaimon.schema.schema_change import SchemaChange

    path = make_table(tmp_path, "t", [pa.table({"id": [1]})], {})
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    for number in range(2):
        catalog.alter_table("default.t", [SchemaChange.set_option("k", str(number))])
    return Table.at(path)


def test_schemas_are_those_of_pypaimon(table: Table) -> None:
    files = SchemaFiles(table.storage.file_io, table.location)
    manager = table.pypaimon.schema_manager
    assert files.latest() == manager.latest()
    assert [schema.id for schema in files.all()] == [schema.id for schema in manager.list_all()]
    assert files.at(1) == manager.get_schema(1)
    assert files.at(7) is None


def test_files_of_other_names_are_no_schemas(table: Table) -> None:
    folder = Path(table.location, "schema")
    (folder / "schema-x").write_text("no schema")
    (folder / ".schema-9.tmp").write_text("no schema")
    assert [schema.id for schema in table.opened.schema_files.all()] == [0, 1, 2]


def test_a_folder_without_schemas(table: Table, tmp_path: Path) -> None:
    files = SchemaFiles(table.storage.file_io, str(tmp_path / "none"))
    assert (files.latest(), files.all()) == (None, [])


def test_a_broken_schema_is_not_an_absent_one(table: Table) -> None:
    Path(table.location, "schema", "schema-2").write_text("{")
    with pytest.raises(RuntimeError, match="Failed to load schema"):
        SchemaFiles(table.storage.file_io, table.location).latest()
