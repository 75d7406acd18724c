"""Repeats of numbers and of flat records, read as columns; an element becomes an object when used.

A record is flat if all its fields have a fixed size, or all but one string after its length.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import Any

from .arrays import BytesColumn
from .errors import FormatError
from .fields import Field
from .kinds import Bits, Bytes, Number, Object, Repeat
from .late import np
from .records import Field as Column
from .records import RecordLayout
from .streams import Source
from .types import WRONG

Path = tuple[str, ...]
_DEEPEST = 16
_CODES = {1: ">B", 2: ">H", 4: ">I", 8: ">Q"}


class Flat:
    """How records are columns, or numbers and strings one column, whose path is `()`.

    `places` has for each field the number of its column, and by how many bits it is shifted.
    """

    def __init__(self, element: Field) -> None:
        self.columns: list[Column] = []
        self.places: dict[Path, tuple[int, int]] = {}
        self._bits: list[tuple[Path, Bits]] = []
        is_flat = type(element) is not Bits and self._add(element, ()) and self._end_bits()
        self.layout = RecordLayout(*self.columns, is_wide=False) if is_flat else None

    def _add(self, one: Field, path: Path) -> bool:
        """Add the columns of a field; return whether that is possible."""
        if type(one) is Bits:
            self._bits.append((path, one))
            return one.when is None and one.valid is None
        if one.when is not None or not self._end_bits():
            return False
        if type(one) is Object:
            inner = one.target
            is_plain = not (one.window or inner.placed) and len(path) < _DEEPEST
            return is_plain and all(self._add(each, (*path, each.name)) for each in inner.seq)
        last = next(reversed(self.places), None)
        self.places[path] = len(self.columns), 0
        if type(one) is Number:
            limits = {"equal": one.equal, "least": one.least, "most": one.most}
            given = {key: _constant(each) for key, each in limits.items() if each is not None}
            any_of = [_constant(each) for each in one.any_of] or None
            code = one.kind.packer.format.rjust(2, ">")
            self.columns.append(Column(one.name, "", code, any_of=any_of, **given))
            return None not in (*given.values(), *(any_of or ()))
        if type(one) is not Bytes or one.valid or (one.coding is not None and one.coding.process):
            return False
        strings = [column.code is None or column.code[-1] == "s" for column in self.columns]
        if one.contents is not None:
            equal, number = int.from_bytes(one.contents, "big"), _CODES.get(len(one.contents))
            self.columns.append(Column(one.name, "", number, equal=equal))
            return number is not None
        if isinstance(size := _constant(one.size), int):
            self.columns.append(Column(one.name, "", f">{size}s"))
            return size > 0 and None not in [column.code for column in self.columns]
        self.columns.append(Column(one.name, "", None))
        return not any(strings) and bool(last) and last == (*path[:-1], one.size_path)

    def _end_bits(self) -> bool:
        """Add a column of the bytes of bits; return whether that is possible."""
        size, before = sum(one.kind.bits for _, one in self._bits), 0
        orders = {one.kind.order for _, one in self._bits}
        for path, one in self._bits:
            shift = size - before - one.kind.bits if one.kind.order == ">" else before
            self.places[path] = len(self.columns), shift
            before += one.kind.bits
        code = _CODES.get(size // 8) if size % 8 == 0 and len(orders) == 1 else None
        if code is not None:
            self.columns.append(Column("bits", "", orders.pop() + code[1]))
        is_possible, self._bits = code is not None or not self._bits, []
        return is_possible


def _constant(function: Callable[[Any], Any] | None) -> Any:
    """Return the value of an expression that uses no field; else None."""
    try:
        return None if function is None else function(None)
    except WRONG:  # what asks None for a field is not constant
        return None


_flat = cache(Flat)


class Rows(Sequence[Any]):
    """A repeat as columns; an element that is an object is made when it is used."""

    def __init__(
        self, repeat: Repeat, columns: Sequence[Any], count: int, node: Any, io: Any, start: int
    ) -> None:
        self._repeat, self._columns, self._count = repeat, columns, count
        self._node, self._io, self._start = node, io, start
        self._starts: Any = None
        self._flat = _flat(repeat.element)
        self._layout: Any = self._flat.layout

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<{self._count:,} elements>"

    def __getitem__(self, index: Any) -> Any:
        i = index + self._count if index < 0 else index
        if not 0 <= i < self._count:
            raise IndexError(index)
        one, io, columns = self._repeat.element, self._io, self._columns
        if type(one) in (Number, Bytes) and not columns:  # it was not read yet
            place, size = self._place(i), self._layout.size
            io.reading.need(io.base + place, io.base + place + size)
            (_, *columns), i = self._layout.read(io.data, io.base, place, 1, True), 0
        if type(one) is Number:
            value = columns[0][i].item()
            return one.members.get(value, value) if one.enum else value
        if type(one) is Bytes:
            return _decoded(one, columns[0][i])
        child = one.target.node(io, self._node, one, i)
        bits = io.bits_left
        with io.moved_to(self._place(i)):
            one.target.read_into(child)
        io.bits_left = bits
        return child

    def list_leaves(self, start: int, end: int) -> None:
        """List the leaves of the elements that are in a part of the file. Raises FormatError."""
        name, base, numbers = self._repeat.name, self._io.base, range(self._count)
        first = bisect_right(numbers, start - base, key=self._place) - 1
        for i in range(max(first, 0), bisect_left(numbers, end - base, key=self._place)):
            value, place = self[i], self._place(i)
            if not isinstance(self._repeat.element, Object):  # whose fields are leaves
                path = f"{self._node._path_of(name)}[{i}]"
                self._io.leaf(path, place, value, place + self._layout.size)

    def _place(self, i: int) -> int:
        if self._layout.text is None:
            return self._start + i * int(self._layout.size)
        if self._starts is None:
            sizes = self._layout.sizes(self._columns)
            self._starts = self._start + np.cumsum(sizes) - sizes
        return int(self._starts[i])

    def column(self, path: Path, one: Any) -> Any:
        """Return the column of a field: an array of numbers, byte strings, or decoded ones."""
        (number, shift), text = self._flat.places[path], self._layout.text
        raw = self._columns[number - (text is not None and number >= text)]
        if type(one) is Bits:
            values = raw.astype(np.uint64) >> np.uint64(shift)
            values &= np.uint64((1 << one.kind.bits) - 1)
            return values.astype(np.bool_ if one.kind.bits == 1 else one.kind.dtype)
        if type(one) is Number:
            if text is not None and number == text - 1:  # the length of the string
                raw = BytesColumn.of(raw).lengths
            return raw.astype(np.dtype(one.kind.dtype).newbyteorder("="), copy=False)
        if one.contents is not None:
            raw = [one.contents] * self._count
        if one.coding is None and one.charset is None:
            if hasattr(raw, "dtype"):
                return BytesColumn(raw.tobytes(), np.arange(self._count + 1) * raw.shape[1])
            return BytesColumn.of(raw)
        return [*self._strings(one, raw)]

    def _strings(self, one: Bytes, raw: Sequence[Any]) -> Iterator[Any]:
        for i, each in enumerate(raw):
            try:
                yield _decoded(one, each)
            except FormatError:
                self[i]  # the same error, with the field and its byte
                raise


def _decoded(one: Bytes, raw: Any) -> Any:
    data = bytes(raw)
    return one.text(data if one.coding is None else one.coding.decoded(data, None), 0)


def as_rows(
    repeat: Repeat, node: Any, io: Source, count: int | None, *, is_late: bool = False
) -> Rows | None:
    """Read a repeat as columns; return None if it is not one of flat records or numbers.

    If `is_late`, elements of one size are only read when they are used.

    Raises:
        FormatError: A record is cut, or not valid.
    """
    is_open = repeat.until is not None or io.bits_left
    layout = None if is_open else _flat(repeat.element).layout
    if layout is None or not layout.size or (count is None and layout.text is not None):
        return None
    start, left = io.pos, max(io.size - io.pos, 0)
    count = max(-(-left // layout.size) if count is None else count, 0)
    if is_late and layout.text is None and count * layout.size <= left:
        io.pos = start + count * layout.size
        return Rows(repeat, (), count, node, io, start)
    length = left if layout.text is not None else min(left, count * layout.size)
    io.reading.need(io.base + start, io.base + start + length)
    try:
        end, *columns = layout.read(io.data, io.base, start, count, True)
    except FormatError as error:
        if layout.text is None and error.offset is not None:  # read what is wrong as an object
            i = (error.offset - io.base - start) // layout.size
            node.__dict__[repeat.name] = []
            io.pos = start + i * layout.size
            repeat.read_element(node, io, i)
        io.pos = start
        return None
    io.pos = int(end)
    return Rows(repeat, columns, count, node, io, start)
