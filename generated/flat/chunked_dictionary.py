# Generated from specs/chunked_dictionary.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of chunked_dictionary at once, from bytes that are there.

Chunked dictionary of a range bitmap.
"""

from __future__ import annotations

from struct import Struct, unpack_from
from typing import Any

from ..arrays import Buffer
from ..errors import MANY, Unusual

_S4BE = Struct(">i")
_S4BE_S4BE_S4BE_S4BE_S4BE = Struct(">iiiii")
_U1_S4BE = Struct(">Bi")
_U1_S4BE_S4BE_S4BE = Struct(">Biii")


def _many_fixed_chunk(d: Buffer, p: int, count: int, column_type: int) -> tuple[Any, ...]:
    if count > MANY:
        raise Unusual
    if column_type == 8:
        c_version: list[Any] = []
        c_key: list[Any] = []
        c_code: list[Any] = []
        c_ofs_keys: list[Any] = []
        c_num_keys: list[Any] = []
        c_len_keys: list[Any] = []
        c_len_key: list[Any] = []
        for _ in range(count):
            v_version, n = _U1_S4BE.unpack_from(d, p)
            q = p + 5
            end = p = q + n
            if n < 0:
                raise Unusual
            v_code, v_ofs_keys, v_num_keys, v_len_keys, v_len_key = (
                _S4BE_S4BE_S4BE_S4BE_S4BE.unpack_from(d, p)
            )
            p += 20
            if (
                v_version != 1
                or v_code < 0
                or v_ofs_keys < 0
                or v_num_keys < 0
                or v_len_keys < 0
                or v_len_key < 1
            ):
                raise Unusual
            c_version.append(v_version)
            c_key.append(d[q:end])
            c_code.append(v_code)
            c_ofs_keys.append(v_ofs_keys)
            c_num_keys.append(v_num_keys)
            c_len_keys.append(v_len_keys)
            c_len_key.append(v_len_key)
        return p, c_version, c_key, c_code, c_ofs_keys, c_num_keys, c_len_keys, c_len_key
    if column_type == 1:
        v = unpack_from(">" + "BBiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(
            x
            not in (
                0,
                1,
            )
            for x in v[1::7]
        ):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 1 for x in v[6::7]):
            raise Unusual
        return p + 22 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type == 2:
        v = unpack_from(">" + "Bbiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 1 for x in v[6::7]):
            raise Unusual
        return p + 22 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type == 3:
        v = unpack_from(">" + "Bhiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 1 for x in v[6::7]):
            raise Unusual
        return p + 23 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type in (4, 9, 10):
        v = unpack_from(">" + "Biiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 1 for x in v[6::7]):
            raise Unusual
        return p + 25 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type in (5, 11, 12):
        v = unpack_from(">" + "Bqiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 1 for x in v[6::7]):
            raise Unusual
        return p + 29 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type == 6:
        v = unpack_from(">" + "Bfiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 1 for x in v[6::7]):
            raise Unusual
        return p + 25 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type == 7:
        v = unpack_from(">" + "Bdiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 1 for x in v[6::7]):
            raise Unusual
        return p + 29 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    raise Unusual


def _many_text_chunk(d: Buffer, p: int, count: int, column_type: int) -> tuple[Any, ...]:
    if count > MANY:
        raise Unusual
    if column_type == 8:
        c_version: list[Any] = []
        c_key: list[Any] = []
        c_code: list[Any] = []
        c_ofs_keys: list[Any] = []
        c_num_keys: list[Any] = []
        c_len_offsets: list[Any] = []
        c_len_keys: list[Any] = []
        for _ in range(count):
            v_version, n = _U1_S4BE.unpack_from(d, p)
            q = p + 5
            end = p = q + n
            if n < 0:
                raise Unusual
            v_code, v_ofs_keys, v_num_keys, v_len_offsets, v_len_keys = (
                _S4BE_S4BE_S4BE_S4BE_S4BE.unpack_from(d, p)
            )
            p += 20
            if (
                v_version != 1
                or v_code < 0
                or v_ofs_keys < 0
                or v_num_keys < 0
                or v_len_offsets < 0
                or v_len_keys < 0
            ):
                raise Unusual
            c_version.append(v_version)
            c_key.append(d[q:end])
            c_code.append(v_code)
            c_ofs_keys.append(v_ofs_keys)
            c_num_keys.append(v_num_keys)
            c_len_offsets.append(v_len_offsets)
            c_len_keys.append(v_len_keys)
        return p, c_version, c_key, c_code, c_ofs_keys, c_num_keys, c_len_offsets, c_len_keys
    if column_type == 1:
        v = unpack_from(">" + "BBiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(
            x
            not in (
                0,
                1,
            )
            for x in v[1::7]
        ):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 0 for x in v[6::7]):
            raise Unusual
        return p + 22 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type == 2:
        v = unpack_from(">" + "Bbiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 0 for x in v[6::7]):
            raise Unusual
        return p + 22 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type == 3:
        v = unpack_from(">" + "Bhiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 0 for x in v[6::7]):
            raise Unusual
        return p + 23 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type in (4, 9, 10):
        v = unpack_from(">" + "Biiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 0 for x in v[6::7]):
            raise Unusual
        return p + 25 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type in (5, 11, 12):
        v = unpack_from(">" + "Bqiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 0 for x in v[6::7]):
            raise Unusual
        return p + 29 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type == 6:
        v = unpack_from(">" + "Bfiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 0 for x in v[6::7]):
            raise Unusual
        return p + 25 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    if column_type == 7:
        v = unpack_from(">" + "Bdiiiii" * count, d, p)
        if any(x != 1 for x in v[0::7]):
            raise Unusual
        if any(x < 0 for x in v[2::7]):
            raise Unusual
        if any(x < 0 for x in v[3::7]):
            raise Unusual
        if any(x < 0 for x in v[4::7]):
            raise Unusual
        if any(x < 0 for x in v[5::7]):
            raise Unusual
        if any(x < 0 for x in v[6::7]):
            raise Unusual
        return p + 29 * count, v[0::7], v[1::7], v[2::7], v[3::7], v[4::7], v[5::7], v[6::7]
    raise Unusual


class ChunkedDictionary:
    """A `chunked_dictionary` at byte `p` of `d`, which stands at `start`; it ends before `end`.

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

    def __init__(self, d: Buffer, start: int, p: int, column_type: int) -> None:
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


class DictionaryChunks:
    """A `dictionary_chunks` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "column_type",
        "end",
        "fixed_chunks_code",
        "fixed_chunks_key",
        "fixed_chunks_len_key",
        "fixed_chunks_len_keys",
        "fixed_chunks_num_keys",
        "fixed_chunks_ofs_keys",
        "fixed_chunks_version",
        "keys_start",
        "num_chunks",
        "ofs_chunks",
        "text_chunks_code",
        "text_chunks_key",
        "text_chunks_len_keys",
        "text_chunks_len_offsets",
        "text_chunks_num_keys",
        "text_chunks_ofs_keys",
        "text_chunks_version",
    )

    def __init__(self, d: Buffer, start: int, p: int, num_chunks: int, column_type: int) -> None:
        self.num_chunks = num_chunks
        self.column_type = column_type
        count = self.num_chunks
        if count > MANY:
            raise Unusual
        self.ofs_chunks = unpack_from(f">{count}i", d, p)
        p += 4 * count
        self.fixed_chunks_version: Any = None
        self.fixed_chunks_key: Any = None
        self.fixed_chunks_code: Any = None
        self.fixed_chunks_ofs_keys: Any = None
        self.fixed_chunks_num_keys: Any = None
        self.fixed_chunks_len_keys: Any = None
        self.fixed_chunks_len_key: Any = None
        if (self.column_type) != 8:
            (
                p,
                self.fixed_chunks_version,
                self.fixed_chunks_key,
                self.fixed_chunks_code,
                self.fixed_chunks_ofs_keys,
                self.fixed_chunks_num_keys,
                self.fixed_chunks_len_keys,
                self.fixed_chunks_len_key,
            ) = _many_fixed_chunk(d, p, self.num_chunks, self.column_type)
        self.text_chunks_version: Any = None
        self.text_chunks_key: Any = None
        self.text_chunks_code: Any = None
        self.text_chunks_ofs_keys: Any = None
        self.text_chunks_num_keys: Any = None
        self.text_chunks_len_offsets: Any = None
        self.text_chunks_len_keys: Any = None
        if (self.column_type) == 8:
            (
                p,
                self.text_chunks_version,
                self.text_chunks_key,
                self.text_chunks_code,
                self.text_chunks_ofs_keys,
                self.text_chunks_num_keys,
                self.text_chunks_len_offsets,
                self.text_chunks_len_keys,
            ) = _many_text_chunk(d, p, self.num_chunks, self.column_type)
        self.keys_start = start + p
        self.end = start + p

    @property
    def type(self) -> Any:
        return self.column_type

    def place_fixed_chunks_keys(self, i: int) -> tuple[Any, Any]:
        """Where the `keys` of record i is: (position, size or None)."""
        return self.keys_start + self.fixed_chunks_ofs_keys[i], None

    def place_text_chunks_keys(self, i: int) -> tuple[Any, Any]:
        """Where the `keys` of record i is: (position, size or None)."""
        return self.keys_start + self.text_chunks_ofs_keys[i], None
