# Generated from tools/ksy/library/arrays.py.in by `python -m tools.ksy generate`. Do not edit.
"""What the generated codecs share: reading by range with bounds checks, and arrays of records."""

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

_FIRST_READ = 2048
_READ_AHEAD = 64


class Reader:
    """Reads a buffer or a Kaitai stream in order, never past its end or by an unchecked size.

    `at` is where the next bytes stand in `buffer`; `base + at` is their position in the stream.
    """

    __slots__ = ("at", "base", "buffer", "end", "stream")

    def __init__(self, buffer: Buffer, position: int) -> None:
        self.buffer: Buffer = buffer
        self.base, self.at, self.end = 0, position, len(buffer)
        self.stream: Any = None
        if position < 0:
            raise FormatError(f"position {position} is negative", position)

    @classmethod
    def of_stream(cls, stream: Any, position: int) -> Self:
        """Reads ranges of a KaitaiStream from `position`; asks for more than needed only once."""
        self = cls.__new__(cls)
        # KaitaiStream keeps the size of a seekable stream; size() asks the stream each time.
        size = getattr(stream, "_size", None)
        self.end = stream.size() if size is None else size
        if not 0 <= position <= self.end:
            raise FormatError(f"position {position} is outside of the {self.end} bytes", position)
        self.buffer, self.base, self.at = b"", position, 0
        self.stream = stream
        return self

    @property
    def pos(self) -> int:
        return self.base + self.at

    @property
    def eof(self) -> bool:
        return self.base + self.at >= self.end

    def take(self, size: int) -> int:
        """Makes sure of `size` bytes, steps over them and returns where they start in `buffer`."""
        at = self.at
        if size < 0 or size > self.end - self.base - at:
            self._refuse(size)
        if at + size > len(self.buffer):
            self._fill(size)
            at = 0
        self.at = at + size
        return at

    def _refuse(self, size: int) -> None:
        left = self.end - self.base - self.at
        raise FormatError(f"{size} bytes are wanted and {left} are left", self.pos)

    def _fill(self, size: int) -> None:
        position = self.base + self.at
        length = min(max(size + _READ_AHEAD, _FIRST_READ), self.end - position)
        read_some = getattr(self.stream, "read_some", None)
        if read_some is not None:
            data = read_some(position, size, length)
        else:
            file = self.stream._io
            file.seek(position)
            data = file.read(length)
        if len(data) < size:
            raise FormatError(f"{size} bytes are wanted and {len(data)} are left", position)
        self.buffer, self.base, self.at = data, position, 0

    def raw(self, size: int) -> bytes:
        at = self.take(size)
        return bytes(self.buffer[at : at + size])

    def rest(self) -> bytes:
        return self.raw(self.end - self.pos)

    def array(self, dtype: np.dtype[Any], count: int) -> npt.NDArray[Any]:
        """`count` numbers or fixed-size records in the file's byte order; many are a view.

        A few are copied: objects live on until garbage is collected, for they know their parents,
        and views would keep all of the buffer as long.
        """
        if count < 0:
            raise FormatError(f"count {count} is negative", self.pos)
        if count == 0:
            return np.empty(0, dtype)
        size = count * dtype.itemsize
        at = self.take(size)
        found = np.frombuffer(self.buffer, dtype, count, at)
        return found.copy() if 4 * size < len(self.buffer) else found

    def numbers(self, dtype: np.dtype[Any], count: int) -> npt.NDArray[Any]:
        """`count` numbers in native byte order."""
        found = self.array(dtype, count)
        return found.copy() if dtype.isnative else found.astype(dtype.newbyteorder("="))

    def remaining_count(self, size: int) -> int:
        """How many records of `size` bytes are left, for `repeat: eos`."""
        return -(-(self.end - self.pos) // size)


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


def invalid(name: str, value: Any, reader: Reader) -> FormatError:
    """The error of a field that breaks its `valid`; the reader stands right after it."""
    return FormatError(f"{name} is {value!r}, which is not valid", reader.pos)


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
    before it, `length` the number that holds its length, which is the last of these; `packers` are
    for the numbers before it and after it. `native` are the types of columns. `inner` names, of a
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
        "packers",
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
        self.packers = None
        if length is not None:
            at = self.names.index(length)
            kinds = [kind for _, kind in fields]
            self.packer = _packer(kinds[at : at + 1]), before - self.fixed[length].itemsize
            if len({kind[0] for kind in kinds} & {"<", ">"}) < 2:
                self.packers = _packer(kinds[: at + 1]), _packer(kinds[at + 1 :])


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

    __slots__ = ("_columns", "_fixed", "_io", "_layout", "_parent", "_root", "_rows", "_text")

    is_record_array = True
    _layouts: ClassVar[Mapping[int | None, Layout]]

    _io: Any
    _parent: Any
    _root: Any
    _layout: Layout
    _fixed: npt.NDArray[Any] | None
    _rows: list[tuple[Any, ...]] | None
    _text: BytesColumn | None
    _columns: dict[str, Any]
    _record: Callable[[int, tuple[Any, ...]], Any]  # a method of each subclass

    @classmethod
    def _new(
        cls,
        layout: Layout,
        numbers: npt.NDArray[Any] | list[tuple[Any, ...]],
        text: BytesColumn | None,
    ) -> Self:
        """Of the numbers of the records: an array of `layout.fixed`, or a few as tuples."""
        self = cls.__new__(cls)
        self._layout, self._text = layout, text
        self._fixed, self._rows = (None, numbers) if isinstance(numbers, list) else (numbers, None)
        self._columns = {}
        self._io = self._parent = self._root = None
        return self

    @property
    def _raw(self) -> npt.NDArray[Any]:
        if self._fixed is None:
            self._fixed = np.array(self._rows, self._layout.fixed)
        return self._fixed

    @classmethod
    def _choose(cls, variant: int | None) -> Layout:
        try:
            return cls._layouts[variant]
        except KeyError:
            raise FormatError(
                f"{cls.__name__} has no layout for parameter {variant}", None
            ) from None

    @classmethod
    def _build(cls, variant: int | None, columns: dict[str, Any]) -> Self:
        """An array from its columns; FormatError if lengths differ or a number does not fit."""
        layout = cls._choose(variant)
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
        return cls._new(layout, raw, text)

    @classmethod
    def _read(cls, reader: Reader, variant: int | None, count: int) -> Self:
        layout = cls._choose(variant)
        if layout.packer is None:
            self = cls._new(layout, reader.array(layout.fixed, count), None)
        else:
            few = _read_few(reader, layout, count) if layout.packers and 0 < count <= _FEW else None
            self = cls._new(layout, *(few or _read_texts(reader, layout, count)))
        self._io = reader.stream
        for name, breaks in layout.checks:
            if self._rows is not None:
                at = layout.names.index(name)
                for row in self._rows:
                    if breaks(row[at]):
                        break
                else:
                    continue
            wrong = breaks(self._column(name))
            if wrong.any():
                first = int(np.argmax(wrong))
                value = self._raw[name][first].item()
                raise FormatError(
                    f"{name} of record {first} is {value}, which is not valid", reader.pos
                )
        return self

    def place_in(self, parent: Any) -> None:
        """Tells the records whose they are."""
        self._io, self._parent, self._root = parent._io, parent, parent._root

    def _column(self, name: str) -> Any:
        column = self._columns.get(name)
        if column is None:
            if name == self._layout.text:
                return self._text
            dtype = self._layout.native[name]
            if self._rows is None:
                column = self._raw[name].astype(dtype)
            else:
                at = self._layout.names.index(name)
                column = np.array([row[at] for row in self._rows], dtype)
            self._columns[name] = column
        return column

    def numbers(self, *names: str) -> list[list[Any]]:
        """Columns of numbers as Python's: for a few records the quickest way to look at them."""
        return [self._raw[name].tolist() for name in names]

    def __len__(self) -> int:
        return len(self._raw if self._rows is None else self._rows)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise ValueError("slices of record arrays have step 1")
            return self._like(self._raw[index], None if self._text is None else self._text[index])
        row = self._raw[index].item() if self._rows is None else self._rows[index]
        return self._record(index, row)

    def __iter__(self) -> Iterator[Any]:
        rows = self._raw.tolist() if self._rows is None else self._rows
        return (self._record(i, values) for i, values in enumerate(rows))

    def _like(self, raw: npt.NDArray[Any], text: BytesColumn | None) -> Self:
        other = self._new(self._layout, raw, text)
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


_FEW = 64


def _read_few(
    reader: Reader, layout: Layout, count: int
) -> tuple[list[tuple[Any, ...]], BytesColumn] | None:
    """A few records with a byte string, one by one; None if not all are in what is read at once."""
    assert layout.packers is not None
    head, tail = layout.packers
    size = head.size + tail.size
    if len(reader.buffer) - reader.at < size:
        reader.at = reader.take(min(reader.end - reader.pos, _FIRST_READ))
    buffer, at, limit = reader.buffer, reader.at, len(reader.buffer)
    rows, texts = [], []
    for _ in range(count):
        if limit - at < size:
            return None
        numbers = head.unpack_from(buffer, at)
        start = at + head.size
        end = start + numbers[-1]
        if not start <= end <= limit - tail.size:
            return None
        rows.append(numbers + tail.unpack_from(buffer, end))
        texts.append(bytes(buffer[start:end]))
        at = end + tail.size
    reader.at = at
    return rows, BytesColumn.of(texts)


def _read_texts(reader: Reader, layout: Layout, count: int) -> tuple[npt.NDArray[Any], BytesColumn]:
    """Records with a byte string: one loop over the lengths, everything else on whole columns."""
    size = layout.fixed.itemsize
    if count < 0:
        raise FormatError(f"count {count} is negative", reader.pos)
    if count * size > reader.end - reader.pos:
        raise FormatError(f"{count} records do not fit into what is left", reader.pos)
    assert layout.packer is not None
    packer, length_at = layout.packer
    unpack = packer.unpack_from
    # Reads ahead, by what the records so far need, until the last record is there.
    begin, starts = reader.pos, np.empty(count + 1, np.int64)
    lengths: list[int] = []
    want = min(reader.end - begin, max(_FIRST_READ, count * (size + 16)))
    done = 0
    relative = 0
    found: list[int] = []
    append, note = found.append, lengths.append
    while True:
        at = reader.take(want)
        reader.at = at
        buffer, limit = reader.buffer, at + want
        if not isinstance(buffer, bytes):
            buffer = memoryview(buffer)
        pos = at + relative
        while done < count and pos + size <= limit:
            length = unpack(buffer, pos + length_at)[0]
            if length < 0:
                raise FormatError(f"length {length} is negative", begin + pos - at + length_at)
            after = pos + size + length
            if after > limit:
                break
            append(pos - at)
            note(length)
            pos = after
            done += 1
        relative = pos - at
        if done == count:
            break
        # What the next record needs at the least; more than is there is refused by take().
        need = relative + size
        if pos + size <= limit:
            need += unpack(buffer, pos + length_at)[0]
        if need > reader.end - begin:
            raise FormatError(
                f"record {done} of {count} ends after the last byte", begin + relative
            )
        want = min(reader.end - begin, max(need, 2 * want))
    reader.at = at + relative
    starts[:count], starts[count] = found, relative
    data = np.frombuffer(reader.buffer, np.uint8, relative, at)
    frames = np.empty((count, size), np.uint8)
    is_text = np.ones(relative, np.bool_)
    for k, positions in _frame_positions(layout, starts[:-1], starts[1:]):
        frames[:, k] = data[positions]
        is_text[positions] = False
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return frames.view(layout.fixed).reshape(count), BytesColumn(data[is_text].tobytes(), offsets)
