"""The parts of a bitmap index that contain its values, in the same form for both versions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from paimon_ksy.generated.views.bitmap_index import BitmapIndex
from paimon_ksy.generated.views.bitmap_index_v1 import BitmapDictionaryV1
from paimon_ksy.generated.views.bitmap_index_v2 import BitmapBlockV2, BitmapDirectoryV2
from paimon_ksy.io.source import Source, read_view


class BitmapParts:
    """The views of the bitmap index at byte `pos`: its head, and the parts that have its entries.

    In version 1, the dictionary is the only part. In version 2, each block is a part. Creating the
    object reads only the head, which is the same for all column types. Columns of views are arrays;
    without `arrays`, short ones are not, which takes less time. Raises FormatError.
    """

    def __init__(self, source: Source, pos: int, column_type: int, *, arrays: bool = True) -> None:
        self.source = source
        self.pos = pos
        self.column_type = column_type
        self._arrays = arrays
        index = read_view(source, BitmapIndex, pos, column_type)
        self.version: int = index.version
        """1 or 2."""
        self.head: Any = index.v1 if index.version == 1 else index.v2
        self.num_rows: int = self.head.num_rows
        """Rows of the data file."""
        self.num_values: int = self.head.num_values
        """Distinct values that are not null, as the head has it."""

    @property
    def has_bitmap_of_nulls(self) -> bool:
        """Whether more than one row is null."""
        return bool(self.head.has_null and not self.head.is_null_single)

    def place_of_nulls(self) -> tuple[int, int | None]:
        """Return the place of the bitmap of several nulls: (position, size or None)."""
        place: tuple[int, int | None] = self.head.place_null_bitmap(self.listed)
        return place

    @cached_property
    def listed(self) -> Any:
        """The dictionary of version 1, or the directory of version 2, which lists the blocks."""
        head = self.head
        if self.version == 1:
            return self._view(BitmapDictionaryV1, head.place_dictionary(), head.num_values)
        return self._view(BitmapDirectoryV2, head.place_directory(), head.num_blocks)

    def __len__(self) -> int:
        return 1 if self.version == 1 else int(self.head.num_blocks)

    def part(self, number: int) -> Any:
        """Return a part."""
        if self.version == 1:
            return self.listed
        place = self.listed.place_blocks_body(number)
        return self._view(BitmapBlockV2, place, self.listed.bitmaps_start)

    def __iter__(self) -> Iterator[Any]:
        """Yield all parts in the order of the file."""
        return map(self.part, range(len(self)))

    def _view(self, kind: Any, place: Any, argument: int) -> Any:
        arguments = argument, self.column_type
        return read_view(self.source, kind, int(place[0]), *arguments, arrays=self._arrays)


def num_rows(source: Source, pos: int) -> int:
    """Return the number of rows of the data file, from the head of the index at byte `pos`."""
    return BitmapParts(source, pos, 0).num_rows


def stored_options(source: Source, pos: int, *_: object) -> dict[str, str]:
    """Return the options that the index at byte `pos` shows."""
    return {"version": str(BitmapParts(source, pos, 0).version)}
