"""Rows read from data files: those of golden tables, selections of them, and what reading takes."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyroaring import BitMap

from paimon_ksy.deletion_vector import read_vector
from paimon_ksy.table.rows import read_rows
from paimon_ksy.table.store import DataFile, Table, TableSchema
from tests.golden_tables import expected, golden_table, golden_table_names, rows_of, same_rows


def live(table: Table, file: DataFile) -> BitMap:
    rows = BitMap(range(file.num_rows))
    if (place := file.deletion_vector) is not None:
        with table.storage.open(place.path) as source:
            rows -= BitMap(read_vector(source, place.offset, place.length, place.cardinality))
    return rows


def read(
    table: Table, file: DataFile, columns: Any = None, rows: Any = None, **more: Any
) -> pa.Table:
    names = table.schema.columns.names if columns is None else columns
    schema = table.schema_at(file.schema_id)
    found = read_rows(table.storage, file, schema, table.schema, names, rows, **more)
    return pa.Table.from_batches(list(found), schema_of(table.schema, names))


def schema_of(schema: TableSchema, names: Any) -> pa.Schema:
    own = schema.columns.to_arrow()
    return pa.schema([own.field(name) for name in names])


APPEND = [name for name in golden_table_names() if not name.startswith("pk_")]


@pytest.mark.parametrize("name", APPEND)
def test_append_tables_have_the_rows_that_java_reads(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    files = list(table.files(table.snapshot()))
    found = pa.concat_tables([read(table, file, rows=live(table, file)) for file in files])
    assert found.schema == table.schema.columns.to_arrow()
    found.validate(full=True)
    assert same_rows(found, expected(name).rows)


@pytest.mark.parametrize("name", golden_table_names())
def test_any_rows_of_any_columns(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    columns = table.schema.columns.names
    for file in table.files(table.snapshot()):
        everything = rows_of(read(table, file))
        assert len(everything) == file.num_rows
        for rows in ([0], [file.num_rows - 1], range(0, file.num_rows, 3), range(2, 5), []):
            rows = [row for row in rows if row < file.num_rows]
            for names in (columns, columns[-1:], columns[::-2], ()):
                at = [columns.index(name) for name in names]
                wanted = [tuple(everything[row][column] for column in at) for row in rows]
                found = read(table, file, names, BitMap(rows))
                assert found.schema.names == list(names)
                assert not names or repr(rows_of(found)) == repr(wanted)
            schema = table.schema_at(file.schema_id)
            batches = read_rows(table.storage, file, schema, table.schema, (), BitMap(rows))
            assert sum(batch.num_rows for batch in batches) == len(rows)
