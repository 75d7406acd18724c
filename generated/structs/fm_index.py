# Generated from fm_index.ksy by `ksykit generate`. Do not edit.
"""Objects of fm_index: FM index of a Paimon table."""

from __future__ import annotations

from typing import Any, ClassVar

from ksykit.runtime.json_values import S4BE, S4LE, U4BE, U8BE
from ksykit.runtime.rows import Bytes, Many, Nested, Number, Object, One, Repeat, Switch
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure


class FmIndex(Struct, of="fm_index"):
    """The container of a global index of the type `fm` (`fmindex` in early versions of Java),
    which answers which texts contain a text.

    Attributes:
        footer: The place of the directory, and the rows of the file.
        directory: The partitions, also if they are compressed.
    """

    footer: Nested[FmFooter] = Object(
        "fm_footer", looked=True, at=lambda s: s._io.size - 64, from_end=True,
        inner=("directory.len_block",),
    )  # fmt: skip
    directory: One[Any] = Switch(
        "footer.directory.compression",
        {
            0: Object("fm_directory", size="footer.directory.len_block"),
            None: Bytes(size="footer.directory.len_block"),
        },
        size="footer.directory.len_block",
        looked=True,
        at="footer.directory.ofs_block",
        measured=True,
    )
    _derived: ClassVar = {
        "footer.directory.len_block": Measure("length", "directory"),
        "footer.directory.ofs_block": Measure("position", "directory"),
    }


class FmFooter(Struct, of="fm_footer"):
    """The last bytes of a file.

    Attributes:
        directory: The directory, which is directly before this footer.
        first_row: The first row of the file.
        num_rows: The number of rows of the file.
        num_partitions: The number of partitions.
        flags: The features that all files have.
        reserved: Zeros, for later features.
        version: The only version there is.
        magic: The number 1179470168.
        crc32: The checksum of the bytes before it.
    """

    directory: Nested[BlockPlace] = Object("block_place", looked=True, measured=True)
    first_row: One[int] = Number(U8BE, measured=True)
    num_rows: One[int] = Number(U8BE, measured=True)
    num_partitions: One[int] = Number(U4BE, measured=True)
    flags: One[int] = Number(U4BE, equal=7, measured=True)
    reserved: One[bytes] = Bytes(contents=b"\x00\x00\x00\x00", measured=True)
    version: One[int] = Number(U4BE, equal=1, measured=True)
    magic: One[bytes] = Bytes(contents=b"FMIX", measured=True)
    crc32: One[int] = Number(
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
    )


class FmDirectory(Struct, of="fm_directory"):
    """The partitions of a file. `_INDEX_META` in the index manifest has the same bytes, without
    compression.

    Attributes:
        magic: The number 1179471173.
        version: The only version there is.
        first_row: The first row of the file.
        num_rows: The number of rows of the file.
        num_partitions: The number of partitions.
        partitions: The partitions in the order of their bytes and rows.
        crc32: The checksum of the bytes before it.
    """

    magic: One[bytes] = Bytes(contents=b"FMME", measured=True)
    version: One[int] = Number(U4BE, equal=1, measured=True)
    first_row: One[int] = Number(U8BE, measured=True)
    num_rows: One[int] = Number(U8BE, measured=True)
    num_partitions: One[int] = Number(
        U4BE, value=lambda s: s._count("partitions"), measured=True, small=True, decides=True,
    )  # fmt: skip
    partitions: Many[FmPartition] = Repeat(
        Object("fm_partition"), count="num_partitions", measured=True,
    )  # fmt: skip
    crc32: One[int] = Number(
        U4BE,
        value=lambda s: s._crc32(
            "magic", "version", "first_row", "num_rows", "num_partitions", "partitions", 0
        ),
        role="checksum",
    )
    _derived: ClassVar = {"num_partitions": Measure("count", "partitions")}


class FmPartition(Struct, of="fm_partition"):
    """A `fm_partition`.

    Attributes:
        ofs_start: Its first byte, where the one before it ends.
        ofs_end: The byte after its last.
        first_row: Its first row.
        num_rows: The number of rows.
        footer: Its last bytes.
    """

    ofs_start: One[int] = Number(U8BE)
    ofs_end: One[int] = Number(U8BE)
    first_row: One[int] = Number(U8BE)
    num_rows: One[int] = Number(U4BE)
    footer: Nested[FmPartitionFooter] = Object(
        "fm_partition_footer", looked=True, at=lambda s: s.ofs_end - 64, stream="_root._io",
        measured=True, needs_parent=True,
    )  # fmt: skip
    _derived: ClassVar = {"ofs_end": Measure("position", "footer", lambda s, n: n + 64)}


class FmPartitionFooter(Struct, of="fm_partition_footer"):
    """The last bytes of a partition.

    Attributes:
        directory: The directory of the partition, which is directly before this footer.
        first_row: The first row.
        num_rows: The number of rows.
        len_text: The number of bytes of all texts, with the separators after them.
        sample_rate: The distance of suffixes whose place is stored, a power of two.
        flags: The features that all files have.
        reserved: Zeros, for later features.
        version: The only version there is.
        magic: The number 1179470160.
        crc32: The checksum of the bytes before it.
        content: The directory itself.
    """

    directory: Nested[BlockPlace] = Object(
        "block_place", looked=True, measured=True, inner=("len_block",), role="length",
    )  # fmt: skip
    first_row: One[int] = Number(U8BE, measured=True)
    num_rows: One[int] = Number(U4BE, measured=True)
    len_text: One[int] = Number(U4BE, measured=True)
    sample_rate: One[int] = Number(U4BE, measured=True)
    flags: One[int] = Number(U4BE, equal=7, measured=True)
    reserved: One[bytes] = Bytes(contents=b"\x00\x00\x00\x00", measured=True)
    version: One[int] = Number(U4BE, equal=1, measured=True)
    magic: One[bytes] = Bytes(contents=b"FMIP", measured=True)
    crc32: One[int] = Number(
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
    )
    content: One[Any] = Switch(
        "directory.compression",
        {
            0: Object("fm_partition_directory", size="directory.len_block"),
            None: Bytes(size="directory.len_block"),
        },
        size="directory.len_block",
        at="directory.ofs_block",
        measured=True,
    )
    _derived: ClassVar = {
        "directory.len_block": Measure("length", "content"),
        "directory.ofs_block": Measure("position", "content"),
    }


class FmPartitionDirectory(Struct, of="fm_partition_directory"):
    """The content of a partition, and the places of its blocks.

    Attributes:
        num_rows: The number of rows.
        len_text: The number of bytes of all texts, with the separators after them.
        sample_rate: The distance of suffixes whose place is stored.
        num_levels: The number of levels of the wavelet matrix, each for two bits of a symbol.
        num_symbols: The number of distinct bytes in the texts, and 2 for the ends of a row and of
            all rows.
        num_words: The most words of eight bytes in a block.
        symbols: The symbol of each byte, from 2 on in their order; -1 of bytes that no text has.
        cumulative_counts: How often the symbols before each symbol occur in the texts.
        levels: The levels of the wavelet matrix, that of the highest bits first.
        sampled_rows: Which suffixes, in their order, have a stored place.
        samples: Their places in the texts.
        null_rows: Which rows are null.
        row_ends: Which bytes of the texts are separators.
    """

    num_rows: One[int] = Number(U4BE)
    len_text: One[int] = Number(U4BE)
    sample_rate: One[int] = Number(U4BE)
    num_levels: One[int] = Number(U4BE, small=True)
    num_symbols: One[int] = Number(U4BE, least=2, most=258, small=True)
    num_words: One[int] = Number(U4BE, equal=4096)
    symbols: Many[int] = Repeat(Number(S4BE), count=256)
    cumulative_counts: Many[int] = Repeat(Number(U4BE), count=lambda s: s.num_symbols + 1)
    levels: Many[WaveletLevel] = Repeat(Object("wavelet_level"), count="num_levels")
    sampled_rows: Nested[BitVector] = Object("bit_vector")
    samples: Nested[IntVector] = Object("int_vector")
    null_rows: Nested[BitVector] = Object("bit_vector")
    row_ends: Nested[BitVector] = Object("bit_vector")
    _derived: ClassVar = {
        "num_symbols": Measure("count", "cumulative_counts", lambda s, n: n - 1),
        "num_levels": Measure("count", "levels"),
    }


class WaveletLevel(Struct, of="wavelet_level"):
    """A `wavelet_level`.

    Attributes:
        digit_starts: Where the symbols with each digit start on the next level.
        len_digits: The number of digits, one for each symbol of the texts.
        digit_counts: How often each digit occurs.
        num_blocks: The number of blocks.
        blocks: The blocks of digits.
    """

    digit_starts: Many[int] = Repeat(Number(U4BE), count=4)
    len_digits: One[int] = Number(U4BE)
    digit_counts: Many[int] = Repeat(Number(U4BE), count=4)
    num_blocks: One[int] = Number(
        U4BE, value=lambda s: s._count("blocks"), small=True, decides=True,
    )  # fmt: skip
    blocks: Many[DigitsBlock] = Repeat(Object("digits_block", looked=True), count="num_blocks")
    _derived: ClassVar = {"num_blocks": Measure("count", "blocks")}


class DigitsBlock(Struct, of="digits_block"):
    """A `digits_block`.

    Attributes:
        first_digit: The number of its first digit.
        num_digits: The number of digits.
        counts_before: How often each digit occurs before the block.
        counts: How often each digit occurs in the block.
        place: Where the block is.
        data: The block itself.
    """

    first_digit: One[int] = Number(U4BE)
    num_digits: One[int] = Number(U4BE)
    counts_before: Nested[DigitCounts] = Object("digit_counts")
    counts: Nested[DigitCounts] = Object("digit_counts")
    place: Nested[BlockPlace] = Object(
        "block_place", looked=True, inner=("len_block",), role="length",
    )  # fmt: skip
    data: One[bytes] = Bytes(
        size="place.len_block", at="place.ofs_block", stream="_root._io", measured=True,
        needs_parent=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "place.len_block": Measure("length", "data"),
        "place.ofs_block": Measure("position", "data"),
    }


class DigitCounts(Struct, of="digit_counts"):
    """A `digit_counts`.

    Attributes:
        zeros: How often digit 0 occurs.
        ones: How often digit 1 occurs.
        twos: How often digit 2 occurs.
        threes: How often digit 3 occurs.
    """

    zeros: One[int] = Number(U4BE)
    ones: One[int] = Number(U4BE)
    twos: One[int] = Number(U4BE)
    threes: One[int] = Number(U4BE)


class BitVector(Struct, of="bit_vector"):
    """A `bit_vector`.

    Attributes:
        num_bits: The number of bits.
        num_ones: The number of bits that are set.
        num_blocks: The number of blocks.
        blocks: The blocks of bits.
    """

    num_bits: One[int] = Number(U4BE)
    num_ones: One[int] = Number(U4BE)
    num_blocks: One[int] = Number(
        U4BE, value=lambda s: s._count("blocks"), small=True, decides=True,
    )  # fmt: skip
    blocks: Many[BitsBlock] = Repeat(Object("bits_block", looked=True), count="num_blocks")
    _derived: ClassVar = {"num_blocks": Measure("count", "blocks")}


class BitsBlock(Struct, of="bits_block"):
    """A `bits_block`.

    Attributes:
        first_bit: The number of its first bit.
        num_bits: The number of bits.
        ones_before: The number of bits that are set before the block.
        num_ones: The number of bits that are set in the block.
        place: Where the block is.
        data: The block itself.
    """

    first_bit: One[int] = Number(U4BE)
    num_bits: One[int] = Number(U4BE)
    ones_before: One[int] = Number(U4BE)
    num_ones: One[int] = Number(U4BE)
    place: Nested[BlockPlace] = Object(
        "block_place", looked=True, inner=("len_block",), role="length",
    )  # fmt: skip
    data: One[bytes] = Bytes(
        size="place.len_block", at="place.ofs_block", stream="_root._io", measured=True,
        needs_parent=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "place.len_block": Measure("length", "data"),
        "place.ofs_block": Measure("position", "data"),
    }


class IntVector(Struct, of="int_vector"):
    """A `int_vector`.

    Attributes:
        num_values: The number of values.
        num_blocks: The number of blocks.
        blocks: The blocks of values.
    """

    num_values: One[int] = Number(U4BE)
    num_blocks: One[int] = Number(
        U4BE, value=lambda s: s._count("blocks"), small=True, decides=True,
    )  # fmt: skip
    blocks: Many[ValuesBlock] = Repeat(Object("values_block", looked=True), count="num_blocks")
    _derived: ClassVar = {"num_blocks": Measure("count", "blocks")}


class ValuesBlock(Struct, of="values_block"):
    """A `values_block`.

    Attributes:
        first_value: The number of its first value.
        num_values: The number of values.
        place: Where the block is.
        data: The block itself.
    """

    first_value: One[int] = Number(U4BE)
    num_values: One[int] = Number(U4BE)
    place: Nested[BlockPlace] = Object(
        "block_place", looked=True, inner=("len_block",), role="length",
    )  # fmt: skip
    data: One[bytes] = Bytes(
        size="place.len_block", at="place.ofs_block", stream="_root._io", measured=True,
        needs_parent=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "place.len_block": Measure("length", "data"),
        "place.ofs_block": Measure("position", "data"),
    }


class LzBlock(Struct, of="lz_block"):
    """A block that is compressed by LZ4 or LZO.

    Attributes:
        len_data: Length of `data` in bytes.
        len_content: Length of the content in bytes.
        data: A block of LZ4 or LZO1X without a frame.
    """

    len_data: One[int] = Number(
        S4LE, least=0, value=lambda s: s._length("data"), small=True, decides=True,
    )  # fmt: skip
    len_content: One[int] = Number(S4LE)
    data: One[bytes] = Bytes(size="len_data", measured=True)
    _derived: ClassVar = {"len_data": Measure("length", "data")}


class BlockPlace(Struct, of="block_place"):
    """The place of a block of a partition, or of a directory.

    Attributes:
        ofs_block: Start of the block.
        len_block: Length of the block in bytes.
        len_content: Length of its content in bytes, if it is not compressed.
        compression: How it is compressed.
        crc32: Its checksum.
    """

    ofs_block: One[int] = Number(U8BE)
    len_block: One[int] = Number(U4BE)
    len_content: One[int] = Number(U4BE)
    compression: One[int] = Number(
        U4BE, any_of=(0, 1, 2, 3), enum="compressed_block.BlockCompression",
    )  # fmt: skip
    crc32: One[int] = Number(U4BE)


make_fm_index = FmIndex
make_fm_footer = FmFooter
make_fm_directory = FmDirectory
make_fm_partition = FmPartition
make_fm_partition_footer = FmPartitionFooter
make_fm_partition_directory = FmPartitionDirectory
make_wavelet_level = WaveletLevel
make_digits_block = DigitsBlock
make_digit_counts = DigitCounts
make_bit_vector = BitVector
make_bits_block = BitsBlock
make_int_vector = IntVector
make_values_block = ValuesBlock
make_lz_block = LzBlock
make_block_place = BlockPlace
