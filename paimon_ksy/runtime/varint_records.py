"""Records of varints, unsigned integers in LEB128, and of byte strings after their length."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .arrays import Buffer, BytesColumn
from .errors import EndError, FormatError
from .late import np

_MOST_BITS = 64
_MOST_GROUPS = 9  # those that int64 holds


class VarintLayout:
    """How records of varints and byte strings are read and written as columns.

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
        if p < 0 or count * len(self.columns) > len(d) - p:  # each varint has a byte
            raise EndError(start + max(p, 0), count * len(self.columns), max(len(d) - p, 0))
        kinds, items = [is_bytes for _, is_bytes in self.columns], list[Any]()
        # Item by item, a dictionary of 100,000 texts takes 490 ms instead of 50.
        if arrays and (read := _read_arrays(d, p, count, kinds)) is not None:
            return read
        try:
            for _ in range(count):
                for is_bytes in kinds:
                    value = d[p]
                    p += 1
                    if value > 127:
                        value, p = _rest(d, start, p, value)
                    if is_bytes:
                        end = p + value
                        if end > len(d):
                            raise EndError(start + p, value, len(d) - p)
                        items.append(d[p:end])
                        p = end
                    else:
                        items.append(value)
        except IndexError:
            raise EndError(start + len(d), 1, 0) from None
        columns: list[Any] = [items[i :: len(kinds)] for i in range(len(kinds))]
        for i, is_bytes in enumerate(kinds):
            if not is_bytes:
                columns[i] = _array(columns[i]) if arrays else tuple(columns[i])
            elif arrays:
                columns[i] = BytesColumn.of(list(map(bytes, columns[i])))
        return p, *columns

    def pack(self, **columns: Any) -> BytesColumn:
        """Return the records of these columns, which have one length."""
        pieces: list[Sequence[bytes]] = []
        for name, is_bytes in self.columns:
            values = columns.pop(name)
            if is_bytes:
                texts = list(values)
                pieces += [[encode(len(text)) for text in texts], texts]
            else:
                pieces.append([encode(int(value)) for value in values])
        if columns:
            raise TypeError(f"the records have no column {min(columns)}")
        return BytesColumn.of([b"".join(record) for record in zip(*pieces, strict=True)])


def encode(value: int) -> bytes:
    """Return an unsigned integer as a varint. Raises FormatError."""
    if not 0 <= value < 1 << _MOST_BITS:
        raise FormatError(f"{value} is not an unsigned integer of {_MOST_BITS} bits", None)
    groups = bytearray()
    while value > 127:
        groups.append(value & 127 | 128)
        value >>= 7
    groups.append(value)
    return bytes(groups)


def _rest(d: Buffer, start: int, p: int, first: int) -> tuple[int, int]:
    """Return the value of a varint after its first group, and where it ends."""
    value, shift = first & 127, 7
    while True:
        group = d[p]
        p += 1
        value |= (group & 127) << shift
        if value >= 1 << _MOST_BITS or (group > 127 and shift + 7 >= _MOST_BITS):
            raise FormatError(f"a varint has more than {_MOST_BITS} bits", start + p - 1)
        if group < 128:
            return value, p
        shift += 7


def _read_arrays(d: Buffer, p: int, count: int, kinds: Sequence[bool]) -> tuple[Any, ...] | None:
    """Return where records end, and their columns as arrays; None if they are not plain.

    For each byte, it computes where the record would end that starts there.
    """
    data = np.frombuffer(d, np.uint8)[p:]
    size = len(data)
    ends = np.flatnonzero(data < 128) + 1
    after = np.full(size + 2, size + 1)  # where the varint ends that starts at a byte
    if len(ends):
        after[: ends[-1]] = np.repeat(ends, np.diff(ends, prepend=0))
    groups = after - np.arange(size + 2)
    value = np.zeros(size + 2, np.int64)
    value[:size] = data & 127
    for group in range(1, _MOST_GROUPS):
        more = np.flatnonzero(groups[:size] > group)
        if not len(more):
            break
        more = more[: np.searchsorted(more, size - group)]
        value[more] |= (data[more + group] & 127).astype(np.int64) << 7 * group
    jump = np.arange(size + 2)
    for is_bytes in kinds:
        reached = after[jump]
        if is_bytes:
            reached = np.where(value[jump] > size - reached, size + 1, reached + value[jump])
        jump = np.minimum(reached, size + 1)
    jumps, places, place = jump.tolist(), list[int](), 0
    for _ in range(count):
        places.append(place)
        place = jumps[place]
    if place > size:
        return None
    columns: list[Any] = []
    at = np.array(places, np.int64)
    for is_bytes in kinds:
        if (groups[at] > _MOST_GROUPS).any():
            return None
        number, at = value[at], after[at]
        columns.append(_texts(data, at, number) if is_bytes else number)
        at = at + number if is_bytes else at
    return p + place, *columns


def _texts(data: Any, starts: Any, lengths: Any) -> BytesColumn:
    """Return the byte strings that start there."""
    offsets = np.concatenate([[0], np.cumsum(lengths)])
    places = np.repeat(starts - offsets[:-1], lengths)
    return BytesColumn(data[places + np.arange(len(places))].tobytes(), offsets)


def _array(values: Sequence[int]) -> Any:
    """Return int64, or uint64 if a value needs it."""
    is_wide = any(value >= 1 << 63 for value in values)
    return np.array(values, np.uint64 if is_wide else np.int64)
