# Generated from specs/chunked_dictionary.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of chunked_dictionary.

Chunked dictionary of a range bitmap.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..parsers.chunked_dictionary import ChunkedDictionary
from ..parsers.position import Position
from ..parsers.typed_value import TypedValue
from ..runtime import S4BE, U1, Item, RecordArray, Scope, Type, new


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
    """A new `chunked_dictionary`; what is None is computed when it is written.

    The distinct values of a column in ascending order. The position of a value,
    from 0, is its code. Values come in chunks, and the head of each chunk has its
    first value. So a search reads heads, and then the values of one chunk.

    Strings ascend by their unsigned bytes, and floating point numbers like
    `Float.compare` (-0.0 before 0.0, NaN last).
    """
    return new(
        ChunkedDictionary,
        {
            "column_type": column_type,
        },
        {
            "len_head": len_head,
            "head_start": head_start,
            "version": version,
            "num_chunks": num_chunks,
            "len_offsets": len_offsets,
            "len_chunks": len_chunks,
        },
        {
            "heads": heads,
        },
        {},
    )


def write_chunked_dictionary(s: Scope) -> None:
    """Writes the fields of a `chunked_dictionary`."""
    s.number("len_head", S4BE)
    s.object("head_start", "position", {"at": s._io.pos})
    s.number("version", U1)
    s.number("num_chunks", S4BE)
    s.number("len_offsets", S4BE)
    s.number("len_chunks", S4BE)
    s.place(
        "heads",
        lambda: s.offsets_start,
        type_="dictionary_chunks",
        params={"num_chunks": lambda i: s.num_chunks, "column_type": lambda i: s.column_type},
    )


def make_dictionary_chunks(
    *,
    num_chunks: int | None = None,
    column_type: int | None = None,
    ofs_chunks: Sequence[int] | Any | None = None,
    fixed_chunks: list[ChunkedDictionary.FixedChunk] | RecordArray | None = None,
    text_chunks: list[ChunkedDictionary.TextChunk] | RecordArray | None = None,
    keys_start: Position | bytes | None = None,
) -> Any:
    """A new `dictionary_chunks`; what is None is computed when it is written.

    The heads of all chunks, one after the other.
    """
    return new(
        ChunkedDictionary.DictionaryChunks,
        {
            "num_chunks": num_chunks,
            "column_type": column_type,
        },
        {
            "ofs_chunks": ofs_chunks,
            "fixed_chunks": fixed_chunks,
            "text_chunks": text_chunks,
            "keys_start": keys_start,
        },
        {},
        {},
    )


def write_dictionary_chunks(s: Scope) -> None:
    """Writes the fields of a `dictionary_chunks`."""
    s.numbers("ofs_chunks", S4BE, lambda: s.num_chunks)
    if s.when("fixed_chunks", lambda: s.type != 8):
        s.objects(
            "fixed_chunks",
            "fixed_chunk",
            {"column_type": lambda i: s.column_type},
            lambda: s.num_chunks,
        )
    if s.when("text_chunks", lambda: s.type == 8):
        s.objects(
            "text_chunks",
            "text_chunk",
            {"column_type": lambda i: s.column_type},
            lambda: s.num_chunks,
        )
    s.object("keys_start", "position", {"at": s._io.pos})


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
    """A new `fixed_chunk`; what is None is computed when it is written.

    The head of a chunk of values of a fixed size. `chunk-size` limits the
    bytes of a chunk's keys after the first, 16 kB by default. BOOLEAN,
    TINYINT and SMALLINT have 0, so each value is a chunk.
    """
    return new(
        ChunkedDictionary.FixedChunk,
        {
            "column_type": column_type,
        },
        {
            "version": version,
            "key": key,
            "code": code,
            "ofs_keys": ofs_keys,
            "num_keys": num_keys,
            "len_keys": len_keys,
            "len_key": len_key,
        },
        {
            "keys": keys,
        },
        {},
    )


def write_fixed_chunk(s: Scope) -> None:
    """Writes the fields of a `fixed_chunk`."""
    s.number("version", U1)
    s.object("key", "typed_value", {"column_type": lambda i: s.column_type})
    s.number("code", S4BE)
    s.number("ofs_keys", S4BE)
    s.number("num_keys", S4BE)
    s.number("len_keys", S4BE)
    s.number("len_key", S4BE)
    s.place(
        "keys",
        lambda: s._parent.keys_start.at + s.ofs_keys,
        base=lambda: s._parent.keys_start.at,
        type_="dictionary_keys",
        params={"num_keys": lambda i: s.num_keys, "column_type": lambda i: s.column_type},
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
    """A new `text_chunk`; what is None is computed when it is written.

    The head of a chunk of strings. `chunk-size` limits both the bytes of
    the keys after the first and those of their offsets.
    """
    return new(
        ChunkedDictionary.TextChunk,
        {
            "column_type": column_type,
        },
        {
            "version": version,
            "key": key,
            "code": code,
            "ofs_keys": ofs_keys,
            "num_keys": num_keys,
            "len_offsets": len_offsets,
            "len_keys": len_keys,
        },
        {
            "keys": keys,
        },
        {},
    )


def write_text_chunk(s: Scope) -> None:
    """Writes the fields of a `text_chunk`."""
    s.number("version", U1)
    s.object("key", "typed_value", {"column_type": lambda i: s.column_type})
    s.number("code", S4BE)
    s.number("ofs_keys", S4BE)
    s.number("num_keys", S4BE)
    s.number("len_offsets", S4BE)
    s.number("len_keys", S4BE)
    s.place(
        "keys",
        lambda: s._parent.keys_start.at + s.ofs_keys,
        base=lambda: s._parent.keys_start.at,
        type_="dictionary_keys",
        params={"num_keys": lambda i: s.num_keys, "column_type": lambda i: s.column_type},
    )


def make_dictionary_keys(
    *,
    num_keys: int | None = None,
    column_type: int | None = None,
    ofs_keys: Sequence[int] | Any | None = None,
    keys: list[ChunkedDictionary.DictionaryKey] | RecordArray | None = None,
) -> Any:
    """A new `dictionary_keys`; what is None is computed when it is written."""
    return new(
        ChunkedDictionary.DictionaryKeys,
        {
            "num_keys": num_keys,
            "column_type": column_type,
        },
        {
            "ofs_keys": ofs_keys,
            "keys": keys,
        },
        {},
        {},
    )


def write_dictionary_keys(s: Scope) -> None:
    """Writes the fields of a `dictionary_keys`."""
    if s.when("ofs_keys", lambda: s.type == 8):
        s.numbers("ofs_keys", S4BE, lambda: s.num_keys)
    s.objects(
        "keys", "dictionary_key", {"column_type": lambda i: s.column_type}, lambda: s.num_keys
    )


def make_dictionary_key(
    *,
    column_type: int | None = None,
    key: TypedValue | bytes | None = None,
) -> Any:
    """A new `dictionary_key`; what is None is computed when it is written."""
    return new(
        ChunkedDictionary.DictionaryKey,
        {
            "column_type": column_type,
        },
        {
            "key": key,
        },
        {},
        {},
    )


def write_dictionary_key(s: Scope) -> None:
    """Writes the fields of a `dictionary_key`."""
    s.object("key", "typed_value", {"column_type": lambda i: s.column_type})


TYPES = {
    "chunked_dictionary": Type(
        name="chunked_dictionary",
        spec="chunked_dictionary",
        cls=ChunkedDictionary,
        params=("column_type",),
        items=(
            Item("len_head", "number", number=S4BE),
            Item("head_start", "object", type="position"),
            Item("version", "number", number=U1),
            Item("num_chunks", "number", number=S4BE),
            Item("len_offsets", "number", number=S4BE),
            Item("len_chunks", "number", number=S4BE),
            Item("heads", "object", type="dictionary_chunks", positioned=True),
        ),
        write=write_chunked_dictionary,
        values={
            "offsets_start": lambda s: s.head_start.at + s.len_head,
            "chunks_start": lambda s: s.offsets_start + s.len_offsets,
            "keys_start": lambda s: s.chunks_start + s.len_chunks,
        },
        unset={
            "len_head": lambda s: 13,
            "version": lambda s: 1,
            "num_chunks": lambda s: s._count("heads.ofs_chunks"),
            "len_offsets": lambda s: s.num_chunks * 4,
        },
    ),
    "dictionary_chunks": Type(
        name="dictionary_chunks",
        spec="chunked_dictionary",
        cls=ChunkedDictionary.DictionaryChunks,
        params=(
            "num_chunks",
            "column_type",
        ),
        items=(
            Item("ofs_chunks", "numbers", number=S4BE),
            Item("fixed_chunks", "objects", type="fixed_chunk"),
            Item("text_chunks", "objects", type="text_chunk"),
            Item("keys_start", "object", type="position"),
        ),
        write=write_dictionary_chunks,
        values={
            "type": lambda s: s.column_type,
        },
        unset={},
    ),
    "fixed_chunk": Type(
        name="fixed_chunk",
        spec="chunked_dictionary",
        cls=ChunkedDictionary.FixedChunk,
        params=("column_type",),
        items=(
            Item("version", "number", number=U1),
            Item("key", "object", type="typed_value"),
            Item("code", "number", number=S4BE),
            Item("ofs_keys", "number", number=S4BE),
            Item("num_keys", "number", number=S4BE),
            Item("len_keys", "number", number=S4BE),
            Item("len_key", "number", number=S4BE),
            Item("keys", "object", type="dictionary_keys", positioned=True),
        ),
        write=write_fixed_chunk,
        values={},
        unset={
            "version": lambda s: 1,
            "ofs_keys": lambda s: s._position("keys") - (s._parent.keys_start.at),
            "num_keys": lambda s: s._count("keys.ofs_keys"),
        },
    ),
    "text_chunk": Type(
        name="text_chunk",
        spec="chunked_dictionary",
        cls=ChunkedDictionary.TextChunk,
        params=("column_type",),
        items=(
            Item("version", "number", number=U1),
            Item("key", "object", type="typed_value"),
            Item("code", "number", number=S4BE),
            Item("ofs_keys", "number", number=S4BE),
            Item("num_keys", "number", number=S4BE),
            Item("len_offsets", "number", number=S4BE),
            Item("len_keys", "number", number=S4BE),
            Item("keys", "object", type="dictionary_keys", positioned=True),
        ),
        write=write_text_chunk,
        values={},
        unset={
            "version": lambda s: 1,
            "ofs_keys": lambda s: s._position("keys") - (s._parent.keys_start.at),
            "num_keys": lambda s: s._count("keys.ofs_keys"),
        },
    ),
    "dictionary_keys": Type(
        name="dictionary_keys",
        spec="chunked_dictionary",
        cls=ChunkedDictionary.DictionaryKeys,
        params=(
            "num_keys",
            "column_type",
        ),
        items=(
            Item("ofs_keys", "numbers", number=S4BE),
            Item("keys", "objects", type="dictionary_key"),
        ),
        write=write_dictionary_keys,
        values={
            "type": lambda s: s.column_type,
        },
        unset={},
    ),
    "dictionary_key": Type(
        name="dictionary_key",
        spec="chunked_dictionary",
        cls=ChunkedDictionary.DictionaryKey,
        params=("column_type",),
        items=(Item("key", "object", type="typed_value"),),
        write=write_dictionary_key,
        values={},
        unset={},
    ),
}
