# Generated from specs/chunked_dictionary.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of chunked_dictionary.

Chunked dictionary of a range bitmap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import Number, Numbers, Object, Objects, Type
from paimon_ksy.runtime.json_values import S4BE, U1

from ..parsers.chunked_dictionary import ChunkedDictionary
from ..parsers.position import Position
from ..parsers.typed_value import TypedValue

CHUNKED_DICTIONARY_TYPE = Type(
    ChunkedDictionary,
    "chunked_dictionary",
    Number("len_head", S4BE, valid=lambda s, v: v >= 13, unset=lambda s: 13),
    Object("head_start", "position", args={"at": lambda s, i: s._io.pos}, looked=True),
    Number("version", U1, valid=lambda s, v: v == 1, unset=lambda s: 1),
    Number(
        "num_chunks",
        S4BE,
        valid=lambda s, v: v >= 0 and v <= 536870911,
        unset=lambda s: s._count("heads.ofs_chunks"),
    ),
    Number(
        "len_offsets",
        S4BE,
        valid=lambda s, v: v == s.num_chunks * 4,
        unset=lambda s: s.num_chunks * 4,
    ),
    Number(
        "len_chunks",
        S4BE,
        valid=lambda s, v: v >= 0,
        unset=lambda s: s._length("heads") - s.len_offsets,
    ),
    Object(
        "heads",
        "dictionary_chunks",
        args={"num_chunks": lambda s, i: s.num_chunks, "column_type": lambda s, i: s.column_type},
        at=lambda s: s.offsets_start,
        measured=True,
    ),
    params=("column_type",),
    values={
        "offsets_start": lambda s: s.head_start.at + s.len_head,
        "chunks_start": lambda s: s.offsets_start + s.len_offsets,
        "keys_start": lambda s: s.chunks_start + s.len_chunks,
    },
)


def make_chunked_dictionary(
    *,
    column_type: int | None = None,
    len_head: int | None = None,
    head_start: Position | bytes | None = None,
    version: int | None = None,
    num_chunks: int | None = None,
    len_offsets: int | None = None,
    len_chunks: int | None = None,
    heads: ChunkedDictionary.DictionaryChunks | bytes | None = None,
) -> Any:
    """Return a new `chunked_dictionary`; what is None is computed when it is written.

    The distinct values of a column in ascending order. The position of a value,
    counted from 0, is its code. Values are stored in chunks, and the head of a
    chunk contains its first value. A search reads the heads, and then the values
    of one chunk.

    Strings are ordered by their unsigned bytes, and floating-point numbers as by
    `Float.compare` (-0.0 before 0.0, NaN last).
    """
    return CHUNKED_DICTIONARY_TYPE.new(locals())


DICTIONARY_CHUNKS_TYPE = Type(
    ChunkedDictionary.DictionaryChunks,
    "dictionary_chunks",
    Numbers("ofs_chunks", S4BE, count=lambda s: s.num_chunks),
    Objects(
        "fixed_chunks",
        "fixed_chunk",
        args={"column_type": lambda s, i: s.column_type},
        when=lambda s: s.named_type != 8,
        count=lambda s: s.num_chunks,
    ),
    Objects(
        "text_chunks",
        "text_chunk",
        args={"column_type": lambda s, i: s.column_type},
        when=lambda s: s.named_type == 8,
        count=lambda s: s.num_chunks,
    ),
    Object("chunks_end", "position", args={"at": lambda s, i: s._io.pos}, looked=True),
    params=(
        "num_chunks",
        "column_type",
    ),
    deciding=("column_type",),
    values={
        "named_type": lambda s: s.column_type,
    },
)


def make_dictionary_chunks(
    *,
    num_chunks: int | None = None,
    column_type: int | None = None,
    ofs_chunks: Sequence[int] | Any | None = None,
    fixed_chunks: Sequence[ChunkedDictionary.FixedChunk | bytes] | None = None,
    text_chunks: Sequence[ChunkedDictionary.TextChunk | bytes] | None = None,
    chunks_end: Position | bytes | None = None,
) -> Any:
    """Return a new `dictionary_chunks`; what is None is computed when it is written.

    The heads of all chunks, one after the other.
    """
    return DICTIONARY_CHUNKS_TYPE.new(locals())


FIXED_CHUNK_TYPE = Type(
    ChunkedDictionary.FixedChunk,
    "fixed_chunk",
    Number("version", U1, valid=lambda s, v: v == 1, unset=lambda s: 1),
    Object("key", "typed_value", args={"column_type": lambda s, i: s.column_type}, measured=True),
    Number("code", S4BE, valid=lambda s, v: v >= 0),
    Number(
        "ofs_keys",
        S4BE,
        valid=lambda s, v: v >= 0,
        unset=lambda s: s._position("keys") - (s._parent.chunks_end.at),
    ),
    Number("num_keys", S4BE, valid=lambda s, v: v >= 0, unset=lambda s: s._count("keys.keys")),
    Number("len_keys", S4BE, valid=lambda s, v: v >= 0, unset=lambda s: s._length("keys")),
    Number("len_key", S4BE, valid=lambda s, v: v >= 1, unset=lambda s: s._length("key")),
    Object(
        "keys",
        "dictionary_keys",
        args={"num_keys": lambda s, i: s.num_keys, "column_type": lambda s, i: s.column_type},
        at=lambda s: s._parent.chunks_end.at + s.ofs_keys,
        base=lambda s: s._parent.chunks_end.at,
        measured=True,
    ),
    params=("column_type",),
)


def make_fixed_chunk(
    *,
    column_type: int | None = None,
    version: int | None = None,
    key: TypedValue | bytes | None = None,
    code: int | None = None,
    ofs_keys: int | None = None,
    num_keys: int | None = None,
    len_keys: int | None = None,
    len_key: int | None = None,
    keys: ChunkedDictionary.DictionaryKeys | bytes | None = None,
) -> Any:
    """Return a new `fixed_chunk`; what is None is computed when it is written.

    The head of a chunk of values of a fixed size. `chunk-size`, 16 kB by
    default, limits the bytes of the keys after the first one. For BOOLEAN,
    TINYINT and SMALLINT, the limit is 0, so each value is a chunk.
    """
    return FIXED_CHUNK_TYPE.new(locals())


TEXT_CHUNK_TYPE = Type(
    ChunkedDictionary.TextChunk,
    "text_chunk",
    Number("version", U1, valid=lambda s, v: v == 1, unset=lambda s: 1),
    Object("key", "typed_value", args={"column_type": lambda s, i: s.column_type}),
    Number("code", S4BE, valid=lambda s, v: v >= 0),
    Number(
        "ofs_keys",
        S4BE,
        valid=lambda s, v: v >= 0,
        unset=lambda s: s._position("keys") - (s._parent.chunks_end.at),
    ),
    Number("num_keys", S4BE, valid=lambda s, v: v >= 0, unset=lambda s: s._count("keys.keys")),
    Number("len_offsets", S4BE, valid=lambda s, v: v >= 0, unset=lambda s: s.num_keys * 4),
    Number(
        "len_keys",
        S4BE,
        valid=lambda s, v: v >= 0,
        unset=lambda s: s._length("keys") - s.len_offsets if s._is_set("keys") else 0,
    ),
    Object(
        "keys",
        "dictionary_keys",
        args={"num_keys": lambda s, i: s.num_keys, "column_type": lambda s, i: s.column_type},
        at=lambda s: s._parent.chunks_end.at + s.ofs_keys,
        base=lambda s: s._parent.chunks_end.at,
        measured=True,
    ),
    params=("column_type",),
)


def make_text_chunk(
    *,
    column_type: int | None = None,
    version: int | None = None,
    key: TypedValue | bytes | None = None,
    code: int | None = None,
    ofs_keys: int | None = None,
    num_keys: int | None = None,
    len_offsets: int | None = None,
    len_keys: int | None = None,
    keys: ChunkedDictionary.DictionaryKeys | bytes | None = None,
) -> Any:
    """Return a new `text_chunk`; what is None is computed when it is written.

    The head of a chunk of strings. `chunk-size` limits both the bytes of the
    keys after the first one, and the bytes of their offsets.
    """
    return TEXT_CHUNK_TYPE.new(locals())


DICTIONARY_KEYS_TYPE = Type(
    ChunkedDictionary.DictionaryKeys,
    "dictionary_keys",
    Numbers("ofs_keys", S4BE, when=lambda s: s.named_type == 8, count=lambda s: s.num_keys),
    Objects(
        "keys",
        "dictionary_key",
        args={"column_type": lambda s, i: s.column_type},
        count=lambda s: s.num_keys,
    ),
    params=(
        "num_keys",
        "column_type",
    ),
    deciding=("column_type",),
    values={
        "named_type": lambda s: s.column_type,
    },
)


def make_dictionary_keys(
    *,
    num_keys: int | None = None,
    column_type: int | None = None,
    ofs_keys: Sequence[int] | Any | None = None,
    keys: Sequence[ChunkedDictionary.DictionaryKey | bytes] | None = None,
) -> Any:
    """Return a new `dictionary_keys`; what is None is computed when it is written."""
    return DICTIONARY_KEYS_TYPE.new(locals())


DICTIONARY_KEY_TYPE = Type(
    ChunkedDictionary.DictionaryKey,
    "dictionary_key",
    Object("key", "typed_value", args={"column_type": lambda s, i: s.column_type}),
    params=("column_type",),
)


def make_dictionary_key(
    *,
    column_type: int | None = None,
    key: TypedValue | bytes | None = None,
) -> Any:
    """Return a new `dictionary_key`; what is None is computed when it is written."""
    return DICTIONARY_KEY_TYPE.new(locals())
