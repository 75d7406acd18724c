"""The fields of a bitmap index in a range of bytes, of which only these parts are parsed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from ksykit.runtime.records import layout_for

from paimon_ksy.file_index.bitmap.parts import BitmapParts
from paimon_ksy.generated.views.bitmap_index_v1 import BITMAP_ENTRY_V1
from paimon_ksy.generated.views.bitmap_index_v2 import BITMAP_BLOCK_REF_V2, BITMAP_ENTRY_V2
from paimon_ksy.io.corrupt import MALFORMED
from paimon_ksy.io.file_format import FieldBytes, FilePart, Range, leaves_of, overlap, parsed
from paimon_ksy.io.source import Source

MAX_CONTAINERS = 256
"""The most containers of a Roaring bitmap to parse; larger ones are one field."""


def fields(source: Source, part: FilePart, within: Range) -> Iterator[FieldBytes]:
    """Yield the fields of an index that overlap these bytes, up to the first malformed one."""
    prefix = part.prefix
    with suppress(*MALFORMED):
        bitmap = BitmapParts(source, part.start, part.params["column_type"])
        yield from _head(part.parsed(source), part.start, prefix)
        if bitmap.version == 1:
            yield from _dictionary_v1(bitmap, within, prefix)
        else:
            yield from _directory_v2(bitmap, within, prefix)
            yield from _blocks_v2(bitmap, within, prefix)
        yield from _bitmaps(bitmap, within, prefix)


def _leave_out(parsed: Any, instance: str) -> None:
    """Mark an instance of an object as absent, so that `_leaves` does not read it."""
    setattr(parsed, instance, None)


def _head(index: Any, start: int, prefix: str) -> list[FieldBytes]:
    meta = index.v1 if index.version == 1 else index.v2
    for name in ("dictionary", "directory", "null_bitmap"):
        _leave_out(meta, name)
    return leaves_of(start, index, prefix)


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
        if start < parsed_to or not overlap(start, limit, within):
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
        yield from leaves_of(at, record, f"{path}[{i}].")


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
            yield from leaves_of(start, bitmap, f"{prefix}{path}.")


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
