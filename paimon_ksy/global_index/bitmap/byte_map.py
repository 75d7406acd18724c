"""The parts of a bitmap index: of one with compressed blocks, also its bitmaps."""

from __future__ import annotations

from collections.abc import Iterator

from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.bitmap.parts import BitmapParts
from paimon_ksy.io.file_format import FilePart, overlap
from paimon_ksy.io.source import Source
from paimon_ksy.types.schema import Schema


def parts(source: Source, schema: Schema | None, start: int, end: int) -> Iterator[FilePart]:
    """Yield the file, and what only its compressed blocks refer to."""
    yield FilePart(0, source.size, type_named("global_bitmap_index"), {})
    file = BitmapParts(source)
    try:
        is_plain = file.directory.block.compression == BlockCompression.none
        for number, (ofs, size) in enumerate(file.directory.places):
            block = file.block(number)
            path, whole = f"blocks[{number}].", size + file.footer.len_trailer
            if not is_plain and overlap(ofs, ofs + whole, (start, end)):
                kind = type_named("global_bitmap_dictionary_block")
                yield FilePart(ofs, whole, kind, {}, path)
            if block.block.compression == BlockCompression.none and is_plain:
                continue
            for i, (first, last) in enumerate(block.extents.tolist()):
                if overlap(first, last, (start, end)):
                    kind, name = type_named("roaring_bitmap_64"), f"{path}values[{i}].rows."
                    yield FilePart(first, last - first, kind, {}, name)
    except (FormatError, PaimonKsyError):
        return  # of what is malformed, no more is known
