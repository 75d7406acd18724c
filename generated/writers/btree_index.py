# Generated from specs/btree_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of btree_index.

BTree global index of a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Switch, Type
from ksykit.runtime.json_values import S4LE, U1, U4LE, U8LE

from ..parsers.btree_index import BtreeIndex

BTREE_INDEX_TYPE = Type(
    BtreeIndex,
    "btree_index",
    Object(
        "footer",
        "btree_footer",
        looked=True,
        at=lambda s: s._io.size - 52,
        from_end=True,
        inner=("len_bloom_filter",),
    ),
    Object(
        "null_rows",
        "btree_null_rows",
        size=lambda s: s.footer.len_null_rows + 4,
        at="footer.ofs_null_rows",
        when=lambda s: s.footer.len_null_rows != 0,
        measured=True,
    ),
    Bytes(
        "bloom_filter",
        size="footer.len_bloom_filter",
        at="footer.ofs_bloom_filter",
        when=lambda s: s.footer.len_bloom_filter != 0,
        measured=True,
    ),
    Object(
        "directory",
        "btree_directory",
        args={"version": "footer.version"},
        size=lambda s: s.footer.len_directory + 5,
        looked=True,
        at="footer.ofs_directory",
        measured=True,
    ),
    computed={
        "footer.len_null_rows": Measure("length", "null_rows", lambda s, n: n - 4),
        "footer.ofs_null_rows": Measure("position", "null_rows"),
        "footer.len_bloom_filter": Measure("length", "bloom_filter"),
        "footer.ofs_bloom_filter": Measure("position", "bloom_filter"),
        "footer.len_directory": Measure("length", "directory", lambda s, n: n - 5),
        "footer.ofs_directory": Measure("position", "directory"),
    },
)

make_btree_index = BTREE_INDEX_TYPE.make


BTREE_FOOTER_TYPE = Type(
    BtreeIndex.BtreeFooter,
    "btree_footer",
    Number("ofs_bloom_filter", U8LE),
    Number("len_bloom_filter", U4LE),
    Number("num_bloom_filter", U8LE),
    Number("ofs_directory", U8LE),
    Number("len_directory", U4LE),
    Number("ofs_null_rows", U8LE),
    Number("len_null_rows", U4LE),
    Number("version", S4LE, any_of=(1, 2)),
    Bytes("magic", contents=b"ITBP"),
)

make_btree_footer = BTREE_FOOTER_TYPE.make


BTREE_NULL_ROWS_TYPE = Type(
    BtreeIndex.BtreeNullRows,
    "btree_null_rows",
    Object("rows", "roaring_bitmap_64", size=lambda s: s._io.size - 4, looked=True, measured=True),
    Number("crc32", U4LE, value=lambda s: s._crc32("rows"), role="checksum"),
)

make_btree_null_rows = BTREE_NULL_ROWS_TYPE.make


BTREE_DIRECTORY_TYPE = Type(
    BtreeIndex.BtreeDirectory,
    "btree_directory",
    Number(
        "compression",
        U1,
        at=lambda s: s._io.size - 5,
        from_end=True,
        measured=True,
        likely=(0, 1, 2, 3),
    ),
    Switch(
        "content",
        "compression",
        {
            0: Object(
                "content",
                "directory_records",
                args={"version": "version"},
                size=lambda s: s._io.size - 5,
            ),
            1: Object("content", "zstd_payload", size=lambda s: s._io.size - 5),
            2: Object("content", "lz_payload", size=lambda s: s._io.size - 5),
            3: Object("content", "lz_payload", size=lambda s: s._io.size - 5),
            None: Bytes("content", size=lambda s: s._io.size - 5),
        },
        size=lambda s: s._io.size - 5,
        at=0,
        measured=True,
    ),
    Number(
        "crc32",
        U4LE,
        value=lambda s: s._crc32("content", "compression"),
        at=lambda s: s._io.size - 4,
        from_end=True,
    ),
    params={"version": (1, 2)},
)

make_btree_directory = BTREE_DIRECTORY_TYPE.make


DIRECTORY_RECORDS_TYPE = Type(
    BtreeIndex.DirectoryRecords,
    "directory_records",
    Object(
        "tail",
        "block_tail",
        looked=True,
        at=lambda s: s._io.size - 5,
        from_end=True,
        inner=("num",),
    ),
    Object(
        "of_one_size",
        "directory_of_one_size",
        args={"version": "version"},
        size=lambda s: s._io.size - 5,
        at=0,
        when=lambda s: s.tail.kind == 0,
    ),
    Object(
        "of_several_sizes",
        "directory_of_several_sizes",
        args={"num_records": "tail.num", "version": "version"},
        at=0,
        when=lambda s: s.tail.kind == 1,
    ),
    params={"version": (1, 2)},
    computed={
        "tail.num": Measure("count", "of_several_sizes.records"),
    },
)

make_directory_records = DIRECTORY_RECORDS_TYPE.make


DIRECTORY_OF_ONE_SIZE_TYPE = Type(
    BtreeIndex.DirectoryOfOneSize,
    "directory_of_one_size",
    Repeat(Object("records", "directory_record", args={"version": "version"})),
    params={"version": (1, 2)},
)

make_directory_of_one_size = DIRECTORY_OF_ONE_SIZE_TYPE.make


DIRECTORY_OF_SEVERAL_SIZES_TYPE = Type(
    BtreeIndex.DirectoryOfSeveralSizes,
    "directory_of_several_sizes",
    Repeat(Object("records", "directory_record", args={"version": "version"}), count="num_records"),
    Object("offsets", "record_offsets", args={"num_offsets": "num_records"}),
    params={"num_records": range(16), "version": (1, 2)},
)

make_directory_of_several_sizes = DIRECTORY_OF_SEVERAL_SIZES_TYPE.make


DIRECTORY_RECORD_TYPE = Type(
    BtreeIndex.DirectoryRecord,
    "directory_record",
    Object(
        "len_key",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Bytes("key", size="len_key.value", measured=True),
    Object("len_handle", "varint", looked=True, role="length"),
    Object(
        "handle",
        "block_handle",
        args={"version": "version"},
        size="len_handle.value",
        measured=True,
    ),
    params={"version": (1, 2)},
    computed={
        "len_key.value": Measure("length", "key"),
        "len_handle.value": Measure("length", "handle"),
    },
)

make_directory_record = DIRECTORY_RECORD_TYPE.make


BLOCK_HANDLE_TYPE = Type(
    BtreeIndex.BlockHandle,
    "block_handle",
    Object("ofs_block", "varint", looked=True),
    Object("len_block", "varint", looked=True, role="length"),
    Object(
        "keys",
        "btree_block",
        args={"version": "version"},
        size=lambda s: s.len_block.value + 5,
        at="ofs_block.value",
        stream="_root._io",
        measured=True,
        needs_parent=True,
        first=True,
    ),
    params={"version": (1, 2)},
    computed={
        "len_block.value": Measure("length", "keys", lambda s, n: n - 5),
        "ofs_block.value": Measure("position", "keys"),
    },
)

make_block_handle = BLOCK_HANDLE_TYPE.make


BTREE_BLOCK_TYPE = Type(
    BtreeIndex.BtreeBlock,
    "btree_block",
    Number(
        "compression",
        U1,
        at=lambda s: s._io.size - 5,
        from_end=True,
        measured=True,
        likely=(0, 1, 2, 3),
    ),
    Switch(
        "content",
        "compression",
        {
            0: Object(
                "content",
                "btree_records",
                args={"version": "version"},
                size=lambda s: s._io.size - 5,
            ),
            1: Object("content", "zstd_payload", size=lambda s: s._io.size - 5),
            2: Object("content", "lz_payload", size=lambda s: s._io.size - 5),
            3: Object("content", "lz_payload", size=lambda s: s._io.size - 5),
            None: Bytes("content", size=lambda s: s._io.size - 5),
        },
        size=lambda s: s._io.size - 5,
        at=0,
        measured=True,
    ),
    Number(
        "crc32",
        U4LE,
        value=lambda s: s._crc32("content", "compression"),
        at=lambda s: s._io.size - 4,
        from_end=True,
    ),
    params={"version": (1, 2)},
)

make_btree_block = BTREE_BLOCK_TYPE.make


BTREE_RECORDS_TYPE = Type(
    BtreeIndex.BtreeRecords,
    "btree_records",
    Object(
        "tail",
        "block_tail",
        looked=True,
        at=lambda s: s._io.size - 5,
        from_end=True,
        inner=("num",),
    ),
    Object(
        "of_one_size",
        "btree_records_of_one_size",
        args={"version": "version"},
        size=lambda s: s._io.size - 5,
        at=0,
        when=lambda s: s.tail.kind == 0,
    ),
    Object(
        "of_several_sizes",
        "btree_records_of_several_sizes",
        args={"num_records": "tail.num", "version": "version"},
        at=0,
        when=lambda s: s.tail.kind == 1,
    ),
    params={"version": (1, 2)},
    computed={
        "tail.num": Measure("count", "of_several_sizes.records"),
    },
)

make_btree_records = BTREE_RECORDS_TYPE.make


BTREE_RECORDS_OF_ONE_SIZE_TYPE = Type(
    BtreeIndex.BtreeRecordsOfOneSize,
    "btree_records_of_one_size",
    Repeat(Object("records", "btree_record", args={"version": "version"})),
    params={"version": (1, 2)},
)

make_btree_records_of_one_size = BTREE_RECORDS_OF_ONE_SIZE_TYPE.make


BTREE_RECORDS_OF_SEVERAL_SIZES_TYPE = Type(
    BtreeIndex.BtreeRecordsOfSeveralSizes,
    "btree_records_of_several_sizes",
    Repeat(Object("records", "btree_record", args={"version": "version"}), count="num_records"),
    Object("offsets", "record_offsets", args={"num_offsets": "num_records"}),
    params={"num_records": range(16), "version": (1, 2)},
)

make_btree_records_of_several_sizes = BTREE_RECORDS_OF_SEVERAL_SIZES_TYPE.make


BTREE_RECORD_TYPE = Type(
    BtreeIndex.BtreeRecord,
    "btree_record",
    Object(
        "len_key",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Bytes("key", size="len_key.value", measured=True),
    Object(
        "len_posting",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Switch(
        "posting",
        "version",
        {
            1: Object("posting", "posting_v1", size="len_posting.value"),
            2: Object("posting", "posting_v2", size="len_posting.value"),
            None: Bytes("posting", size="len_posting.value"),
        },
        size="len_posting.value",
        measured=True,
    ),
    params={"version": (1, 2)},
    computed={
        "len_key.value": Measure("length", "key"),
        "len_posting.value": Measure("length", "posting"),
    },
)

make_btree_record = BTREE_RECORD_TYPE.make


POSTING_V1_TYPE = Type(
    BtreeIndex.PostingV1,
    "posting_v1",
    Object(
        "num_rows",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Repeat(Object("rows", "varint", looked=True), count="num_rows.value"),
    computed={
        "num_rows.value": Measure("count", "rows"),
    },
)

make_posting_v1 = POSTING_V1_TYPE.make


POSTING_V2_TYPE = Type(
    BtreeIndex.PostingV2,
    "posting_v2",
    Number("form", U1, any_of=(0, 1, 2), likely=(0, 1, 2)),
    Switch(
        "rows",
        "form",
        {
            0: Object("rows", "single_row"),
            1: Object("rows", "row_deltas"),
            2: Object("rows", "roaring_bitmap_64"),
        },
        looked=True,
    ),
)

make_posting_v2 = POSTING_V2_TYPE.make


SINGLE_ROW_TYPE = Type(
    BtreeIndex.SingleRow,
    "single_row",
    Object("row", "varint"),
)

make_single_row = SINGLE_ROW_TYPE.make


ROW_DELTAS_TYPE = Type(
    BtreeIndex.RowDeltas,
    "row_deltas",
    Object(
        "num_rows",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Object("first_row", "varint"),
    Repeat(Object("deltas", "varint"), count=lambda s: s.num_rows.value - 1),
    computed={
        "num_rows.value": Measure("count", "deltas", lambda s, n: n + 1),
    },
)

make_row_deltas = ROW_DELTAS_TYPE.make


RECORD_OFFSETS_TYPE = Type(
    BtreeIndex.RecordOffsets,
    "record_offsets",
    Repeat(Number("offsets", U4LE), count="num_offsets"),
    params={"num_offsets": range(16)},
)

make_record_offsets = RECORD_OFFSETS_TYPE.make


BLOCK_TAIL_TYPE = Type(
    BtreeIndex.BlockTail,
    "block_tail",
    Number("num", U4LE),
    Number("kind", U1, any_of=(0, 1)),
)

make_block_tail = BLOCK_TAIL_TYPE.make
