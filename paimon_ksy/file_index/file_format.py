"""The record of file indexes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paimon_ksy.file_index.describe import describe
from paimon_ksy.file_index.file_parts import parts
from paimon_ksy.file_index.inspect import check_schema, inspect
from paimon_ksy.io.file_format import FileFormat, Subject
from paimon_ksy.io.file_kind import FILE_INDEX
from paimon_ksy.messages.findings import Finding


def _check(subject: Subject, data: Any) -> Iterator[Finding]:
    from paimon_ksy.file_index.verify import check

    return check(subject, data)


FORMATS = (
    FileFormat(
        kind=FILE_INDEX,
        spec="file_index",
        inspect=inspect,
        check=_check,
        parts=parts,
        takes=("schema", "options"),
        limits="the format has no checksum: only --data FILE detects changed values",
        check_schema=check_schema,
        describe=describe,
    ),
)
