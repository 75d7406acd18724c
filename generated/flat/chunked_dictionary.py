# Generated from specs/chunked_dictionary.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of chunked_dictionary at once, from bytes that are there.

Chunked dictionary of a range bitmap.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..arrays import Buffer
from ..errors import Unusual

_S4BE = Struct(">i")
_U1_S4BE_S4BE_S4BE = Struct(">Biii")


class ChunkedDictionary:
    """A `chunked_dictionary` at `pos`, of bytes that stand at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "column_type",
        "end",
        "head_start",
        "len_chunks",
        "len_head",
        "len_offsets",
        "num_chunks",
        "version",
    )

    def __init__(self, d: Buffer, start: int, pos: int, column_type: int) -> None:
        p = pos - start
        if p < 0:
            raise Unusual
        self.column_type = column_type
        (self.len_head,) = _S4BE.unpack_from(d, p)
        p += 4
        if self.len_head < 13:
            raise Unusual
        self.head_start = start + p
        self.version, self.num_chunks, self.len_offsets, self.len_chunks = (
            _U1_S4BE_S4BE_S4BE.unpack_from(d, p)
        )
        p += 13
        if (
            self.version != 1
            or self.num_chunks < 0
            or self.len_offsets != self.num_chunks * 4
            or self.len_chunks < 0
        ):
            raise Unusual
        self.end = start + p

    @property
    def offsets_start(self) -> Any:
        return self.head_start + self.len_head

    @property
    def chunks_start(self) -> Any:
        return (self.head_start + self.len_head) + self.len_offsets

    @property
    def keys_start(self) -> Any:
        return ((self.head_start + self.len_head) + self.len_offsets) + self.len_chunks

    def place_heads(self) -> tuple[Any, Any]:
        """Where the `heads` is: (position, size or None)."""
        return (self.head_start + self.len_head), None
