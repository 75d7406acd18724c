# Generated from sorted_key.ksy by `ksykit generate`. Do not edit.
"""Views of sorted_key: Key of a sorted global index."""

from enum import IntEnum
from typing import Any

from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.columns import interleaved, numbers, spans
from ksykit.runtime.integers import decode_integer
from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout, cut, layout_for
from ksykit.runtime.varints import integers

from .varint import Varint

KeyType = IntEnum(
    "KeyType",
    {
        "boolean": 1,
        "tinyint": 2,
        "smallint": 3,
        "integer": 4,
        "bigint": 5,
        "float": 6,
        "double": 7,
        "text": 8,
        "decimal": 9,
        "timestamp_millis": 10,
        "timestamp_nanos": 11,
        "binary": 12,
    },
)
FIXED_KEY = {
    1: RecordLayout(Field("bool8", "sorted_key/types/fixed_key/seq/0", "<B", any_of=[0, 1])),
    2: RecordLayout(Field("int8", "sorted_key/types/fixed_key/seq/1", "<b")),
    3: RecordLayout(Field("int16", "sorted_key/types/fixed_key/seq/2", "<h")),
    4: RecordLayout(Field("int32", "sorted_key/types/fixed_key/seq/3", "<i")),
    **dict.fromkeys(
        (5, 10, 11), RecordLayout(Field("int64", "sorted_key/types/fixed_key/seq/4", "<q"))
    ),
    6: RecordLayout(Field("float32", "sorted_key/types/fixed_key/seq/5", "<f")),
    7: RecordLayout(Field("float64", "sorted_key/types/fixed_key/seq/6", "<d")),
}
_COMPOSITE_KEY_ROW_KIND = Numbers(
    ">B", Field("row_kind", "sorted_key/types/composite_key/seq/0", "<B", equal=0)
)
COMPOSITE_KEY_ROW_KIND = RecordLayout(
    Field("row_kind", "sorted_key/types/composite_key/seq/0", "<B", equal=0)
)


class SortedKey:
    """A value of a column in a BTree or bitmap global index."""

    __slots__ = ("end", "fixed", "key_type", "nanos", "text", "unscaled")

    def __init__(self, d: Buffer, start: int, p: int, key_type: int) -> None:
        self.key_type = key_type
        self.fixed: Any = None
        if self.named_type != 8 and self.named_type != 9:
            self.fixed, p = layout_for(FIXED_KEY, self.key_type).one(d, start, p)
        self.nanos: Any = None
        if self.named_type == 11:
            self.nanos = Varint(d, start, p)
            p = self.nanos.end - start
        self.unscaled: Any = None
        if self.named_type == 9:
            q = p + len(d) - p
            if not 0 <= p <= q <= len(d):
                raise cut(d, start, p, q - p)
            self.unscaled = decode_integer(d[p:q], "integer-be", start + p)
            p = q
        self.text: Any = None
        if self.named_type == 8:
            q = p + len(d) - p
            if not 0 <= p <= q <= len(d):
                raise cut(d, start, p, q - p)
            self.text = d[p:q]
            p = q
        self.end = start + p

    @property
    def named_type(self) -> Any:
        return self.key_type


class CompositeKey:
    """The key of an index over several columns: a row of their values."""

    __slots__ = ("components", "end", "null_bits", "num_columns", "row_kind")

    def __init__(self, d: Buffer, start: int, p: int, num_columns: int) -> None:
        self.num_columns = num_columns
        if not 0 <= p <= len(d) - 1:
            raise _COMPOSITE_KEY_ROW_KIND.broken(d, start, p, self)
        (self.row_kind,) = _COMPOSITE_KEY_ROW_KIND.unpack_from(d, p)
        if self.row_kind != 0:
            raise _COMPOSITE_KEY_ROW_KIND.broken(d, start, p, self)
        p += 1
        q = p + (self.num_columns + 7) // 8
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.null_bits = d[p:q]
        p = q
        q = p + len(d) - p
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.components = d[p:q]
        p = q
        self.end = start + p


class CompositeKeyColumns:
    """Several `composite_key`s at places `p` of an array `d`: columns."""

    __slots__ = ("end", "null_bits", "num_columns", "row_kind")

    def __init__(self, d: Any, start: int, p: Any, num_columns: int) -> None:
        self.num_columns = num_columns
        self.row_kind, p = numbers(d, start, p, COMPOSITE_KEY_ROW_KIND)
        self.null_bits = spans(d, start, p, (self.num_columns + 7) // 8)
        p = self.null_bits.end
        self.end = p

    @staticmethod
    def pack(row_kind: Any, null_bits: Any) -> BytesColumn:
        """Return the bytes of these fields of several objects."""
        null_bits = BytesColumn.of(null_bits)
        return interleaved(COMPOSITE_KEY_ROW_KIND.pack(row_kind=row_kind), null_bits)


class KeyComponent:
    """A value in a composite key."""

    __slots__ = ("data", "end", "fixed", "key_type", "len_data", "nanos")

    def __init__(self, d: Buffer, start: int, p: int, key_type: int) -> None:
        self.key_type = key_type
        self.fixed: Any = None
        if self.named_type != 8 and self.named_type != 9 and self.named_type != 12:
            self.fixed, p = layout_for(FIXED_KEY, self.key_type).one(d, start, p)
        self.nanos: Any = None
        if self.named_type == 11:
            self.nanos = Varint(d, start, p)
            p = self.nanos.end - start
        self.len_data: Any = None
        if self.named_type == 8 or self.named_type == 9 or self.named_type == 12:
            self.len_data = Varint(d, start, p)
            p = self.len_data.end - start
        self.data: Any = None
        if self.named_type == 8 or self.named_type == 9 or self.named_type == 12:
            q = p + self.len_data.value
            if not 0 <= p <= q <= len(d):
                raise cut(d, start, p, q - p)
            self.data = d[p:q]
            p = q
        self.end = start + p

    @property
    def named_type(self) -> Any:
        return self.key_type


class KeyComponentColumns:
    """Several `key_component`s at places `p` of an array `d`: columns."""

    __slots__ = ("data", "end", "fixed", "key_type", "len_data", "nanos")

    def __init__(self, d: Any, start: int, p: Any, key_type: int) -> None:
        self.key_type = key_type
        self.fixed: Any = None
        if self.key_type != 8 and self.key_type != 9 and self.key_type != 12:
            self.fixed, p = numbers(d, start, p, layout_for(FIXED_KEY, self.key_type))
        self.nanos: Any = None
        if self.key_type == 11:
            self.nanos = integers(d, start, p)
            p = self.nanos.end
        self.len_data: Any = None
        if self.key_type == 8 or self.key_type == 9 or self.key_type == 12:
            self.len_data = integers(d, start, p)
            p = self.len_data.end
        self.data: Any = None
        if self.key_type == 8 or self.key_type == 9 or self.key_type == 12:
            self.data = spans(d, start, p, self.len_data.value)
            p = self.data.end
        self.end = p
