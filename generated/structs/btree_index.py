# Generated from btree_index.ksy by `ksykit generate`. Do not edit.
"""Objects of btree_index: BTree global index of a Paimon table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ksykit.runtime.json_values import S4LE, U1, U4LE, U8LE
from ksykit.runtime.rows import (
    Bytes,
    Many,
    Maybe,
    MaybeNested,
    Nested,
    Number,
    Object,
    One,
    Param,
    Repeat,
    Switch,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .roaring_bitmap_64 import RoaringBitmap64
    from .varint import Varint


class BtreeIndex(Struct, of="btree_index", sized=True):
    """The keys of a column in ascending order, each with the ids of its rows.

    Attributes:
        footer: The places of all other parts.
        null_rows: The rows whose value is null.
        bloom_filter: The bits of the filter, without a head or a checksum.
        directory: The place and the last key of each block.
    """

    footer: Nested[BtreeFooter] = Object(
        "btree_footer", looked=True, at=lambda s: s._io.size - 52, from_end=True,
        inner=("len_bloom_filter",),
    )  # fmt: skip
    null_rows: MaybeNested[BtreeNullRows] = Object(
        "btree_null_rows", size=lambda s: s.footer.len_null_rows + 4,
        at="footer.ofs_null_rows", when=lambda s: s.footer.len_null_rows != 0, measured=True,
    )  # fmt: skip
    bloom_filter: Maybe[bytes] = Bytes(
        size="footer.len_bloom_filter", at="footer.ofs_bloom_filter",
        when=lambda s: s.footer.len_bloom_filter != 0, measured=True,
    )  # fmt: skip
    directory: Nested[BtreeDirectory] = Object(
        "btree_directory", args={"version": "footer.version"},
        size=lambda s: s.footer.len_directory + 5, looked=True, at="footer.ofs_directory",
        measured=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "footer.len_null_rows": Measure("length", "null_rows", lambda s, n: n - 4),
        "footer.ofs_null_rows": Measure("position", "null_rows"),
        "footer.len_bloom_filter": Measure("length", "bloom_filter"),
        "footer.ofs_bloom_filter": Measure("position", "bloom_filter"),
        "footer.len_directory": Measure("length", "directory", lambda s, n: n - 5),
        "footer.ofs_directory": Measure("position", "directory"),
    }


class BtreeFooter(Struct, of="btree_footer"):
    """A `btree_footer`.

    Attributes:
        ofs_bloom_filter: Start of the Bloom filter, or 0 if there is none.
        len_bloom_filter: Length of the Bloom filter in bytes, or 0 if there is none.
        num_bloom_filter: The number of keys for which the filter was made.
        ofs_directory: Start of the directory.
        len_directory: Length of the directory in bytes, without the five bytes after its records.
        ofs_null_rows: Start of the null rows, or 0 if there are none.
        len_null_rows: Length of the bitmap of the null rows in bytes, without its checksum.
        version: 1, or 2 if row ids are in smaller forms.
        magic: The number 1346524233.
    """

    ofs_bloom_filter: One[int] = Number(U8LE)
    len_bloom_filter: One[int] = Number(U4LE)
    num_bloom_filter: One[int] = Number(U8LE)
    ofs_directory: One[int] = Number(U8LE)
    len_directory: One[int] = Number(U4LE)
    ofs_null_rows: One[int] = Number(U8LE)
    len_null_rows: One[int] = Number(U4LE)
    version: One[int] = Number(S4LE, any_of=(1, 2))
    magic: One[bytes] = Bytes(contents=b"ITBP")


class BtreeNullRows(Struct, of="btree_null_rows", sized=True):
    """A `btree_null_rows`.

    Attributes:
        rows: The row ids.
        crc32: zlib's CRC-32 of `rows`.
    """

    rows: Nested[RoaringBitmap64] = Object(
        "roaring_bitmap_64", size=lambda s: s._io.size - 4, looked=True, measured=True,
    )  # fmt: skip
    crc32: One[int] = Number(U4LE, value=lambda s: s._crc32("rows"), role="checksum")


class BtreeDirectory(Struct, of="btree_directory"):
    """A `compressed_block`, whose content is shown if it is not compressed.

    Attributes:
        version: That of the footer.
        compression: How the block is compressed.
        content: A record for each block.
        crc32: zlib's CRC-32 of the bytes before.
    """

    version: One[int] = Param((1, 2))
    compression: One[int] = Number(
        U1, enum="compressed_block.BlockCompression", at=lambda s: s._io.size - 5,
        from_end=True, measured=True, likely=(0, 1, 2, 3),
    )  # fmt: skip
    content: One[Any] = Switch(
        "compression",
        {
            0: Object(
                "directory_records", args={"version": "version"}, size=lambda s: s._io.size - 5
            ),
            1: Object("zstd_payload", size=lambda s: s._io.size - 5),
            2: Object("lz_payload", size=lambda s: s._io.size - 5),
            3: Object("lz_payload", size=lambda s: s._io.size - 5),
            None: Bytes(size=lambda s: s._io.size - 5),
        },
        size=lambda s: s._io.size - 5,
        at=0,
        measured=True,
    )
    crc32: One[int] = Number(
        U4LE, value=lambda s: s._crc32("content", "compression"), at=lambda s: s._io.size - 4,
        from_end=True, role="checksum",
    )  # fmt: skip


class DirectoryRecords(Struct, of="directory_records"):
    """A `directory_records`.

    Attributes:
        version: That of the footer.
        tail: The number of records, or their size.
        of_one_size: A block each, by its last key.
        of_several_sizes: A block each, by its last key.
    """

    version: One[int] = Param((1, 2))
    tail: Nested[BlockTail] = Object(
        "block_tail", looked=True, at=lambda s: s._io.size - 5, from_end=True, inner=("num",),
    )  # fmt: skip
    of_one_size: MaybeNested[DirectoryOfOneSize] = Object(
        "directory_of_one_size", args={"version": "version"}, size=lambda s: s._io.size - 5,
        at=0, when=lambda s: s.tail.kind == 0,
    )  # fmt: skip
    of_several_sizes: MaybeNested[DirectoryOfSeveralSizes] = Object(
        "directory_of_several_sizes", args={"num_records": "tail.num", "version": "version"},
        at=0, when=lambda s: s.tail.kind == 1,
    )  # fmt: skip
    _derived: ClassVar = {"tail.num": Measure("count", "of_several_sizes.records")}


class DirectoryOfOneSize(Struct, of="directory_of_one_size"):
    """A `directory_of_one_size`.

    Attributes:
        version: That of the footer.
        records: The records, each of the size that the tail states.
    """

    version: One[int] = Param((1, 2))
    records: Many[DirectoryRecord] = Repeat(Object("directory_record", args={"version": "version"}))


class DirectoryOfSeveralSizes(Struct, of="directory_of_several_sizes"):
    """A `directory_of_several_sizes`.

    Attributes:
        num_records: The number of records.
        version: That of the footer.
        records: The records.
        offsets: Where each record starts.
    """

    num_records: One[int] = Param(range(16))
    version: One[int] = Param((1, 2))
    records: Many[DirectoryRecord] = Repeat(
        Object("directory_record", args={"version": "version"}), count="num_records",
    )  # fmt: skip
    offsets: Nested[RecordOffsets] = Object(
        "record_offsets", args={"num_offsets": "num_records"},
    )  # fmt: skip


class DirectoryRecord(Struct, of="directory_record"):
    """A `directory_record`.

    Attributes:
        version: That of the footer.
        len_key: Length of the key in bytes.
        key: The last key of the block, a `sorted_key` or `composite_key`.
        len_handle: Length of the handle in bytes.
        handle: Where the block is.
    """

    version: One[int] = Param((1, 2))
    len_key: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
    key: One[bytes] = Bytes(size="len_key.value", measured=True)
    len_handle: Nested[Varint] = Object("varint", looked=True, role="length")
    handle: Nested[BlockHandle] = Object(
        "block_handle", args={"version": "version"}, size="len_handle.value", measured=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "len_key.value": Measure("length", "key"),
        "len_handle.value": Measure("length", "handle"),
    }


class BlockHandle(Struct, of="block_handle"):
    """A `block_handle`.

    Attributes:
        version: That of the footer.
        ofs_block: Start of the block.
        len_block: Length of the block in bytes, without the five bytes after its records.
        keys: The block itself.
    """

    version: One[int] = Param((1, 2))
    ofs_block: Nested[Varint] = Object("varint", looked=True)
    len_block: Nested[Varint] = Object("varint", looked=True, role="length")
    keys: Nested[BtreeBlock] = Object(
        "btree_block", args={"version": "version"}, size=lambda s: s.len_block.value + 5,
        at="ofs_block.value", stream="_root._io", measured=True, needs_parent=True,
        first=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "len_block.value": Measure("length", "keys", lambda s, n: n - 5),
        "ofs_block.value": Measure("position", "keys"),
    }


class BtreeBlock(Struct, of="btree_block"):
    """A `compressed_block`, whose content is shown if it is not compressed.

    Attributes:
        version: That of the footer.
        compression: How the block is compressed.
        content: A record for each key.
        crc32: zlib's CRC-32 of the bytes before.
    """

    version: One[int] = Param((1, 2))
    compression: One[int] = Number(
        U1, enum="compressed_block.BlockCompression", at=lambda s: s._io.size - 5,
        from_end=True, measured=True, likely=(0, 1, 2, 3),
    )  # fmt: skip
    content: One[Any] = Switch(
        "compression",
        {
            0: Object("btree_records", args={"version": "version"}, size=lambda s: s._io.size - 5),
            1: Object("zstd_payload", size=lambda s: s._io.size - 5),
            2: Object("lz_payload", size=lambda s: s._io.size - 5),
            3: Object("lz_payload", size=lambda s: s._io.size - 5),
            None: Bytes(size=lambda s: s._io.size - 5),
        },
        size=lambda s: s._io.size - 5,
        at=0,
        measured=True,
    )
    crc32: One[int] = Number(
        U4LE, value=lambda s: s._crc32("content", "compression"), at=lambda s: s._io.size - 4,
        from_end=True, role="checksum",
    )  # fmt: skip


class BtreeRecords(Struct, of="btree_records"):
    """A `btree_records`.

    Attributes:
        version: That of the footer.
        tail: The number of records, or their size.
        of_one_size: A key each, in ascending order.
        of_several_sizes: A key each, in ascending order.
    """

    version: One[int] = Param((1, 2))
    tail: Nested[BlockTail] = Object(
        "block_tail", looked=True, at=lambda s: s._io.size - 5, from_end=True, inner=("num",),
    )  # fmt: skip
    of_one_size: MaybeNested[BtreeRecordsOfOneSize] = Object(
        "btree_records_of_one_size", args={"version": "version"},
        size=lambda s: s._io.size - 5, at=0, when=lambda s: s.tail.kind == 0,
    )  # fmt: skip
    of_several_sizes: MaybeNested[BtreeRecordsOfSeveralSizes] = Object(
        "btree_records_of_several_sizes",
        args={"num_records": "tail.num", "version": "version"}, at=0,
        when=lambda s: s.tail.kind == 1,
    )  # fmt: skip
    _derived: ClassVar = {"tail.num": Measure("count", "of_several_sizes.records")}


class BtreeRecordsOfOneSize(Struct, of="btree_records_of_one_size"):
    """A `btree_records_of_one_size`.

    Attributes:
        version: That of the footer.
        records: The records, each of the size that the tail states.
    """

    version: One[int] = Param((1, 2))
    records: Many[BtreeRecord] = Repeat(Object("btree_record", args={"version": "version"}))


class BtreeRecordsOfSeveralSizes(Struct, of="btree_records_of_several_sizes"):
    """A `btree_records_of_several_sizes`.

    Attributes:
        num_records: The number of records.
        version: That of the footer.
        records: The records.
        offsets: Where each record starts.
    """

    num_records: One[int] = Param(range(16))
    version: One[int] = Param((1, 2))
    records: Many[BtreeRecord] = Repeat(
        Object("btree_record", args={"version": "version"}), count="num_records",
    )  # fmt: skip
    offsets: Nested[RecordOffsets] = Object(
        "record_offsets", args={"num_offsets": "num_records"},
    )  # fmt: skip


class BtreeRecord(Struct, of="btree_record"):
    """A `btree_record`.

    Attributes:
        version: That of the footer.
        len_key: Length of the key in bytes.
        key: A distinct value, a `sorted_key` or `composite_key`.
        len_posting: Length of the posting in bytes.
        posting: The rows of the value.
    """

    version: One[int] = Param((1, 2))
    len_key: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
    key: One[bytes] = Bytes(size="len_key.value", measured=True)
    len_posting: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
    posting: One[Any] = Switch(
        "version",
        {
            1: Object("posting_v1", size="len_posting.value"),
            2: Object("posting_v2", size="len_posting.value"),
            None: Bytes(size="len_posting.value"),
        },
        size="len_posting.value",
        measured=True,
    )
    _derived: ClassVar = {
        "len_key.value": Measure("length", "key"),
        "len_posting.value": Measure("length", "posting"),
    }


class PostingV1(Struct, of="posting_v1"):
    """A `posting_v1`.

    Attributes:
        num_rows: The number of rows.
        rows: The row ids in ascending order.
    """

    num_rows: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
    rows: Many[Varint] = Repeat(Object("varint", looked=True), count="num_rows.value")
    _derived: ClassVar = {"num_rows.value": Measure("count", "rows")}


class PostingV2(Struct, of="posting_v2"):
    """A `posting_v2`.

    Attributes:
        form: How the rows are stored.
        rows: The rows of the value.
    """

    form: One[int] = Number(
        U1, any_of=(0, 1, 2), enum="btree_index.PostingForm", likely=(0, 1, 2),
    )  # fmt: skip
    rows: One[Any] = Switch(
        "form",
        {0: Object("single_row"), 1: Object("row_deltas"), 2: Object("roaring_bitmap_64")},
        looked=True,
    )


class SingleRow(Struct, of="single_row"):
    """A `single_row`.

    Attributes:
        row: The only row id.
    """

    row: Nested[Varint] = Object("varint")


class RowDeltas(Struct, of="row_deltas"):
    """A `row_deltas`.

    Attributes:
        num_rows: The number of rows, at least two.
        first_row: The least row id.
        deltas: The differences from one row id to the next, at least 1 each.
    """

    num_rows: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
    first_row: Nested[Varint] = Object("varint")
    deltas: Many[Varint] = Repeat(Object("varint"), count=lambda s: s.num_rows.value - 1)
    _derived: ClassVar = {"num_rows.value": Measure("count", "deltas", lambda s, n: n + 1)}


class RecordOffsets(Struct, of="record_offsets"):
    """A `record_offsets`.

    Attributes:
        num_offsets: The number of offsets.
        offsets: Where each record starts in the block.
    """

    num_offsets: One[int] = Param(range(16))
    offsets: Many[int] = Repeat(Number(U4LE), count="num_offsets")


class BlockTail(Struct, of="block_tail"):
    """The end of a block.

    Attributes:
        num: The number of records; if they have the same size, this size.
        kind: Whether all records have the same size.
    """

    num: One[int] = Number(U4LE)
    kind: One[int] = Number(U1, any_of=(0, 1), enum="btree_index.BlockKind")


make_btree_index = BtreeIndex
make_btree_footer = BtreeFooter
make_btree_null_rows = BtreeNullRows
make_btree_directory = BtreeDirectory
make_directory_records = DirectoryRecords
make_directory_of_one_size = DirectoryOfOneSize
make_directory_of_several_sizes = DirectoryOfSeveralSizes
make_directory_record = DirectoryRecord
make_block_handle = BlockHandle
make_btree_block = BtreeBlock
make_btree_records = BtreeRecords
make_btree_records_of_one_size = BtreeRecordsOfOneSize
make_btree_records_of_several_sizes = BtreeRecordsOfSeveralSizes
make_btree_record = BtreeRecord
make_posting_v1 = PostingV1
make_posting_v2 = PostingV2
make_single_row = SingleRow
make_row_deltas = RowDeltas
make_record_offsets = RecordOffsets
make_block_tail = BlockTail
