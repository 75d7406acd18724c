"""What the generated views share: fields that are checked, and repeats that are read as columns."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import wraps
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeVar

from .arrays import Buffer as Buffer
from .arrays import BytesColumn, Int64Array, fit
from .errors import EndError, FormatError
from .late import np

if TYPE_CHECKING:
    import numpy.typing as npt

MANY = 64
"""More records of numbers than this are arrays, which then take less time to make than tuples."""

MANY_EMPTY = 1 << 16
"""A repeat has at most this many elements without bytes."""

_T = TypeVar("_T")


class Field:
    """A number as its spec describes it, or, without a code, a byte string after its length.

    Attributes:
        name: The name in the spec.
        path: The spec, and the place in it.
        code: Byte order and letter for `struct`, or None.
        equal, least, most, any_of: The values that are valid: constants, or functions of the view.
        column: The name of its column, which is that of the object if it is in one.
        value: Computes the column from those that are given, if it is left out when written.
    """

    __slots__ = (
        "any_of",
        "code",
        "column",
        "equal",
        "is_checked",
        "is_float",
        "least",
        "most",
        "name",
        "path",
        "size",
        "value",
    )

    def __init__(
        self,
        name: str,
        path: str,
        code: str | None = None,
        *,
        equal: Any = None,
        least: Any = None,
        most: Any = None,
        any_of: Any = None,
        column: str | None = None,
        value: Callable[[Any], Any] | None = None,
    ) -> None:
        self.name, self.path, self.code = name, path, code
        self.column, self.value = column or name, value
        self.size = 0 if code is None else struct.calcsize(code)
        self.is_float = code is not None and code[-1] in "fd"
        self.equal, self.least, self.most, self.any_of = equal, least, most, any_of
        self.is_checked = not equal is least is most is any_of is None

    @property
    def dtype(self) -> np.dtype[Any]:
        """Numpy's type of the number, in the file's byte order."""
        assert self.code is not None
        if self.code[-1] == "s":
            return np.dtype((np.uint8, int(self.code[1:-1])))
        return np.dtype(self.code[0] + _KINDS[self.code[-1]])

    def error(self, value: Any, offset: int, view: Any = None) -> FormatError | None:
        """Return the error over this value at byte `offset`; None if it is valid."""
        equal, least, most, any_of = (
            each(view) if callable(each) else each
            for each in (self.equal, self.least, self.most, self.any_of)
        )
        if equal is not None and value != equal:
            message = f"the field {self.name} is {value!r} instead of {equal!r}"
        elif (
            (least is not None and not value >= least)  # a NaN is not
            or (most is not None and not value <= most)
            or (any_of is not None and value not in any_of)
        ):
            message = f"the field {self.name} cannot be {value!r}"
        else:
            return None
        return FormatError(message, offset, field=self.path, value=value)

    def first_wrong(self, values: Any) -> int | None:
        """Return the place of the first value that is not valid; None if all are."""
        if not len(values):
            return None
        if not isinstance(values, tuple | list):
            wrong = np.zeros(len(values), np.bool_)
            if isinstance(self.equal, bytes):
                wrong |= (values != np.frombuffer(self.equal, np.uint8)).any(axis=1)
            elif self.equal is not None:
                wrong |= values != self.equal
            if self.least is not None:
                wrong |= ~(values >= self.least)
            if self.most is not None:
                wrong |= ~(values <= self.most)
            if self.any_of is not None:
                wrong |= ~np.isin(values, self.any_of)
            return int(wrong.argmax()) if wrong.any() else None
        if not self.is_float and (
            (self.equal is None or values.count(self.equal) == len(values))
            and (self.least is None or min(values) >= self.least)
            and (self.most is None or max(values) <= self.most)
            and (self.any_of is None or set(values) <= set(self.any_of))
        ):
            return None
        wrong_ones = (i for i, value in enumerate(values) if self.error(value, 0) is not None)
        return next(wrong_ones, None)


def cut(d: Buffer, start: int, p: int, size: int) -> FormatError:
    """Return the error over `size` bytes at place `p`: some are missing, or one is negative."""
    if p < 0:
        return FormatError("a place before the first byte", start + p)
    if size < 0:
        return FormatError(f"a length of {size} bytes", start + p)
    return EndError(start + p, size, max(len(d) - p, 0))


def broken(fields: Sequence[Field], d: Buffer, start: int, p: int, view: Any = None) -> FormatError:
    """Return the error of the first of these fields, from place `p` on, that is not valid or cut.

    They stand one after another in bytes that begin at `start` in the file. `view` gets the values
    on which it depends what is valid.
    """
    value: Any = 0
    size = 0
    for field in fields if p >= 0 else ():
        size = value if field.code is None else field.size
        if not 0 <= size <= len(d) - p:
            break
        if field.code is not None:
            (value,) = struct.unpack_from(field.code, d, p)
            if view is not None:
                setattr(view, field.name, value)
            if (error := field.error(value, start + p, view)) is not None:
                return error
        p += size
    return cut(d, start, p, size)


class Numbers:
    """Numbers one after another, and how a view reads them."""

    __slots__ = ("fields", "unpack_from")

    def __init__(self, codes: str, *fields: Field) -> None:
        self.fields, self.unpack_from = fields, struct.Struct(codes).unpack_from

    def broken(self, d: Buffer, start: int, p: int, view: Any) -> FormatError:
        """Return the error of the first one, from place `p` on, that is not valid or cut."""
        return broken(self.fields, d, start, p, view)


def wrong(message: str, offset: int, field: str = "", value: Any = None) -> FormatError:
    """Return the error over a value."""
    return FormatError(message, offset, field=field, value=value)


def guarded(init: Callable[..., None]) -> Callable[..., None]:
    """Return the constructor of a view whose expressions may fail, such as a division by zero."""

    @wraps(init)
    def checked(self: Any, d: Buffer, start: int, p: int, *rest: Any, **options: Any) -> None:
        try:
            init(self, d, start, p, *rest, **options)
        except FormatError:
            raise
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
            raise FormatError(f"a value cannot be computed: {error}", start + p) from error
        except (RecursionError, MemoryError) as error:
            raise FormatError("objects are nested too deep", start + p) from error

    return checked


def window(
    kind: Callable[..., _T],
    d: Buffer,
    start: int,
    p: int,
    size: int | None,
    *arguments: Any,
    **options: Any,
) -> _T:
    """Return the view of a type that has a stream of its own: the `size` bytes at place `p`."""
    size = len(d) - p if size is None else size
    if p < 0 or not 0 <= size <= len(d) - p:
        raise cut(d, start, p, size)
    try:
        return kind(d[p : p + size], 0, 0, *arguments, **options)
    except FormatError as error:
        error.move(start + p)
        raise


class RecordLayout:
    """How records of one type are read and written: numbers, and at most one byte string.

    Unless `is_wide`, arrays that are read have the types of the file, and may share its memory.
    """

    __slots__ = (
        "_checked",
        "_codes",
        "_head",
        "_is_wide",
        "_length",
        "_order",
        "_packed",
        "_slices",
        "_tail",
        "_types",
        "_unpack_between",
        "fields",
        "numbers",
        "size",
        "text",
    )

    def __init__(self, *fields: Field, is_wide: bool = True) -> None:
        self.fields, self._is_wide = fields, is_wide
        self.numbers = [field for field in fields if field.code is not None]
        self.size = sum(field.size for field in fields)
        """Bytes of a record, without those of its byte string."""
        self.text = next((i for i, field in enumerate(fields) if field.code is None), None)
        """The number of the field that is a byte string."""
        codes = [field.code or "" for field in self.numbers]
        orders = {code[0] for code in codes if struct.calcsize(code) > 1 and code[-1] != "s"}
        # Numbers of both byte orders have no format of `struct`, but one of numpy.
        self._order = None if len(orders) > 1 else (orders or {">"}).pop()
        self._codes = "".join(code[1:] for code in codes)
        checked = {i: field for i, field in enumerate(self.numbers) if field.is_checked}
        self._length: Field | None = None  # that of a byte string, if more than its sign is checked
        if self.text is not None:
            before = self.fields[self.text - 1]
            if (before.equal, before.most, before.any_of) != (None,) * 3 or (before.least or 0) > 0:
                self._length = before
            else:
                checked.pop(self.text - 1, None)
            head, tail = codes[: self.text], codes[self.text :]
            self._head, self._tail = _unpacker(head), _unpacker(tail)
            self._unpack_between, _ = _unpacker(tail + head)
        self._types: tuple[np.dtype[Any], list[np.dtype[Any]]] | None = None
        self._packed: tuple[dict[str, Field], np.dtype[Any]] | None = None
        self._checked = list(checked.items())
        self._slices = [slice(i, None, len(codes)) for i in range(len(codes))]

    def read(
        self, d: Buffer, start: int, p: int, count: int, arrays: bool = False
    ) -> tuple[Any, ...]:
        """Return where `count` records end that stand at place `p`, and then their columns.

        Columns of numbers are tuples, or arrays if there are many or `arrays` are wanted; beside
        byte strings, only if they are wanted. These are a list, or if there are many of unsigned
        lengths, a BytesColumn. Raises FormatError.
        """
        if count < 0:
            count = 0
        end = p + count * self.size
        if p < 0 or end > len(d):
            raise cut(d, start, p, end - p)
        if self.text is not None:
            return self._read_texts(d, start, p, count, arrays)
        columns: list[Any]
        if arrays or count > MANY:
            columns = self._arrays(d, p, count)
        elif self._order is None:
            columns = [_values(column) for column in self._arrays(d, p, count)]
        else:
            values = struct.unpack_from(self._order + self._codes * count, d, p)
            columns = [*map(values.__getitem__, self._slices)]
        if self._checked and (wrong := self._first_wrong(columns)) is not None:
            raise broken(self.fields, d, start, p + wrong * self.size)
        return end, *columns

    def one(self, d: Buffer, start: int, p: int) -> tuple[Any, int]:
        """Return the only column of one record at place `p`, and where it ends."""
        if self.text is None:
            p, column = self.read(d, start, p, 1)
            return column[0], p
        unpack, size = self._head
        q = p + size
        if p >= 0 and q <= len(d):
            (length,) = unpack(d, p)
            end = q + length
            if q <= end <= len(d) and (
                self._length is None or self._length.first_wrong([length]) is None
            ):
                return d[q:end], end
        raise broken(self.fields, d, start, p)

    def sizes(self, columns: Sequence[Any]) -> Int64Array:
        """Return how many bytes each record of these columns takes."""
        sizes = np.full(len(columns[0]), self.size, np.int64)
        if self.text is not None:
            sizes += BytesColumn.of(columns[self.text - 1]).lengths
        return sizes

    def _arrays(self, d: Buffer, p: int, count: int) -> list[npt.NDArray[Any]]:
        dtype, kinds = self._array_types()
        records = np.frombuffer(d, dtype, count, p) if count else np.empty(0, dtype)
        return [records[str(i)].astype(kind, copy=self._is_wide) for i, kind in enumerate(kinds)]

    def _array_types(self) -> tuple[np.dtype[Any], list[np.dtype[Any]]]:
        """Return numpy's types of a record's numbers, and those of the columns."""
        if self._types is None:
            stored = [field.dtype for field in self.numbers]
            record = np.dtype([(str(i), kind) for i, kind in enumerate(stored)])
            self._types = (
                record,
                [_wide(kind) if self._is_wide else kind.base.newbyteorder("=") for kind in stored],
            )
        return self._types

    def _read_texts(
        self, d: Buffer, start: int, p: int, count: int, arrays: bool
    ) -> tuple[Any, ...]:
        assert self.text is not None
        is_unsigned = str(self.fields[self.text - 1].code).isupper()
        if count > MANY and is_unsigned:
            read = self._read_many_texts(d, p, count, arrays)
            if read is not None:
                return read
        (unpack_head, size_head), (unpack_tail, size_tail) = self._head, self._tail
        unpack, step, texts = self._unpack_between, size_tail + size_head, []
        first, q = p, p + size_head
        # After each byte string come the numbers up to the next one, the last of which is the
        # length of that. They make one list: objects for each record would take longer.
        try:
            numbers = list(unpack_head(d, p)) if count else []
            for left in range(count - 1, -1, -1):
                p = q + numbers[-1]
                if p < q:
                    raise broken(self.fields, d, start, q - size_head)
                texts.append(d[q:p])
                numbers += unpack(d, p) if left else unpack_tail(d, p)
                q = p + step
        except (struct.error, OverflowError):
            raise broken(self.fields * 2, d, start, q - size_head) from None
        p = q - size_head
        columns: list[Any] = [*map(numbers.__getitem__, self._slices)]
        if arrays:
            for i, kind in enumerate(self._array_types()[1]):
                if count and isinstance(columns[i][0], bytes):
                    columns[i] = np.frombuffer(b"".join(columns[i]), np.uint8).reshape(count, -1)
                elif i != self.text - 1:
                    columns[i] = np.array(columns[i], kind)
        if self._checked and (wrong := self._first_wrong(columns)) is not None:
            at = first + wrong * self.size + sum(map(len, texts[:wrong]))
            raise broken(self.fields, d, start, at)
        columns[self.text - 1] = texts
        return p, *columns

    def _read_many_texts(
        self, d: Buffer, p: int, count: int, arrays: bool
    ) -> tuple[Any, ...] | None:
        """Return the same, read by unsigned lengths alone; None if bytes are not valid."""
        assert self.text is not None
        code, size, places = str(self.fields[self.text - 1].code), self.size, [p]
        head, append = self._head[1], places.append
        skipped = head - struct.calcsize(code)
        unpack = struct.Struct(f"{code[0]}{skipped}x{code[1:]}").unpack_from
        with suppress(struct.error, OverflowError):
            for _ in range(count):
                (length,) = unpack(d, p)
                p += length + size
                append(p)
        if len(places) <= count or p > len(d):
            return None
        columns: list[Any] = [()] * len(self.numbers)
        if len(columns) > 1 or self._checked:
            dtype, kinds = self._array_types()
            records = np.ndarray(len(d) - size + 1, np.dtype((np.void, size)), d, strides=1)
            at = np.array(places)
            parts = records[at[:-1]].view(dtype), records[at[1:] - size].view(dtype)
            for i, kind in enumerate(kinds):
                columns[i] = parts[i >= self.text][str(i)].astype(kind)
            if self._checked and self._first_wrong(columns) is not None:
                return None
        if not arrays:
            columns = [_values(np.asarray(column)) for column in columns]
        columns[self.text - 1] = BytesColumn(d, places, (head, size - head))
        return p, *columns

    def _first_wrong(self, columns: Sequence[Any]) -> int | None:
        """Return the number of the first record with a number that is not valid."""
        wrong = (field.first_wrong(columns[i]) for i, field in self._checked)
        return min((at for at in wrong if at is not None), default=None)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Numpy's type of a record without its byte string; of one number, that of the number."""
        return self.numbers[0].dtype if len(self.fields) == 1 else self._written()[1]

    def _written(self) -> tuple[dict[str, Field], np.dtype[Any]]:
        """Return the numbers by the names of their columns, and numpy's type of all of them."""
        if self._packed is None:
            names = [field.column for field in self.numbers]
            if self.text is not None:
                names[self.text - 1] = f"len({self.fields[self.text].column})"
            fields = dict(zip(names, self.numbers, strict=True))
            self._packed = fields, np.dtype([(n, field.dtype) for n, field in fields.items()])
        return self._packed

    def pack(self, **columns: Any) -> BytesColumn:
        """Return the records of these columns, which have one length or are single values.

        Columns that are constant or computed may be left out.

        Raises:
            FormatError: A number does not fit its type, or columns differ in length.
            TypeError: A column is missing, or is not one of the records.
        """
        fields, dtype = self._written()
        given = {name: values for name, values in columns.items() if values is not None}
        text = None
        if self.text is not None:
            name = self.fields[self.text].column
            text = BytesColumn.of(given.pop(name, ()))
            given[f"len({name})"] = text.lengths
        if given.keys() != fields.keys():
            left_out = fields.keys() - given.keys()
            for name in sorted(left_out, key=lambda name: fields[name].value is not None):
                given[name] = _computed(fields[name], given)
            if unknown := given.keys() - fields.keys():
                raise TypeError(f"the records have no column {min(unknown)}")
        count = next((len(values) for values in given.values() if np.ndim(values)), 0)
        records = np.empty(count, dtype)
        for name, values in given.items():
            if isinstance(values, bytes):  # those of each record
                values = np.broadcast_to(np.frombuffer(values, np.uint8), (count, len(values)))
            if np.ndim(values) and len(values) != count:
                raise FormatError(f"{name} has {len(values)} values, others {count}", None)
            records[name] = fit(values, dtype[name].base, name)
            field = fields[name]
            if field.is_checked and (wrong := field.first_wrong(records[name])) is not None:
                value = records[name][wrong].item()
                raise FormatError(f"{name}[{wrong}] cannot be {value!r}", None, field=field.path)
        if text is None or not count:
            return BytesColumn(records.tobytes(), np.arange(count + 1) * self.size)
        return self._with_texts(records, text)

    def _with_texts(self, records: npt.NDArray[Any], text: BytesColumn) -> BytesColumn:
        """Return numbers with byte strings among them."""
        offsets = text.offsets - text.offsets[0] + np.arange(len(text) + 1) * self.size
        starts, ends = offsets[:-1], offsets[1:]
        out = np.empty(int(offsets[-1]), np.uint8)
        is_text = np.ones(len(out), np.bool_)
        before = sum(field.size for field in self.fields[: self.text])
        for k, column in enumerate(records.view(np.uint8).reshape(-1, self.size).T):
            positions = starts + k if k < before else ends - (self.size - k)
            out[positions] = column
            is_text[positions] = False
        out[is_text] = np.frombuffer(text.join(), np.uint8)
        return BytesColumn(out.tobytes(), offsets)


def _computed(field: Field, given: Mapping[str, Any]) -> Any:
    """Return a column that is left out: a constant, or from others. Raises TypeError."""
    if field.value is not None:
        wide = {name: np.asarray(values) for name, values in given.items()}
        wide = {n: v.astype(np.int64) if v.dtype.kind in "iu" else v for n, v in wide.items()}
        return field.value(SimpleNamespace(**wide))
    if field.equal is None:
        raise TypeError(f"the column {field.column} is missing")
    return field.equal


def _values(column: npt.NDArray[Any]) -> tuple[Any, ...]:
    """Return the numbers of a column, or the bytes of each of its rows."""
    return tuple(map(bytes, column) if column.ndim > 1 else column.tolist())


def _unpacker(codes: Sequence[str]) -> tuple[Callable[[Buffer, int], tuple[Any, ...]], int]:
    """Return what reads these numbers from a place, and how many bytes they take."""
    orders = {code[0] for code in codes if struct.calcsize(code) > 1} or {">"}
    formats = codes if len(orders) > 1 else [orders.pop() + "".join(code[1:] for code in codes)]
    packers = [struct.Struct(text) for text in formats]
    if len(packers) == 1:
        return packers[0].unpack_from, packers[0].size

    def unpack(d: Buffer, p: int) -> tuple[Any, ...]:
        numbers: tuple[Any, ...] = ()
        for packer in packers:
            numbers += packer.unpack_from(d, p)
            p += packer.size
        return numbers

    return unpack, sum(packer.size for packer in packers)


_KINDS = dict(
    zip("bBhHiIqQfd", ("i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"), strict=True)
)


def _wide(kind: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of a column: positions are sums of integers, which 32 bits do not hold."""
    if kind.shape or kind.kind == "f" or kind == np.dtype("u8").newbyteorder(kind.byteorder):
        return kind.base.newbyteorder("=")
    return np.dtype(np.int64)


def choose(condition: Any, then: Any, otherwise: Any) -> Any:
    """Return `then if condition else otherwise`, for each element if the condition is an array."""
    if getattr(condition, "ndim", 0):
        return np.where(condition, then, otherwise)
    return then if condition else otherwise


def layout_for(layouts: Mapping[int, RecordLayout], kind: int) -> RecordLayout:
    """Return the layout of records for a parameter. Raises FormatError."""
    layout = layouts.get(kind)
    if layout is None:
        raise FormatError(f"there is no layout for parameter {kind}")
    return layout
