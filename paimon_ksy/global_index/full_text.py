"""Report on the header of a full-text index."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.generated.views.full_text_index import FullTextIndex
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import FileContent, Subject
from paimon_ksy.io.file_kind import BUILD_AGAIN
from paimon_ksy.io.source import read_view
from paimon_ksy.messages.answers import Answer, keyed


@dataclass(frozen=True)
class TantivyFile(Answer):
    """A file of Tantivy in a full-text index."""

    name: str
    offset: int = field(metadata=keyed("byte"))
    size: int = field(metadata=keyed("bytes"))


@dataclass(frozen=True)
class FullTextReport(FileContent):
    """The header of a full-text index: the documents, and the version of Tantivy that reads it.

    Of other versions than 1, only the version is known.
    """

    version: int
    documents: int | None = None
    tantivy_version: str | None = None
    tokenizer: str | None = None
    files: tuple[TantivyFile, ...] = ()


def inspect(subject: Subject, _: int | None) -> FullTextReport:
    """Return what the header contains. Raises CorruptFileError."""
    source = subject.source
    with CorruptErrors(source):
        index = read_view(source, FullTextIndex, 0)
    if index.header is None:
        return FullTextReport(index.version)
    try:
        header = json.loads(bytes(index.header))
        metadata = header["metadata"]
        files = tuple(_file(each, index.end, source.size) for each in header["files"])
        tokenizer = metadata["config"].get("tokenizer", {}).get("tokenizer")
        return FullTextReport(
            version=index.version,
            documents=int(metadata["document_count"]),
            tantivy_version=str(metadata["tantivy_version"]),
            tokenizer=None if tokenizer is None else str(tokenizer),
            files=files,
        )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        message = f"its header is corrupt: {type(error).__name__} {error}"
        at = index.end - len(index.header)
        raise CorruptFileError(message, path=source.name, offset=at, remedy=BUILD_AGAIN) from error


def _file(listed: Any, start: int, size: int) -> TantivyFile:
    """Return a file in an index of this size. Raises ValueError if it is not in there."""
    file = TantivyFile(str(listed["name"]), start + int(listed["offset"]), int(listed["length"]))
    if not start <= file.offset <= file.offset + file.size <= size:
        raise ValueError(f"{file.name!r:.60} goes beyond the end of the index")
    return file
