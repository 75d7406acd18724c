"""Keys of sorted indexes: stored bytes, keys that compare like Java's, and Arrow columns.

A key has the form of `paimon_ksy.columns.stored_values`: a number is an int, for floats that of
`sortable`; a text is its bytes. A DECIMAL is its unscaled value. A TIMESTAMP has milliseconds up to
precision 3, and nanoseconds above it. A composite key is a tuple that has for each column NULL, or
a `component` with the key, because null comes first.

Source: `KeySerializer` (paimon-common, release 1.4.2); for composite keys `CompositeKeySerializer`
(2026-09).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from ksykit.runtime.arrays import Buffer, BytesColumn
from ksykit.runtime.errors import FormatError
from ksykit.runtime.integers import decode_integer, encode_integer
from ksykit.runtime.objects import to_bytes
from ksykit.runtime.records import layout_for

from paimon_ksy.columns.stored_columns import stored_numbers
from paimon_ksy.columns.stored_values import NEGATIVE_ZERO, Keys, floats_of, sortable
from paimon_ksy.errors import counted
from paimon_ksy.generated.structs.sorted_key import (
    CompositeKey as CompositeKeyStruct,
)
from paimon_ksy.generated.structs.sorted_key import (
    make_key_component,
    make_sorted_key,
)
from paimon_ksy.generated.structs.varint import make_varint
from paimon_ksy.generated.views.sorted_key import (
    FIXED_KEY,
    CompositeKey,
    KeyComponent,
    KeyType,
    SortedKey,
)
from paimon_ksy.types.arrays import to_arrow_array
from paimon_ksy.types.arrow import arrow_values, to_arrow
from paimon_ksy.types.data_type import DataType, Field, unscaled_value
from paimon_ksy.types.timestamps import in_type, parts

_KINDS = {
    "BOOLEAN": KeyType.boolean,
    "TINYINT": KeyType.tinyint,
    "SMALLINT": KeyType.smallint,
    "BIGINT": KeyType.bigint,
    "FLOAT": KeyType.float,
    "DOUBLE": KeyType.double,
    "CHAR": KeyType.text,
    "VARCHAR": KeyType.text,
    **dict.fromkeys(("INT", "DATE", "TIME"), KeyType.integer),
    **dict.fromkeys(("BINARY", "VARBINARY"), KeyType.binary),
}
_FLOATS = (KeyType.float,), (KeyType.double,)
_COMPACT_DIGITS, _COMPACT_FRACTION = 18, 3
_MILLI, _SECOND = 10**6, 10**9  # nanoseconds
_UNSCALED, _WHOLE = "integer-be", pa.decimal128(38)


NULL = (0,)
"""A column of a composite key that is null."""
NOT_NULL, AFTER_ALL = (1,), (2,)
"""What comes before and after all other columns of composite keys."""


def component(key: Any) -> tuple[int, Any]:
    """Return a column of a composite key that is not null."""
    return 1, key


class KeyTypeError(Exception):
    """A key is not of its column's type, so the type changed after the index was built.

    Attributes:
        number: The number of the column in the index.
    """

    def __init__(self, message: str, number: int = 0) -> None:
        super().__init__(message)
        self.number = number


def _kind(data_type: DataType) -> KeyType | None:
    if data_type.root == "DECIMAL":
        is_compact = (data_type.precision or 10) <= _COMPACT_DIGITS
        return KeyType.bigint if is_compact else KeyType.decimal
    if data_type.is_timestamp:
        is_compact = (data_type.precision or 0) <= _COMPACT_FRACTION
        return KeyType.timestamp_millis if is_compact else KeyType.timestamp_nanos
    return _KINDS.get(data_type.root)


@dataclass(frozen=True)
class KeyForm:
    """How an index stores the keys of its columns, and compares them."""

    types: tuple[DataType, ...]
    kinds: tuple[KeyType, ...]

    @classmethod
    def of(cls, fields: Sequence[Field]) -> KeyForm | None:
        """Return the form for these columns; None if Java does not index them."""
        types = tuple(field.type for field in fields)
        kinds = tuple(kind for kind in map(_kind, types) if kind is not None)
        is_single_binary = len(types) == 1 and KeyType.binary in kinds
        return None if len(kinds) < len(types) or is_single_binary else cls(types, kinds)

    @property
    def is_composite(self) -> bool:
        """Whether the index has several columns."""
        return len(self.types) > 1

    @property
    def is_text(self) -> bool:
        """Whether keys compare by their stored bytes."""
        return self.kinds == (KeyType.text,)

    # -- Reading

    def key(self, data: Buffer) -> Any:
        """Return the key of stored bytes. Raises KeyTypeError."""
        try:
            if self.is_composite:
                return tuple(self._components(data))
            [kind] = self.kinds
            view = SortedKey(data, 0, 0, kind)
            if view.end != len(data):
                raise FormatError(f"a key has {counted(len(data), 'byte')} instead of {view.end}")
            if kind == KeyType.text:
                return bytes(view.text)
            return view.unscaled if kind == KeyType.decimal else _number(view, kind)
        except FormatError as error:
            raise KeyTypeError(error.message) from None

    def is_same(self, key: bytes | None, other: bytes | None) -> bool:
        """Return whether two keys are equal in SQL: so are 0.0 and -0.0. None equals None alone."""
        if key == other or key is None or other is None or self.kinds not in _FLOATS:
            return key == other
        keys = {self.key(key), self.key(other)}
        return len(keys) == 1 or keys == {0, NEGATIVE_ZERO}

    def first(self, data: Buffer) -> Any:
        """Return the key, or the first column of a composite key."""
        if not self.is_composite:
            return self.key(data)
        try:
            return next(self._components(data))
        except FormatError as error:
            raise KeyTypeError(error.message) from None

    def _components(self, data: Buffer) -> Iterator[Any]:
        head = CompositeKey(data, 0, 0, len(self.kinds))
        at = 0
        for i, kind in enumerate(self.kinds):
            if head.null_bits[i // 8] >> i % 8 & 1:
                yield NULL
                continue
            try:
                view = KeyComponent(head.components, 0, at, kind)
            except FormatError as error:
                raise KeyTypeError(error.message, i) from None
            at = view.end
            if kind in (KeyType.text, KeyType.binary):
                yield component(bytes(view.data))
            elif kind == KeyType.decimal:
                yield component(decode_integer(view.data, _UNSCALED))
            else:
                yield component(_number(view, kind))
        if at != len(head.components):
            raise KeyTypeError("bytes follow its key", len(self.kinds) - 1)

    def keys(self, stored: BytesColumn) -> Keys:
        """Return the keys of stored bytes, in the form of `key`: an array where that is possible.

        Raises:
            KeyTypeError: The bytes are not of the columns' types.
        """
        if self.is_composite or self.kinds[0] in (KeyType.decimal, KeyType.timestamp_nanos):
            return [self.key(data) for data in stored]
        [kind] = self.kinds
        if kind == KeyType.text:
            return stored.tolist()
        layout = layout_for(FIXED_KEY, kind)
        others = stored.lengths[stored.lengths != layout.size].tolist()
        if others:
            raise KeyTypeError(f"a key has {counted(others[0], 'byte')} instead of {layout.size}")
        try:
            _, values = layout.read(stored.join(), 0, 0, len(stored), arrays=True)
        except FormatError as error:
            raise KeyTypeError(error.message) from None
        return sortable(values)

    def decoded(self, stored: BytesColumn) -> tuple[Keys | pa.Array, tuple[pa.Array, ...]]:
        """Return stored bytes as keys, and as Arrow columns of the columns' types.

        Texts are large_binary, because they may be malformed. Raises KeyTypeError.
        """
        if self.is_text:
            texts = to_binary(stored)
            return texts, (texts,)
        keys = self.keys(stored)
        if not self.is_composite:
            return keys, (_to_arrow(keys, self.types[0], self.kinds[0]),)
        columns = zip(*keys, strict=True) if len(keys) else [()] * len(self.kinds)
        return keys, tuple(
            _to_arrow([None if key == NULL else key[1] for key in column], data_type, kind)
            for column, data_type, kind in zip(columns, self.types, self.kinds, strict=True)
        )

    # -- Writing

    def stored(self, *columns: pa.Array) -> BytesColumn:
        """Return the stored bytes of keys, which are given as Arrow columns.

        Only columns of composite keys may contain nulls.
        """
        if not self.is_composite:
            return _stored(columns[0], self.types[0], self.kinds[0])
        parts_of = [
            iter(_stored(column.drop_null(), data_type, kind, in_composite=True))
            for column, data_type, kind in zip(columns, self.types, self.kinds, strict=True)
        ]
        nulls = [column.is_null().to_pylist() for column in columns]
        return BytesColumn.of([self._composite(row, parts_of) for row in zip(*nulls, strict=True)])

    def encoded(self, keys: Sequence[Any]) -> list[bytes]:
        """Return the stored bytes of keys of a single column, which have the form of `key`."""
        if self.is_text:
            return list(keys)
        return self.stored(_to_arrow(list(keys), self.types[0], self.kinds[0])).tolist()

    def _composite(self, nulls: Sequence[bool], parts_of: Sequence[Iterator[bytes]]) -> bytes:
        bits = sum(1 << i for i, is_null in enumerate(nulls) if is_null)
        values = [next(part) for part, null in zip(parts_of, nulls, strict=True) if not null]
        return CompositeKeyStruct.pack(
            row_kind=0,
            null_bits=bits.to_bytes(-(-len(nulls) // 8), "little"),
            components=b"".join(values),
        )


def to_binary(stored: BytesColumn) -> pa.Array:
    """Return byte strings as an Arrow column."""
    offsets = stored.offsets - stored.offsets[0]
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(stored.join())]
    return pa.Array.from_buffers(pa.large_binary(), len(stored), buffers)


def _number(view: SortedKey | KeyComponent, kind: KeyType) -> int:
    value = view.fixed
    if kind == KeyType.timestamp_nanos:
        nanos = view.nanos.value
        if nanos >= _MILLI:
            raise FormatError(f"{nanos} nanoseconds in a millisecond")
        return int(value) * _MILLI + int(nanos)
    if kind in (KeyType.float, KeyType.double):
        return int(sortable(np.array([value], layout_for(FIXED_KEY, kind).dtype))[0])
    return int(value)


def _to_arrow(keys: Keys, data_type: DataType, kind: KeyType) -> pa.Array:
    """Return keys in the Arrow type of a column; None is null."""
    if kind in (KeyType.text, KeyType.binary):
        return pa.array(keys, pa.large_binary())
    arrow_type = to_arrow(data_type)
    if kind == KeyType.decimal or data_type.root == "DECIMAL":
        numbers = to_arrow_array(keys, _WHOLE if kind == KeyType.decimal else pa.int64())
        return pa.Array.from_buffers(arrow_type, len(numbers), numbers.cast(_WHOLE).buffers())
    if kind in (KeyType.float, KeyType.double):
        nulls = None
        if isinstance(keys, list):
            nulls = np.array([key is None for key in keys], np.bool_)
            keys = [0 if key is None else key for key in keys]
        width = layout_for(FIXED_KEY, kind).size
        return to_arrow_array(floats_of(np.asarray(keys, f"i{width}")), nulls=nulls)
    if kind == KeyType.timestamp_millis:
        return in_type(to_arrow_array(keys, pa.int64()).view(pa.timestamp("ms")), arrow_type)
    return arrow_values(keys, arrow_type)


def _stored(
    column: pa.Array, data_type: DataType, kind: KeyType, *, in_composite: bool = False
) -> BytesColumn:
    """Return the stored bytes of values that are not null."""
    if kind in (KeyType.text, KeyType.binary, KeyType.decimal):
        if kind == KeyType.decimal:
            scale, numbers = data_type.scale or 0, column.cast(to_arrow(data_type)).to_pylist()
            texts = [encode_integer(unscaled_value(n, scale)[0], _UNSCALED) for n in numbers]
        else:
            texts = column.cast(pa.large_binary()).to_pylist()
        if in_composite:
            texts = [to_bytes(make_key_component(key_type=kind, data=text)) for text in texts]
        return BytesColumn.of(texts)
    layout = layout_for(FIXED_KEY, kind)
    if kind != KeyType.timestamp_nanos:
        values, _ = stored_numbers(column, data_type)
        if kind in (KeyType.float, KeyType.double):
            values = floats_of(sortable(values))
        return layout.pack(**{layout.fields[0].column: values})
    seconds, nanos = parts(column)
    millis = layout.pack(int64=seconds * (_SECOND // _MILLI) + nanos // _MILLI)
    rests = (make_varint(value=rest) for rest in (nanos % _MILLI).tolist())
    make = make_key_component if in_composite else make_sorted_key
    pairs = zip(millis, rests, strict=True)
    return BytesColumn.of(
        [to_bytes(make(key_type=kind, fixed=fixed, nanos=rest)) for fixed, rest in pairs]
    )
