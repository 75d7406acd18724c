"""Report on the kind and content of a file.

The work is bounded for any input: in an index with very many values, only the first ones are read,
unless the caller wants all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from operator import attrgetter
from typing import Any

from ksykit.runtime.objects import layout

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.inspection.registry import FORMATS, answers_of, kind_in
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import FieldBytes, FileContent, FileFormat, Subject, parsed
from paimon_ksy.io.file_kind import EMPTY, UNKNOWN, FileKind, missing_magic
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import HIDDEN, in_answer, keyed
from paimon_ksy.messages.sections import Report


@dataclass(frozen=True)
class FileReport(Report):
    """The kind and the content of a file; `hex` lists fields with their bytes."""

    path: str = field(metadata=keyed("file", text=False, title=True))
    size: int = field(metadata=keyed("bytes"))
    kind: FileKind = field(metadata=HIDDEN)
    content: Any = field(default=None, metadata=keyed(beside=True))
    first_bytes: bytes = field(default=b"", metadata=HIDDEN)
    hex: Iterator[FieldBytes] | None = field(
        default=None, metadata=keyed(optional=True, text=False)
    )

    @property
    @in_answer("kind")
    def kind_id(self) -> str:
        """The name of the kind."""
        return self.kind.id

    @staticmethod
    def parts(name: str) -> list[type]:
        """Return the types of the content of all formats."""
        return [*answers_of("inspect"), HeaderReport]

    @property
    @in_answer(optional=True)
    def note(self) -> str | None:
        """What the kind of the file is for, if only others read it."""
        is_checked = self.kind in FORMATS and FORMATS[self.kind].check is not None
        return self.kind.note if self.kind.readers and not is_checked else None

    @property
    def errors(self) -> Sequence[CorruptFileError]:
        """The errors in the content."""
        return () if self.content is None else self.content.errors


@dataclass(frozen=True)
class HeaderReport(FileContent):
    """The numbers in the header or footer of a file, by their names."""

    header: dict[str, Any]


def inspect_file(subject: Subject, *, top: int | None = 10, kind: FileKind = UNKNOWN) -> FileReport:
    """Report on a file.

    Args:
        subject: The file. With the types of its columns, the report lists values of indexes.
        top: The number of most frequent values of each index to list; None means all.
        kind: The kind of the file, if it does not follow from the bytes.

    Returns:
        The report, which contains the errors of single indexes and vectors.

    Raises:
        CorruptFileError: The file is malformed from its start on.
    """
    source = subject.source
    kind = kind_in(source) if kind is UNKNOWN else kind
    file_format = FORMATS.get(kind)
    if source.size == 0 and not (file_format is not None and file_format.may_be_empty):
        raise CorruptFileError("the file is empty", path=source.name, offset=0, remedy=EMPTY)
    if kind.index_types and (error := missing_magic(source, kind)) is not None:
        raise error
    first_bytes = source.read(0, min(16, source.size))
    report = FileReport(source.name, source.size, kind, first_bytes=first_bytes)
    if file_format is None:
        return report
    if file_format.inspect is not None:
        return replace(report, content=file_format.inspect(subject, top))
    if file_format.only_header:
        return replace(report, content=_header(source, file_format))
    return report


def _header(source: Source, file_format: FileFormat) -> HeaderReport:
    """Return the numbers in a header. Raises CorruptFileError."""
    with CorruptErrors(source):
        file = parsed(source, 0, file_format.spec)
        values = {leaf.path: attrgetter(leaf.path)(file) for leaf in layout([(0, file)])}
    return HeaderReport(
        {
            path.removeprefix("header.").removeprefix("footer."): (
                value.name if isinstance(value, Enum) else value
            )
            for path, value in values.items()
            if not isinstance(value, bytes) and path != "magic"
        }
    )
