# Generated from specs/chunked_dictionary.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of chunked_dictionary are drawn.

Chunked dictionary of a range bitmap.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import LARGE, Drawing, Rule

from ..writers.chunked_dictionary import (
    CHUNKED_DICTIONARY_TYPE,
    DICTIONARY_CHUNKS_TYPE,
    DICTIONARY_KEY_TYPE,
    DICTIONARY_KEYS_TYPE,
    FIXED_CHUNK_TYPE,
    TEXT_CHUNK_TYPE,
)

Drawing(
    CHUNKED_DICTIONARY_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "len_head": Rule(least=lambda s: 13, computed=True),
        "version": Rule(equal=lambda s: 1, role="constant", computed=True),
        "num_chunks": Rule(
            least=lambda s: 0, most=lambda s: 536870911, small=True, role="count", source="heads"
        ),
        "len_offsets": Rule(equal=lambda s: s.num_chunks * 4, role="length", computed=True),
        "len_chunks": Rule(least=lambda s: 0, role="length", computed=True),
    },
)
Drawing(
    DICTIONARY_CHUNKS_TYPE,
    params={
        "num_chunks": range(LARGE),
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={},
)
Drawing(
    FIXED_CHUNK_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "version": Rule(equal=lambda s: 1, role="constant", computed=True),
        "code": Rule(least=lambda s: 0),
        "ofs_keys": Rule(least=lambda s: 0, role="offset", source="keys", places="keys"),
        "num_keys": Rule(least=lambda s: 0, small=True, role="count", source="keys"),
        "len_keys": Rule(least=lambda s: 0, role="length", computed=True),
        "len_key": Rule(least=lambda s: 1, role="length", computed=True),
        "keys": Rule(needs_parent=True),
    },
)
Drawing(
    TEXT_CHUNK_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "version": Rule(equal=lambda s: 1, role="constant", computed=True),
        "code": Rule(least=lambda s: 0),
        "ofs_keys": Rule(least=lambda s: 0, role="offset", source="keys", places="keys"),
        "num_keys": Rule(least=lambda s: 0, small=True, role="count", source="keys"),
        "len_offsets": Rule(least=lambda s: 0, computed=True),
        "len_keys": Rule(least=lambda s: 0, role="length", computed=True),
        "keys": Rule(needs_parent=True),
    },
)
Drawing(
    DICTIONARY_KEYS_TYPE,
    params={
        "num_keys": range(LARGE),
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={},
)
Drawing(
    DICTIONARY_KEY_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={},
)
