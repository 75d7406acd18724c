# Generated from fm_index.ksy by `ksykit generate`. Do not edit.
"""Views of fm_index: FM index of a Paimon table."""

from itertools import accumulate
from typing import Any, NamedTuple

from ksykit.runtime.records import MANY_EMPTY, Buffer, Field, Numbers, RecordLayout, cut, wrong

_BLOCK_PLACE_OFS_BLOCK = Numbers(
    ">QIIII",
    Field("ofs_block", "fm_index/types/block_place/seq/0", ">Q"),
    Field("len_block", "fm_index/types/block_place/seq/1", ">I"),
    Field("len_content", "fm_index/types/block_place/seq/2", ">I"),
    Field("compression", "fm_index/types/block_place/seq/3", ">I", any_of=[0, 1, 2, 3]),
    Field("crc32", "fm_index/types/block_place/seq/4", ">I"),
)
_FM_FOOTER_FIRST_ROW = Numbers(
    ">QQII",
    Field("first_row", "fm_index/types/fm_footer/seq/1", ">Q"),
    Field("num_rows", "fm_index/types/fm_footer/seq/2", ">Q"),
    Field("num_partitions", "fm_index/types/fm_footer/seq/3", ">I"),
    Field("flags", "fm_index/types/fm_footer/seq/4", ">I", equal=7),
)
_FM_FOOTER_VERSION = Numbers(
    ">I", Field("version", "fm_index/types/fm_footer/seq/6", ">I", equal=1)
)
_FM_FOOTER_CRC32 = Numbers(">I", Field("crc32", "fm_index/types/fm_footer/seq/8", ">I"))
_FM_DIRECTORY_VERSION = Numbers(
    ">IQQI",
    Field("version", "fm_index/types/fm_directory/seq/1", ">I", equal=1),
    Field("first_row", "fm_index/types/fm_directory/seq/2", ">Q"),
    Field("num_rows", "fm_index/types/fm_directory/seq/3", ">Q"),
    Field("num_partitions", "fm_index/types/fm_directory/seq/4", ">I"),
)
FM_PARTITION = RecordLayout(
    Field("ofs_start", "fm_index/types/fm_partition/seq/0", ">Q"),
    Field("ofs_end", "fm_index/types/fm_partition/seq/1", ">Q"),
    Field("first_row", "fm_index/types/fm_partition/seq/2", ">Q"),
    Field("num_rows", "fm_index/types/fm_partition/seq/3", ">I"),
)
_FM_DIRECTORY_CRC32 = Numbers(">I", Field("crc32", "fm_index/types/fm_directory/seq/6", ">I"))
_FM_PARTITION_FOOTER_FIRST_ROW = Numbers(
    ">QIIII",
    Field("first_row", "fm_index/types/fm_partition_footer/seq/1", ">Q"),
    Field("num_rows", "fm_index/types/fm_partition_footer/seq/2", ">I"),
    Field("len_text", "fm_index/types/fm_partition_footer/seq/3", ">I"),
    Field("sample_rate", "fm_index/types/fm_partition_footer/seq/4", ">I"),
    Field("flags", "fm_index/types/fm_partition_footer/seq/5", ">I", equal=7),
)
_FM_PARTITION_FOOTER_VERSION = Numbers(
    ">I", Field("version", "fm_index/types/fm_partition_footer/seq/7", ">I", equal=1)
)
_FM_PARTITION_FOOTER_CRC32 = Numbers(
    ">I", Field("crc32", "fm_index/types/fm_partition_footer/seq/9", ">I")
)
_FM_PARTITION_DIRECTORY_NUM_ROWS = Numbers(
    ">IIIIII",
    Field("num_rows", "fm_index/types/fm_partition_directory/seq/0", ">I"),
    Field("len_text", "fm_index/types/fm_partition_directory/seq/1", ">I"),
    Field("sample_rate", "fm_index/types/fm_partition_directory/seq/2", ">I"),
    Field("num_levels", "fm_index/types/fm_partition_directory/seq/3", ">I"),
    Field("num_symbols", "fm_index/types/fm_partition_directory/seq/4", ">I", least=2, most=258),
    Field("num_words", "fm_index/types/fm_partition_directory/seq/5", ">I", equal=4096),
)
FM_PARTITION_DIRECTORY_SYMBOLS = RecordLayout(
    Field("symbols", "fm_index/types/fm_partition_directory/seq/6", ">i")
)
FM_PARTITION_DIRECTORY_CUMULATIVE_COUNTS = RecordLayout(
    Field("cumulative_counts", "fm_index/types/fm_partition_directory/seq/7", ">I")
)
WAVELET_LEVEL_DIGIT_STARTS = RecordLayout(
    Field("digit_starts", "fm_index/types/wavelet_level/seq/0", ">I")
)
_WAVELET_LEVEL_LEN_DIGITS = Numbers(
    ">I", Field("len_digits", "fm_index/types/wavelet_level/seq/1", ">I")
)
WAVELET_LEVEL_DIGIT_COUNTS = RecordLayout(
    Field("digit_counts", "fm_index/types/wavelet_level/seq/2", ">I")
)
_WAVELET_LEVEL_NUM_BLOCKS = Numbers(
    ">I", Field("num_blocks", "fm_index/types/wavelet_level/seq/3", ">I")
)
DIGITS_BLOCK = RecordLayout(
    Field("first_digit", "fm_index/types/digits_block/seq/0", ">I"),
    Field("num_digits", "fm_index/types/digits_block/seq/1", ">I"),
    Field("zeros", "fm_index/types/digit_counts/seq/0", ">I", column="counts_before_zeros"),
    Field("ones", "fm_index/types/digit_counts/seq/1", ">I", column="counts_before_ones"),
    Field("twos", "fm_index/types/digit_counts/seq/2", ">I", column="counts_before_twos"),
    Field("threes", "fm_index/types/digit_counts/seq/3", ">I", column="counts_before_threes"),
    Field("zeros", "fm_index/types/digit_counts/seq/0", ">I", column="counts_zeros"),
    Field("ones", "fm_index/types/digit_counts/seq/1", ">I", column="counts_ones"),
    Field("twos", "fm_index/types/digit_counts/seq/2", ">I", column="counts_twos"),
    Field("threes", "fm_index/types/digit_counts/seq/3", ">I", column="counts_threes"),
    Field("ofs_block", "fm_index/types/block_place/seq/0", ">Q", column="place_ofs_block"),
    Field("len_block", "fm_index/types/block_place/seq/1", ">I", column="place_len_block"),
    Field("len_content", "fm_index/types/block_place/seq/2", ">I", column="place_len_content"),
    Field(
        "compression",
        "fm_index/types/block_place/seq/3",
        ">I",
        column="place_compression",
        any_of=[0, 1, 2, 3],
    ),
    Field("crc32", "fm_index/types/block_place/seq/4", ">I", column="place_crc32"),
)
_BIT_VECTOR_NUM_BITS = Numbers(
    ">III",
    Field("num_bits", "fm_index/types/bit_vector/seq/0", ">I"),
    Field("num_ones", "fm_index/types/bit_vector/seq/1", ">I"),
    Field("num_blocks", "fm_index/types/bit_vector/seq/2", ">I"),
)
BITS_BLOCK = RecordLayout(
    Field("first_bit", "fm_index/types/bits_block/seq/0", ">I"),
    Field("num_bits", "fm_index/types/bits_block/seq/1", ">I"),
    Field("ones_before", "fm_index/types/bits_block/seq/2", ">I"),
    Field("num_ones", "fm_index/types/bits_block/seq/3", ">I"),
    Field("ofs_block", "fm_index/types/block_place/seq/0", ">Q", column="place_ofs_block"),
    Field("len_block", "fm_index/types/block_place/seq/1", ">I", column="place_len_block"),
    Field("len_content", "fm_index/types/block_place/seq/2", ">I", column="place_len_content"),
    Field(
        "compression",
        "fm_index/types/block_place/seq/3",
        ">I",
        column="place_compression",
        any_of=[0, 1, 2, 3],
    ),
    Field("crc32", "fm_index/types/block_place/seq/4", ">I", column="place_crc32"),
)
_INT_VECTOR_NUM_VALUES = Numbers(
    ">II",
    Field("num_values", "fm_index/types/int_vector/seq/0", ">I"),
    Field("num_blocks", "fm_index/types/int_vector/seq/1", ">I"),
)
VALUES_BLOCK = RecordLayout(
    Field("first_value", "fm_index/types/values_block/seq/0", ">I"),
    Field("num_values", "fm_index/types/values_block/seq/1", ">I"),
    Field("ofs_block", "fm_index/types/block_place/seq/0", ">Q", column="place_ofs_block"),
    Field("len_block", "fm_index/types/block_place/seq/1", ">I", column="place_len_block"),
    Field("len_content", "fm_index/types/block_place/seq/2", ">I", column="place_len_content"),
    Field(
        "compression",
        "fm_index/types/block_place/seq/3",
        ">I",
        column="place_compression",
        any_of=[0, 1, 2, 3],
    ),
    Field("crc32", "fm_index/types/block_place/seq/4", ">I", column="place_crc32"),
)
_LZ_BLOCK_LEN_DATA = Numbers(
    "<ii",
    Field("len_data", "fm_index/types/lz_block/seq/0", "<i", least=0),
    Field("len_content", "fm_index/types/lz_block/seq/1", "<i"),
)


class BlockPlace:
    """The place of a block of a partition, or of a directory."""

    __slots__ = ("compression", "crc32", "end", "len_block", "len_content", "ofs_block")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 24:
            raise _BLOCK_PLACE_OFS_BLOCK.broken(d, start, p, self)
        (
            self.ofs_block, self.len_block, self.len_content, self.compression, self.crc32,
        ) = _BLOCK_PLACE_OFS_BLOCK.unpack_from(d, p)  # fmt: skip
        if self.compression not in (0, 1, 2, 3):
            raise _BLOCK_PLACE_OFS_BLOCK.broken(d, start, p, self)
        p += 24
        self.end = start + p


class FmFooter:
    """The last bytes of a file."""

    __slots__ = (
        "crc32", "directory", "end", "first_row", "flags", "magic", "num_partitions",
        "num_rows", "reserved", "version",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.directory = BlockPlace(d, start, p)
        p = self.directory.end - start
        if not 0 <= p <= len(d) - 24:
            raise _FM_FOOTER_FIRST_ROW.broken(d, start, p, self)
        (
            self.first_row, self.num_rows, self.num_partitions, self.flags,
        ) = _FM_FOOTER_FIRST_ROW.unpack_from(d, p)  # fmt: skip
        if self.flags != 7:
            raise _FM_FOOTER_FIRST_ROW.broken(d, start, p, self)
        p += 24
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.reserved = d[p:q]
        if self.reserved != b"\x00\x00\x00\x00":
            raise wrong(
                "the field reserved is not b'\\x00\\x00\\x00\\x00'",
                start + p,
                "fm_index/types/fm_footer/seq/5",
                self.reserved,
            )
        p = q
        if not 0 <= p <= len(d) - 4:
            raise _FM_FOOTER_VERSION.broken(d, start, p, self)
        (self.version,) = _FM_FOOTER_VERSION.unpack_from(d, p)
        if self.version != 1:
            raise _FM_FOOTER_VERSION.broken(d, start, p, self)
        p += 4
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"FMIX":
            raise wrong(
                "the field magic is not b'FMIX'",
                start + p,
                "fm_index/types/fm_footer/seq/7",
                self.magic,
            )
        p = q
        if not 0 <= p <= len(d) - 4:
            raise _FM_FOOTER_CRC32.broken(d, start, p, self)
        (self.crc32,) = _FM_FOOTER_CRC32.unpack_from(d, p)
        p += 4
        self.end = start + p


class FmFooterPlaces(NamedTuple):
    """Where the fields of a `fm_footer` start, and where it ends."""

    directory: Any
    first_row: Any
    num_rows: Any
    num_partitions: Any
    flags: Any
    reserved: Any
    version: Any
    magic: Any
    crc32: Any
    end: Any


def places_fm_footer() -> FmFooterPlaces:
    """Return where the fields of a `fm_footer` start, for ints or arrays of int64."""
    return FmFooterPlaces(*accumulate([24, 8, 8, 4, 4, 4, 4, 4, 4], initial=0))


class FmDirectory:
    """The partitions of a file. `_INDEX_META` in the index manifest has the same bytes,
    without compression."""

    __slots__ = (
        "crc32", "end", "first_row", "magic", "num_partitions", "num_rows",
        "partitions_first_row", "partitions_num_rows", "partitions_ofs_end",
        "partitions_ofs_start", "version",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"FMME":
            raise wrong(
                "the field magic is not b'FMME'",
                start + p,
                "fm_index/types/fm_directory/seq/0",
                self.magic,
            )
        p = q
        if not 0 <= p <= len(d) - 24:
            raise _FM_DIRECTORY_VERSION.broken(d, start, p, self)
        (
            self.version, self.first_row, self.num_rows, self.num_partitions,
        ) = _FM_DIRECTORY_VERSION.unpack_from(d, p)  # fmt: skip
        if self.version != 1:
            raise _FM_DIRECTORY_VERSION.broken(d, start, p, self)
        p += 24
        (
            p, self.partitions_ofs_start, self.partitions_ofs_end, self.partitions_first_row,
            self.partitions_num_rows,
        ) = FM_PARTITION.read(d, start, p, self.num_partitions, arrays)  # fmt: skip
        if not 0 <= p <= len(d) - 4:
            raise _FM_DIRECTORY_CRC32.broken(d, start, p, self)
        (self.crc32,) = _FM_DIRECTORY_CRC32.unpack_from(d, p)
        p += 4
        self.end = start + p

    def place_partitions_footer(self, i: Any) -> Any:
        """Return where the `footer` of record i is: (position, size or None)."""
        return self.partitions_ofs_end[i] - 64, None


class FmDirectoryPlaces(NamedTuple):
    """Where the fields of a `fm_directory` start, and where it ends."""

    magic: Any
    version: Any
    first_row: Any
    num_rows: Any
    num_partitions: Any
    partitions: Any
    crc32: Any
    end: Any


def places_fm_directory(num_partitions: Any) -> FmDirectoryPlaces:
    """Return where the fields of a `fm_directory` start, for ints or arrays of int64."""
    return FmDirectoryPlaces(*accumulate([4, 4, 8, 8, 4, num_partitions * 28, 4], initial=0))


class FmPartitionFooter:
    """The last bytes of a partition."""

    __slots__ = (
        "crc32", "directory", "end", "first_row", "flags", "len_text", "magic", "num_rows",
        "reserved", "sample_rate", "version",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.directory = BlockPlace(d, start, p)
        p = self.directory.end - start
        if not 0 <= p <= len(d) - 24:
            raise _FM_PARTITION_FOOTER_FIRST_ROW.broken(d, start, p, self)
        (
            self.first_row, self.num_rows, self.len_text, self.sample_rate, self.flags,
        ) = _FM_PARTITION_FOOTER_FIRST_ROW.unpack_from(d, p)  # fmt: skip
        if self.flags != 7:
            raise _FM_PARTITION_FOOTER_FIRST_ROW.broken(d, start, p, self)
        p += 24
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.reserved = d[p:q]
        if self.reserved != b"\x00\x00\x00\x00":
            raise wrong(
                "the field reserved is not b'\\x00\\x00\\x00\\x00'",
                start + p,
                "fm_index/types/fm_partition_footer/seq/6",
                self.reserved,
            )
        p = q
        if not 0 <= p <= len(d) - 4:
            raise _FM_PARTITION_FOOTER_VERSION.broken(d, start, p, self)
        (self.version,) = _FM_PARTITION_FOOTER_VERSION.unpack_from(d, p)
        if self.version != 1:
            raise _FM_PARTITION_FOOTER_VERSION.broken(d, start, p, self)
        p += 4
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"FMIP":
            raise wrong(
                "the field magic is not b'FMIP'",
                start + p,
                "fm_index/types/fm_partition_footer/seq/8",
                self.magic,
            )
        p = q
        if not 0 <= p <= len(d) - 4:
            raise _FM_PARTITION_FOOTER_CRC32.broken(d, start, p, self)
        (self.crc32,) = _FM_PARTITION_FOOTER_CRC32.unpack_from(d, p)
        p += 4
        self.end = start + p

    def place_content(self) -> Any:
        """Return where the `content` is: (position, size or None)."""
        return self.directory.ofs_block, self.directory.len_block


class FmPartitionFooterPlaces(NamedTuple):
    """Where the fields of a `fm_partition_footer` start, and where it ends."""

    directory: Any
    first_row: Any
    num_rows: Any
    len_text: Any
    sample_rate: Any
    flags: Any
    reserved: Any
    version: Any
    magic: Any
    crc32: Any
    end: Any


def places_fm_partition_footer() -> FmPartitionFooterPlaces:
    """Return where the fields of a `fm_partition_footer` start, for ints or arrays of int64."""
    return FmPartitionFooterPlaces(*accumulate([24, 8, 4, 4, 4, 4, 4, 4, 4, 4], initial=0))


class WaveletLevel:
    """A `wavelet_level`."""

    __slots__ = (
        "blocks_counts_before_ones", "blocks_counts_before_threes",
        "blocks_counts_before_twos", "blocks_counts_before_zeros", "blocks_counts_ones",
        "blocks_counts_threes", "blocks_counts_twos", "blocks_counts_zeros",
        "blocks_first_digit", "blocks_num_digits", "blocks_place_compression",
        "blocks_place_crc32", "blocks_place_len_block", "blocks_place_len_content",
        "blocks_place_ofs_block", "digit_counts", "digit_starts", "end", "len_digits",
        "num_blocks",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        (p, self.digit_starts) = WAVELET_LEVEL_DIGIT_STARTS.read(d, start, p, 4, arrays)
        if not 0 <= p <= len(d) - 4:
            raise _WAVELET_LEVEL_LEN_DIGITS.broken(d, start, p, self)
        (self.len_digits,) = _WAVELET_LEVEL_LEN_DIGITS.unpack_from(d, p)
        p += 4
        (p, self.digit_counts) = WAVELET_LEVEL_DIGIT_COUNTS.read(d, start, p, 4, arrays)
        if not 0 <= p <= len(d) - 4:
            raise _WAVELET_LEVEL_NUM_BLOCKS.broken(d, start, p, self)
        (self.num_blocks,) = _WAVELET_LEVEL_NUM_BLOCKS.unpack_from(d, p)
        p += 4
        (
            p, self.blocks_first_digit, self.blocks_num_digits, self.blocks_counts_before_zeros,
            self.blocks_counts_before_ones, self.blocks_counts_before_twos,
            self.blocks_counts_before_threes, self.blocks_counts_zeros, self.blocks_counts_ones,
            self.blocks_counts_twos, self.blocks_counts_threes, self.blocks_place_ofs_block,
            self.blocks_place_len_block, self.blocks_place_len_content,
            self.blocks_place_compression, self.blocks_place_crc32,
        ) = DIGITS_BLOCK.read(d, start, p, self.num_blocks, arrays)  # fmt: skip
        self.end = start + p

    def place_blocks_data(self, i: Any) -> Any:
        """Return where the `data` of record i is: (position, size or None)."""
        return self.blocks_place_ofs_block[i], self.blocks_place_len_block[i]


class BitVector:
    """A `bit_vector`."""

    __slots__ = (
        "blocks_first_bit", "blocks_num_bits", "blocks_num_ones", "blocks_ones_before",
        "blocks_place_compression", "blocks_place_crc32", "blocks_place_len_block",
        "blocks_place_len_content", "blocks_place_ofs_block", "end", "num_bits", "num_blocks",
        "num_ones",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        if not 0 <= p <= len(d) - 12:
            raise _BIT_VECTOR_NUM_BITS.broken(d, start, p, self)
        (self.num_bits, self.num_ones, self.num_blocks) = _BIT_VECTOR_NUM_BITS.unpack_from(d, p)
        p += 12
        (
            p, self.blocks_first_bit, self.blocks_num_bits, self.blocks_ones_before,
            self.blocks_num_ones, self.blocks_place_ofs_block, self.blocks_place_len_block,
            self.blocks_place_len_content, self.blocks_place_compression, self.blocks_place_crc32,
        ) = BITS_BLOCK.read(d, start, p, self.num_blocks, arrays)  # fmt: skip
        self.end = start + p

    def place_blocks_data(self, i: Any) -> Any:
        """Return where the `data` of record i is: (position, size or None)."""
        return self.blocks_place_ofs_block[i], self.blocks_place_len_block[i]


class IntVector:
    """A `int_vector`."""

    __slots__ = (
        "blocks_first_value", "blocks_num_values", "blocks_place_compression",
        "blocks_place_crc32", "blocks_place_len_block", "blocks_place_len_content",
        "blocks_place_ofs_block", "end", "num_blocks", "num_values",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        if not 0 <= p <= len(d) - 8:
            raise _INT_VECTOR_NUM_VALUES.broken(d, start, p, self)
        (self.num_values, self.num_blocks) = _INT_VECTOR_NUM_VALUES.unpack_from(d, p)
        p += 8
        (
            p, self.blocks_first_value, self.blocks_num_values, self.blocks_place_ofs_block,
            self.blocks_place_len_block, self.blocks_place_len_content,
            self.blocks_place_compression, self.blocks_place_crc32,
        ) = VALUES_BLOCK.read(d, start, p, self.num_blocks, arrays)  # fmt: skip
        self.end = start + p

    def place_blocks_data(self, i: Any) -> Any:
        """Return where the `data` of record i is: (position, size or None)."""
        return self.blocks_place_ofs_block[i], self.blocks_place_len_block[i]


class FmPartitionDirectory:
    """The content of a partition, and the places of its blocks."""

    __slots__ = (
        "cumulative_counts", "end", "len_text", "levels", "null_rows", "num_levels",
        "num_rows", "num_symbols", "num_words", "row_ends", "sample_rate", "sampled_rows",
        "samples", "symbols",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        if not 0 <= p <= len(d) - 24:
            raise _FM_PARTITION_DIRECTORY_NUM_ROWS.broken(d, start, p, self)
        (
            self.num_rows, self.len_text, self.sample_rate, self.num_levels, self.num_symbols,
            self.num_words,
        ) = _FM_PARTITION_DIRECTORY_NUM_ROWS.unpack_from(d, p)  # fmt: skip
        if self.num_symbols < 2 or self.num_symbols > 258 or self.num_words != 4096:
            raise _FM_PARTITION_DIRECTORY_NUM_ROWS.broken(d, start, p, self)
        p += 24
        (p, self.symbols) = FM_PARTITION_DIRECTORY_SYMBOLS.read(d, start, p, 256, arrays)
        (p, self.cumulative_counts) = FM_PARTITION_DIRECTORY_CUMULATIVE_COUNTS.read(
            d, start, p, self.num_symbols + 1, arrays
        )
        self.levels: list[Any] = []
        first = p
        for _ in range(self.num_levels):
            item = WaveletLevel(d, start, p)
            p = item.end - start
            self.levels.append(item)
            if len(self.levels) > MANY_EMPTY + p - first:
                raise wrong("too many elements without bytes", start + p)
        self.sampled_rows = BitVector(d, start, p)
        p = self.sampled_rows.end - start
        self.samples = IntVector(d, start, p)
        p = self.samples.end - start
        self.null_rows = BitVector(d, start, p)
        p = self.null_rows.end - start
        self.row_ends = BitVector(d, start, p)
        p = self.row_ends.end - start
        self.end = start + p


class LzBlock:
    """A block that is compressed by LZ4 or LZO."""

    __slots__ = ("data", "end", "len_content", "len_data")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 8:
            raise _LZ_BLOCK_LEN_DATA.broken(d, start, p, self)
        (self.len_data, self.len_content) = _LZ_BLOCK_LEN_DATA.unpack_from(d, p)
        if self.len_data < 0:
            raise _LZ_BLOCK_LEN_DATA.broken(d, start, p, self)
        p += 8
        q = p + self.len_data
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.data = d[p:q]
        p = q
        self.end = start + p
