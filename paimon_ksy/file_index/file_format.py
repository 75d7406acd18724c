"""The record of file indexes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from paimon_ksy.file_index.describe import describe
from paimon_ksy.file_index.file_parts import parts
from paimon_ksy.file_index.inspect import check_schema, inspect
from paimon_ksy.io.file_format import FileFormat, Subject
from paimon_ksy.io.file_kind import FILE_INDEX
from paimon_ksy.io.source import Source
from paimon_ksy.messages.findings import Finding

if TYPE_CHECKING:
    from paimon_ksy.file_index.compare import IndexChanges


def _check(subject: Subject, data: Any) -> Iterator[Finding]:
    from paimon_ksy.file_index.verify import check

    return check(subject, data)


def _compare(sources: Sequence[Source], contents: Sequence[Any], most: int) -> IndexChanges:
    from paimon_ksy.file_index.compare import compare

    return compare(sources, contents, most)


FORMATS = (
    FileFormat(
        kind=FILE_INDEX,
        spec="file_index",
        inspect=inspect,
        check=_check,
        parts=parts,
        takes=("schema", "options"),
        limits="the format has no checksum: only --data FILE detects changed values",
        compare=_compare,
        check_schema=check_schema,
        describe=describe,
    ),
)
