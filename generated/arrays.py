# Generated from tools/ksy/library/arrays.py.in by `python -m tools.ksy generate`. Do not edit.
"""What the generated codecs share: arrays of records, and columns of byte strings."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, ClassVar, Self, overload

import numpy as np
import numpy.typing as npt

from .errors import FormatError

Int64Array = npt.NDArray[np.int64]
Buffer = bytes | bytearray | memoryview


def wide(value: Any) -> Any:
    """An array's numbers as int64, so that sums do not wrap; single numbers as they are."""
    return value.astype(np.int64) if isinstance(value, np.ndarray) else value


def choose(condition: Any, then: Any, otherwise: Any) -> Any:
    """`then if condition else otherwise`, for each element if the condition is an array."""
    if isinstance(condition, np.ndarray):
        return np.where(condition, then, otherwise)
    return then if condition else otherwise


def fresh(cls: Any, source: Any, parent: Any, **params: Any) -> Any:
    """A Kaitai object of the stream of `source` that is not read yet, with its parameters."""
    obj = cls.__new__(cls)
    obj._io = None if source is None else source._io
    obj._parent = parent
    obj._root = obj if parent is None else parent._root
    obj.__dict__.update(params)
    return obj


def fit(values: Any, dtype: np.dtype[Any], name: str) -> npt.NDArray[Any]:
    """`values` as an array of `dtype`; FormatError if a number does not fit."""
    array = np.asarray(values)
    native = dtype.newbyteorder("=")
    if array.dtype == native or np.can_cast(array.dtype, native, "safe"):
        return array
    if array.dtype.kind not in "iufb" or (array.dtype.kind == "f") != (dtype.kind == "f"):
        if array.size == 0:
            return array.astype(native)
        raise FormatError(f"{name}: {array.dtype} is not {native}", None)
    if dtype.kind in "iu" and array.size:
        limits = np.iinfo(native)
        if int(array.min()) < limits.min or int(array.max()) > limits.max:
            raise FormatError(f"{name}: a number does not fit into {native}", None)
    return array.astype(native)


def packed_array(values: npt.NDArray[Any], dtype: np.dtype[Any], name: str) -> bytes:
    """The bytes of numbers, or of records of this dtype. Raises FormatError if one does not fit."""
    return (values if values.dtype == dtype else fit(values, dtype, name).astype(dtype)).tobytes()


class BytesColumn(Sequence[bytes]):
    """Byte strings, one after another in `data`; the i-th is `data[offsets[i]:offsets[i + 1]]`."""

    __slots__ = ("_joined", "_values")

    _joined: tuple[bytes, Int64Array] | None
    _values: list[bytes] | None

    def __init__(self, data: bytes, offsets: Int64Array) -> None:
        self._joined, self._values = (data, offsets), None

    @classmethod
    def of(cls, values: BytesColumn | Sequence[bytes]) -> BytesColumn:
        """A column of these; they are joined when that is asked for."""
        if type(values) is BytesColumn:
            return values
        self = cls.__new__(cls)
        self._joined, self._values = None, list(values)
        return self

    def _join(self) -> tuple[bytes, Int64Array]:
        if self._joined is None:
            assert self._values is not None
            blobs = Blobs(self._values)
            self._joined = blobs.join(), np.append(blobs.offsets, blobs.size)
        return self._joined

    @property
    def data(self) -> bytes:
        return self._join()[0]

    @property
    def offsets(self) -> Int64Array:
        return self._join()[1]

    def __len__(self) -> int:
        return len(self.offsets) - 1 if self._values is None else len(self._values)

    @overload
    def __getitem__(self, index: int) -> bytes: ...
    @overload
    def __getitem__(self, index: slice) -> BytesColumn: ...
    def __getitem__(self, index: int | slice) -> bytes | BytesColumn:
        if isinstance(index, slice):
            start, stop, step = index.indices(len(self))
            if step != 1:
                raise ValueError("slices of byte columns have step 1")
            return BytesColumn(self.data, self.offsets[start : max(stop, start) + 1])
        if self._values is not None:
            return self._values[index]
        n = len(self)
        if not -n <= index < n:
            raise IndexError(index)
        index %= n
        return self.data[self.offsets[index] : self.offsets[index + 1]]

    def __iter__(self) -> Iterator[bytes]:
        if self._values is not None:
            return iter(self._values)
        data, offsets = self.data, self.offsets.tolist()
        return (data[a:b] for a, b in pairwise(offsets))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, BytesColumn) and self.tolist() == other.tolist()

    __hash__ = None  # type: ignore[assignment]

    @property
    def lengths(self) -> Int64Array:
        return np.diff(self.offsets)

    def join(self) -> bytes:
        """All strings without what may stand before the first and after the last."""
        return self.data[self.offsets[0] : self.offsets[-1]]

    def tolist(self) -> list[bytes]:
        return list(self) if self._values is None else self._values.copy()


class Blobs:
    """Byte strings that are written one after another, as bitmaps are."""

    __slots__ = ("_parts", "lengths", "offsets", "size")

    def __init__(self, parts: Sequence[bytes]) -> None:
        self._parts = parts
        self.lengths: Int64Array = np.fromiter(map(len, parts), np.int64, len(parts))
        ends = np.cumsum(self.lengths)
        self.size: int = int(ends[-1]) if len(parts) else 0
        self.offsets: Int64Array = ends - self.lengths

    def __len__(self) -> int:
        return len(self._parts)

    def join(self, head: bytes = b"") -> bytes:
        """All strings as one, after `head`."""
        return b"".join((head, *self._parts)) if head else b"".join(self._parts)


class Layout:
    """One shape of a record: its fixed-size fields in order, and where a byte string may stand.

    `fixed` has all numbers; `text` is the column of the byte string, `before` the bytes of numbers
    before it, `length` the number that holds its length, which is the last of these; `packer` is of
    that, with where it is among them. `native` are the types of columns. `inner` names, of a
    column that is a nested object, that object's fields. `checks` are (column, function that tells
    what is invalid).
    """

    __slots__ = (
        "before",
        "checks",
        "fixed",
        "inner",
        "length",
        "names",
        "native",
        "packer",
        "text",
    )

    def __init__(
        self,
        fields: Sequence[tuple[str, str]],
        *,
        inner: dict[str, tuple[str, ...]] | None = None,
        text: str | None = None,
        length: str | None = None,
        before: int = 0,
        checks: tuple[tuple[str, Callable[[Any], Any]], ...] = (),
    ) -> None:
        self.fixed: np.dtype[Any] = np.dtype(list(fields))
        self.names = [name for name, _ in fields]
        self.native = {name: np.dtype(kind).base.newbyteorder("=") for name, kind in fields}
        self.inner = inner or {}
        self.checks = checks
        self.text, self.length, self.before = text, length, before
        self.packer = None
        if length is not None:
            at = self.names.index(length)
            kind = [kind for _, kind in fields][at]
            self.packer = _packer([kind]), before - self.fixed[length].itemsize


def _packer(kinds: Sequence[str]) -> struct.Struct:
    """Of numbers given as dtypes, which are of one byte order."""
    dtypes = [np.dtype(kind) for kind in kinds]
    orders = {dtype.str[0] for dtype in dtypes} - {"|"} or {">"}
    (order,) = orders
    return struct.Struct(order + "".join(_CODES[dtype.str[1:]] for dtype in dtypes))


_NUMBERS = ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8")
_CODES = dict(zip(_NUMBERS, "bBhHiIqQfd", strict=True))


class RecordArray:
    """Records of one type as columns.

    Each field is an attribute: a numpy array in native byte order of shape (len,), a BytesColumn,
    or, of byte strings of one size, an array of uint8 of shape (len, size). `a[i]` is the Kaitai
    object of a record.
    """

    __slots__ = ("_columns", "_io", "_layout", "_parent", "_raw", "_root", "_text")

    is_record_array = True
    _layouts: ClassVar[Mapping[int | None, Layout]]
    _params: ClassVar[tuple[str, ...]] = ()  # of each record
    _decides: ClassVar[str | None] = None  # the parameter by which there are several layouts

    _io: Any
    _parent: Any
    _root: Any
    _layout: Layout
    _raw: npt.NDArray[Any]
    _text: BytesColumn | None
    _columns: dict[str, Any]
    _record: Callable[[int, tuple[Any, ...]], Any]  # a method of each subclass

    @classmethod
    def from_columns(cls, *params: int, **columns: Any) -> Self:
        """Return an array of columns, all of one length. Raises FormatError.

        Columns that are left out are computed if they can be.
        """
        cls._complete(columns)
        return cls._build(params, columns)

    @classmethod
    def _complete(cls, columns: dict[str, Any]) -> None:
        """Compute the columns that are left out: a subclass with such columns does."""

    @classmethod
    def read(cls, buffer: Buffer, pos: int, count: int, *params: int) -> tuple[Self, int]:
        """Return `count` records from `pos` of a buffer, and where they end. Raises FormatError."""
        layout = cls._choose(params)
        size = layout.fixed.itemsize
        if pos < 0:
            raise FormatError(f"position {pos} is negative", pos)
        if count < 0:
            raise FormatError(f"count {count} is negative", pos)
        if count * size > len(buffer) - pos:
            raise FormatError(f"{count} records do not fit into what is left", pos)
        if layout.packer is not None:
            raw, text, end = _read_texts(buffer, pos, layout, count)
        else:
            text, end = None, pos + count * size
            fixed = np.frombuffer(buffer, layout.fixed, count, pos) if count else None
            raw = np.empty(0, layout.fixed) if fixed is None else fixed
        self = cls._new(params, raw, text)
        for name, breaks in layout.checks:
            wrong = breaks(self._column(name))
            if wrong.any():
                first = int(np.argmax(wrong))
                value = raw[name][first].item()
                raise FormatError(f"{name} of record {first} is {value}, which is not valid", end)
        return self, end

    @classmethod
    def _new(cls, params: Sequence[int], raw: npt.NDArray[Any], text: BytesColumn | None) -> Self:
        self = cls.__new__(cls)
        self._layout, self._raw, self._text = cls._choose(params), raw, text
        self._columns = {}
        self._io = self._parent = self._root = None
        for name, value in zip(cls._params, params, strict=True):
            setattr(self, name, value)
        return self

    @classmethod
    def _choose(cls, params: Sequence[int]) -> Layout:
        variant = None if cls._decides is None else params[cls._params.index(cls._decides)]
        try:
            return cls._layouts[variant]
        except KeyError:
            raise FormatError(
                f"{cls.__name__} has no layout for parameter {variant}", None
            ) from None

    @classmethod
    def _build(cls, params: Sequence[int], columns: dict[str, Any]) -> Self:
        layout = cls._choose(params)
        names = [layout.text if name == layout.length else name for name in layout.names]
        if sorted(map(str, names)) != sorted(columns):
            raise TypeError(f"{cls.__name__} has the columns {names}")
        text = None
        if layout.text is not None:
            text = BytesColumn.of(columns.pop(layout.text))
            if layout.length is not None:
                columns[layout.length] = text.lengths
        lengths = [len(values) for values in columns.values() if np.ndim(values)]
        count = lengths[0] if lengths else len(text or ())
        raw = np.empty(count, layout.fixed)
        for name, values in columns.items():
            dtype = layout.fixed[name].base
            if np.ndim(values) and len(values) != count:
                raise FormatError(f"{name} has {len(values)} values, others {count}", None)
            raw[name] = fit(values, dtype, name)
        return cls._new(params, raw, text)

    def __getattr__(self, name: str) -> Any:
        """A column."""
        if name.startswith("_") or (name not in self._layout.native and name != self._layout.text):
            raise AttributeError(f"{type(self).__name__} has no column {name}")
        return self._column(name)

    def _column(self, name: str) -> Any:
        if name == self._layout.text:
            return self._text
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = self._raw[name].astype(self._layout.native[name])
        return column

    def __len__(self) -> int:
        return len(self._raw)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise ValueError("slices of record arrays have step 1")
            return self._like(self._raw[index], None if self._text is None else self._text[index])
        return self._record(index, self._raw[index].item())

    def __iter__(self) -> Iterator[Any]:
        return (self._record(i, values) for i, values in enumerate(self._raw.tolist()))

    def _like(self, raw: npt.NDArray[Any], text: BytesColumn | None) -> Self:
        params = [getattr(self, name) for name in self._params]
        other = self._new(params, raw, text)
        other._io, other._parent, other._root = self._io, self._parent, self._root
        return other

    def sizes(self) -> Int64Array:
        """Bytes of each record."""
        size = self._layout.fixed.itemsize
        if self._text is None:
            return np.full(len(self), size, np.int64)
        return size + self._text.lengths

    def to_bytes(self) -> bytes:
        """The records one after another."""
        if self._text is None or not len(self):
            return self._raw.tobytes()
        layout, sizes = self._layout, self.sizes()
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(self) else 0
        out = np.empty(total, np.uint8)
        is_text = np.ones(total, np.bool_)
        frames = np.ascontiguousarray(self._raw).view(np.uint8).reshape(len(self), -1)
        for k, positions in _frame_positions(layout, ends - sizes, ends):
            out[positions] = frames[:, k]
            is_text[positions] = False
        out[is_text] = np.frombuffer(self._text.join(), np.uint8)
        return out.tobytes()


def _frame_positions(
    layout: Layout, starts: Int64Array, ends: Int64Array
) -> Iterator[tuple[int, Int64Array]]:
    """For each byte of the fixed-size fields, where it stands in each record."""
    size = layout.fixed.itemsize
    for k in range(layout.before):
        yield k, starts + k
    for k in range(layout.before, size):
        yield k, ends - (size - k)


def _read_texts(
    buffer: Buffer, pos: int, layout: Layout, count: int
) -> tuple[npt.NDArray[Any], BytesColumn, int]:
    """Records with a byte string: one loop over the lengths, everything else on whole columns."""
    assert layout.packer is not None
    size = layout.fixed.itemsize
    packer, length_at = layout.packer
    starts = np.empty(count + 1, np.int64)
    at = pos
    for i in range(count):
        starts[i] = at - pos
        if at + size > len(buffer):
            raise FormatError(f"record {i} of {count} ends after the last byte", at)
        (length,) = packer.unpack_from(buffer, at + length_at)
        if length < 0:
            raise FormatError(f"length {length} is negative", at + length_at)
        at += size + length
    if at > len(buffer):
        raise FormatError(f"record {count - 1} of {count} ends after the last byte", at)
    starts[count] = at - pos
    data = np.frombuffer(buffer, np.uint8, at - pos, pos)
    frames = np.empty((count, size), np.uint8)
    is_text = np.ones(at - pos, np.bool_)
    for k, positions in _frame_positions(layout, starts[:-1], starts[1:]):
        frames[:, k] = data[positions]
        is_text[positions] = False
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.diff(starts) - size, out=offsets[1:])
    text = BytesColumn(data[is_text].tobytes(), offsets)
    return frames.view(layout.fixed).reshape(count), text, at
