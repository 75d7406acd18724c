"""A whole file as JSON, and the same bytes from that JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.generated import runtime
from paimon_ksy.inspect import FilePart, file_parts
from paimon_ksy.schema import Schema
from paimon_ksy.source import Source


def dump_file(source: Source, schema: Schema | None = None) -> dict[str, Any]:
    """Everything in the file, as JSON that `assemble` makes the same bytes of.

    With a schema, the bitmap indexes of its columns are told apart down to single values; other
    bodies are bytes. Raises CorruptFileError if the file does not start as one that is known, or
    its head is broken.
    """
    data = source.read(0, source.size)
    parts = file_parts(source, schema)
    if not parts:
        raise CorruptFileError(
            "neither a file index nor a Roaring bitmap", path=source.name, offset=0
        )
    head, *indexes = parts
    # An index may be broken in a way that no fields can tell: then its bytes are kept as bytes.
    document = _document(parts, data)
    if document is None:
        document = _document([head, *(p for p in indexes if _document([head, p], data))], data)
    if document is None:
        document = _document([head], data)
    if document is None:
        raise AssertionError(f"the JSON of {source.name} does not give its bytes")
    return document


def assemble(document: Any) -> bytes:
    """The file of a JSON document of `dump_file`, edited or not.

    Fields that are missing or null are computed. Raises PaimonKsyError if the document cannot be
    written, naming the field.
    """
    if not isinstance(document, Mapping) or "parts" not in document:
        raise PaimonKsyError('not the JSON of a dump: it has no "parts"; make one with `dump`')
    try:
        return bytes(runtime.parts_from_json(document))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:
        raise PaimonKsyError(f"the JSON cannot be written as a file: {error}") from error


def _document(parts: list[FilePart], data: bytes) -> dict[str, Any] | None:
    """The JSON of these parts and all other bytes; None if it does not give the same bytes."""
    document: dict[str, Any] = runtime.parts_to_json(
        [(part.start, part.parsed) for part in parts], data
    )
    try:
        return document if assemble(document) == data else None
    except PaimonKsyError:
        return None
