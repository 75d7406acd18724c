"""Map the bytes in a range of a file to their fields.

Only parts with bytes in the range are parsed, such as a block and a few bitmaps of a large index.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.bitmap.parts import BitmapParts
from paimon_ksy.generated.views import deletion_vectors as views
from paimon_ksy.generated.views.bitmap_index_v1 import BITMAP_ENTRY_V1
from paimon_ksy.generated.views.bitmap_index_v2 import BITMAP_BLOCK_REF_V2, BITMAP_ENTRY_V2
from paimon_ksy.generated.views.bucket_index import BUCKET_INDEX_HASHES
from paimon_ksy.inspection.inspect import FieldBytes
from paimon_ksy.inspection.parsed_file import FilePart, file_parts, parsed
from paimon_ksy.io.corrupt import MALFORMED
from paimon_ksy.io.file_kind import BUCKET_INDEX, VECTORS, FileKind, kind_of
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.runtime.records import layout_for
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    from paimon_ksy.table_index.deletion_vector_file import StoredVector

SMALL = 256 * 1024
"""The largest index, other than a bitmap index, and the largest deletion vector to parse, in bytes;
larger ones are one field."""
MAX_CONTAINERS = 256
"""The most containers of a Roaring bitmap to parse; larger ones are one field."""

Range = tuple[int, int]


def hex_fields(
    source: Source, schema: Schema | None, start: int, length: int, kind: FileKind | None = None
) -> list[FieldBytes]:
    """Return the fields of bytes `start` to `start + length`, without gaps between them.

    A field that goes beyond these bytes is cut. The body of an index whose type, or whose column's
    type, is unknown is one field.

    Args:
        source: The file.
        schema: The types of an index's columns.
        start: The first byte.
        length: The number of bytes.
        kind: The kind of the file, if it does not follow from the bytes.
    """
    end = min(start + length, source.size)
    kind = kind or kind_of(source)
    leaves: list[FieldBytes] = []
    with suppress(CorruptFileError, *MALFORMED):
        if kind is BUCKET_INDEX:
            leaves = list(_hash_codes(source, start, end))
        elif kind is VECTORS:
            leaves = list(_vectors(source, (start, end)))
        else:
            head, *bodies = file_parts(source, schema)
            times = Counter(part.column for part in bodies)
            of_body = {}
            for part in bodies:
                if _overlap(part.start, part.start + part.size, (start, end)):
                    one = times[part.column] == 1
                    prefix = f"{part.column}: " if one else f"{part.column} {part.index_type}: "
                    of_body[part.start] = list(_body(source, part, prefix, (start, end)))
            # The head has each body as bytes; if a body is a part, that part has more fields.
            leaves = [leaf for fields in of_body.values() for leaf in fields]
            for leaf in _leaves(head.start, head.parsed(source), ""):
                if not (of_body.get(leaf.start) and isinstance(leaf.value, bytes)):
                    leaves.append(leaf)
    data = source.read(start, end - start) if start < end else b""
    return list(_with_bytes(leaves, data, start))


def _hash_codes(source: Source, start: int, end: int) -> Iterator[FieldBytes]:
    """Yield the fields of a bucket index that overlap these bytes."""
    size = BUCKET_INDEX_HASHES.size
    whole = source.size // size * size
    first, last = start // size, -(-min(end, whole) // size)
    data = source.read(first * size, max(0, last - first) * size)
    _, hashes = BUCKET_INDEX_HASHES.read(data, first * size, 0, max(0, last - first))
    for number, value in enumerate(hashes, first):
        yield FieldBytes(number * size, (number + 1) * size, f"hashes[{number}]", int(value))
    if end > whole:
        yield FieldBytes(whole, source.size, "trailing")


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


def _body(source: Source, part: FilePart, prefix: str, within: Range) -> Iterator[FieldBytes]:
    """Yield the fields of an index that overlap these bytes, up to the first malformed one."""
    if part.index_type == "bitmap":
        with suppress(*MALFORMED):
            bitmap = BitmapParts(source, part.start, part.params["column_type"])
            yield from _head(part.parsed(source), part.start, prefix)
            if bitmap.version == 1:
                yield from _dictionary_v1(bitmap, within, prefix)
            else:
                yield from _directory_v2(bitmap, within, prefix)
                yield from _blocks_v2(bitmap, within, prefix)
            yield from _bitmaps(bitmap, within, prefix)
    elif part.size <= SMALL:
        with suppress(*MALFORMED):
            yield from _leaves(part.start, part.parsed(source), prefix)
    else:
        yield FieldBytes(part.start, part.start + part.size, f"{prefix}body")


def _vectors(source: Source, within: Range) -> Iterator[FieldBytes]:
    """Yield the fields of deletion vectors in the range, up to the first malformed one."""
    from paimon_ksy.table_index.deletion_vector_file import read_vectors

    head = read_view(source, views.DeletionVectorsHead, 0)
    yield FieldBytes(0, head.end, "version", head.version)
    with suppress(CorruptFileError):
        for number, stored in enumerate(read_vectors(source, verify=False)):
            if stored.offset >= within[1]:
                break
            if _overlap(stored.offset, stored.end, within):
                yield from _vector(source, stored, f"vectors[{number}].")


def _vector(source: Source, stored: StoredVector, prefix: str) -> Iterator[FieldBytes]:
    start = stored.offset
    if stored.end - start <= SMALL:
        yield from _leaves(start, parsed(source, start, "deletion_vector"), prefix)
        return
    head = read_view(source, views.DeletionVectorHead, start)
    data = read_view(source, views.DeletionVectorDataHead, head.end)
    crc_start = start + views.places_deletion_vector(head.len_data).crc32
    yield FieldBytes(start, head.end, f"{prefix}len_data", head.len_data)
    yield FieldBytes(head.end, data.end, f"{prefix}data.kind", views.VectorKind(data.kind))
    yield FieldBytes(data.end, crc_start, f"{prefix}data.bitmap_{stored.vector.bits}")
    tail = read_view(source, views.DeletionVectorTail, crc_start)
    yield FieldBytes(crc_start, tail.end, f"{prefix}crc32", tail.crc32)


def _leaves(start: int, parsed: Any, prefix: str) -> list[FieldBytes]:
    """Return the fields of an object and of everything below it."""
    from paimon_ksy.runtime.objects import layout

    try:
        fields = layout([(start, parsed)])
    except MALFORMED:
        return []
    return [FieldBytes(f.start, f.end, prefix + f.path, f.value) for f in fields]


def _leave_out(parsed: Any, instance: str) -> None:
    """Mark an instance of an object as absent, so that `_leaves` does not read it."""
    setattr(parsed, f"_m_{instance}", None)


def _overlap(start: int, end: int, within: Range) -> bool:
    return start < within[1] and end > within[0]


def _head(index: Any, start: int, prefix: str) -> list[FieldBytes]:
    meta = index.v1 if index.version == 1 else index.v2
    for name in ("dictionary", "directory", "null_bitmap"):
        _leave_out(meta, name)
    return _leaves(start, index, prefix)


def _dictionary_v1(parts: BitmapParts, within: Range, prefix: str) -> Iterator[FieldBytes]:
    sizes = _sizes(BITMAP_ENTRY_V1, parts, parts.listed.entries_key)
    start, kind = parts.head.dictionary_start, "bitmap_entry_v1"
    return _records(parts, kind, sizes, start, within, f"{prefix}v1.dictionary.entries")


def _directory_v2(parts: BitmapParts, within: Range, prefix: str) -> Iterator[FieldBytes]:
    listed, kind = parts.listed, "bitmap_block_ref_v2"
    start, end = parts.head.directory_start, listed.blocks_start
    sizes = _sizes(BITMAP_BLOCK_REF_V2, parts, listed.blocks_key)
    yield from _records(parts, kind, sizes, start, within, f"{prefix}v2.directory.blocks")
    after = start + int(sizes.sum())
    yield FieldBytes(after, end, f"{prefix}v2.directory.len_blocks", listed.len_blocks)


def _blocks_v2(parts: BitmapParts, within: Range, prefix: str) -> Iterator[FieldBytes]:
    listed = parts.listed
    starts = listed.place_blocks_body(slice(None))[0].tolist()
    parsed_to = 0  # in a corrupt file, many blocks may claim the same bytes: show one of them
    for i, start in enumerate(starts):
        limit = int(starts[i + 1]) if i + 1 < len(starts) else listed.bitmaps_start
        if start < parsed_to or not _overlap(start, limit, within):
            continue
        path = f"{prefix}v2.directory.blocks[{i}].body."
        block = parts.part(i)
        if block.end > limit:
            return
        sizes = _sizes(BITMAP_ENTRY_V2, parts, block.entries_key)
        first = block.end - int(sizes.sum())
        yield FieldBytes(start, first, f"{path}num_entries", block.num_entries)
        yield from _records(parts, "bitmap_entry_v2", sizes, first, within, f"{path}entries")
        parsed_to = block.end


def _sizes(layouts: Any, parts: BitmapParts, keys: Any) -> Any:
    """Return the size in bytes of each record with these keys."""
    return layout_for(layouts, parts.column_type).sizes([keys])


def _records(
    parts: BitmapParts, kind: str, sizes: Any, start: int, within: Range, path: str
) -> Iterator[FieldBytes]:
    """Yield the records with bytes in the range, among adjacent ones from `start` on."""
    ends = start + sizes.cumsum()
    for i in range(int(ends.searchsorted(within[0], "right")), len(sizes)):
        at = int(ends[i - 1]) if i else start
        if at >= within[1]:
            break
        record = parsed(parts.source, at, kind, parts.column_type)
        _leave_out(record, "bitmap")
        _leave_out(record, "body")
        yield from _leaves(at, record, f"{path}[{i}].")


def _bitmaps(parts: BitmapParts, within: Range, prefix: str) -> Iterator[FieldBytes]:
    if parts.listed.bitmaps_start >= within[1]:
        return
    parsed_to = 0  # as with blocks
    for start, path in _bitmap_starts(parts, within):
        if start < parsed_to:
            continue
        bitmap = parsed(parts.source, start, "roaring_bitmap_32")
        parsed_to = bitmap.bitmap_end.at
        if len(bitmap.containers) > MAX_CONTAINERS:
            yield FieldBytes(start, parsed_to, f"{prefix}{path}")
        elif parsed_to > within[0]:
            yield from _leaves(start, bitmap, f"{prefix}{path}.")


def _bitmap_starts(parts: BitmapParts, within: Range) -> list[tuple[int, str]]:
    """Return the starts and paths of the bitmaps that may have bytes in the range."""
    before: tuple[int, str] | None = None  # the last one that starts before the range
    starts_of = []
    is_v1 = parts.version == 1
    for number, entries in enumerate(parts):
        path = "v1.dictionary." if is_v1 else f"v2.directory.blocks[{number}].body."
        starts, _ = entries.place_entries_bitmap(slice(None))
        starts[entries.entries_is_single(slice(None))] = within[1]
        early = starts <= within[0]
        if early.any():
            i = int((starts * early).argmax())
            if before is None or starts[i] > before[0]:
                before = int(starts[i]), f"{path}entries[{i}].bitmap"
        inside = ((starts > within[0]) & (starts < within[1])).nonzero()[0]
        starts_of += [(int(starts[i]), f"{path}entries[{i}].bitmap") for i in inside.tolist()]
    if parts.has_bitmap_of_nulls:
        path = "v1.null_bitmap" if is_v1 else "v2.null_bitmap"
        starts_of.append((parts.place_of_nulls()[0], path))
    return sorted(starts_of if before is None else [before, *starts_of])
