# Generated from specs/row_file.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of row_file.

Row file of a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4LE, S8LE, U1

from ..parsers.row_file import RowFile

ROW_FILE_TYPE = Type(
    RowFile,
    "row_file",
    Object("footer", "row_footer", looked=True, at=lambda s: s._io.size - 32, from_end=True),
    Object(
        "index", "row_block_index", size="footer.len_index", at="footer.ofs_index", measured=True
    ),
    computed={
        "footer.len_index": Measure("length", "index"),
        "footer.ofs_index": Measure("position", "index"),
    },
)

make_row_file = ROW_FILE_TYPE.make


ROW_FOOTER_TYPE = Type(
    RowFile.RowFooter,
    "row_footer",
    Number("num_rows", S8LE, least=0),
    Number("num_blocks", S4LE, least=0),
    Number("ofs_index", S8LE, least=0),
    Number("len_index", S4LE, least=0),
    Number("version", U1, equal=1),
    Bytes("reserved", size=3),
    Bytes("magic", contents=b"SWOR"),
    values={
        "len_footer": 32,
    },
)

make_row_footer = ROW_FOOTER_TYPE.make


ROW_BLOCK_INDEX_TYPE = Type(
    RowFile.RowBlockIndex,
    "row_block_index",
    Object("len_sizes", "varint", looked=True, role="length"),
    Object("sizes", "row_block_sizes", size="len_sizes.value", measured=True),
    Object("len_sizes_decoded", "varint", looked=True, role="length"),
    Object("sizes_decoded", "zigzag_numbers", size="len_sizes_decoded.value", measured=True),
    Object("len_first_rows", "varint", looked=True, role="length"),
    Object("first_rows", "zigzag_numbers", size="len_first_rows.value", measured=True),
    computed={
        "len_sizes.value": Measure("length", "sizes"),
        "len_sizes_decoded.value": Measure("length", "sizes_decoded"),
        "len_first_rows.value": Measure("length", "first_rows"),
    },
)

make_row_block_index = ROW_BLOCK_INDEX_TYPE.make


ZIGZAG_NUMBERS_TYPE = Type(
    RowFile.ZigzagNumbers,
    "zigzag_numbers",
    Repeat(Object("differences", "varint")),
)

make_zigzag_numbers = ZIGZAG_NUMBERS_TYPE.make


ROW_BLOCK_SIZES_TYPE = Type(
    RowFile.RowBlockSizes,
    "row_block_sizes",
    Repeat(
        Object(
            "blocks",
            "row_block_place",
            args={
                "len_before": lambda s, i: 0 if i == 0 else s.blocks[i - 1].len_block,
                "ofs_block": lambda s, i: 0 if i == 0 else s.blocks[i - 1].ofs_next,
            },
            looked=True,
        )
    ),
)

make_row_block_sizes = ROW_BLOCK_SIZES_TYPE.make


ROW_BLOCK_PLACE_TYPE = Type(
    RowFile.RowBlockPlace,
    "row_block_place",
    Object("difference", "varint", looked=True, examples=(2, 1, 0, 8, 40)),
    Object(
        "compressed",
        "compressed_row_block",
        size="len_block",
        at="ofs_block",
        stream="_root._io",
        when=lambda s: s.len_block > 0,
        needs_parent=True,
        first=True,
    ),
    params={"len_before": range(128), "ofs_block": (0,)},
    values={
        "len_block": lambda s: s.len_before + s.difference.zigzag,
        "ofs_next": lambda s: s.ofs_block if s.len_block < 0 else s.ofs_block + s.len_block,
    },
)

make_row_block_place = ROW_BLOCK_PLACE_TYPE.make


COMPRESSED_ROW_BLOCK_TYPE = Type(
    RowFile.CompressedRowBlock,
    "compressed_row_block",
    Bytes("frame"),
)

make_compressed_row_block = COMPRESSED_ROW_BLOCK_TYPE.make


ROW_BLOCK_TYPE = Type(
    RowFile.RowBlock,
    "row_block",
    Object(
        "tail",
        "row_block_tail",
        looked=True,
        at=lambda s: s._io.size - 4,
        from_end=True,
        inner=("num_rows",),
    ),
    Object(
        "offsets",
        "row_offsets",
        args={"num_rows": "tail.num_rows"},
        at=lambda s: s._io.size - 4 - 4 * s.tail.num_rows,
        from_end=True,
    ),
    computed={
        "tail.num_rows": Measure("count", "offsets.ofs_rows"),
    },
)

make_row_block = ROW_BLOCK_TYPE.make


ROW_BLOCK_TAIL_TYPE = Type(
    RowFile.RowBlockTail,
    "row_block_tail",
    Number("num_rows", S4LE, least=0),
    values={
        "len_tail": 4,
    },
)

make_row_block_tail = ROW_BLOCK_TAIL_TYPE.make


ROW_OFFSETS_TYPE = Type(
    RowFile.RowOffsets,
    "row_offsets",
    Repeat(Number("ofs_rows", S4LE), count="num_rows"),
    params={"num_rows": range(16)},
    values={
        "len_offset": 4,
    },
)

make_row_offsets = ROW_OFFSETS_TYPE.make
