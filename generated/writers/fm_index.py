# Generated from specs/fm_index.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of fm_index.

FM index of a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Switch, Type
from ksykit.runtime.json_values import S4BE, S4LE, U4BE, U8BE

from ..parsers.fm_index import FmIndex

FM_INDEX_TYPE = Type(
    FmIndex,
    "fm_index",
    Object(
        "footer",
        "fm_footer",
        looked=True,
        at=lambda s: s._io.size - 64,
        from_end=True,
        inner=("directory.len_block",),
    ),
    Switch(
        "directory",
        "footer.directory.compression",
        {
            0: Object("directory", "fm_directory", size="footer.directory.len_block"),
            None: Bytes("directory", size="footer.directory.len_block"),
        },
        size="footer.directory.len_block",
        looked=True,
        at="footer.directory.ofs_block",
        measured=True,
    ),
    computed={
        "footer.directory.len_block": Measure("length", "directory"),
        "footer.directory.ofs_block": Measure("position", "directory"),
    },
)

make_fm_index = FM_INDEX_TYPE.make


FM_FOOTER_TYPE = Type(
    FmIndex.FmFooter,
    "fm_footer",
    Object("directory", "block_place", looked=True, measured=True),
    Number("first_row", U8BE, measured=True),
    Number("num_rows", U8BE, measured=True),
    Number("num_partitions", U4BE, measured=True),
    Number("flags", U4BE, equal=7, measured=True),
    Bytes("reserved", contents=b"\x00\x00\x00\x00", measured=True),
    Number("version", U4BE, equal=1, measured=True),
    Bytes("magic", contents=b"FMIX", measured=True),
    Number(
        "crc32",
        U4BE,
        value=lambda s: s._crc32(
            "directory",
            "first_row",
            "num_rows",
            "num_partitions",
            "flags",
            "reserved",
            "version",
            "magic",
            0,
        ),
        role="checksum",
    ),
)

make_fm_footer = FM_FOOTER_TYPE.make


FM_DIRECTORY_TYPE = Type(
    FmIndex.FmDirectory,
    "fm_directory",
    Bytes("magic", contents=b"FMME", measured=True),
    Number("version", U4BE, equal=1, measured=True),
    Number("first_row", U8BE, measured=True),
    Number("num_rows", U8BE, measured=True),
    Number(
        "num_partitions",
        U4BE,
        value=lambda s: s._count("partitions"),
        measured=True,
        small=True,
        decides=True,
    ),
    Repeat(Object("partitions", "fm_partition"), count="num_partitions", measured=True),
    Number(
        "crc32",
        U4BE,
        value=lambda s: s._crc32(
            "magic", "version", "first_row", "num_rows", "num_partitions", "partitions", 0
        ),
        role="checksum",
    ),
    computed={
        "num_partitions": Measure("count", "partitions"),
    },
)

make_fm_directory = FM_DIRECTORY_TYPE.make


FM_PARTITION_TYPE = Type(
    FmIndex.FmPartition,
    "fm_partition",
    Number("ofs_start", U8BE),
    Number("ofs_end", U8BE),
    Number("first_row", U8BE),
    Number("num_rows", U4BE),
    Object(
        "footer",
        "fm_partition_footer",
        looked=True,
        at=lambda s: s.ofs_end - 64,
        stream="_root._io",
        measured=True,
        needs_parent=True,
    ),
    computed={
        "ofs_end": Measure("position", "footer", lambda s, n: n + 64),
    },
)

make_fm_partition = FM_PARTITION_TYPE.make


FM_PARTITION_FOOTER_TYPE = Type(
    FmIndex.FmPartitionFooter,
    "fm_partition_footer",
    Object(
        "directory", "block_place", looked=True, measured=True, inner=("len_block",), role="length"
    ),
    Number("first_row", U8BE, measured=True),
    Number("num_rows", U4BE, measured=True),
    Number("len_text", U4BE, measured=True),
    Number("sample_rate", U4BE, measured=True),
    Number("flags", U4BE, equal=7, measured=True),
    Bytes("reserved", contents=b"\x00\x00\x00\x00", measured=True),
    Number("version", U4BE, equal=1, measured=True),
    Bytes("magic", contents=b"FMIP", measured=True),
    Number(
        "crc32",
        U4BE,
        value=lambda s: s._crc32(
            "directory",
            "first_row",
            "num_rows",
            "len_text",
            "sample_rate",
            "flags",
            "reserved",
            "version",
            "magic",
            0,
        ),
        role="checksum",
    ),
    Switch(
        "content",
        "directory.compression",
        {
            0: Object("content", "fm_partition_directory", size="directory.len_block"),
            None: Bytes("content", size="directory.len_block"),
        },
        size="directory.len_block",
        at="directory.ofs_block",
        measured=True,
    ),
    computed={
        "directory.len_block": Measure("length", "content"),
        "directory.ofs_block": Measure("position", "content"),
    },
)

make_fm_partition_footer = FM_PARTITION_FOOTER_TYPE.make


FM_PARTITION_DIRECTORY_TYPE = Type(
    FmIndex.FmPartitionDirectory,
    "fm_partition_directory",
    Number("num_rows", U4BE),
    Number("len_text", U4BE),
    Number("sample_rate", U4BE),
    Number("num_levels", U4BE, small=True),
    Number("num_symbols", U4BE, least=2, most=258, small=True),
    Number("num_words", U4BE, equal=4096),
    Repeat(Number("symbols", S4BE), count=256),
    Repeat(Number("cumulative_counts", U4BE), count=lambda s: s.num_symbols + 1),
    Repeat(Object("levels", "wavelet_level"), count="num_levels"),
    Object("sampled_rows", "bit_vector"),
    Object("samples", "int_vector"),
    Object("null_rows", "bit_vector"),
    Object("row_ends", "bit_vector"),
    computed={
        "num_symbols": Measure("count", "cumulative_counts", lambda s, n: n - 1),
        "num_levels": Measure("count", "levels"),
    },
)

make_fm_partition_directory = FM_PARTITION_DIRECTORY_TYPE.make


WAVELET_LEVEL_TYPE = Type(
    FmIndex.WaveletLevel,
    "wavelet_level",
    Repeat(Number("digit_starts", U4BE), count=4),
    Number("len_digits", U4BE),
    Repeat(Number("digit_counts", U4BE), count=4),
    Number("num_blocks", U4BE, value=lambda s: s._count("blocks"), small=True, decides=True),
    Repeat(Object("blocks", "digits_block", looked=True), count="num_blocks"),
    computed={
        "num_blocks": Measure("count", "blocks"),
    },
)

make_wavelet_level = WAVELET_LEVEL_TYPE.make


DIGITS_BLOCK_TYPE = Type(
    FmIndex.DigitsBlock,
    "digits_block",
    Number("first_digit", U4BE),
    Number("num_digits", U4BE),
    Object("counts_before", "digit_counts"),
    Object("counts", "digit_counts"),
    Object("place", "block_place", looked=True, inner=("len_block",), role="length"),
    Bytes(
        "data",
        size="place.len_block",
        at="place.ofs_block",
        stream="_root._io",
        measured=True,
        needs_parent=True,
    ),
    computed={
        "place.len_block": Measure("length", "data"),
        "place.ofs_block": Measure("position", "data"),
    },
)

make_digits_block = DIGITS_BLOCK_TYPE.make


DIGIT_COUNTS_TYPE = Type(
    FmIndex.DigitCounts,
    "digit_counts",
    Number("zeros", U4BE),
    Number("ones", U4BE),
    Number("twos", U4BE),
    Number("threes", U4BE),
)

make_digit_counts = DIGIT_COUNTS_TYPE.make


BIT_VECTOR_TYPE = Type(
    FmIndex.BitVector,
    "bit_vector",
    Number("num_bits", U4BE),
    Number("num_ones", U4BE),
    Number("num_blocks", U4BE, value=lambda s: s._count("blocks"), small=True, decides=True),
    Repeat(Object("blocks", "bits_block", looked=True), count="num_blocks"),
    computed={
        "num_blocks": Measure("count", "blocks"),
    },
)

make_bit_vector = BIT_VECTOR_TYPE.make


BITS_BLOCK_TYPE = Type(
    FmIndex.BitsBlock,
    "bits_block",
    Number("first_bit", U4BE),
    Number("num_bits", U4BE),
    Number("ones_before", U4BE),
    Number("num_ones", U4BE),
    Object("place", "block_place", looked=True, inner=("len_block",), role="length"),
    Bytes(
        "data",
        size="place.len_block",
        at="place.ofs_block",
        stream="_root._io",
        measured=True,
        needs_parent=True,
    ),
    computed={
        "place.len_block": Measure("length", "data"),
        "place.ofs_block": Measure("position", "data"),
    },
)

make_bits_block = BITS_BLOCK_TYPE.make


INT_VECTOR_TYPE = Type(
    FmIndex.IntVector,
    "int_vector",
    Number("num_values", U4BE),
    Number("num_blocks", U4BE, value=lambda s: s._count("blocks"), small=True, decides=True),
    Repeat(Object("blocks", "values_block", looked=True), count="num_blocks"),
    computed={
        "num_blocks": Measure("count", "blocks"),
    },
)

make_int_vector = INT_VECTOR_TYPE.make


VALUES_BLOCK_TYPE = Type(
    FmIndex.ValuesBlock,
    "values_block",
    Number("first_value", U4BE),
    Number("num_values", U4BE),
    Object("place", "block_place", looked=True, inner=("len_block",), role="length"),
    Bytes(
        "data",
        size="place.len_block",
        at="place.ofs_block",
        stream="_root._io",
        measured=True,
        needs_parent=True,
    ),
    computed={
        "place.len_block": Measure("length", "data"),
        "place.ofs_block": Measure("position", "data"),
    },
)

make_values_block = VALUES_BLOCK_TYPE.make


LZ_BLOCK_TYPE = Type(
    FmIndex.LzBlock,
    "lz_block",
    Number("len_data", S4LE, least=0, value=lambda s: s._length("data"), small=True, decides=True),
    Number("len_content", S4LE),
    Bytes("data", size="len_data", measured=True),
    computed={
        "len_data": Measure("length", "data"),
    },
)

make_lz_block = LZ_BLOCK_TYPE.make


BLOCK_PLACE_TYPE = Type(
    FmIndex.BlockPlace,
    "block_place",
    Number("ofs_block", U8BE),
    Number("len_block", U4BE),
    Number("len_content", U4BE),
    Number("compression", U4BE, any_of=(0, 1, 2, 3)),
    Number("crc32", U4BE),
)

make_block_place = BLOCK_PLACE_TYPE.make
