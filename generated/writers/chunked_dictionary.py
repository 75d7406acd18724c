# Generated from specs/chunked_dictionary.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of chunked_dictionary.

Chunked dictionary of a range bitmap.
"""

from __future__ import annotations

from ksykit.runtime.fields import Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import S4BE, U1

from ..parsers.chunked_dictionary import ChunkedDictionary

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

make_chunked_dictionary = CHUNKED_DICTIONARY_TYPE.make


DICTIONARY_CHUNKS_TYPE = Type(
    ChunkedDictionary.DictionaryChunks,
    "dictionary_chunks",
    Repeat(Number("ofs_chunks", S4BE), count="num_chunks"),
    Repeat(
        Object("fixed_chunks", "fixed_chunk", args={"column_type": "column_type"}),
        when=lambda s: s.named_type != 8,
        count="num_chunks",
    ),
    Repeat(
        Object("text_chunks", "text_chunk", args={"column_type": "column_type"}),
        when=lambda s: s.named_type == 8,
        count="num_chunks",
    ),
    Object("chunks_end", "position", args={"at": "_io.pos"}, looked=True),
    params={"num_chunks": range(16), "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    values={
        "named_type": "column_type",
    },
)

make_dictionary_chunks = DICTIONARY_CHUNKS_TYPE.make


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

make_fixed_chunk = FIXED_CHUNK_TYPE.make


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

make_text_chunk = TEXT_CHUNK_TYPE.make


DICTIONARY_KEYS_TYPE = Type(
    ChunkedDictionary.DictionaryKeys,
    "dictionary_keys",
    Repeat(Number("ofs_keys", S4BE), when=lambda s: s.named_type == 8, count="num_keys"),
    Repeat(Object("keys", "dictionary_key", args={"column_type": "column_type"}), count="num_keys"),
    params={"num_keys": range(16), "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
    values={
        "named_type": "column_type",
    },
)

make_dictionary_keys = DICTIONARY_KEYS_TYPE.make


DICTIONARY_KEY_TYPE = Type(
    ChunkedDictionary.DictionaryKey,
    "dictionary_key",
    Object("key", "typed_value", args={"column_type": "column_type"}),
    params={"column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)},
)

make_dictionary_key = DICTIONARY_KEY_TYPE.make
