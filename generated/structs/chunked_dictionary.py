# Generated from chunked_dictionary.ksy by `ksykit generate`. Do not edit.
"""Objects of chunked_dictionary: Chunked dictionary of a range bitmap."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from ksykit.runtime.json_values import S4BE, U1
from ksykit.runtime.rows import Many, MaybeMany, Nested, Number, Object, One, Param, Repeat, Value
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .position import Position
    from .typed_value import TypedValue


class ChunkedDictionary(Struct, of="chunked_dictionary"):
    """The distinct values of a column in ascending order.

    Attributes:
        column_type: The column's type, a value of the enum `typed_value::stored_type`.
        len_head: Length of the rest of the head in bytes.
        num_chunks: Four times as many still fit into `len_offsets`.
        len_offsets: Length of the offsets of all chunks in bytes.
        len_chunks: Length of the heads of all chunks in bytes.
        heads: The heads of all chunks.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    len_head: One[int] = Number(S4BE, least=13, value=13)
    head_start: Nested[Position] = Object("position", args={"at": "_io.pos"}, looked=True)
    version: One[int] = Number(U1, equal=1)
    num_chunks: One[int] = Number(S4BE, least=0, most=536870911, small=True)
    len_offsets: One[int] = Number(
        S4BE, equal=lambda s: s.num_chunks * 4, value=lambda s: s.num_chunks * 4,
        role="length",
    )  # fmt: skip
    len_chunks: One[int] = Number(
        S4BE, least=0, value=lambda s: s._length("heads") - s.len_offsets, role="length",
    )  # fmt: skip
    heads: Nested[DictionaryChunks] = Object(
        "dictionary_chunks", args={"num_chunks": "num_chunks", "column_type": "column_type"},
        at="offsets_start", measured=True,
    )  # fmt: skip
    offsets_start = Value(lambda s: s.head_start.at + s.len_head)
    chunks_start = Value(lambda s: s.offsets_start + s.len_offsets)
    keys_start = Value(lambda s: s.chunks_start + s.len_chunks)
    _derived: ClassVar = {
        "len_head": Measure("position", "heads", lambda s, n: n - s.head_start.at),
        "num_chunks": Measure("count", "heads.ofs_chunks"),
    }


class DictionaryChunks(Struct, of="dictionary_chunks"):
    """A `dictionary_chunks`.

    Attributes:
        ofs_chunks: Start of the head of each chunk, counted from the first one.
    """

    num_chunks: One[int] = Param(range(16))
    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    ofs_chunks: Many[int] = Repeat(Number(S4BE), count="num_chunks")
    fixed_chunks: MaybeMany[FixedChunk] = Repeat(
        Object("fixed_chunk", args={"column_type": "column_type"}),
        when=lambda s: s.named_type != 8, count="num_chunks",
    )  # fmt: skip
    text_chunks: MaybeMany[TextChunk] = Repeat(
        Object("text_chunk", args={"column_type": "column_type"}),
        when=lambda s: s.named_type == 8, count="num_chunks",
    )  # fmt: skip
    chunks_end: Nested[Position] = Object("position", args={"at": "_io.pos"}, looked=True)
    named_type = Value("column_type")


class FixedChunk(Struct, of="fixed_chunk"):
    """The head of a chunk of values of a fixed size. `chunk-size`, 16 kB by default, limits the
    bytes of the keys after the first one.

    Attributes:
        key: The first value of the chunk, not repeated in its keys.
        code: The code of the first value.
        ofs_keys: Start of the keys, counted from the end of all heads.
        num_keys: Number of values in the chunk after the first.
        len_keys: Length of the keys in bytes.
        len_key: Length of a key in bytes.
        keys: The values after the first.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    version: One[int] = Number(U1, equal=1)
    key: Nested[TypedValue] = Object(
        "typed_value", args={"column_type": "column_type"}, measured=True,
    )  # fmt: skip
    code: One[int] = Number(S4BE, least=0)
    ofs_keys: One[int] = Number(S4BE, least=0)
    num_keys: One[int] = Number(S4BE, least=0, small=True)
    len_keys: One[int] = Number(S4BE, least=0, value=lambda s: s._length("keys"), role="length")
    len_key: One[int] = Number(S4BE, least=1, value=lambda s: s._length("key"), role="length")
    keys: Nested[DictionaryKeys] = Object(
        "dictionary_keys", args={"num_keys": "num_keys", "column_type": "column_type"},
        at=lambda s: s._parent.chunks_end.at + s.ofs_keys, measured=True, needs_parent=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "ofs_keys": Measure("position", "keys", lambda s, n: n - s._parent.chunks_end.at),
        "num_keys": Measure("count", "keys.keys"),
    }


class TextChunk(Struct, of="text_chunk"):
    """The head of a chunk of strings. `chunk-size` limits both the bytes of the keys after the
    first one, and the bytes of their offsets.

    Attributes:
        key: The first value of the chunk, not repeated in its keys.
        code: The code of the first value.
        ofs_keys: Start of the keys, counted from the end of all heads.
        num_keys: Number of values in the chunk after the first.
        len_offsets: Length of the offsets before the keys in bytes.
        len_keys: Length of the keys in bytes.
        keys: The values after the first.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    version: One[int] = Number(U1, equal=1)
    key: Nested[TypedValue] = Object("typed_value", args={"column_type": "column_type"})
    code: One[int] = Number(S4BE, least=0)
    ofs_keys: One[int] = Number(S4BE, least=0)
    num_keys: One[int] = Number(S4BE, least=0, small=True)
    len_offsets: One[int] = Number(S4BE, least=0, value=lambda s: s.num_keys * 4)
    len_keys: One[int] = Number(
        S4BE,
        least=0,
        value=lambda s: s._length("keys") - s.len_offsets if s._is_set("keys") else 0,
        role="length",
    )
    keys: Nested[DictionaryKeys] = Object(
        "dictionary_keys", args={"num_keys": "num_keys", "column_type": "column_type"},
        at=lambda s: s._parent.chunks_end.at + s.ofs_keys, measured=True, needs_parent=True,
    )  # fmt: skip
    _derived: ClassVar = {
        "ofs_keys": Measure("position", "keys", lambda s, n: n - s._parent.chunks_end.at),
        "num_keys": Measure("count", "keys.keys"),
    }


class DictionaryKeys(Struct, of="dictionary_keys"):
    """A `dictionary_keys`.

    Attributes:
        ofs_keys: Start of each key, counted from the first.
        keys: The values in ascending order.
    """

    num_keys: One[int] = Param(range(16))
    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    ofs_keys: MaybeMany[int] = Repeat(
        Number(S4BE), when=lambda s: s.named_type == 8, count="num_keys",
    )  # fmt: skip
    keys: Many[DictionaryKey] = Repeat(
        Object("dictionary_key", args={"column_type": "column_type"}), count="num_keys",
    )  # fmt: skip
    named_type = Value("column_type")


class DictionaryKey(Struct, of="dictionary_key"):
    """A `dictionary_key`.

    Attributes:
        key: A distinct value of the column.
    """

    column_type: One[int] = Param((1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    key: Nested[TypedValue] = Object("typed_value", args={"column_type": "column_type"})


make_chunked_dictionary = ChunkedDictionary
make_dictionary_chunks = DictionaryChunks
make_fixed_chunk = FixedChunk
make_text_chunk = TextChunk
make_dictionary_keys = DictionaryKeys
make_dictionary_key = DictionaryKey
