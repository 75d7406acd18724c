"""Streams of a file that is read or written, and windows on them."""

from __future__ import annotations

import gc
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum
from itertools import chain
from math import inf
from mmap import mmap
from typing import TYPE_CHECKING, Any

from .errors import FormatError

if TYPE_CHECKING:
    from .fields import Field
    from .solving import Node

MOST_ZEROS = 1 << 28
"""Bytes of windows that no field of a new object covers, at most."""

_PAGE = 4096
"""Bytes of a file that are read at least."""
_BOTH_ORDERS = "bits of both orders share a byte"

Gap = tuple[int, bytes]
Range = tuple[int, int]


@contextmanager
def no_collection() -> Iterator[None]:
    """Without the garbage collector, which would walk all of a growing tree again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Unresolved(FormatError):
    """A value is needed that is not known yet, or never will be."""

    def __init__(self, node: Node | None, name: str, why: str) -> None:
        super().__init__(why)
        self.node, self.name = node, name

    def __str__(self) -> str:
        path = self.name if self.node is None else self.node._path_of(self.name)
        return f"{path} {self.message}"


def known(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what a function returns, or an `Unresolved` that names what it waits for."""
    try:
        return function(*arguments)
    except Unresolved as missing:
        return missing.with_traceback(None)


class Stage(IntEnum):
    """How far a file is written; what waits is asked again at each stage."""

    OPEN = 0
    PLACED = 1
    CLOSED = 2  # its size is known
    FILLED = 3  # but for checksums, and numbers that follow from them
    WHOLE = 4


@dataclass(frozen=True)
class Leaf:
    """A leaf of an object tree: its bytes are `[start, end)`, absolute."""

    start: int
    end: int
    path: str
    value: Any


# --- Reading ---


class Reading:
    """A file that is read: which bytes fields cover, and its leaves.

    Args:
        data: The file, or a source of `ksykit.io`, of which it reads what is asked for.
        parts: Positions of parts of it that are read for themselves.
        outer: What has the encoded bytes that `data` stands for.
        is_compared: Whether to note bytes that a writer would encode otherwise.
        has_leaves: Whether to list the leaves.
        as_rows: Reads a repeat as a sequence of another kind than a list, or returns None.
    """

    def __init__(
        self,
        data: Any,
        parts: frozenset[int] = frozenset(),
        outer: Reading | None = None,
        *,
        is_compared: bool = False,
        has_leaves: bool = False,
        as_rows: Callable[..., Any] | None = None,
    ) -> None:
        self.as_rows: Callable[..., Any] | None = as_rows if outer is None else outer.as_rows
        self.parts, self.outer, self._source = parts, outer, None
        if isinstance(data, bytes | bytearray | memoryview):
            self.data = memoryview(bytes(data))
        else:
            self._source, self._has = data, bytearray(-(-data.size // _PAGE))
            self.data = memoryview(mmap(-1, max(data.size, 1)))[: data.size]
        self.is_compared: bool = is_compared if outer is None else outer.is_compared
        self.leaves: list[Leaf] | None = [] if has_leaves else None  # not those of encoded bytes
        self.covered: list[Range] = []
        self.changed: list[Range] = []
        self.spare: Counter[int] = Counter()
        """In how many objects the last bits of a byte are no field's and are not zeros."""
        self.high, self.tail = 0, inf  # where others end, and what is from the end starts
        self.tail_end = 0
        # Not empty while it reads: a field that is not read yet is an error.
        self.work: list[None] = [] if outer is None else outer.work

    def need(self, start: int, end: int) -> None:
        """Read the pages of the source with these bytes, once."""
        if self._source is None:
            return
        page, last = start // _PAGE, -(-min(end, self._source.size) // _PAGE)
        while (page := self._has.find(0, page, last)) >= 0:
            until = self._has.find(1, page, last)
            until = last if until < 0 else until
            begin, stop = page * _PAGE, min(until * _PAGE, self._source.size)
            self.data[begin:stop] = self._source.read(begin, stop - begin)
            self._has[page:until] = b"\1" * (until - page)

    def state(self) -> list[tuple[Reading, int, int]]:
        """Return how far it is, for `undo`; instances may also be in what is outside of it."""
        outside = [] if self.outer is None else self.outer.state()
        return [(self, len(self.covered), len(self.leaves or ())), *outside]

    @staticmethod
    def undo(state: list[tuple[Reading, int, int]]) -> None:
        """Forget what was read since, for it stays bytes."""
        for reading, covered, leaves in state:
            del reading.covered[covered:]
            if reading.leaves is not None:
                del reading.leaves[leaves:]

    def gaps(self) -> list[Range]:
        """Return the ranges that no field covers, or that Python's floats do not keep."""
        size = len(self.data)
        free = subtract([(0, size)], self.covered)
        changed = [*self.changed, *((at, at + 1) for at in +self.spare)]
        return list(_merged(sorted([*free, *subtract(changed, free)])))


class Source:
    """A stream that is read, or a window on it: `base` is where it starts in the file."""

    __slots__ = ("base", "bits", "bits_left", "data", "mark", "order", "pos", "reading", "size")

    is_read = True

    def __init__(self, reading: Reading, data: memoryview, base: int) -> None:
        self.reading, self.data, self.base, self.size = reading, data, base, len(data)
        self.pos = self.mark = 0  # from `mark` to `pos` all is covered
        self.bits = self.bits_left = 0  # of the last byte
        self.order = ">"

    @property
    def eof(self) -> bool:
        return self.pos >= self.size and not self.bits_left

    def take_bits(self, size: int, order: str) -> int:
        """Return the next bits as a number; those of a byte that are left come first."""
        left = self.bits_left
        if left and order != self.order:
            raise FormatError(_BOTH_ORDERS, self.base + self.pos)
        bits = self.bits if left else 0
        many = max(size - left + 7, 0) // 8
        spare = self.reading.spare
        if bits:
            spare[self.base + self.pos - 1] -= 1
        start = self.take(many)
        new = int.from_bytes(self.data[start : start + many], "big" if order == ">" else "little")
        rest = left + 8 * many - size
        if order == ">":
            whole = bits << 8 * many | new
            value, self.bits = whole >> rest, whole & (1 << rest) - 1
        else:
            whole = new << left | bits
            value, self.bits = whole & (1 << size) - 1, whole >> size
        self.bits_left, self.order = rest, order
        if rest and self.bits:
            spare[self.base + self.pos - 1] += 1
        return value

    def find(self, ending: bytes) -> int:
        """Return where a byte, or a unit of them after such units, is next, or -1."""
        file: Any = self.reading.data.obj
        self.reading.need(self.base + self.pos, self.base + self.size)
        start, end = self.base + self.pos, self.base + self.size
        place = int(file.find(ending, start, end))
        while place > start and (place - start) % len(ending):
            place = int(file.find(ending, place + 1, end))
        return place - self.base if place >= 0 else -1

    def take(self, size: int) -> int:
        """Go beyond the next bytes, and return where they start. Raises FormatError."""
        start, self.bits_left = self.pos, 0
        end = start + size
        # Kaitai's streams cannot go beyond 63 bits, not even to read nothing.
        if size < 0 or (end > self.size and (size or start >= 1 << 63)):
            there = max(self.size - start, 0)
            message = f"requested {size} bytes, but only {there} bytes available"
            raise FormatError(message, self.base + start)
        self.pos = end
        if self.reading._source is not None:
            self.reading.need(self.base + start, self.base + end)
        return start

    def leaf(self, path: str, start: int, value: Any, end: int | None = None) -> None:
        """Record a leaf of these bytes, up to the position."""
        leaves = self.reading.leaves
        assert leaves is not None
        end = self.pos if end is None else end
        leaves.append(Leaf(self.base + start, self.base + end, path, value))

    @contextmanager
    def moved_to(self, position: int) -> Iterator[None]:
        """Read elsewhere, and come back."""
        before = self.pos, self.mark
        self.pos = self.mark = position
        self.bits_left = 0
        try:
            yield
            self.cover()
        finally:
            self.pos, self.mark = before

    def cover(self) -> None:
        """Note that what was read up to the position is covered."""
        if self.pos > self.mark:
            self.reading.covered.append((self.base + self.mark, self.base + self.pos))

    def window(self, size: int) -> Source:
        """Return the next bytes as a stream of its own."""
        start = self.take(size)
        inner = Source(self.reading, self.data[start : start + size], self.base + start)
        end, self.pos = self.pos, start
        self.cover()
        self.pos = self.mark = end
        return inner

    def compare(self, start: int, written: bytes) -> None:
        """Note bytes that would be written otherwise: those of signalling NaNs."""
        old = self.data[start : self.pos]
        if old != written:
            base = self.base + start
            self.reading.changed += [
                (base + i, base + i + 1) for i in range(len(written)) if old[i] != written[i]
            ]


# --- Writing ---


class Canvas:
    """Pieces of bytes at absolute positions of a file that is written.

    Args:
        extra: bytes that no field covers; one without bytes is the end of the file.
        parts: positions of parts that are written for themselves.
        size: bytes of the file, if that is known.
    """

    def __init__(
        self,
        *,
        extra: Sequence[Gap] = (),
        parts: frozenset[int] = frozenset(),
        size: int | None = None,
    ) -> None:
        self.extra, self.parts = extra, parts
        self.last, self.end = bytearray(), 0  # the last piece, and where it ends
        self.pieces: list[tuple[int, bytearray]] = [(0, self.last)]
        self.stage = Stage.OPEN
        self.waiting: list[tuple[Callable[..., str | None], tuple[Any, ...]]] = []
        self.is_new = True  # no part of it was read
        self.planned = 0  # what was left for later so far
        self.unreadable: dict[tuple[int, str], FormatError] = {}  # instances: they are left out
        self.asked: dict[tuple[int, str], Node] = {}  # fields whose values are being computed
        # Instances that are before their objects, and these, by what they were given.
        self.ahead: dict[tuple[int, str], tuple[int, int, Any]] = {}
        self.written: dict[int, Node] = {}
        self.reopened: list[Target] = []  # streams that get an instance after they were settled
        self.rests: list[Range] = []  # of windows; bytes that no field covers
        self.zeros: list[Range] = []  # the same in new objects
        ends = [at for at, data in extra if not data]
        self.root = Target(self, 0, max(ends, default=size))

    def put(self, position: int, data: bytes) -> None:
        """Put bytes at a position."""
        if not data:
            return
        if position != self.end:
            self.last = bytearray()
            self.pieces.append((position, self.last))
        self.last += data
        self.end = position + len(data)

    def set_bits(self, place: tuple[int, int], value: int, size: int, order: str) -> None:
        """Set bits, which are zeros yet."""
        position, used = place
        many = (used + size + 7) // 8
        shift = 8 * many - used - size if order == ">" else used
        data = (value << shift).to_bytes(many, "big" if order == ">" else "little")
        for i, byte in enumerate(data):
            start, piece = next(
                (start, piece)
                for start, piece in reversed(self.pieces)
                if start <= position + i < start + len(piece)
            )
            piece[position + i - start] |= byte

    def when_known(self, task: Callable[..., str | None], *arguments: Any) -> None:
        """Do a task now, or as soon as all is known that it asks for.

        Raises FormatError for the problem that it returns.
        """
        problem = known(task, *arguments)
        if isinstance(problem, Unresolved):
            self.wait(task, *arguments)
        elif problem:
            raise FormatError(problem)

    def wait(self, task: Callable[..., str | None], *arguments: Any) -> None:
        """Do a task later."""
        self.planned += 1
        self.waiting.append((task, arguments))

    def finish(self) -> None:
        """Write what has a position, and do all that waits. Raises FormatError."""
        self.root.settle()
        self.stage, is_last = Stage.PLACED, False
        while not is_last:
            streams, self.reopened = self.reopened, []
            for stream in streams:
                stream.settle()
            many = self._ask_again()
            is_last = not self.reopened and len(self.waiting) >= many
        self.root.close(self.root.end, is_new=self.is_new)
        for self.stage in (Stage.CLOSED, Stage.FILLED, Stage.WHOLE):
            self._ask_again()
        for task, arguments in self.waiting:
            raise FormatError(str(known(task, *arguments)))

    def _ask_again(self) -> int:
        """Do what waits, if that is possible now, and return how many tasks did."""
        waiting, self.waiting = self.waiting, []
        for task, arguments in waiting:
            self.when_known(task, *arguments)
        return len(waiting)

    def is_covered(self, position: int) -> bool:
        """Return whether there is a byte of a field, or one that no field covers."""
        pieces: list[tuple[int, bytes | bytearray]] = [*self.pieces, *self.extra]
        return any(start <= position < start + len(data) for start, data in pieces)

    def read(self, start: int, end: int) -> bytes:
        """Return what was put there, with the bytes that no field covers."""
        out = bytearray(end - start)
        pieces: list[tuple[int, bytes | bytearray]] = [*self.pieces, *self.extra]
        for position, data in pieces:
            first, last = max(position, start), min(position + len(data), end)
            if first < last:
                out[first - start : last - start] = data[first - position : last - position]
        return bytes(out)

    def join(self, *, whole: bool = True) -> tuple[bytes, list[Range]]:
        """Return all pieces as one string, and the ranges that nothing covers; `extra` wins.

        If they have to be a `whole`, there are no bytes where there is such a range.
        """
        rests = [*self.rests, *self.zeros]
        if len(self.pieces) == 1 and not (self.extra or rests) and self.pieces[0][0] == 0:
            return bytes(self.pieces[0][1]), []
        pieces = sorted(self.pieces, key=lambda piece: piece[0])
        extra = list(self.extra)
        ranges = [(p, p + len(d)) for p, d in (*pieces, *extra)]
        size = max((end for _, end in (*ranges, *rests)), default=0)
        uncovered = subtract([(0, size)], [*ranges, *self.zeros])
        if uncovered and whole:  # before memory is taken for what may be two billion bytes
            return b"", uncovered
        if sum(end - start for start, end in self.zeros) > MOST_ZEROS:
            raise FormatError(f"windows have a rest of more than {MOST_ZEROS:,} bytes")
        out = bytearray(size)
        covered = 0
        for position, data in pieces:
            overlap = min(covered, position + len(data)) - position
            if overlap > 0 and out[position : position + overlap] != data[:overlap]:
                differ = [
                    (position + i, position + i + 1)
                    for i in range(overlap)
                    if out[position + i] != data[i]
                ]
                if subtract(differ, [(p, p + len(d)) for p, d in extra]):
                    raise FormatError("two fields want different bytes here", position)
            out[position : position + len(data)] = data
            covered = max(covered, position + len(data))
        for position, more in extra:
            out[position : position + len(more)] = more
        return bytes(out), uncovered


class Target:
    """A stream that is written, or a window on it.

    Args:
        canvas: The file.
        base: Where the stream starts in it.
        size: Its bytes, if that is known before it is written.
        outer: The stream around it, if both end at the same byte.
    """

    __slots__ = (
        "_size", "base", "bits_left", "canvas", "eof", "high", "is_asked", "is_closed", "order",
        "outer", "pending", "pos",
    )  # fmt: skip

    is_read = False

    def __init__(
        self, canvas: Canvas, base: int, size: int | None = None, outer: Target | None = None
    ) -> None:
        self.canvas, self.base, self._size, self.outer = canvas, base, size, outer
        self.is_asked = False  # for its size
        self.pos = self.high = self.bits_left = 0
        self.order = ">"  # of the bits that are left
        self.eof = False  # as `_io.eof`; true while the last element of a repeat asks
        self.pending: list[tuple[Field, Node]] = []
        self.is_closed = False

    @property
    def size(self) -> int:
        """Bytes of the stream, as `_io.size`; known when all but its end is written."""
        if self._size is None:
            raise Unresolved(None, "_io.size", "is not known yet")
        self.is_asked = True
        return self._size

    @property
    def last(self) -> int:
        """Where the stream ends for a reader. Raises Unresolved as long as it may get more."""
        return self.size if self.outer is None else self.outer.last + self.outer.base - self.base

    @property
    def end(self) -> int:
        """Where the stream ends, as far as that is known."""
        return self.high if self._size is None else max(self._size, self.high)

    def close(self, size: int, *, is_new: bool) -> None:
        """Set the size of the stream; the rest of it is zeros in a new object, else a gap."""
        if self._size is not None and self._size < self.high:
            message = f"what is counted from the end of {self._size} bytes ends at {self.high}"
            raise FormatError(message, self.base)
        self._size, self.is_closed = size, True
        if self.high < size:
            rest = self.base + self.high, self.base + size
            (self.canvas.zeros if is_new else self.canvas.rests).append(rest)

    def write(self, data: bytes) -> None:
        """Write bytes at the position."""
        self.canvas.put(self.base + self.pos, data)
        self.skip(len(data))

    def move(self, position: int) -> None:
        """Go to another position; bits that are left are those of the byte before."""
        self.pos, self.bits_left = position, 0

    def skip(self, size: int) -> None:
        """Go beyond bytes that are written elsewhere, or later."""
        self.pos += size
        self.bits_left = 0
        if size and self.pos > self.high:
            self.high = self.pos

    def write_bits(self, value: int, size: int, order: str) -> tuple[int, int]:
        """Write a number as bits, and return where: the byte, and how many bits of it are used."""
        left = self.bits_left
        if left and order != self.order:
            raise FormatError(_BOTH_ORDERS, self.base + self.pos)
        many = max(size - left + 7, 0) // 8
        place = self.base + self.pos - (left > 0), -left % 8
        rest = left + 8 * many - size
        if many:
            self.write(bytes(many))
        self.bits_left, self.order = rest, order
        self.canvas.set_bits(place, value, size, order)
        return place

    def settle(self) -> None:
        """Write what has a position, in order, as soon as that position is known.

        What was read at a fixed position may show bytes of others: it does not move what is counted
        from the end.
        """
        self._write_first()
        loose: list[tuple[Field, Node, int]] = []
        is_counted = not self.high or not any(field.from_end for field, _ in self.pending)
        while self.pending:
            waiting: list[tuple[Field, Node, Unresolved]] = []
            shown: list[tuple[Field, Node]] = []
            queue, self.pending = self.pending, []
            for field, node in queue:
                if field.is_overlay and not (is_counted or node._is_new):
                    shown.append((field, node))
                elif isinstance(position := known(field.position, node, self), Unresolved):
                    waiting.append((field, node, position))
                else:
                    self._write_at(field, node, position)
            if len(waiting) + len(shown) == len(queue) and not self._end(waiting, loose):
                if not shown:
                    field, node, missing = waiting[0]
                    raise FormatError(f"{node._path_of(field.name)} cannot be placed: {missing}")
                for field, node in shown:
                    self._write_at(field, node, field.position(node, self))
                shown = []
            self.pending = [(field, node) for field, node, _ in waiting] + shown + self.pending
        for field, node, start in loose:
            if self._size is None:
                self._size = start + self._distance(field, node)
            if problem := field.problem_of_position(node, start):
                raise FormatError(problem)
        if self.is_closed and self.high > self.size:
            raise FormatError(f"instances take {self.high} bytes of a window of {self.size}")

    def _write_first(self) -> None:
        """Write what objects place before themselves, after what has a position that is set."""
        pending, self.pending = self.pending, []
        ahead = [field.placing(node) for field, node in pending]
        is_any, waiting = any(ahead), []
        for (field, node), children in zip(pending, ahead, strict=True):
            position: Any = None
            if is_any and not field.is_overlay and not children:
                position = known(field.stated_position, node)
            if isinstance(position, int):
                self._write_at(field, node, position)
            else:
                waiting.append((field, node))
        self.pending = waiting + self.pending
        for child in chain.from_iterable(ahead):
            child._write_first(self)

    def _write_at(self, field: Field, node: Node, position: int) -> None:
        saved = self.pos
        self.move(position)
        field.write_to(node, self, node._raw(field.name))
        self.pos = saved

    def _end(
        self,
        waiting: list[tuple[Field, Node, Unresolved]],
        loose: list[tuple[Field, Node, int]],
    ) -> bool:
        """Place what is counted from the end, after all else; return whether there is any.

        The size of the stream follows from it. What is as far from the end as it is long has no
        distance yet: it starts here.
        """
        distances = []
        for i, (field, node, missing) in enumerate(waiting):
            if missing.name != "_io.size" or self._size is not None:
                continue
            distance = known(self._distance, field, node)
            if isinstance(distance, Unresolved):
                del waiting[i]
                loose.append((field, node, self.high))
                self._write_at(field, node, self.high)
                return True
            distances.append(distance)
        if distances and loose:
            field, node, position = loose[0]
            self._size = position + self._distance(field, node)
        elif distances:
            self._size = self._after_gaps() + max(distances)
        return bool(distances)

    def _distance(self, field: Field, node: Node) -> int:
        """Return how far from the end an instance starts. Raises Unresolved."""
        assert field.at is not None
        self._size = 0
        try:
            return -int(field.at(node))
        finally:
            self._size = None

    def _after_gaps(self) -> int:
        """Return where all ends that is written, and the bytes of no field that follow."""
        end = self.base + self.high
        for start, data in sorted(self.canvas.extra):
            if start <= end:
                end = max(end, start + len(data))
        return end - self.base


class Ahead:
    """The stream of an object that is not written yet: no position in it is known."""

    is_read = False

    def __init__(self, canvas: Canvas) -> None:
        self.canvas = canvas

    def __getattr__(self, name: str) -> Any:
        raise Unresolved(None, f"_io.{name}", "is not known yet")


# --- Ranges ---


def subtract(ranges: Iterable[Range], others: Iterable[Range]) -> list[Range]:
    """Return what is left of ranges without the others."""
    cuts = list(_merged(sorted(others)))
    left: list[Range] = []
    for start, end in ranges:
        i = max(0, bisect_right(cuts, (start, start)) - 1)
        while i < len(cuts) and cuts[i][0] < end:
            if cuts[i][0] > start:
                left.append((start, cuts[i][0]))
            start = max(start, cuts[i][1])
            i += 1
        if start < end:
            left.append((start, end))
    return left


def _merged(ranges: Iterable[Range]) -> Iterator[Range]:
    """Join sorted ranges that touch or overlap."""
    start, end = -1, -1
    for a, b in ranges:
        if a > end:
            if end > start:
                yield start, end
            start, end = a, b
        else:
            end = max(end, b)
    if end > start:
        yield start, end
