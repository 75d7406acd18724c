# Generated from row_file.ksy by `ksykit generate`. Do not edit.
"""Objects of row_file: Row file of a Paimon table."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4LE, S8LE, U1
from ksykit.runtime.rows import (
    Bytes,
    Many,
    MaybeNested,
    Nested,
    Number,
    Object,
    One,
    Param,
    Repeat,
    Value,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .varint import Varint


class RowFile(Struct, of="row_file"):
    """Rows in compressed blocks, and an index with which readers read single rows.

    Attributes:
        footer: The last bytes of the file.
        index: The blocks.
    """

    footer: Nested[RowFooter] = Object(
        "row_footer", looked=True, at=lambda s: s._io.size - 32, from_end=True,
    )  # fmt: skip
    index: Nested[RowBlockIndex] = Object(
        "row_block_index", size="footer.len_index", at="footer.ofs_index", measured=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "footer.len_index": Measure("length", "index"),
        "footer.ofs_index": Measure("position", "index"),
    }


class RowFooter(Struct, of="row_footer"):
    """A `row_footer`.

    Attributes:
        num_rows: Number of rows in the file.
        num_blocks: Number of blocks.
        ofs_index: Start of the index, which is the end of the last block.
        len_index: Size of the index in bytes.
        reserved: Three zeros.
        magic: The letters ROWS, in reverse.
        len_footer: Size of the footer in bytes.
    """

    num_rows: One[int] = Number(S8LE, least=0)
    num_blocks: One[int] = Number(S4LE, least=0)
    ofs_index: One[int] = Number(S8LE, least=0)
    len_index: One[int] = Number(S4LE, least=0)
    version: One[int] = Number(U1, equal=1)
    reserved: One[bytes] = Bytes(size=3)
    magic: One[bytes] = Bytes(contents=b"SWOR")
    len_footer = Value(32)


class RowBlockIndex(Struct, of="row_block_index"):
    """Three lists of equal length.

    Attributes:
        len_sizes: Size of `sizes` in bytes.
        sizes: The compressed size of each block, and so the blocks.
        len_sizes_decoded: Size of `sizes_decoded` in bytes.
        sizes_decoded: The size of each block in bytes when it is decompressed.
        len_first_rows: Size of `first_rows` in bytes.
        first_rows: The number of rows before each block.
    """

    len_sizes: Nested[Varint] = Object("varint", looked=True, role="length")
    sizes: Nested[RowBlockSizes] = Object(
        "row_block_sizes", size="len_sizes.value", measured=True,
    )  # fmt: skip
    len_sizes_decoded: Nested[Varint] = Object("varint", looked=True, role="length")
    sizes_decoded: Nested[ZigzagNumbers] = Object(
        "zigzag_numbers", size="len_sizes_decoded.value", measured=True,
    )  # fmt: skip
    len_first_rows: Nested[Varint] = Object("varint", looked=True, role="length")
    first_rows: Nested[ZigzagNumbers] = Object(
        "zigzag_numbers", size="len_first_rows.value", measured=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "len_sizes.value": Measure("length", "sizes"),
        "len_sizes_decoded.value": Measure("length", "sizes_decoded"),
        "len_first_rows.value": Measure("length", "first_rows"),
    }


class ZigzagNumbers(Struct, of="zigzag_numbers"):
    """A `zigzag_numbers`.

    Attributes:
        differences: The difference of each integer to the one before, with its sign in the lowest
            bit.
    """

    differences: Many[Varint] = Repeat(Object("varint"))


class RowBlockSizes(Struct, of="row_block_sizes"):
    """A `row_block_sizes`.

    Attributes:
        blocks: The blocks.
    """

    blocks: Many[RowBlockPlace] = Repeat(
        Object(
            "row_block_place",
            args={
                "len_before": lambda s, i: 0 if i == 0 else s.blocks[i - 1].len_block,
                "ofs_block": lambda s, i: 0 if i == 0 else s.blocks[i - 1].ofs_next,
            },
            looked=True,
        )
    )


class RowBlockPlace(Struct, of="row_block_place"):
    """A block by its size.

    Attributes:
        len_before: The size of the block before, or 0 in the first block.
        ofs_block: Start of the block in the file.
        difference: The size minus that of the block before, with its sign in the lowest bit.
        compressed: The block.
        len_block: Size of the block in bytes.
        ofs_next: End of the block in the file.
    """

    len_before: One[int] = Param(range(128))
    ofs_block: One[int] = Param((0,))
    difference: Nested[Varint] = Object("varint", looked=True, examples=(2, 1, 0, 8, 40))
    compressed: MaybeNested[CompressedRowBlock] = Object(
        "compressed_row_block", size="len_block", at="ofs_block", stream="_root._io",
        when=lambda s: s.len_block > 0, needs_parent=True, first=True,
    )  # fmt: skip
    len_block = Value(lambda s: s.len_before + s.difference.zigzag)
    ofs_next = Value(lambda s: s.ofs_block if s.len_block < 0 else s.ofs_block + s.len_block)


class CompressedRowBlock(Struct, of="compressed_row_block"):
    """A `compressed_row_block`.

    Attributes:
        frame: A frame of Zstandard.
    """

    frame: One[bytes] = Bytes()


class RowBlock(Struct, of="row_block"):
    """A decompressed block.

    Attributes:
        tail: The last bytes of the block.
        offsets: Where each row starts.
    """

    tail: Nested[RowBlockTail] = Object(
        "row_block_tail", looked=True, at=lambda s: s._io.size - 4, from_end=True,
        inner=("num_rows",),
    )  # fmt: skip
    offsets: Nested[RowOffsets] = Object(
        "row_offsets", args={"num_rows": "tail.num_rows"},
        at=lambda s: s._io.size - 4 - 4 * s.tail.num_rows, from_end=True,
    )  # fmt: skip
    _derived: ClassVar = {"tail.num_rows": Measure("count", "offsets.ofs_rows")}


class RowBlockTail(Struct, of="row_block_tail"):
    """A `row_block_tail`.

    Attributes:
        num_rows: Number of rows in the block.
        len_tail: Size of the number in bytes.
    """

    num_rows: One[int] = Number(S4LE, least=0)
    len_tail = Value(4)


class RowOffsets(Struct, of="row_offsets"):
    """A `row_offsets`.

    Attributes:
        num_rows: Number of rows in the block.
        ofs_rows: The start of each row in the block.
        len_offset: Size of the start of a row in bytes.
    """

    num_rows: One[int] = Param(range(16))
    ofs_rows: Many[int] = Repeat(Number(S4LE), count="num_rows")
    len_offset = Value(4)


make_row_file = RowFile
make_row_footer = RowFooter
make_row_block_index = RowBlockIndex
make_zigzag_numbers = ZigzagNumbers
make_row_block_sizes = RowBlockSizes
make_row_block_place = RowBlockPlace
make_compressed_row_block = CompressedRowBlock
make_row_block = RowBlock
make_row_block_tail = RowBlockTail
make_row_offsets = RowOffsets
