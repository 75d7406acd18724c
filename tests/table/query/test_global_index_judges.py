"""Queries of tables with global indexes: pypaimon, pypaimon-rust and our readers return the same.

The indexes alone answer the same rows, too.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest

import paimon_ksy as pk
from paimon_ksy.global_index.index_type import GlobalIndexFile, GlobalIndexReader
from paimon_ksy.global_index.registry import open_global_index
from paimon_ksy.io.source import open_source
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.table.store import Table
from tests.support.global_indexes import selection_of
from tests.support.newer_tables import newer_table
from tests.support.row_id_tables import without_indexes
from tests.support.selections import selected_rows
from tools.tables import rust_context

COLUMNS = {"btree": "name", "bitmap": "name", "bitmap_lz4": "name", "btree_2": "id"}
"""The tables, and the indexed column of each."""
PREDICATES = {
    "name": [
        "name = 'n003'",
        "name = 'absent'",
        "name IN ('n000', 'n036', 'x')",
        "name <> 'n003'",
        "name NOT IN ('n001', 'n002')",
        "name BETWEEN 'n01' AND 'n02'",
        "name >= 'n035'",
        "name LIKE 'n00%'",
        "name IS NULL",
        "name IS NOT NULL AND name < 'n001'",
        "name = 'n005' OR name IS NULL",
    ],
    "id": [
        "id = 1234",
        "id IN (0, 1999, 2000)",
        "id <> 7",
        "id BETWEEN 100 AND 120",
        "id < 3 OR id > 1996",
        "id IS NULL",
    ],
}


def readers_of(path: str) -> list[tuple[int, GlobalIndexReader]]:
    """A reader of each row range of the only index of a table, and the first row of the range."""
    table = Table.at(path)
    [index] = table.index_manifests.global_indexes(table.snapshot())
    columns = table.schema.columns
    fields = tuple(columns.column(name) for name in table.schema.named(index.field_ids))
    files: dict[int, list[GlobalIndexFile]] = {}
    for (first, stop), file in zip(index.bounds, index.files, strict=True):
        assert file.global_index is not None
        name = str(table.paths.index_file(file))
        files.setdefault(first, []).append(
            GlobalIndexFile(
                partial(open_source, name),
                *(name, index.index_type, fields, first, stop - 1, file.row_count),
                file.global_index.index_meta,
            )
        )
    readers = [(first, open_global_index(some)) for first, some in files.items()]
    return [(first, reader) for first, reader in readers if reader is not None]


@pytest.mark.parametrize("name", COLUMNS)
def test_all_readers_return_the_same_rows(name: str, tmp_path: Path) -> None:
    path = newer_table(tmp_path, name)
    readers = readers_of(path)
    schema, context = Table.at(path).schema.columns, rust_context(path)
    ids = without_indexes(path, ["id"])["id"].to_numpy()
    for where in PREDICATES[COLUMNS[name]]:
        ours = sorted(pk.query(path, where, columns=["id"])["id"].to_pylist())
        batches = context.sql(f"SELECT id FROM p.default.{name} WHERE {where}")
        rust = pa.Table.from_batches(batches)["id"].to_pylist() if batches else []
        assert ours == sorted(rust), where
        rows: list[int] = []
        for first, reader in readers:
            selection = selection_of(parse_predicate(where, schema), reader, schema)
            assert selection.exact
            rows += [first + row for row in selected_rows(selection, reader.num_rows)]
        assert ours == sorted(ids[rows].tolist()), where
    assert sum(reader.num_rows for _, reader in readers) == len(ids)
