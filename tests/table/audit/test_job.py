"""What the workers of an audit know of the table."""

from dataclasses import replace
from pathlib import Path

import pytest

from paimon_ksy.file_index.options import parse_options
from paimon_ksy.table.audit.job import AuditJob, FileSchema
from paimon_ksy.table.store import Table
from tests.support.tables import files, make, rows


@pytest.mark.parametrize(
    ("written", "indexed"),
    [(None, {"id", "status"}), (("id", "day"), {"id"}), (("amount",), set())],
)
def test_of_a_file_with_some_columns_their_indexes_alone_are_asked_for(
    written: tuple[str, ...] | None, indexed: set[str], tmp_path: Path
) -> None:
    path = make(tmp_path, [rows(0, 3)])
    [file] = files(path)
    options = parse_options({"file-index.bitmap.columns": "status", "file-index.bsi.columns": "id"})
    table = Table.at(path)
    job = AuditJob(table, {file.schema_id: FileSchema(table.schema, options, None, {})}, 1, False)
    found = job.options_of(replace(file, write_columns=written))
    assert {spec.name for spec in found.indexes} == indexed
