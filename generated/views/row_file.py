# Generated from row_file.ksy by `ksykit generate`. Do not edit.
"""Views of row_file: Row file of a Paimon table."""

from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout, cut, wrong

_ROW_FOOTER_NUM_ROWS = Numbers(
    "<qiqiB",
    Field("num_rows", "row_file/types/row_footer/seq/0", "<q", least=0),
    Field("num_blocks", "row_file/types/row_footer/seq/1", "<i", least=0),
    Field("ofs_index", "row_file/types/row_footer/seq/2", "<q", least=0),
    Field("len_index", "row_file/types/row_footer/seq/3", "<i", least=0),
    Field("version", "row_file/types/row_footer/seq/4", "<B", equal=1),
)
_ROW_BLOCK_TAIL_NUM_ROWS = Numbers(
    "<i", Field("num_rows", "row_file/types/row_block_tail/seq/0", "<i", least=0)
)
ROW_OFFSETS_OFS_ROWS = RecordLayout(Field("ofs_rows", "row_file/types/row_offsets/seq/0", "<i"))


class RowFooter:
    """A `row_footer`."""

    __slots__ = (
        "end", "len_index", "magic", "num_blocks", "num_rows", "ofs_index", "reserved",
        "version",
    )  # fmt: skip
    len_footer = 32
    """Size of the footer in bytes."""

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 25:
            raise _ROW_FOOTER_NUM_ROWS.broken(d, start, p, self)
        (
            self.num_rows, self.num_blocks, self.ofs_index, self.len_index, self.version,
        ) = _ROW_FOOTER_NUM_ROWS.unpack_from(d, p)  # fmt: skip
        if (
            self.num_rows < 0
            or self.num_blocks < 0
            or self.ofs_index < 0
            or self.len_index < 0
            or self.version != 1
        ):
            raise _ROW_FOOTER_NUM_ROWS.broken(d, start, p, self)
        p += 25
        q = p + 3
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.reserved = d[p:q]
        p = q
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"SWOR":
            raise wrong(
                "the field magic is not b'SWOR'",
                start + p,
                "row_file/types/row_footer/seq/6",
                self.magic,
            )
        p = q
        self.end = start + p


class RowBlockTail:
    """A `row_block_tail`."""

    __slots__ = ("end", "num_rows")
    len_tail = 4
    """Size of the number in bytes."""

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _ROW_BLOCK_TAIL_NUM_ROWS.broken(d, start, p, self)
        (self.num_rows,) = _ROW_BLOCK_TAIL_NUM_ROWS.unpack_from(d, p)
        if self.num_rows < 0:
            raise _ROW_BLOCK_TAIL_NUM_ROWS.broken(d, start, p, self)
        p += 4
        self.end = start + p


class RowOffsets:
    """A `row_offsets`."""

    __slots__ = ("end", "num_rows", "ofs_rows")
    len_offset = 4
    """Size of the start of a row in bytes."""

    def __init__(self, d: Buffer, start: int, p: int, num_rows: int, arrays: bool = False) -> None:
        self.num_rows = num_rows
        (p, self.ofs_rows) = ROW_OFFSETS_OFS_ROWS.read(d, start, p, self.num_rows, arrays)
        self.end = start + p
