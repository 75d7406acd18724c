# Generated from specs/file_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of file_index at once, from bytes that are there.

Apache Paimon file index.
"""

from __future__ import annotations

from struct import Struct
from typing import Any

from ..arrays import Buffer
from ..errors import MANY, Unusual

_S4BE = Struct(">i")
_S4BE_S4BE = Struct(">ii")
_S4BE_S4BE_U2BE = Struct(">iiH")
_U2BE = Struct(">H")


def _many_file_index_entry(d: Buffer, p: int, count: int) -> tuple[Any, ...]:
    if count > MANY:
        raise Unusual
    c_index_type: list[Any] = []
    c_ofs_body: list[Any] = []
    c_len_body: list[Any] = []
    n = 0
    if count:
        (n,) = _U2BE.unpack_from(d, p)
    for left in range(count - 1, -1, -1):
        q = p + 2
        end = p = q + n
        if n < 0:
            raise Unusual
        if left:
            v_ofs_body, v_len_body, n = _S4BE_S4BE_U2BE.unpack_from(d, p)
        else:
            v_ofs_body, v_len_body = _S4BE_S4BE.unpack_from(d, p)
        p += 8
        if v_ofs_body < -1:
            raise Unusual
        c_index_type.append(d[q:end])
        c_ofs_body.append(v_ofs_body)
        c_len_body.append(v_len_body)
    return p, c_index_type, c_ofs_body, c_len_body


class FileIndex:
    """A `file_index` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "end",
        "head",
        "head_end",
        "head_start",
        "len_head",
        "magic",
        "version",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.magic = d[p : p + 8]
        if self.magic != b"\x00\x05NN\xd0\x1a5\xae":
            raise Unusual
        p += 8
        self.version, self.len_head = _S4BE_S4BE.unpack_from(d, p)
        p += 8
        if self.version != 1 or self.len_head < 16:
            raise Unusual
        self.head_start = start + p
        q = p + self.len_head - self.head_start
        if not p <= q <= len(d):
            raise Unusual
        self.head = FileIndexHead(d[p:q], 0, 0)
        p = q
        self.head_end = start + p
        self.end = start + p


class FileIndexHead:
    """A `file_index_head` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "columns",
        "end",
        "len_redundant",
        "num_columns",
        "redundant",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        (self.num_columns,) = _S4BE.unpack_from(d, p)
        p += 4
        if self.num_columns < 0:
            raise Unusual
        count = self.num_columns
        if count > MANY:
            raise Unusual
        self.columns = []
        for _ in range(count):
            item = FileIndexColumn(d, start, p)
            p = item.end - start
            self.columns.append(item)
        self.len_redundant: Any = None
        if p != len(d):
            (self.len_redundant,) = _S4BE.unpack_from(d, p)
            p += 4
            if self.len_redundant < 0:
                raise Unusual
        self.redundant: Any = None
        if p != len(d):
            q = p + self.len_redundant
            if not p <= q <= len(d):
                raise Unusual
            self.redundant = d[p:q]
            p = q
        self.end = start + p


class FileIndexColumn:
    """A `file_index_column` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "end",
        "indexes_index_type",
        "indexes_len_body",
        "indexes_ofs_body",
        "name",
        "num_indexes",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        (n,) = _U2BE.unpack_from(d, p)
        p += 2
        q = p + n
        if not p <= q <= len(d):
            raise Unusual
        self.name: Any = d[p:q]
        p = q
        (self.num_indexes,) = _S4BE.unpack_from(d, p)
        p += 4
        if self.num_indexes < 0:
            raise Unusual
        p, self.indexes_index_type, self.indexes_ofs_body, self.indexes_len_body = (
            _many_file_index_entry(d, p, self.num_indexes)
        )
        self.end = start + p

    def indexes_is_empty(self, i: int) -> Any:
        """`is_empty` of record i."""
        return self.indexes_ofs_body[i] == -1

    def place_indexes_body(self, i: int) -> tuple[Any, Any]:
        """Where the `body` of record i is: (position, size or None)."""
        return self.indexes_ofs_body[i], self.indexes_len_body[i]
