"""Map the bytes in a range of a file to their fields.

Only parts with bytes in the range are parsed, such as a block and a few bitmaps of a large index.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from operator import attrgetter

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.inspection.registry import FORMATS, kind_in
from paimon_ksy.io.corrupt import MALFORMED
from paimon_ksy.io.file_format import SMALL, FieldBytes, FilePart, Range, leaves_of
from paimon_ksy.io.file_kind import UNKNOWN, FileKind
from paimon_ksy.io.source import Source
from paimon_ksy.types.schema import Schema


def hex_fields(
    source: Source, schema: Schema | None, start: int, length: int, kind: FileKind = UNKNOWN
) -> list[FieldBytes]:
    """Return the fields of bytes `start` to `start + length`, without gaps between them.

    A field that goes beyond these bytes is cut. The body of an index whose type, or whose column's
    type, is unknown is one field. Some kinds do not follow from the bytes.
    """
    end = min(start + length, source.size)
    file_format = FORMATS.get(kind_in(source) if kind is UNKNOWN else kind)
    leaves: list[FieldBytes] = []
    with suppress(CorruptFileError, *MALFORMED):
        parts = [] if file_format is None else file_format.parts_in(source, schema, start, end)
        of_parts: dict[int, list[FieldBytes]] = {}
        for part in reversed(parts):
            # A head has each body as bytes; if a body is a part, that part has more fields.
            fields = _fields(source, part, (start, end))
            of_parts[part.start] = [
                each
                for each in fields
                if not (isinstance(each.value, bytes) and of_parts.get(each.start))
            ]
        leaves = [leaf for fields in of_parts.values() for leaf in fields]
    data = source.read(start, end - start) if start < end else b""
    return list(_with_bytes(leaves, data, start))


def _fields(source: Source, part: FilePart, within: Range) -> Iterator[FieldBytes]:
    """Yield the fields of a part that overlap these bytes, up to the first malformed one."""
    with suppress(CorruptFileError, *MALFORMED):
        if part.fields is not None:
            yield from part.fields(source, part, within)
        elif part.size <= SMALL:
            yield from leaves_of(part.start, part.parsed(source), part.prefix)
        else:
            yield FieldBytes(part.start, part.start + part.size, f"{part.prefix}body")


def _with_bytes(leaves: Iterable[FieldBytes], data: bytes, start: int) -> Iterator[FieldBytes]:
    """Yield the fields of bytes from `start` on, and the gaps between them as fields."""
    at, end = start, start + len(data)
    for leaf in sorted(leaves, key=attrgetter("start", "end")):
        if leaf.end <= at or leaf.start >= end:
            continue
        if leaf.start > at:
            yield FieldBytes(at, leaf.start, None, None, data[at - start : leaf.start - start])
        at, stop = max(leaf.start, at), min(leaf.end, end)
        yield FieldBytes(at, stop, leaf.path, leaf.value, data[at - start : stop - start])
        at = stop
    if at < end:
        yield FieldBytes(at, end, None, None, data[at - start :])
