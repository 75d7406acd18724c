"""Parts of reports on tables."""

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
