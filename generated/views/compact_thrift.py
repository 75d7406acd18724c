# Generated from compact_thrift.ksy by `ksykit generate`. Do not edit.
"""Views of compact_thrift: Apache Thrift struct in the compact protocol."""

from enum import IntEnum
from itertools import count
from typing import Any

from ksykit.runtime.records import MANY_EMPTY, Buffer, Field, Numbers, cut, guarded, wrong

from .varint import Varint

ThriftKind = IntEnum(
    "ThriftKind",
    {
        "bool_true": 1,
        "bool_false": 2,
        "i8": 3,
        "i16": 4,
        "i32": 5,
        "i64": 6,
        "double": 7,
        "binary": 8,
        "list": 9,
        "set": 10,
        "map": 11,
        "struct": 12,
        "uuid": 13,
    },
)
_THRIFT_FIELD_HEAD_HEAD = Numbers(
    ">B",
    Field(
        "head",
        "compact_thrift/types/thrift_field_head/seq/0",
        "<B",
        most=lambda x: 255 if x.depth < 32 and x.kind >= 1 and x.kind <= 13 else 0,
    ),
)
_THRIFT_VALUE_TRUTH = Numbers(
    ">B", Field("truth", "compact_thrift/types/thrift_value/seq/0", "<B", most=2)
)
_THRIFT_VALUE_INT_8 = Numbers(">b", Field("int_8", "compact_thrift/types/thrift_value/seq/1", "<b"))
_THRIFT_VALUE_REAL = Numbers("<d", Field("real", "compact_thrift/types/thrift_value/seq/3", "<d"))
_THRIFT_COLLECTION_HEAD = Numbers(
    ">B",
    Field(
        "head",
        "compact_thrift/types/thrift_collection/seq/0",
        "<B",
        most=lambda x: 255 if x.depth < 32 and x.kind >= 1 and x.kind <= 13 else 0,
    ),
)
_THRIFT_MAPPING_KINDS = Numbers(
    ">B",
    Field(
        "kinds",
        "compact_thrift/types/thrift_mapping/seq/1",
        "<B",
        least=17,
        most=lambda x: (
            255
            if x.depth < 32
            and x.key_kind >= 1
            and x.key_kind <= 13
            and x.value_kind >= 1
            and x.value_kind <= 13
            else 0
        ),
    ),
)


class ThriftFieldHead:
    """A `thrift_field_head`."""

    __slots__ = ("depth", "end", "head", "long_number", "previous")

    def __init__(self, d: Buffer, start: int, p: int, previous: int, depth: int) -> None:
        self.previous = previous
        self.depth = depth
        if not 0 <= p <= len(d) - 1:
            raise _THRIFT_FIELD_HEAD_HEAD.broken(d, start, p, self)
        (self.head,) = _THRIFT_FIELD_HEAD_HEAD.unpack_from(d, p)
        if self.head > (255 if self.depth < 32 and self.kind >= 1 and self.kind <= 13 else 0):
            raise _THRIFT_FIELD_HEAD_HEAD.broken(d, start, p, self)
        p += 1
        self.long_number: Any = None
        if self.head != 0 and self.head < 16:
            self.long_number = Varint(d, start, p)
            p = self.long_number.end - start
        self.end = start + p

    @property
    def is_stop(self) -> Any:
        return self.head == 0

    @property
    def kind(self) -> Any:
        """A value of the enum `thrift_kind`."""
        return self.head & 15

    @property
    def number(self) -> Any:
        """The number of the field in the struct."""
        return (
            self.long_number.zigzag
            if self.head != 0 and self.head < 16
            else self.previous + self.head // 16
        )


class ThriftCollection:
    """A list or a set."""

    __slots__ = ("depth", "elements", "end", "head", "long_count")

    @guarded
    def __init__(self, d: Buffer, start: int, p: int, depth: int) -> None:
        self.depth = depth
        if not 0 <= p <= len(d) - 1:
            raise _THRIFT_COLLECTION_HEAD.broken(d, start, p, self)
        (self.head,) = _THRIFT_COLLECTION_HEAD.unpack_from(d, p)
        if self.head > (255 if self.depth < 32 and self.kind >= 1 and self.kind <= 13 else 0):
            raise _THRIFT_COLLECTION_HEAD.broken(d, start, p, self)
        p += 1
        self.long_count: Any = None
        if self.head >= 240:
            self.long_count = Varint(d, start, p)
            p = self.long_count.end - start
        self.elements: list[Any] = []
        first = p
        for _ in range(self.num_elements):
            item = ThriftValue(d, start, p, self.kind, True, self.depth)
            p = item.end - start
            self.elements.append(item)
            if len(self.elements) > MANY_EMPTY + p - first:
                raise wrong("too many elements without bytes", start + p)
        self.end = start + p

    @property
    def kind(self) -> Any:
        """A value of the enum `thrift_kind`."""
        return self.head & 15

    @property
    def num_elements(self) -> Any:
        return self.long_count.value if self.head >= 240 else self.head // 16


class ThriftPair:
    """A `thrift_pair`."""

    __slots__ = ("depth", "end", "key", "key_kind", "value", "value_kind")

    @guarded
    def __init__(
        self, d: Buffer, start: int, p: int, key_kind: int, value_kind: int, depth: int
    ) -> None:
        self.key_kind = key_kind
        self.value_kind = value_kind
        self.depth = depth
        self.key = ThriftValue(d, start, p, self.key_kind, True, self.depth)
        p = self.key.end - start
        self.value = ThriftValue(d, start, p, self.value_kind, True, self.depth)
        p = self.value.end - start
        self.end = start + p


class ThriftMapping:
    """A `thrift_mapping`."""

    __slots__ = ("depth", "end", "kinds", "num_pairs", "pairs")

    @guarded
    def __init__(self, d: Buffer, start: int, p: int, depth: int) -> None:
        self.depth = depth
        self.num_pairs = Varint(d, start, p)
        p = self.num_pairs.end - start
        self.kinds: Any = None
        if self.num_pairs.value > 0:
            if not 0 <= p <= len(d) - 1:
                raise _THRIFT_MAPPING_KINDS.broken(d, start, p, self)
            (self.kinds,) = _THRIFT_MAPPING_KINDS.unpack_from(d, p)
            if self.kinds < 17 or self.kinds > (
                255
                if self.depth < 32
                and self.key_kind >= 1
                and self.key_kind <= 13
                and self.value_kind >= 1
                and self.value_kind <= 13
                else 0
            ):
                raise _THRIFT_MAPPING_KINDS.broken(d, start, p, self)
            p += 1
        self.pairs: Any = None
        if self.num_pairs.value > 0:
            self.pairs = []
            first = p
            for _ in range(self.num_pairs.value):
                item = ThriftPair(d, start, p, self.key_kind, self.value_kind, self.depth)
                p = item.end - start
                self.pairs.append(item)
                if len(self.pairs) > MANY_EMPTY + p - first:
                    raise wrong("too many elements without bytes", start + p)
        self.end = start + p

    @property
    def key_kind(self) -> Any:
        """A value of the enum `thrift_kind`."""
        return self.kinds // 16

    @property
    def value_kind(self) -> Any:
        """A value of the enum `thrift_kind`."""
        return self.kinds & 15


class ThriftValue:
    """A `thrift_value`."""

    __slots__ = (
        "body", "collection", "depth", "end", "int_8", "integer", "is_element", "kind",
        "len_body", "mapping", "nested", "real", "truth", "uuid",
    )  # fmt: skip

    @guarded
    def __init__(
        self, d: Buffer, start: int, p: int, kind: int, is_element: int, depth: int
    ) -> None:
        self.kind = kind
        self.is_element = is_element
        self.depth = depth
        self.truth: Any = None
        if self.is_element and (self.named_kind == 1 or self.named_kind == 2):
            if not 0 <= p <= len(d) - 1:
                raise _THRIFT_VALUE_TRUTH.broken(d, start, p, self)
            (self.truth,) = _THRIFT_VALUE_TRUTH.unpack_from(d, p)
            if self.truth > 2:
                raise _THRIFT_VALUE_TRUTH.broken(d, start, p, self)
            p += 1
        self.int_8: Any = None
        if self.named_kind == 3:
            if not 0 <= p <= len(d) - 1:
                raise _THRIFT_VALUE_INT_8.broken(d, start, p, self)
            (self.int_8,) = _THRIFT_VALUE_INT_8.unpack_from(d, p)
            p += 1
        self.integer: Any = None
        if self.named_kind == 4 or self.named_kind == 5 or self.named_kind == 6:
            self.integer = Varint(d, start, p)
            p = self.integer.end - start
        self.real: Any = None
        if self.named_kind == 7:
            if not 0 <= p <= len(d) - 8:
                raise _THRIFT_VALUE_REAL.broken(d, start, p, self)
            (self.real,) = _THRIFT_VALUE_REAL.unpack_from(d, p)
            p += 8
        self.len_body: Any = None
        if self.named_kind == 8:
            self.len_body = Varint(d, start, p)
            p = self.len_body.end - start
        self.body: Any = None
        if self.named_kind == 8:
            q = p + self.len_body.value
            if not 0 <= p <= q <= len(d):
                raise cut(d, start, p, q - p)
            self.body = d[p:q]
            p = q
        self.collection: Any = None
        if self.named_kind == 9 or self.named_kind == 10:
            self.collection = ThriftCollection(d, start, p, self.depth + 1)
            p = self.collection.end - start
        self.mapping: Any = None
        if self.named_kind == 11:
            self.mapping = ThriftMapping(d, start, p, self.depth + 1)
            p = self.mapping.end - start
        self.nested: Any = None
        if self.named_kind == 12:
            self.nested = CompactThrift(d, start, p, self.depth + 1)
            p = self.nested.end - start
        self.uuid: Any = None
        if self.named_kind == 13:
            q = p + 16
            if not 0 <= p <= q <= len(d):
                raise cut(d, start, p, q - p)
            self.uuid = d[p:q]
            p = q
        self.end = start + p

    @property
    def named_kind(self) -> Any:
        return self.kind


class ThriftField:
    """A `thrift_field`."""

    __slots__ = ("depth", "end", "head", "previous", "value")

    @guarded
    def __init__(self, d: Buffer, start: int, p: int, previous: int, depth: int) -> None:
        self.previous = previous
        self.depth = depth
        self.head = ThriftFieldHead(d, start, p, self.previous, self.depth)
        p = self.head.end - start
        self.value: Any = None
        if not self.head.is_stop:
            self.value = ThriftValue(d, start, p, self.head.kind, False, self.depth)
            p = self.value.end - start
        self.end = start + p

    @property
    def number(self) -> Any:
        """The number of the field in the struct."""
        return self.head.number

    @property
    def is_stop(self) -> Any:
        return self.head.is_stop


class CompactThrift:
    """The encoded fields of a struct, by their numbers, up to its end."""

    __slots__ = ("depth", "end", "fields")

    @guarded
    def __init__(self, d: Buffer, start: int, p: int, depth: int) -> None:
        self.depth = depth
        self.fields: list[Any] = []
        first = p
        for i in count():
            item = ThriftField(d, start, p, 0 if i == 0 else self.fields[i - 1].number, self.depth)
            p = item.end - start
            self.fields.append(item)
            if len(self.fields) > MANY_EMPTY + p - first:
                raise wrong("too many elements without bytes", start + p)
            if item.is_stop:
                break
        self.end = start + p
