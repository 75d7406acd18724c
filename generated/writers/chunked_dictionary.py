# Generated from specs/chunked_dictionary.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of chunked_dictionary.

Chunked dictionary of a range bitmap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Measure,
    Number,
    Numbers,
    Object,
    Objects,
    Type,
)
from paimon_ksy.runtime.json_values import S4BE, U1

from ..parsers.chunked_dictionary import ChunkedDictionary
from ..parsers.typed_value import TypedValue

CHUNKED_DICTIONARY_TYPE = Type(
    ChunkedDictionary,
    "chunked_dictionary",
    Number("len_head", S4BE, least=13, value=13),
    Object("head_start", "position", args={"at": "_io.pos"}, looked=True),
    Number("version", U1, equal=1),
    Number("num_chunks", S4BE, least=0, most=536870911, small=True),
    Number(
        "len_offsets",
        S4BE,
        equal=lambda s: s.num_chunks * 4,
        value=lambda s: s.num_chunks * 4,
        role="length",
    ),
    Number(
        "len_chunks",
        S4BE,
        least=0,
        value=lambda s: s._length("heads") - s.len_offsets,
        role="length",
    ),
    Object(
        "heads",
        "dictionary_chunks",
        args={"num_chunks": "num_chunks", "column_type": "column_type"},
        at="offsets_start",
        measured=True,
    ),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "len_head": Measure("position", "heads", lambda s, n: n - s.head_start.at),
        "num_chunks": Measure("count", "heads.ofs_chunks"),
    },
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
    Numbers("ofs_chunks", S4BE, count="num_chunks"),
    Objects(
        "fixed_chunks",
        "fixed_chunk",
        args={"column_type": "column_type"},
        when=lambda s: s.named_type != 8,
        count="num_chunks",
    ),
    Objects(
        "text_chunks",
        "text_chunk",
        args={"column_type": "column_type"},
        when=lambda s: s.named_type == 8,
        count="num_chunks",
    ),
    Object("chunks_end", "position", args={"at": "_io.pos"}, looked=True),
    params={"num_chunks": range(16), "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    deciding=("column_type",),
    values={
        "named_type": "column_type",
    },
)


def make_dictionary_chunks(
    *,
    num_chunks: int | None = None,
    column_type: int | None = None,
    ofs_chunks: Sequence[int] | Any | None = None,
    fixed_chunks: Sequence[ChunkedDictionary.FixedChunk | bytes] | None = None,
    text_chunks: Sequence[ChunkedDictionary.TextChunk | bytes] | None = None,
) -> Any:
    """Return a new `dictionary_chunks`; what is None is computed when it is written."""
    return DICTIONARY_CHUNKS_TYPE.new(locals())


FIXED_CHUNK_TYPE = Type(
    ChunkedDictionary.FixedChunk,
    "fixed_chunk",
    Number("version", U1, equal=1),
    Object("key", "typed_value", args={"column_type": "column_type"}, measured=True),
    Number("code", S4BE, least=0),
    Number("ofs_keys", S4BE, least=0),
    Number("num_keys", S4BE, least=0, small=True),
    Number("len_keys", S4BE, least=0, value=lambda s: s._length("keys"), role="length"),
    Number("len_key", S4BE, least=1, value=lambda s: s._length("key"), role="length"),
    Object(
        "keys",
        "dictionary_keys",
        args={"num_keys": "num_keys", "column_type": "column_type"},
        at=lambda s: s._parent.chunks_end.at + s.ofs_keys,
        measured=True,
        needs_parent=True,
    ),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "ofs_keys": Measure("position", "keys", lambda s, n: n - s._parent.chunks_end.at),
        "num_keys": Measure("count", "keys.keys"),
    },
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
    Number("version", U1, equal=1),
    Object("key", "typed_value", args={"column_type": "column_type"}),
    Number("code", S4BE, least=0),
    Number("ofs_keys", S4BE, least=0),
    Number("num_keys", S4BE, least=0, small=True),
    Number("len_offsets", S4BE, least=0, value=lambda s: s.num_keys * 4),
    Number(
        "len_keys",
        S4BE,
        least=0,
        value=lambda s: s._length("keys") - s.len_offsets if s._is_set("keys") else 0,
        role="length",
    ),
    Object(
        "keys",
        "dictionary_keys",
        args={"num_keys": "num_keys", "column_type": "column_type"},
        at=lambda s: s._parent.chunks_end.at + s.ofs_keys,
        measured=True,
        needs_parent=True,
    ),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    computed={
        "ofs_keys": Measure("position", "keys", lambda s, n: n - s._parent.chunks_end.at),
        "num_keys": Measure("count", "keys.keys"),
    },
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
    Numbers("ofs_keys", S4BE, when=lambda s: s.named_type == 8, count="num_keys"),
    Objects("keys", "dictionary_key", args={"column_type": "column_type"}, count="num_keys"),
    params={"num_keys": range(16), "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    deciding=("column_type",),
    values={
        "named_type": "column_type",
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
    Object("key", "typed_value", args={"column_type": "column_type"}),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
)


def make_dictionary_key(
    *,
    column_type: int | None = None,
    key: TypedValue | bytes | None = None,
) -> Any:
    """Return a new `dictionary_key`; what is None is computed when it is written."""
    return DICTIONARY_KEY_TYPE.new(locals())
