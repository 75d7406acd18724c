# Generated from specs/bit_slice_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of bit_slice_index, and what is packed at once.

Bit-slice index of a range bitmap.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..arrays import Layout, RecordArray, fresh
from ..parsers.bit_slice_index import BitSliceIndex


class BitSliceArray(RecordArray):
    """Records of type `bit_slice` as columns."""

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout(
            [("ofs_bitmap", ">i4"), ("len_bitmap", ">i4")],
            checks=(
                ("ofs_bitmap", lambda a: a < 0),
                ("len_bitmap", lambda a: a < 0),
            ),
        ),
    }

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(BitSliceIndex.BitSlice, self, self._parent)
        record._root = self._root
        record.ofs_bitmap = values[0]
        record.len_bitmap = values[1]
        return record
