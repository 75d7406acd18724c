# Generated from specs/fm_index.ksy by `ksykit generate`. Do not edit.
"""The types of fm_index: their objects are read, made, changed and written.

FM index of a Paimon table.
"""

from __future__ import annotations

from typing import Any, ClassVar

from ksykit.runtime.json_values import S4BE, S4LE, U4BE, U8BE
from ksykit.runtime.rows import (
    Bytes,
    Many,
    Nested,
    Number,
    Object,
    One,
    Repeat,
    Switch,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure


class FmIndex(Struct, of="fm_index"):
    """The container of a global index of the type `fm` (`fmindex` in early versions of Java),
    which answers which texts contain a text."""

    footer: Nested[FmFooter] = Object(
        "fm_footer",
        looked=True,
        at=lambda s: s._io.size - 64,
        from_end=True,
        inner=("directory.len_block",),
    )
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
    """The last bytes of a file."""

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
    compression."""

    magic: One[bytes] = Bytes(contents=b"FMME", measured=True)
    version: One[int] = Number(U4BE, equal=1, measured=True)
    first_row: One[int] = Number(U8BE, measured=True)
    num_rows: One[int] = Number(U8BE, measured=True)
    num_partitions: One[int] = Number(
        U4BE, value=lambda s: s._count("partitions"), measured=True, small=True, decides=True
    )
    partitions: Many[FmPartition] = Repeat(
        Object("fm_partition"), count="num_partitions", measured=True
    )
    crc32: One[int] = Number(
        U4BE,
        value=lambda s: s._crc32(
            "magic", "version", "first_row", "num_rows", "num_partitions", "partitions", 0
        ),
        role="checksum",
    )
    _derived: ClassVar = {
        "num_partitions": Measure("count", "partitions"),
    }


class FmPartition(Struct, of="fm_partition"):
    """A `fm_partition`."""

    ofs_start: One[int] = Number(U8BE)
    ofs_end: One[int] = Number(U8BE)
    first_row: One[int] = Number(U8BE)
    num_rows: One[int] = Number(U4BE)
    footer: Nested[FmPartitionFooter] = Object(
        "fm_partition_footer",
        looked=True,
        at=lambda s: s.ofs_end - 64,
        stream="_root._io",
        measured=True,
        needs_parent=True,
    )
    _derived: ClassVar = {
        "ofs_end": Measure("position", "footer", lambda s, n: n + 64),
    }


class FmPartitionFooter(Struct, of="fm_partition_footer"):
    """The last bytes of a partition."""

    directory: Nested[BlockPlace] = Object(
        "block_place", looked=True, measured=True, inner=("len_block",), role="length"
    )
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
    """The content of a partition, and the places of its blocks."""

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
    """A `wavelet_level`."""

    digit_starts: Many[int] = Repeat(Number(U4BE), count=4)
    len_digits: One[int] = Number(U4BE)
    digit_counts: Many[int] = Repeat(Number(U4BE), count=4)
    num_blocks: One[int] = Number(
        U4BE, value=lambda s: s._count("blocks"), small=True, decides=True
    )
    blocks: Many[DigitsBlock] = Repeat(Object("digits_block", looked=True), count="num_blocks")
    _derived: ClassVar = {
        "num_blocks": Measure("count", "blocks"),
    }


class DigitsBlock(Struct, of="digits_block"):
    """A `digits_block`."""

    first_digit: One[int] = Number(U4BE)
    num_digits: One[int] = Number(U4BE)
    counts_before: Nested[DigitCounts] = Object("digit_counts")
    counts: Nested[DigitCounts] = Object("digit_counts")
    place: Nested[BlockPlace] = Object(
        "block_place", looked=True, inner=("len_block",), role="length"
    )
    data: One[bytes] = Bytes(
        size="place.len_block",
        at="place.ofs_block",
        stream="_root._io",
        measured=True,
        needs_parent=True,
    )
    _derived: ClassVar = {
        "place.len_block": Measure("length", "data"),
        "place.ofs_block": Measure("position", "data"),
    }


class DigitCounts(Struct, of="digit_counts"):
    """A `digit_counts`."""

    zeros: One[int] = Number(U4BE)
    ones: One[int] = Number(U4BE)
    twos: One[int] = Number(U4BE)
    threes: One[int] = Number(U4BE)


class BitVector(Struct, of="bit_vector"):
    """A `bit_vector`."""

    num_bits: One[int] = Number(U4BE)
    num_ones: One[int] = Number(U4BE)
    num_blocks: One[int] = Number(
        U4BE, value=lambda s: s._count("blocks"), small=True, decides=True
    )
    blocks: Many[BitsBlock] = Repeat(Object("bits_block", looked=True), count="num_blocks")
    _derived: ClassVar = {
        "num_blocks": Measure("count", "blocks"),
    }


class BitsBlock(Struct, of="bits_block"):
    """A `bits_block`."""

    first_bit: One[int] = Number(U4BE)
    num_bits: One[int] = Number(U4BE)
    ones_before: One[int] = Number(U4BE)
    num_ones: One[int] = Number(U4BE)
    place: Nested[BlockPlace] = Object(
        "block_place", looked=True, inner=("len_block",), role="length"
    )
    data: One[bytes] = Bytes(
        size="place.len_block",
        at="place.ofs_block",
        stream="_root._io",
        measured=True,
        needs_parent=True,
    )
    _derived: ClassVar = {
        "place.len_block": Measure("length", "data"),
        "place.ofs_block": Measure("position", "data"),
    }


class IntVector(Struct, of="int_vector"):
    """A `int_vector`."""

    num_values: One[int] = Number(U4BE)
    num_blocks: One[int] = Number(
        U4BE, value=lambda s: s._count("blocks"), small=True, decides=True
    )
    blocks: Many[ValuesBlock] = Repeat(Object("values_block", looked=True), count="num_blocks")
    _derived: ClassVar = {
        "num_blocks": Measure("count", "blocks"),
    }


class ValuesBlock(Struct, of="values_block"):
    """A `values_block`."""

    first_value: One[int] = Number(U4BE)
    num_values: One[int] = Number(U4BE)
    place: Nested[BlockPlace] = Object(
        "block_place", looked=True, inner=("len_block",), role="length"
    )
    data: One[bytes] = Bytes(
        size="place.len_block",
        at="place.ofs_block",
        stream="_root._io",
        measured=True,
        needs_parent=True,
    )
    _derived: ClassVar = {
        "place.len_block": Measure("length", "data"),
        "place.ofs_block": Measure("position", "data"),
    }


class LzBlock(Struct, of="lz_block"):
    """A block that is compressed by LZ4 or LZO."""

    len_data: One[int] = Number(
        S4LE, least=0, value=lambda s: s._length("data"), small=True, decides=True
    )
    len_content: One[int] = Number(S4LE)
    data: One[bytes] = Bytes(size="len_data", measured=True)
    _derived: ClassVar = {
        "len_data": Measure("length", "data"),
    }


class BlockPlace(Struct, of="block_place"):
    """The place of a block of a partition, or of a directory."""

    ofs_block: One[int] = Number(U8BE)
    len_block: One[int] = Number(U4BE)
    len_content: One[int] = Number(U4BE)
    compression: One[int] = Number(
        U4BE, any_of=(0, 1, 2, 3), enum="compressed_block.BlockCompression"
    )
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
