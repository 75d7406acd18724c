"""Lists of the blob files that a data file of a primary-key table uses (`.blobref`)."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.generated.views.blob_references import BlobReferences
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import FileContent, Subject
from paimon_ksy.io.file_kind import BACKUP_LIST
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.java import modified_utf8
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.messages.findings import Finding, corrupt


@dataclass(frozen=True)
class BlobReference(Answer):
    """A blob file: the folder that contains it, and its name."""

    folder: str
    name: str


@dataclass(frozen=True)
class ReferenceReport(FileContent):
    """The blob files in a list, or the first ones of them."""

    num_blob_files: int = field(metadata=keyed(text=False))
    blob_files: tuple[BlobReference, ...] = field(
        metadata=keyed(total="num_blob_files", one_line=True)
    )


def read_references(source: Source) -> tuple[BlobReference, ...]:
    """Return all blob files in a list. Raises CorruptFileError."""
    with CorruptErrors(source, remedy=BACKUP_LIST):
        file = read_view(source, BlobReferences, 0)
        if file.end != source.size:
            raise FormatError("bytes follow its checksum", file.end)
        start = len(file.magic)
        content = source.read(start, file.content.end - start)
        if (crc := zlib.crc32(content)) != file.crc32:
            raise FormatError(f"its checksum is {crc:#010x}, not {file.crc32:#010x}", start)
        return tuple(
            BlobReference(*map(modified_utf8.decode, (bytes(each.root), bytes(each.name))))
            for each in file.content.references
        )


def inspect(subject: Subject, top: int | None) -> ReferenceReport:
    """Return the blob files in a list, or the first ones. Raises CorruptFileError."""
    references = read_references(subject.source)
    return ReferenceReport(len(references), references[:top])


def check(subject: Subject, data: Any = None) -> Iterator[Finding]:
    """Yield an error if a list is malformed, or its checksum is another one."""
    try:
        read_references(subject.source)
    except CorruptFileError as error:
        yield corrupt("blobref", subject.path, error, remedy=BACKUP_LIST)
