# Generated from chunked_dictionary.ksy by `ksykit generate`. Do not edit.
"""Views of chunked_dictionary: Chunked dictionary of a range bitmap."""

from enum import IntEnum
from itertools import accumulate
from typing import Any, NamedTuple

from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout, choose, layout_for

KeyType = IntEnum("KeyType", {"string": 8})
_CHUNKED_DICTIONARY_LEN_HEAD = Numbers(
    ">i", Field("len_head", "chunked_dictionary/seq/0", ">i", least=13)
)
_CHUNKED_DICTIONARY_VERSION = Numbers(
    ">Biii",
    Field("version", "chunked_dictionary/seq/2", ">B", equal=1),
    Field("num_chunks", "chunked_dictionary/seq/3", ">i", least=0, most=536870911),
    Field("len_offsets", "chunked_dictionary/seq/4", ">i", equal=lambda x: x.num_chunks * 4),
    Field("len_chunks", "chunked_dictionary/seq/5", ">i", least=0),
)
DICTIONARY_CHUNKS_OFS_CHUNKS = RecordLayout(
    Field("ofs_chunks", "chunked_dictionary/types/dictionary_chunks/seq/0", ">i")
)
FIXED_CHUNK = {
    1: RecordLayout(
        Field("version", "chunked_dictionary/types/fixed_chunk/seq/0", ">B", equal=1),
        Field("bool8", "typed_value/seq/0", ">B", column="key", any_of=[0, 1]),
        Field("code", "chunked_dictionary/types/fixed_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/fixed_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/fixed_chunk/seq/4", ">i", least=0),
        Field("len_keys", "chunked_dictionary/types/fixed_chunk/seq/5", ">i", least=0),
        Field("len_key", "chunked_dictionary/types/fixed_chunk/seq/6", ">i", least=1),
    ),
    2: RecordLayout(
        Field("version", "chunked_dictionary/types/fixed_chunk/seq/0", ">B", equal=1),
        Field("int8", "typed_value/seq/1", ">b", column="key"),
        Field("code", "chunked_dictionary/types/fixed_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/fixed_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/fixed_chunk/seq/4", ">i", least=0),
        Field("len_keys", "chunked_dictionary/types/fixed_chunk/seq/5", ">i", least=0),
        Field("len_key", "chunked_dictionary/types/fixed_chunk/seq/6", ">i", least=1),
    ),
    3: RecordLayout(
        Field("version", "chunked_dictionary/types/fixed_chunk/seq/0", ">B", equal=1),
        Field("int16", "typed_value/seq/2", ">h", column="key"),
        Field("code", "chunked_dictionary/types/fixed_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/fixed_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/fixed_chunk/seq/4", ">i", least=0),
        Field("len_keys", "chunked_dictionary/types/fixed_chunk/seq/5", ">i", least=0),
        Field("len_key", "chunked_dictionary/types/fixed_chunk/seq/6", ">i", least=1),
    ),
    **dict.fromkeys(
        (4, 9, 10),
        RecordLayout(
            Field("version", "chunked_dictionary/types/fixed_chunk/seq/0", ">B", equal=1),
            Field("int32", "typed_value/seq/3", ">i", column="key"),
            Field("code", "chunked_dictionary/types/fixed_chunk/seq/2", ">i", least=0),
            Field("ofs_keys", "chunked_dictionary/types/fixed_chunk/seq/3", ">i", least=0),
            Field("num_keys", "chunked_dictionary/types/fixed_chunk/seq/4", ">i", least=0),
            Field("len_keys", "chunked_dictionary/types/fixed_chunk/seq/5", ">i", least=0),
            Field("len_key", "chunked_dictionary/types/fixed_chunk/seq/6", ">i", least=1),
        ),
    ),
    **dict.fromkeys(
        (5, 11, 12),
        RecordLayout(
            Field("version", "chunked_dictionary/types/fixed_chunk/seq/0", ">B", equal=1),
            Field("int64", "typed_value/seq/4", ">q", column="key"),
            Field("code", "chunked_dictionary/types/fixed_chunk/seq/2", ">i", least=0),
            Field("ofs_keys", "chunked_dictionary/types/fixed_chunk/seq/3", ">i", least=0),
            Field("num_keys", "chunked_dictionary/types/fixed_chunk/seq/4", ">i", least=0),
            Field("len_keys", "chunked_dictionary/types/fixed_chunk/seq/5", ">i", least=0),
            Field("len_key", "chunked_dictionary/types/fixed_chunk/seq/6", ">i", least=1),
        ),
    ),
    6: RecordLayout(
        Field("version", "chunked_dictionary/types/fixed_chunk/seq/0", ">B", equal=1),
        Field("float32", "typed_value/seq/5", ">f", column="key"),
        Field("code", "chunked_dictionary/types/fixed_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/fixed_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/fixed_chunk/seq/4", ">i", least=0),
        Field("len_keys", "chunked_dictionary/types/fixed_chunk/seq/5", ">i", least=0),
        Field("len_key", "chunked_dictionary/types/fixed_chunk/seq/6", ">i", least=1),
    ),
    7: RecordLayout(
        Field("version", "chunked_dictionary/types/fixed_chunk/seq/0", ">B", equal=1),
        Field("float64", "typed_value/seq/6", ">d", column="key"),
        Field("code", "chunked_dictionary/types/fixed_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/fixed_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/fixed_chunk/seq/4", ">i", least=0),
        Field("len_keys", "chunked_dictionary/types/fixed_chunk/seq/5", ">i", least=0),
        Field("len_key", "chunked_dictionary/types/fixed_chunk/seq/6", ">i", least=1),
    ),
    8: RecordLayout(
        Field("version", "chunked_dictionary/types/fixed_chunk/seq/0", ">B", equal=1),
        Field("len_text", "typed_value/seq/7", ">i", least=0),
        Field("text", "typed_value/seq/8", column="key"),
        Field("code", "chunked_dictionary/types/fixed_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/fixed_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/fixed_chunk/seq/4", ">i", least=0),
        Field("len_keys", "chunked_dictionary/types/fixed_chunk/seq/5", ">i", least=0),
        Field("len_key", "chunked_dictionary/types/fixed_chunk/seq/6", ">i", least=1),
    ),
}
TEXT_CHUNK = {
    1: RecordLayout(
        Field("version", "chunked_dictionary/types/text_chunk/seq/0", ">B", equal=1),
        Field("bool8", "typed_value/seq/0", ">B", column="key", any_of=[0, 1]),
        Field("code", "chunked_dictionary/types/text_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/text_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/text_chunk/seq/4", ">i", least=0),
        Field(
            "len_offsets",
            "chunked_dictionary/types/text_chunk/seq/5",
            ">i",
            least=0,
            value=lambda x: x.num_keys * 4,
        ),
        Field("len_keys", "chunked_dictionary/types/text_chunk/seq/6", ">i", least=0),
    ),
    2: RecordLayout(
        Field("version", "chunked_dictionary/types/text_chunk/seq/0", ">B", equal=1),
        Field("int8", "typed_value/seq/1", ">b", column="key"),
        Field("code", "chunked_dictionary/types/text_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/text_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/text_chunk/seq/4", ">i", least=0),
        Field(
            "len_offsets",
            "chunked_dictionary/types/text_chunk/seq/5",
            ">i",
            least=0,
            value=lambda x: x.num_keys * 4,
        ),
        Field("len_keys", "chunked_dictionary/types/text_chunk/seq/6", ">i", least=0),
    ),
    3: RecordLayout(
        Field("version", "chunked_dictionary/types/text_chunk/seq/0", ">B", equal=1),
        Field("int16", "typed_value/seq/2", ">h", column="key"),
        Field("code", "chunked_dictionary/types/text_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/text_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/text_chunk/seq/4", ">i", least=0),
        Field(
            "len_offsets",
            "chunked_dictionary/types/text_chunk/seq/5",
            ">i",
            least=0,
            value=lambda x: x.num_keys * 4,
        ),
        Field("len_keys", "chunked_dictionary/types/text_chunk/seq/6", ">i", least=0),
    ),
    **dict.fromkeys(
        (4, 9, 10),
        RecordLayout(
            Field("version", "chunked_dictionary/types/text_chunk/seq/0", ">B", equal=1),
            Field("int32", "typed_value/seq/3", ">i", column="key"),
            Field("code", "chunked_dictionary/types/text_chunk/seq/2", ">i", least=0),
            Field("ofs_keys", "chunked_dictionary/types/text_chunk/seq/3", ">i", least=0),
            Field("num_keys", "chunked_dictionary/types/text_chunk/seq/4", ">i", least=0),
            Field(
                "len_offsets",
                "chunked_dictionary/types/text_chunk/seq/5",
                ">i",
                least=0,
                value=lambda x: x.num_keys * 4,
            ),
            Field("len_keys", "chunked_dictionary/types/text_chunk/seq/6", ">i", least=0),
        ),
    ),
    **dict.fromkeys(
        (5, 11, 12),
        RecordLayout(
            Field("version", "chunked_dictionary/types/text_chunk/seq/0", ">B", equal=1),
            Field("int64", "typed_value/seq/4", ">q", column="key"),
            Field("code", "chunked_dictionary/types/text_chunk/seq/2", ">i", least=0),
            Field("ofs_keys", "chunked_dictionary/types/text_chunk/seq/3", ">i", least=0),
            Field("num_keys", "chunked_dictionary/types/text_chunk/seq/4", ">i", least=0),
            Field(
                "len_offsets",
                "chunked_dictionary/types/text_chunk/seq/5",
                ">i",
                least=0,
                value=lambda x: x.num_keys * 4,
            ),
            Field("len_keys", "chunked_dictionary/types/text_chunk/seq/6", ">i", least=0),
        ),
    ),
    6: RecordLayout(
        Field("version", "chunked_dictionary/types/text_chunk/seq/0", ">B", equal=1),
        Field("float32", "typed_value/seq/5", ">f", column="key"),
        Field("code", "chunked_dictionary/types/text_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/text_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/text_chunk/seq/4", ">i", least=0),
        Field(
            "len_offsets",
            "chunked_dictionary/types/text_chunk/seq/5",
            ">i",
            least=0,
            value=lambda x: x.num_keys * 4,
        ),
        Field("len_keys", "chunked_dictionary/types/text_chunk/seq/6", ">i", least=0),
    ),
    7: RecordLayout(
        Field("version", "chunked_dictionary/types/text_chunk/seq/0", ">B", equal=1),
        Field("float64", "typed_value/seq/6", ">d", column="key"),
        Field("code", "chunked_dictionary/types/text_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/text_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/text_chunk/seq/4", ">i", least=0),
        Field(
            "len_offsets",
            "chunked_dictionary/types/text_chunk/seq/5",
            ">i",
            least=0,
            value=lambda x: x.num_keys * 4,
        ),
        Field("len_keys", "chunked_dictionary/types/text_chunk/seq/6", ">i", least=0),
    ),
    8: RecordLayout(
        Field("version", "chunked_dictionary/types/text_chunk/seq/0", ">B", equal=1),
        Field("len_text", "typed_value/seq/7", ">i", least=0),
        Field("text", "typed_value/seq/8", column="key"),
        Field("code", "chunked_dictionary/types/text_chunk/seq/2", ">i", least=0),
        Field("ofs_keys", "chunked_dictionary/types/text_chunk/seq/3", ">i", least=0),
        Field("num_keys", "chunked_dictionary/types/text_chunk/seq/4", ">i", least=0),
        Field(
            "len_offsets",
            "chunked_dictionary/types/text_chunk/seq/5",
            ">i",
            least=0,
            value=lambda x: x.num_keys * 4,
        ),
        Field("len_keys", "chunked_dictionary/types/text_chunk/seq/6", ">i", least=0),
    ),
}
DICTIONARY_KEYS_OFS_KEYS = RecordLayout(
    Field("ofs_keys", "chunked_dictionary/types/dictionary_keys/seq/0", ">i")
)
DICTIONARY_KEY = {
    1: RecordLayout(Field("bool8", "typed_value/seq/0", ">B", column="key", any_of=[0, 1])),
    2: RecordLayout(Field("int8", "typed_value/seq/1", ">b", column="key")),
    3: RecordLayout(Field("int16", "typed_value/seq/2", ">h", column="key")),
    **dict.fromkeys(
        (4, 9, 10), RecordLayout(Field("int32", "typed_value/seq/3", ">i", column="key"))
    ),
    **dict.fromkeys(
        (5, 11, 12), RecordLayout(Field("int64", "typed_value/seq/4", ">q", column="key"))
    ),
    6: RecordLayout(Field("float32", "typed_value/seq/5", ">f", column="key")),
    7: RecordLayout(Field("float64", "typed_value/seq/6", ">d", column="key")),
    8: RecordLayout(
        Field("len_text", "typed_value/seq/7", ">i", least=0),
        Field("text", "typed_value/seq/8", column="key"),
    ),
}


class ChunkedDictionary:
    """The distinct values of a column in ascending order."""

    __slots__ = (
        "column_type", "end", "head_start", "len_chunks", "len_head", "len_offsets",
        "num_chunks", "version",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, column_type: int) -> None:
        self.column_type = column_type
        if not 0 <= p <= len(d) - 4:
            raise _CHUNKED_DICTIONARY_LEN_HEAD.broken(d, start, p, self)
        (self.len_head,) = _CHUNKED_DICTIONARY_LEN_HEAD.unpack_from(d, p)
        if self.len_head < 13:
            raise _CHUNKED_DICTIONARY_LEN_HEAD.broken(d, start, p, self)
        p += 4
        self.head_start = start + p
        if not 0 <= p <= len(d) - 13:
            raise _CHUNKED_DICTIONARY_VERSION.broken(d, start, p, self)
        (
            self.version, self.num_chunks, self.len_offsets, self.len_chunks,
        ) = _CHUNKED_DICTIONARY_VERSION.unpack_from(d, p)  # fmt: skip
        if (
            self.version != 1
            or self.num_chunks < 0
            or self.num_chunks > 536870911
            or self.len_offsets != self.num_chunks * 4
            or self.len_chunks < 0
        ):
            raise _CHUNKED_DICTIONARY_VERSION.broken(d, start, p, self)
        p += 13
        self.end = start + p

    @property
    def offsets_start(self) -> Any:
        return self.head_start + self.len_head

    @property
    def chunks_start(self) -> Any:
        return self.offsets_start + self.len_offsets

    @property
    def keys_start(self) -> Any:
        return self.chunks_start + self.len_chunks

    def place_heads(self) -> Any:
        """Return where the `heads` is: (position, size or None)."""
        return self.offsets_start, None


class DictionaryChunks:
    """A `dictionary_chunks`."""

    __slots__ = (
        "chunks_end", "column_type", "end", "fixed_chunks_code", "fixed_chunks_key",
        "fixed_chunks_len_key", "fixed_chunks_len_keys", "fixed_chunks_num_keys",
        "fixed_chunks_ofs_keys", "fixed_chunks_version", "num_chunks", "ofs_chunks",
        "text_chunks_code", "text_chunks_key", "text_chunks_len_keys",
        "text_chunks_len_offsets", "text_chunks_num_keys", "text_chunks_ofs_keys",
        "text_chunks_version",
    )  # fmt: skip

    def __init__(
        self, d: Buffer, start: int, p: int, num_chunks: int, column_type: int, arrays: bool = False
    ) -> None:
        self.num_chunks = num_chunks
        self.column_type = column_type
        (
            p, self.ofs_chunks,
        ) = DICTIONARY_CHUNKS_OFS_CHUNKS.read(d, start, p, self.num_chunks, arrays)  # fmt: skip
        self.fixed_chunks_version: Any = None
        self.fixed_chunks_key: Any = None
        self.fixed_chunks_code: Any = None
        self.fixed_chunks_ofs_keys: Any = None
        self.fixed_chunks_num_keys: Any = None
        self.fixed_chunks_len_keys: Any = None
        self.fixed_chunks_len_key: Any = None
        if self.named_type != 8:
            (
                p,
                self.fixed_chunks_version,
                self.fixed_chunks_key,
                self.fixed_chunks_code,
                self.fixed_chunks_ofs_keys,
                self.fixed_chunks_num_keys,
                self.fixed_chunks_len_keys,
                self.fixed_chunks_len_key,
            ) = layout_for(FIXED_CHUNK, self.column_type).read(d, start, p, self.num_chunks, arrays)
        self.text_chunks_version: Any = None
        self.text_chunks_key: Any = None
        self.text_chunks_code: Any = None
        self.text_chunks_ofs_keys: Any = None
        self.text_chunks_num_keys: Any = None
        self.text_chunks_len_offsets: Any = None
        self.text_chunks_len_keys: Any = None
        if self.named_type == 8:
            (
                p,
                self.text_chunks_version,
                self.text_chunks_key,
                self.text_chunks_code,
                self.text_chunks_ofs_keys,
                self.text_chunks_num_keys,
                self.text_chunks_len_offsets,
                self.text_chunks_len_keys,
            ) = layout_for(TEXT_CHUNK, self.column_type).read(d, start, p, self.num_chunks, arrays)
        self.chunks_end = start + p
        self.end = start + p

    @property
    def named_type(self) -> Any:
        return self.column_type

    def place_fixed_chunks_keys(self, i: Any) -> Any:
        """Return where the `keys` of record i is: (position, size or None)."""
        return self.chunks_end + self.fixed_chunks_ofs_keys[i], None

    def place_text_chunks_keys(self, i: Any) -> Any:
        """Return where the `keys` of record i is: (position, size or None)."""
        return self.chunks_end + self.text_chunks_ofs_keys[i], None


class DictionaryKeys:
    """A `dictionary_keys`."""

    __slots__ = ("column_type", "end", "keys_key", "num_keys", "ofs_keys")

    def __init__(
        self, d: Buffer, start: int, p: int, num_keys: int, column_type: int, arrays: bool = False
    ) -> None:
        self.num_keys = num_keys
        self.column_type = column_type
        self.ofs_keys: Any = None
        if self.named_type == 8:
            (p, self.ofs_keys) = DICTIONARY_KEYS_OFS_KEYS.read(d, start, p, self.num_keys, arrays)
        (p, self.keys_key) = layout_for(DICTIONARY_KEY, self.column_type).read(
            d, start, p, self.num_keys, arrays
        )
        self.end = start + p

    @property
    def named_type(self) -> Any:
        return self.column_type


class DictionaryKeysPlaces(NamedTuple):
    """Where the fields of a `dictionary_keys` start."""

    ofs_keys: Any
    keys: Any


def places_dictionary_keys(num_keys: Any, column_type: Any) -> DictionaryKeysPlaces:
    """Return where the fields of a `dictionary_keys` start, for ints or arrays of int64."""
    return DictionaryKeysPlaces(*accumulate([choose(column_type == 8, num_keys * 4, 0)], initial=0))
