"""Parts of reports on tables, and tables of pypaimon to report on."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.table.inspect.report import TableReport

KEYED = pa.schema([pa.field("k", pa.int32(), nullable=False), ("v", pa.string())])


def files_of(report: TableReport) -> list[Any]:
    assert report.content is not None
    return [
        file
        for partition in report.content.partitions
        for bucket in partition.buckets
        for file in bucket.listed
    ]


def broken(path: str, capsys: pytest.CaptureFixture[str]) -> tuple[str, list[str]]:
    """What is printed of a table that has something broken in it, and the complaints."""
    assert run(["table", "inspect", path]) == 1
    captured = capsys.readouterr()
    assert "Traceback" not in captured.err
    return captured.out, captured.err.splitlines()


def catalog_at(folder: Path) -> Any:
    from pypaimon import CatalogFactory

    catalog = CatalogFactory.create({"warehouse": str(folder)})
    catalog.create_database("default", True)
    return catalog


def write(table: Any, rows: list[dict[str, Any]], schema: pa.Schema) -> None:
    builder = table.new_batch_write_builder()
    writer, commit = builder.new_write(), builder.new_commit()
    writer.write_arrow(pa.Table.from_pylist(rows, schema=schema))
    commit.commit(writer.prepare_commit())
    writer.close()
    commit.close()
