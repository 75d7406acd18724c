"""The parts of a bitmap index that contain its values, for code that reads all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from paimon_ksy.generated.views.bitmap_index import BitmapIndex
from paimon_ksy.generated.views.bitmap_index_v1 import BitmapDictionaryV1
from paimon_ksy.generated.views.bitmap_index_v2 import BitmapBlockV2, BitmapDirectoryV2
from paimon_ksy.io.source import Source, read_view


@dataclass(frozen=True)
class BitmapParts:
    """The views of a bitmap index that contain its values, with columns as arrays.

    `listed` is the dictionary in version 1, and the directory in version 2.
    """

    source: Source
    column_type: int
    head: Any
    listed: Any

    @property
    def is_v1(self) -> bool:
        """Whether the index is of version 1."""
        return hasattr(self.listed, "entries_key")

    def block(self, number: int) -> Any:
        """Return a block of an index of version 2."""
        pos, first = int(self.listed.place_blocks_block(number)[0]), self.listed.bitmaps_start
        return read_view(self.source, BitmapBlockV2, pos, first, self.column_type, arrays=True)

    def entries(self) -> Iterator[Any]:
        """Yield the objects that have the entries, in the order of the file."""
        if self.is_v1:
            yield self.listed
        else:
            yield from map(self.block, range(self.listed.num_blocks))

    def place_of_nulls(self) -> tuple[int, int | None]:
        """Return the place of the bitmap of several nulls: (position, size or None)."""
        place: tuple[int, int | None] = self.head.place_null_bitmap(self.listed)
        return place


def read_bitmap_parts(source: Source, pos: int, stored: int) -> BitmapParts:
    """Return the parts of the bitmap index at byte `pos`.

    Raises:
        FormatError: The head or the dictionary is malformed.
    """
    index = read_view(source, BitmapIndex, pos, stored)
    if index.version == 1:
        head: Any = index.v1
        at, count, kind = head.place_dictionary()[0], head.num_values, BitmapDictionaryV1
        listed: Any = read_view(source, kind, at, count, stored, arrays=True)
    else:
        head = index.v2
        at, count = head.place_directory()[0], head.num_blocks
        listed = read_view(source, BitmapDirectoryV2, at, count, stored, arrays=True)
    return BitmapParts(source, stored, head, listed)
