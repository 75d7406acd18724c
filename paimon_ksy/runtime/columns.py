"""Fields of many objects at once, at places that are arrays: what generated columns consist of.

No step runs Python code for each object.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from .arrays import BytesColumn, Int64Array
from .errors import EndError, FormatError
from .late import np
from .records import RecordLayout

Bytes: TypeAlias = "np.ndarray[Any, np.dtype[np.uint8]]"
_BITS, _MOST_GROUPS = 7, 9  # groups of bits that int64 holds


class Integers(NamedTuple):
    """Integers of LEB128, one of each object, and the places after them."""

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


class Spans(NamedTuple):
    """Byte strings, one of each object: where they start and end."""

    start: Int64Array
    end: Int64Array

    def of(self, d: Bytes) -> BytesColumn:
        """Return the strings."""
        lengths = self.end - self.start
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        if len(lengths) and lengths[0] and (lengths == lengths[0]).all():
            return BytesColumn(_taken(d, self.start, int(lengths[0])).tobytes(), offsets)
        places = np.repeat(self.start - offsets[:-1], lengths)
        places += np.arange(len(places))
        return BytesColumn(d[places].tobytes(), offsets)


def integers(d: Bytes, start: int, p: Int64Array) -> Integers:
    """Return the integer of LEB128 at each place.

    Raises:
        FormatError: One is cut, or takes more than 63 bits.
    """
    check(d, start, p, p + 1)
    part = d[p]
    if not (part >> _BITS).any():
        return Integers(part.astype(np.int64), p + 1)
    # All groups of each integer as one word: the bytes after its last one become 0.
    word = _words(d, p)
    ends = ~word & np.uint64(0x8080808080808080)
    last = ends & -ends
    length = (np.bitwise_count(last - np.uint64(1)) >> 3).astype(np.int64) + 1
    word &= last | last - np.uint64(1)
    for size, mask in _HALVES:
        word = word & np.uint64(mask) | word >> np.uint64(size) & np.uint64(mask << 7 * size)
    value = word.view(np.int64)
    for i in np.flatnonzero(ends == 0).tolist():
        value[i], length[i] = _long(d, start, int(p[i]))
    check(d, start, p, p + length)
    return Integers(value, p + length)


_HALVES = (1, 0x007F007F007F007F), (2, 0x00003FFF00003FFF), (4, 0x000000000FFFFFFF)
"""For each step that removes the upper bits of groups: by how many bits, and what stays."""


def _words(d: Bytes, p: Int64Array) -> Any:
    """Return eight bytes from each place on, the first one lowest; after the end, they are 0."""
    kind = np.dtype("<u8")
    least = len(d) - kind.itemsize
    if least >= 0 and int(p.max()) <= least:
        return _taken(d, p, kind.itemsize).view(kind)
    padded = np.append(d, np.zeros(kind.itemsize, np.uint8))
    return _taken(padded, p, kind.itemsize).view(kind)


def _long(d: Bytes, start: int, p: int) -> tuple[int, int]:
    """Return an integer of more than eight bytes, and its length."""
    data = d[p : p + _MOST_GROUPS].tolist()
    if len(data) < _MOST_GROUPS or data[-1] >= 1 << _BITS:
        if len(data) < _MOST_GROUPS:
            raise EndError(start + p, len(data) + 1, len(data))
        raise FormatError("an integer takes more than 63 bits", start + p)
    return sum((byte & 127) << _BITS * i for i, byte in enumerate(data)), _MOST_GROUPS


def integer_lists(d: Bytes, start: int, p: Int64Array, count: Int64Array) -> IntegerLists:
    """Return lists of so many integers of LEB128, one list at each place.

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
    ends = lasts[which] + 1
    begins = np.empty_like(ends)
    begins[1:] = ends[:-1]
    is_first = offsets[:-1][count > 0]
    begins[is_first] = p[count > 0]
    lengths = ends - begins
    if len(lengths) and int(lengths.max()) > _MOST_GROUPS:
        wrong = int(np.argmax(lengths > _MOST_GROUPS))
        raise FormatError("an integer takes more than 63 bits", start + int(begins[wrong]))
    value = (d[begins] & np.uint8(127)).astype(np.int64)
    for group in range(1, int(lengths.max(initial=1))):
        more = np.flatnonzero(lengths > group)
        part = d[begins[more] + group] & np.uint8(127)
        value[more] |= part.astype(np.int64) << _BITS * group
    end = p.copy()
    end[count > 0] = ends[offsets[1:][count > 0] - 1]
    return IntegerLists(value, offsets, end)


def spans(d: Bytes, start: int, p: Int64Array, size: Any) -> Spans:
    """Return byte strings of these sizes. Raises FormatError."""
    end = p + size
    check(d, start, p, end)
    return Spans(p, end)


def numbers(d: Bytes, start: int, p: Int64Array, layout: RecordLayout) -> tuple[Any, Int64Array]:
    """Return the only number of a record at each place, and where it ends. Raises FormatError."""
    [field] = layout.fields
    check(d, start, p, p + field.size)
    taken = _taken(d, p, field.size).view(field.dtype)
    value = taken.astype(field.dtype.newbyteorder("=") if field.is_float else np.int64)
    if field.is_checked and (wrong := field.first_wrong(value)) is not None:
        error = field.error(value[wrong].item(), start + int(p[wrong]))
        assert error is not None
        raise error
    return value, p + field.size


def _taken(d: Bytes, p: Int64Array, size: int) -> Any:
    """Return `size` bytes at each place, as items of that size."""
    kind = np.dtype((np.void, size))
    if not len(p):
        return np.empty(0, kind)
    return np.ndarray(len(d) - size + 1, kind, d, strides=1)[p]


def check(d: Bytes, start: int, p: Int64Array, end: Int64Array) -> None:
    """Check that bytes are in `d`. Raises FormatError."""
    if len(p) and (int(p.min()) < 0 or int(end.max()) > len(d) or (end < p).any()):
        wrong = int(np.argmax((p < 0) | (end > len(d)) | (end < p)))
        at, until = int(p[wrong]), int(end[wrong])
        if at < 0 or until < at:
            raise FormatError(f"a length of {until - at} bytes", start + at)
        raise EndError(start + at, until - at, max(len(d) - at, 0))


def pack_integers(value: Sequence[int] | Int64Array) -> BytesColumn:
    """Return integers, none of them negative, as LEB128."""
    rest = np.array(value, np.uint64)
    groups = np.ones(len(rest), np.int64)
    for group in range(1, _MOST_GROUPS + 1):
        groups += rest >> np.uint64(_BITS * group) != 0
    offsets = np.zeros(len(rest) + 1, np.int64)
    np.cumsum(groups, out=offsets[1:])
    out = np.empty(int(offsets[-1]), np.uint8)
    for group in range(int(groups.max(initial=0))):
        some = np.flatnonzero(groups > group)
        part = (rest[some] >> np.uint64(_BITS * group) & np.uint64(127)).astype(np.uint8)
        part[groups[some] > group + 1] |= 128
        out[offsets[some] + group] = part
    return BytesColumn(out.tobytes(), offsets)


def interleaved(*columns: BytesColumn) -> BytesColumn:
    """Return the byte strings of several columns, joined object by object."""
    lengths = np.stack([column.lengths for column in columns], axis=1).ravel()
    ends = np.cumsum(lengths)
    out = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    for i, column in enumerate(columns):
        places = np.repeat(ends[i :: len(columns)] - column.offsets[1:], column.lengths)
        start, stop = int(column.offsets[0]), int(column.offsets[-1])
        places += np.arange(start, stop)
        out[places] = np.frombuffer(column.data, np.uint8)[start:stop]
    offsets = np.zeros(len(lengths) // len(columns) + 1, np.int64)
    offsets[1:] = ends[len(columns) - 1 :: len(columns)]
    return BytesColumn(out.tobytes(), offsets)
