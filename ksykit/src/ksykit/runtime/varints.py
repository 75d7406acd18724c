"""Many integers of variable length (`varint.ksy`, LEB128) at once, as arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from .arrays import Buffer, BytesColumn, Int64Array, fit
from .columns import Bytes, check, interleaved, spans
from .errors import EndError, FormatError
from .late import np
from .records import MANY

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.uint64]

_MOST_GROUPS = 10
"""The bytes of the longest integers: seven bits each."""


class Integers(NamedTuple):
    """Integers, one of each object, and the places after them."""

    value: Int64Array
    end: Int64Array


class IntegerLists(NamedTuple):
    """Lists of integers, one of each object, and the places after them.

    List i is `value[offsets[i]:offsets[i + 1]]`. Lists to write have no places.
    """

    value: Int64Array
    offsets: Int64Array
    end: Int64Array | None = None

    @property
    def lengths(self) -> Int64Array:
        """The number of integers in each list."""
        return np.diff(self.offsets)

    def pack(self) -> BytesColumn:
        """Return the bytes of each list."""
        packed = pack_integers(self.value)
        return BytesColumn(packed.data, packed.offsets[self.offsets])


def integers(d: Bytes, start: int, p: Int64Array) -> Integers:
    """Return the integer at each place. Raises FormatError."""
    values, ends = _decoded(d, start, p, 63)
    return Integers(values.view(np.int64), ends)


def integer_lists(d: Bytes, start: int, p: Int64Array, count: Int64Array) -> IntegerLists:
    """Return lists of so many integers, one list at each place.

    Raises:
        FormatError: One is cut, or has an integer of more than 63 bits.
    """
    offsets = np.zeros(len(p) + 1, np.int64)
    np.cumsum(count, out=offsets[1:])
    if not len(p) or (count == 1).all():
        value, end = integers(d, start, p)
        return IntegerLists(value, offsets, end)
    low = int(p.min())
    lasts = np.flatnonzero(d[low:] < 128) + low  # the last byte of each integer
    first = np.searchsorted(lasts, p)
    if (count < 0).any() or (first + count > len(lasts)).any():
        wrong = int(np.argmax((count < 0) | (first + count > len(lasts))))
        raise EndError(start + int(p[wrong]), int(count[wrong]), len(d) - int(p[wrong]))
    if offsets[-1] > len(d):
        raise FormatError("lists overlap", start + low)
    which = np.repeat(first - offsets[:-1], count)
    which += np.arange(len(which))
    begins = lasts.take(which - 1, mode="wrap") + 1
    is_there = count > 0
    begins[offsets[:-1][is_there]] = p[is_there]
    value, ends = integers(d, start, begins)
    end = p.copy()
    end[is_there] = ends[offsets[1:][is_there] - 1]
    return IntegerLists(value, offsets, end)


def read_varints(data: Buffer, offset: int = 0) -> tuple[Numbers, int]:
    """Return the unsigned integers in bytes, and the number of bytes that they take.

    Bytes of an integer that goes on after `data` remain. `offset` is the place in the file.

    Raises FormatError if an integer has more than 64 bits.
    """
    values, used = _following(np.frombuffer(data, np.uint8), offset)
    if len(data) - used >= _MOST_GROUPS:
        raise FormatError("an integer takes more than 64 bits", offset + used)
    return values, used


def _following(octets: Bytes, start: int, most: int | None = None) -> tuple[Numbers, int]:
    """Return the first `most` integers in bytes, or all, and the number of bytes they take."""
    places = np.append(0, np.flatnonzero(octets < 128)[:most] + 1)
    return _decoded(octets, start, places[:-1], 64)[0], int(places[-1])


def _decoded(
    d: Bytes, start: int, p: Int64Array, bits: int, is_strict: bool = True
) -> tuple[Numbers, Int64Array]:
    """Return the unsigned integer at each place, and where it ends.

    One of more bits ends after `d`, or, if `is_strict`, raises FormatError.
    """
    ends = p + 1
    if len(p) and not 0 <= int(p.min()) <= int(p.max()) < len(d):
        check(d, start, p, ends)
    part = d.take(p)
    values = (part & 127).astype(np.uint64)
    some: Any = slice(None)  # those that may go on
    for low in range(7, bits, 7):
        goes_on = part > 127
        if not (count := np.count_nonzero(goes_on)):
            break
        if 8 * count < len(part):
            some = np.arange(len(p))[some][goes_on]
            goes_on = goes_on[goes_on]
        at = ends[some]
        if int(at.max()) >= len(d):
            check(d, start, at[goes_on], at[goes_on] + 1)
        part = d.take(at, mode="clip") * goes_on
        values[some] |= (part & 127).astype(np.uint64) << np.uint64(low)
        ends[some] = at + goes_on
        if low + 7 >= bits and len(wrong := np.flatnonzero(part >> bits - low)):
            places = np.arange(len(p))[some][wrong]
            if is_strict:
                place = start + int(p[places[0]])
                raise FormatError(f"an integer takes more than {bits} bits", place)
            ends[places] = len(d) + 1
    return values, ends


def _one(d: Buffer, start: int, p: int) -> tuple[int, int]:
    """Return the integer of up to 64 bits at a place, and where it ends. Raises FormatError."""
    if p < 0:
        raise FormatError("a place before the first byte", start + p)
    value = 0
    for i, group in enumerate(bytes(d[p : p + _MOST_GROUPS])):
        value |= (group & 127) << 7 * i
        if group < 128 and value < 1 << 64:
            return value, p + i + 1
    if value >> 64 or len(d) - p >= _MOST_GROUPS:
        raise FormatError("an integer takes more than 64 bits", start + p)
    left = max(len(d) - p, 0)
    raise EndError(start + p, left + 1, left)


def varint(kind: Callable[..., Any], d: Buffer, start: int, p: int) -> tuple[int, int]:
    """Return the integer at a place, and where it ends; its view states why there is none."""
    try:
        return _one(d, start, p)
    except FormatError:
        kind(d, start, p)
        raise


def varint_column(
    kind: Callable[..., Any], d: Buffer, start: int, p: int, count: int | None, arrays: bool
) -> tuple[int, Any]:
    """Return where `count` integers end that stand at place `p`, or all, and their column.

    It is a tuple, or an array if there are many or `arrays` are wanted. `kind` is their view, which
    states what is wrong with bytes: it raises FormatError.
    """
    most = None if count is None else max(count, 0)
    if 0 <= p <= len(d):
        end = None if most is None else p + _MOST_GROUPS * most
        octets = np.frombuffer(d, np.uint8)[p:end]
        with suppress(FormatError):
            values, used = _following(octets, start, most)
            if len(values) == most or (most is None and used == len(octets)):
                column = values if values.max(initial=0) >> 63 else values.view(np.int64)
                is_array = arrays or len(values) > MANY
                return p + used, column if is_array else tuple(column.tolist())
    for _ in range(len(d) if most is None else most):  # one of them is wrong
        _, p = varint(kind, d, start, p)
    return p, ()


def pack_integers(value: Sequence[int] | Int64Array) -> BytesColumn:
    """Return unsigned integers as bytes. Raises FormatError."""
    rest = fit(value, np.uint64, "an integer")
    groups = np.ones(len(rest), np.int64)
    for group in range(1, _MOST_GROUPS):
        groups += rest >> np.uint64(7 * group) != 0
    offsets = np.zeros(len(rest) + 1, np.int64)
    np.cumsum(groups, out=offsets[1:])
    out = np.empty(int(offsets[-1]), np.uint8)
    for group in range(int(groups.max(initial=0))):
        some = np.flatnonzero(groups > group)
        part = (rest[some] >> np.uint64(7 * group) & np.uint64(127)).astype(np.uint8)
        part[groups[some] > group + 1] |= 128
        out[offsets[some] + group] = part
    return BytesColumn(out.tobytes(), offsets)


def packed_size(value: int) -> int:
    """Return how many bytes an unsigned integer takes."""
    return max(1, -(-value.bit_length() // 7))


def from_zigzag(values: Numbers) -> NDArray[np.int64]:
    """Return integers whose sign is in the lowest bit as signed integers."""
    half = (values >> np.uint64(1)).astype(np.int64)
    signed: NDArray[np.int64] = half ^ -(values & np.uint64(1)).astype(np.int64)
    return signed


def to_zigzag(values: Any) -> Numbers:
    """Return signed integers as unsigned ones, with the sign in the lowest bit."""
    numbers = np.asarray(values, np.int64)
    unsigned: Numbers = ((numbers << 1) ^ (numbers >> 63)).astype(np.uint64)
    return unsigned


class VarintLayout:
    """How records of unsigned integers, and of byte strings after their length, become columns.

    Args:
        columns: The name of each column, and whether it is of byte strings.
    """

    __slots__ = ("columns",)

    def __init__(self, *columns: tuple[str, bool]) -> None:
        self.columns = columns

    def read(
        self, d: Buffer, start: int, p: int, count: int, arrays: bool = False
    ) -> tuple[Any, ...]:
        """Return where `count` records end that stand at place `p`, and then their columns.

        Columns of numbers are tuples, and those of byte strings lists; if `arrays` are wanted,
        arrays and a BytesColumn. Raises FormatError.
        """
        if p < 0 or count * len(self.columns) > len(d) - p:  # each integer has a byte
            raise EndError(start + max(p, 0), count * len(self.columns), max(len(d) - p, 0))
        kinds, items = [is_bytes for _, is_bytes in self.columns], list[Any]()
        # Item by item, a dictionary of 100,000 texts takes 490 ms instead of 50.
        if arrays and (read := _read_arrays(d, start, p, count, kinds)) is not None:
            return read
        for _ in range(count):
            for is_bytes in kinds:
                if p < len(d) and (value := d[p]) < 128:
                    p += 1
                else:
                    value, p = _one(d, start, p)
                if is_bytes:
                    end = p + value
                    if end > len(d):
                        raise EndError(start + p, value, len(d) - p)
                    items.append(d[p:end])
                    p = end
                else:
                    items.append(value)
        return p, *columns_of(items, "".join("vs"[is_bytes] for is_bytes in kinds), arrays)

    def size(self, record: Sequence[Any]) -> int:
        """Return how many bytes a record takes."""
        size = 0
        for value, (_, is_bytes) in zip(record, self.columns, strict=True):
            size += len(value) + packed_size(len(value)) if is_bytes else packed_size(value)
        return size

    def pack(self, **columns: Any) -> BytesColumn:
        """Return the records of these columns, which have one length. Raises FormatError."""
        pieces = list[BytesColumn]()
        for name, is_bytes in self.columns:
            values = columns.pop(name)
            if is_bytes:
                values = BytesColumn.of(values)
                pieces += [pack_integers(values.lengths), values]
            else:
                pieces.append(pack_integers(values))
        if columns:
            raise TypeError(f"the records have no column {min(columns)}")
        return interleaved(*pieces)


def _read_arrays(
    d: Buffer, start: int, p: int, count: int, kinds: Sequence[bool]
) -> tuple[Any, ...] | None:
    """Return where records end, and their columns as arrays; None if they are not plain.

    For each byte, it computes where the record would end that starts there.
    """
    data = np.frombuffer(d, np.uint8)[p:]
    size, places = len(data), np.arange(len(data) + 2)
    value, after = _decoded(np.append(data, np.zeros(12, np.uint8)), 0, places, 63, is_strict=False)
    value, after, jump = value.view(np.int64), np.minimum(after, size + 1), places
    for is_bytes in kinds:
        reached = after[jump]
        if is_bytes:
            reached = np.where(value[jump] > size - reached, size + 1, reached + value[jump])
        jump = reached
    jumps, starts, place = jump.tolist(), list[int](), 0
    for _ in range(count):
        starts.append(place)
        place = jumps[place]
    if place > size:
        return None
    at, columns = np.array(starts, np.int64), list[Any]()
    for is_bytes in kinds:
        number, at = value[at], after[at]
        texts = spans(data, start + p, at, number) if is_bytes else None
        columns.append(number if texts is None else texts.of(data))
        at = at if texts is None else texts.end
    return p + place, *columns


def columns_of(items: Sequence[Any], codes: str, arrays: bool) -> list[Any]:
    """Return the columns of records whose fields are in one list.

    Each has a code: the letter of `struct` of numbers, or `v` of varints, `s` of byte strings, and
    `t` of text. Numbers are tuples, and the others lists; if `arrays` are wanted, arrays and a
    BytesColumn, but text still is a list.
    """
    columns: list[Any] = [items[i :: len(codes)] for i in range(len(codes))]
    for i, code in enumerate(codes):
        if code not in "st":
            columns[i] = _array(columns[i], code) if arrays else tuple(columns[i])
        elif code == "s" and arrays:
            columns[i] = BytesColumn.of(list(map(bytes, columns[i])))
    return columns


def _array(values: Sequence[Any], code: str = "v") -> Any:
    """Return floats, or int64, or uint64 if the code or a value needs it."""
    if code in "fd":
        return np.array(values, code)
    is_wide = code == "Q" or (code == "v" and max(values, default=0) >= 1 << 63)
    return np.array(values, np.uint64 if is_wide else np.int64)
