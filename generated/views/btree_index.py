# Generated from btree_index.ksy by `ksykit generate`. Do not edit.
"""Views of btree_index: BTree global index of a Paimon table."""

from enum import IntEnum
from itertools import accumulate
from typing import Any, NamedTuple

from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.columns import interleaved, numbers, spans
from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout, cut, window, wrong
from ksykit.runtime.varints import integer_lists, integers, pack_integers

from .varint import Varint

BlockKind = IntEnum("BlockKind", {"one_size": 0, "several_sizes": 1})
PostingForm = IntEnum("PostingForm", {"single": 0, "deltas": 1, "bitmap": 2})
_BTREE_FOOTER_OFS_BLOOM_FILTER = Numbers(
    "<QIQQIQIi",
    Field("ofs_bloom_filter", "btree_index/types/btree_footer/seq/0", "<Q"),
    Field("len_bloom_filter", "btree_index/types/btree_footer/seq/1", "<I"),
    Field("num_bloom_filter", "btree_index/types/btree_footer/seq/2", "<Q"),
    Field("ofs_directory", "btree_index/types/btree_footer/seq/3", "<Q"),
    Field("len_directory", "btree_index/types/btree_footer/seq/4", "<I"),
    Field("ofs_null_rows", "btree_index/types/btree_footer/seq/5", "<Q"),
    Field("len_null_rows", "btree_index/types/btree_footer/seq/6", "<I"),
    Field("version", "btree_index/types/btree_footer/seq/7", "<i", any_of=[1, 2]),
)
_BTREE_NULL_ROWS_TAIL_CRC32 = Numbers(
    "<I", Field("crc32", "btree_index/types/btree_null_rows/seq/1", "<I")
)
POSTING_V2_FORM = RecordLayout(
    Field("form", "btree_index/types/posting_v2/seq/0", "<B", any_of=[0, 1, 2])
)
RECORD_OFFSETS_OFFSETS = RecordLayout(
    Field("offsets", "btree_index/types/record_offsets/seq/0", "<I")
)
_BLOCK_TAIL_NUM = Numbers(
    "<IB",
    Field("num", "btree_index/types/block_tail/seq/0", "<I"),
    Field("kind", "btree_index/types/block_tail/seq/1", "<B", any_of=[0, 1]),
)


class BtreeFooter:
    """A `btree_footer`."""

    __slots__ = (
        "end", "len_bloom_filter", "len_directory", "len_null_rows", "magic",
        "num_bloom_filter", "ofs_bloom_filter", "ofs_directory", "ofs_null_rows", "version",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 48:
            raise _BTREE_FOOTER_OFS_BLOOM_FILTER.broken(d, start, p, self)
        (
            self.ofs_bloom_filter, self.len_bloom_filter, self.num_bloom_filter,
            self.ofs_directory, self.len_directory, self.ofs_null_rows, self.len_null_rows,
            self.version,
        ) = _BTREE_FOOTER_OFS_BLOOM_FILTER.unpack_from(d, p)  # fmt: skip
        if self.version not in (1, 2):
            raise _BTREE_FOOTER_OFS_BLOOM_FILTER.broken(d, start, p, self)
        p += 48
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"ITBP":
            raise wrong(
                "the field magic is not b'ITBP'",
                start + p,
                "btree_index/types/btree_footer/seq/8",
                self.magic,
            )
        p = q
        self.end = start + p


class BtreeFooterPlaces(NamedTuple):
    """Where the fields of a `btree_footer` start, and where it ends."""

    ofs_bloom_filter: Any
    len_bloom_filter: Any
    num_bloom_filter: Any
    ofs_directory: Any
    len_directory: Any
    ofs_null_rows: Any
    len_null_rows: Any
    version: Any
    magic: Any
    end: Any


def places_btree_footer() -> BtreeFooterPlaces:
    """Return where the fields of a `btree_footer` start, for ints or arrays of int64."""
    return BtreeFooterPlaces(*accumulate([8, 4, 8, 8, 4, 8, 4, 4, 4], initial=0))


class BtreeNullRowsTail:
    """A `btree_null_rows_tail`."""

    __slots__ = ("crc32", "end")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _BTREE_NULL_ROWS_TAIL_CRC32.broken(d, start, p, self)
        (self.crc32,) = _BTREE_NULL_ROWS_TAIL_CRC32.unpack_from(d, p)
        p += 4
        self.end = start + p


class BlockHandle:
    """A `block_handle`."""

    __slots__ = ("end", "len_block", "ofs_block", "version")

    def __init__(self, d: Buffer, start: int, p: int, version: int) -> None:
        self.version = version
        self.ofs_block = Varint(d, start, p)
        p = self.ofs_block.end - start
        self.len_block = Varint(d, start, p)
        p = self.len_block.end - start
        self.end = start + p

    def place_keys(self) -> Any:
        """Return where the `keys` is: (position, size or None)."""
        return self.ofs_block.value, self.len_block.value + 5


class DirectoryRecord:
    """A `directory_record`."""

    __slots__ = ("end", "handle", "key", "len_handle", "len_key", "version")

    def __init__(self, d: Buffer, start: int, p: int, version: int) -> None:
        self.version = version
        self.len_key = Varint(d, start, p)
        p = self.len_key.end - start
        q = p + self.len_key.value
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.key = d[p:q]
        p = q
        self.len_handle = Varint(d, start, p)
        p = self.len_handle.end - start
        q = p + self.len_handle.value
        self.handle = window(BlockHandle, d, start, p, q - p, self.version)
        p = q
        self.end = start + p


class DirectoryRecordHead:
    """A `directory_record_head`."""

    __slots__ = ("end", "key", "len_key", "version")

    def __init__(self, d: Buffer, start: int, p: int, version: int) -> None:
        self.version = version
        self.len_key = Varint(d, start, p)
        p = self.len_key.end - start
        q = p + self.len_key.value
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.key = d[p:q]
        p = q
        self.end = start + p


class DirectoryRecordColumns:
    """Several `directory_record`s at places `p` of an array `d`: columns."""

    __slots__ = ("end", "handle", "key", "len_handle", "len_key", "version")

    def __init__(self, d: Any, start: int, p: Any, version: int) -> None:
        self.version = version
        self.len_key = integers(d, start, p)
        p = self.len_key.end
        self.key = spans(d, start, p, self.len_key.value)
        p = self.key.end
        self.len_handle = integers(d, start, p)
        p = self.len_handle.end
        self.handle = spans(d, start, p, self.len_handle.value)
        p = self.handle.end
        self.end = p

    @staticmethod
    def pack(key: Any, handle: Any) -> BytesColumn:
        """Return the bytes of these fields of several objects."""
        key = BytesColumn.of(key)
        handle = BytesColumn.of(handle)
        return interleaved(pack_integers(key.lengths), key, pack_integers(handle.lengths), handle)


class BlockHandleColumns:
    """Several `block_handle`s at places `p` of an array `d`: columns."""

    __slots__ = ("end", "len_block", "ofs_block", "version")

    def __init__(self, d: Any, start: int, p: Any, version: int) -> None:
        self.version = version
        self.ofs_block = integers(d, start, p)
        p = self.ofs_block.end
        self.len_block = integers(d, start, p)
        p = self.len_block.end
        self.end = p

    @staticmethod
    def pack(ofs_block: Any, len_block: Any) -> BytesColumn:
        """Return the bytes of these fields of several objects."""
        return interleaved(pack_integers(ofs_block), pack_integers(len_block))


class BtreeRecordHead:
    """A `btree_record_head`."""

    __slots__ = ("end", "key", "len_key", "version")

    def __init__(self, d: Buffer, start: int, p: int, version: int) -> None:
        self.version = version
        self.len_key = Varint(d, start, p)
        p = self.len_key.end - start
        q = p + self.len_key.value
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.key = d[p:q]
        p = q
        self.end = start + p


class BtreeRecordColumns:
    """Several `btree_record`s at places `p` of an array `d`: columns."""

    __slots__ = ("end", "key", "len_key", "len_posting", "posting", "version")

    def __init__(self, d: Any, start: int, p: Any, version: int) -> None:
        self.version = version
        self.len_key = integers(d, start, p)
        p = self.len_key.end
        self.key = spans(d, start, p, self.len_key.value)
        p = self.key.end
        self.len_posting = integers(d, start, p)
        p = self.len_posting.end
        self.posting = spans(d, start, p, self.len_posting.value)
        p = self.posting.end
        self.end = p

    @staticmethod
    def pack(key: Any, posting: Any) -> BytesColumn:
        """Return the bytes of these fields of several objects."""
        key = BytesColumn.of(key)
        posting = BytesColumn.of(posting)
        return interleaved(pack_integers(key.lengths), key, pack_integers(posting.lengths), posting)


class PostingV1Columns:
    """Several `posting_v1`s at places `p` of an array `d`: columns."""

    __slots__ = ("end", "num_rows", "rows")

    def __init__(self, d: Any, start: int, p: Any) -> None:
        self.num_rows = integers(d, start, p)
        p = self.num_rows.end
        self.rows = integer_lists(d, start, p, self.num_rows.value)
        p = self.rows.end
        self.end = p

    @staticmethod
    def pack(rows: Any) -> BytesColumn:
        """Return the bytes of these fields of several objects."""
        return interleaved(pack_integers(rows.lengths), rows.pack())


class PostingV2Columns:
    """Several `posting_v2`s at places `p` of an array `d`: columns."""

    __slots__ = ("end", "form")

    def __init__(self, d: Any, start: int, p: Any) -> None:
        self.form, p = numbers(d, start, p, POSTING_V2_FORM)
        self.end = p

    @staticmethod
    def pack(form: Any) -> BytesColumn:
        """Return the bytes of these fields of several objects."""
        return interleaved(POSTING_V2_FORM.pack(form=form))


class SingleRowColumns:
    """Several `single_row`s at places `p` of an array `d`: columns."""

    __slots__ = ("end", "row")

    def __init__(self, d: Any, start: int, p: Any) -> None:
        self.row = integers(d, start, p)
        p = self.row.end
        self.end = p

    @staticmethod
    def pack(row: Any) -> BytesColumn:
        """Return the bytes of these fields of several objects."""
        return interleaved(pack_integers(row))


class RowDeltasColumns:
    """Several `row_deltas`s at places `p` of an array `d`: columns."""

    __slots__ = ("deltas", "end", "first_row", "num_rows")

    def __init__(self, d: Any, start: int, p: Any) -> None:
        self.num_rows = integers(d, start, p)
        p = self.num_rows.end
        self.first_row = integers(d, start, p)
        p = self.first_row.end
        self.deltas = integer_lists(d, start, p, self.num_rows.value - 1)
        p = self.deltas.end
        self.end = p

    @staticmethod
    def pack(first_row: Any, deltas: Any) -> BytesColumn:
        """Return the bytes of these fields of several objects."""
        return interleaved(
            pack_integers(deltas.lengths + 1), pack_integers(first_row), deltas.pack()
        )


class RecordOffsets:
    """A `record_offsets`."""

    __slots__ = ("end", "num_offsets", "offsets")

    def __init__(
        self, d: Buffer, start: int, p: int, num_offsets: int, arrays: bool = False
    ) -> None:
        self.num_offsets = num_offsets
        (p, self.offsets) = RECORD_OFFSETS_OFFSETS.read(d, start, p, self.num_offsets, arrays)
        self.end = start + p


class BlockTail:
    """The end of a block."""

    __slots__ = ("end", "kind", "num")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 5:
            raise _BLOCK_TAIL_NUM.broken(d, start, p, self)
        (self.num, self.kind) = _BLOCK_TAIL_NUM.unpack_from(d, p)
        if self.kind not in (0, 1):
            raise _BLOCK_TAIL_NUM.broken(d, start, p, self)
        p += 5
        self.end = start + p


class BlockTailPlaces(NamedTuple):
    """Where the fields of a `block_tail` start, and where it ends."""

    num: Any
    kind: Any
    end: Any


def places_block_tail() -> BlockTailPlaces:
    """Return where the fields of a `block_tail` start, for ints or arrays of int64."""
    return BlockTailPlaces(*accumulate([4, 1], initial=0))
