# Generated from bit_slice_index.ksy by `ksykit generate`. Do not edit.
"""Views of bit_slice_index: Bit-slice index of a range bitmap."""

from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout

_BIT_SLICE_INDEX_LEN_HEAD = Numbers(
    ">i", Field("len_head", "bit_slice_index/seq/0", ">i", least=10)
)
_BIT_SLICE_INDEX_VERSION = Numbers(
    ">BBii",
    Field("version", "bit_slice_index/seq/2", ">B", equal=1),
    Field("num_slices", "bit_slice_index/seq/3", ">B", most=64),
    Field("len_rows", "bit_slice_index/seq/4", ">i", least=0),
    Field("len_slices", "bit_slice_index/seq/5", ">i", equal=lambda x: x.num_slices * 8),
)
BIT_SLICE = RecordLayout(
    Field("ofs_bitmap", "bit_slice_index/types/bit_slice/seq/0", ">i", least=0),
    Field("len_bitmap", "bit_slice_index/types/bit_slice/seq/1", ">i", least=0),
)


class BitSliceIndex:
    """A bit-slice index stores a number for each row that is not null."""

    __slots__ = (
        "end", "head_end", "head_start", "len_head", "len_rows", "len_slices", "num_slices",
        "slices_len_bitmap", "slices_ofs_bitmap", "version",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _BIT_SLICE_INDEX_LEN_HEAD.broken(d, start, p, self)
        (self.len_head,) = _BIT_SLICE_INDEX_LEN_HEAD.unpack_from(d, p)
        if self.len_head < 10:
            raise _BIT_SLICE_INDEX_LEN_HEAD.broken(d, start, p, self)
        p += 4
        self.head_start = start + p
        if not 0 <= p <= len(d) - 10:
            raise _BIT_SLICE_INDEX_VERSION.broken(d, start, p, self)
        (
            self.version, self.num_slices, self.len_rows, self.len_slices,
        ) = _BIT_SLICE_INDEX_VERSION.unpack_from(d, p)  # fmt: skip
        if (
            self.version != 1
            or self.num_slices > 64
            or self.len_rows < 0
            or self.len_slices != self.num_slices * 8
        ):
            raise _BIT_SLICE_INDEX_VERSION.broken(d, start, p, self)
        p += 10
        (
            p, self.slices_ofs_bitmap, self.slices_len_bitmap,
        ) = BIT_SLICE.read(d, start, p, self.num_slices, arrays)  # fmt: skip
        self.head_end = start + p
        self.end = start + p

    @property
    def rows_start(self) -> Any:
        return self.head_start + self.len_head

    def place_rows(self) -> Any:
        """Return where the `rows` is: (position, size or None)."""
        return self.rows_start, self.len_rows

    def place_slices_bitmap(self, i: Any) -> Any:
        """Return where the `bitmap` of record i is: (position, size or None)."""
        return self.rows_start + self.len_rows + self.slices_ofs_bitmap[i], self.slices_len_bitmap[
            i
        ]
