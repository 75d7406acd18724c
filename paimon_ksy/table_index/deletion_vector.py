"""Deletion vectors: the sets of deleted rows of data files, and their bytes.

A vector has 32 or 64 bits, which determines its format and its largest position.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from pyroaring import AbstractBitMap, BitMap, BitMap64

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError, counted
from paimon_ksy.io.source import open_source
from paimon_ksy.roaring.bitmap_64 import MAX_KEY, joined
from paimon_ksy.roaring.containers import containers, containers_text
from paimon_ksy.table_index.vector_bytes import Bits, VectorBytes, read_parts, vector_bytes

if TYPE_CHECKING:
    import pyarrow as pa

Positions = ArrayLike | range | Set[int]

MAX_POSITION: Mapping[int, int] = {32: 2**31 - 1, 64: (MAX_KEY << 32) + 2**31}
"""The largest position that Java accepts, by bits."""

_LOW = 2**32


class WrongVectorError(PaimonKsyError):
    """A vector deletes rows that the data file does not have."""


def _runs(rows: BitMap) -> Iterator[tuple[int, int]]:
    """Yield the first and the last integer of each run of consecutive ones."""
    largest = int(rows.max())
    first = int(rows.min())
    while True:
        step = 1
        while first + 2 * step - 1 <= largest and rows.contains_range(first, first + 2 * step):
            step *= 2
        last = first + step - 1
        while step:
            if last + step <= largest and rows.contains_range(last + 1, last + step + 1):
                last += step
            step //= 2
        yield first, last
        if last >= largest:
            return
        first = int(rows.next_set_bit(last + 1))


@dataclass(frozen=True, repr=False)
class DeletionVector:
    """An immutable set of the positions of deleted rows; operations return new vectors.

    `bits` is 32 or 64. Two vectors are equal if they have the same bits and positions.
    """

    bits: Bits = 32
    _parts: Mapping[int, BitMap] = field(default_factory=dict)  # by upper 32 bits; none is empty
    # Whether the bitmaps already use runs where these are smaller; not part of the value.
    _optimized: bool = field(default=False, init=False, compare=False)

    # -- making --

    @staticmethod
    def of(positions: Positions = (), bits: Bits = 32) -> DeletionVector:
        """Return the vector of these positions.

        Raises:
            PaimonKsyError: A position is out of range.
        """
        return DeletionVector(bits).add(positions)

    @staticmethod
    def of_rows(rows: BitMap | BitMap64, bits: Bits = 32) -> DeletionVector:
        """Return the vector of the positions in a bitmap.

        Raises:
            PaimonKsyError: A position is out of range.
        """
        if not rows:
            return DeletionVector(bits)
        if isinstance(rows, BitMap64):
            return DeletionVector.of(np.asarray(rows.to_array()), bits)
        made = DeletionVector(bits, {0: BitMap(rows)})
        made._check(0, int(rows.max()))
        return made

    def add(self, positions: Positions) -> DeletionVector:
        """Return this vector with more positions.

        Args:
            positions: An int, a range, a set, or integers in any order.

        Raises:
            PaimonKsyError: A position is below 0, or too large for the bits.
        """
        if isinstance(positions, range) and positions.step == 1:
            return self._with(self._of_range(positions))
        if isinstance(positions, Set | AbstractBitMap):
            positions = list(positions)
        values = np.asarray(positions)
        if values.size == 0:
            return self
        if values.dtype.kind not in "iu" and not _all_int(values):
            raise PaimonKsyError(f"positions are integers, not {values.dtype}")
        self._check(int(values.min()), int(values.max()))
        ordered = np.unique(values).astype(np.int64)
        keys = ordered >> 32
        first = np.flatnonzero(np.diff(keys, prepend=-1))
        parts = zip(keys[first].tolist(), np.split(ordered, first[1:]), strict=True)
        return self._with({key: _bitmap(part) for key, part in parts})

    def _of_range(self, positions: range) -> dict[int, BitMap]:
        if not positions:
            return {}
        self._check(positions[0], positions[-1])
        first, last = positions[0] // _LOW, positions[-1] // _LOW
        if last - first > 1 << 16:
            raise UnsupportedError(f"{len(positions)} positions are too many for one vector")
        return {
            key: BitMap(
                range(max(positions.start - key * _LOW, 0), min(positions.stop - key * _LOW, _LOW))
            )
            for key in range(first, last + 1)
        }

    def _check(self, smallest: int, largest: int) -> None:
        limit = MAX_POSITION[self.bits]
        if smallest < 0 or largest > limit:
            wrong = smallest if smallest < 0 else largest
            hint = "; use 64 bits" if self.bits == 32 and 0 <= wrong <= MAX_POSITION[64] else ""
            raise UnsupportedError(
                f"position {wrong} is not within 0 and {limit} of a {self.bits}-bit vector{hint}"
            )

    def _with(self, more: Mapping[int, BitMap], bits: Bits | None = None) -> DeletionVector:
        parts = dict(self._parts)
        for key, part in more.items():
            parts[key] = parts[key] | part if key in parts else part
        return DeletionVector(bits or self.bits, parts)

    def __or__(self, other: DeletionVector) -> DeletionVector:
        """Return the union of two vectors; it has 64 bits if one of them has."""
        return self._with(other._parts, max(self.bits, other.bits))

    def __sub__(self, other: DeletionVector) -> DeletionVector:
        """Return the positions that are not in the other vector, with the bits of this one."""
        left = {k: p - other._parts[k] if k in other._parts else p for k, p in self._parts.items()}
        return DeletionVector(self.bits, {key: part for key, part in left.items() if part})

    union = __or__
    difference = __sub__

    def to_bits(self, bits: Bits) -> DeletionVector:
        """Return a vector of the same positions with these bits.

        Raises:
            UnsupportedError: A position does not fit.
        """
        if self.max is not None and self.max > MAX_POSITION[bits]:
            raise UnsupportedError(
                f"position {self.max} does not fit a {bits}-bit vector: "
                f"its largest is {MAX_POSITION[bits]}"
                + ("; use 64 bits" if self.max <= MAX_POSITION[64] else "")
            )
        return DeletionVector(bits, self._parts)

    # -- asking --

    @property
    def cardinality(self) -> int:
        """The number of deleted rows."""
        return sum(map(len, self._parts.values()))

    def __len__(self) -> int:
        return self.cardinality

    def __bool__(self) -> bool:
        return bool(self._parts)

    @property
    def max(self) -> int | None:
        """The largest position; None if the vector is empty."""
        if not self._parts:
            return None
        key = max(self._parts)
        return key * _LOW + int(self._parts[key].max())

    @property
    def containers(self) -> Mapping[str, int]:
        """The number of containers of each kind in its bitmaps: `array`, `bitset` and `run`."""
        return containers(self._parts.values())

    def __contains__(self, position: int) -> bool:
        return position >= 0 and position % _LOW in self._parts.get(position // _LOW, ())

    def __iter__(self) -> Iterator[int]:
        for key in sorted(self._parts):
            yield from (key * _LOW + low for low in self._parts[key])

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the first and the last position of each run of deleted rows, ascending.

        The time depends on the number of runs, not of rows.
        """
        begun: tuple[int, int] | None = None
        for key in sorted(self._parts):
            for first, last in _runs(self._parts[key]):
                first, last = key * _LOW + first, key * _LOW + last
                if begun is not None and begun[1] + 1 == first:
                    begun = begun[0], last
                    continue
                if begun is not None:
                    yield begun
                begun = first, last
        if begun is not None:
            yield begun

    def __hash__(self) -> int:
        return hash((self.bits, self.cardinality, self.max))

    def __repr__(self) -> str:
        return f"<{self.bits}-bit deletion vector of {counted(self.cardinality, 'row')}>"

    def _repr_html_(self) -> str:
        from paimon_ksy.pages.render import fragment
        from paimon_ksy.pages.section import Section, Where

        facts: list[tuple[str, object]] = [("bits", self.bits), ("deleted rows", self.cardinality)]
        if self.max is not None:
            facts += [("last", self.max), ("containers", containers_text(self.containers))]
            facts.append(("where", Where(self.count, self.max + 1, "Where the deleted rows lie")))
        return fragment(Section("Deletion vector", tuple(facts)))

    def positions(self) -> NDArray[np.int64]:
        """Return all positions, ascending, in an array of eight bytes each."""
        parts = [
            _lows(self._parts[key]).astype(np.int64) + key * _LOW for key in sorted(self._parts)
        ]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def rows(self, num_rows: int = _LOW) -> BitMap:
        """Return a new bitmap of the positions below `num_rows`, which is at most 2^32."""
        part = self._parts.get(0, BitMap())
        return BitMap(part) if num_rows >= _LOW else part & BitMap(range(num_rows))

    def rows_64(self) -> BitMap64:
        """Return a new bitmap of all positions."""
        return joined(self._parts)

    def count(self, start: int, stop: int) -> int:
        """Return the number of positions in `range(start, stop)`."""
        return sum(
            self._parts[key].range_cardinality(
                max(start - key * _LOW, 0), min(stop - key * _LOW, _LOW)
            )
            for key in self._keys(start, stop)
        )

    def is_deleted(self, positions: ArrayLike) -> NDArray[np.bool_]:
        """Return whether each position in an array of any shape is deleted.

        Raises:
            PaimonKsyError: The positions are not integers.
        """
        queried = np.asarray(positions)
        if queried.size == 0:
            return np.zeros(queried.shape, np.bool_)
        if queried.dtype.kind not in "iu":
            raise PaimonKsyError(f"positions are integers, not {queried.dtype}")
        low, high = int(queried.min()), int(queried.max())
        if low >= 0 and high - low <= 16 * queried.size:
            deleted: NDArray[np.bool_] = self.mask(low, high + 1)[queried - low]
            return deleted
        asked = np.unique(queried[(queried >= 0) & (queried <= MAX_POSITION[64])])
        hits = DeletionVector.of(asked, 64)
        hits = hits - (hits - self)
        return np.isin(queried, hits.positions().astype(queried.dtype))

    def mask(self, start: int, stop: int) -> NDArray[np.bool_]:
        """Return, for each position in `range(start, stop)`, whether it is deleted."""
        deleted = np.zeros(stop - start, np.bool_)
        for key in self._keys(start, stop):
            part = self._parts[key]
            begin, end = max(start - key * _LOW, 0), min(stop - key * _LOW, _LOW)
            if begin > int(part.min()) or end <= int(part.max()):
                part = part & BitMap(range(begin, end))
            lows = _lows(part)
            here = deleted[begin + key * _LOW - start :]
            here[lows - np.uint32(begin) if begin else lows] = True
        return deleted

    def _keys(self, start: int, stop: int) -> list[int]:
        return [key for key in self._parts if start < (key + 1) * _LOW and stop > key * _LOW]

    # -- applying --

    def apply(self, table: pa.Table) -> pa.Table:
        """Return the live rows of a whole data file.

        Raises:
            PaimonKsyError: A position is past the end: the vector belongs to another file.
        """
        import pyarrow as pa

        batches = list(self.apply_to_batches(table.to_batches()))
        return pa.Table.from_batches(batches, schema=table.schema)

    def apply_to_batches(
        self, batches: Iterable[pa.RecordBatch], *, start: int = 0
    ) -> Iterator[pa.RecordBatch]:
        """Yield the live rows of each batch of a data file read in order, from row `start` on.

        Batches without live rows are left out.

        Raises:
            WrongVectorError: After the last batch, if a position is past the end: the vector
                belongs to another file.
        """
        from paimon_ksy.types.arrays import to_arrow_array  # imports pyarrow

        at = start
        for batch in batches:
            rows = batch.num_rows
            deleted = self.count(at, at + rows)
            if deleted == 0:
                yield batch
            elif deleted < rows:
                yield batch.filter(to_arrow_array(~self.mask(at, at + rows)))
            at += rows
        self.check_rows(at)

    def check_rows(self, num_rows: int) -> None:
        """Raise WrongVectorError if a position is past the end of a file with this many rows."""
        if self.max is not None and self.max >= num_rows:
            raise WrongVectorError(
                f"the vector deletes row {self.max}, but the file has "
                f"{counted(num_rows, 'row')}: it is the vector of another file"
            )

    # -- bytes --

    def to_bytes(self) -> bytes:
        """Return the bytes of the vector in a file, equal to those that Java writes.

        Raises:
            UnsupportedError: The vector takes 2 GB or more.
        """
        return self.stored().data

    def stored(self) -> VectorBytes:
        """Return `to_bytes`, with the numbers that a manifest stores for the vector.

        Raises:
            UnsupportedError: The vector is too large.
        """
        if not self._optimized:
            for part in self._parts.values():
                part.run_optimize()
            object.__setattr__(self, "_optimized", True)
        return vector_bytes(self.bits, self._parts)

    @staticmethod
    def from_bytes(data: bytes, *, verify: bool = True) -> DeletionVector:
        """Parse a vector from bytes such as `to_bytes` returns.

        Raises:
            CorruptFileError: The bytes are not exactly one vector.
        """
        with open_source(data) as source:
            vector = read_parts(source, 0, verify=verify)
            if vector.end != len(data):
                raise CorruptFileError(
                    f"{counted(len(data) - vector.end, 'byte', 'follow')} the vector",
                    offset=vector.end,
                    remedy="pass the bytes of one vector, from its length to its CRC",
                )
            return DeletionVector(vector.bits, vector.parts)


def _all_int(values: NDArray[Any]) -> bool:
    # numpy stores integers beyond 64 bits as an array of objects.
    return values.dtype.kind == "O" and all(type(value) is int for value in values.flat)


def _bitmap(positions: NDArray[np.int64]) -> BitMap:
    # pyroaring reads an array.array ten times faster than a numpy array.
    return BitMap(array("I", (positions % _LOW).astype(np.uint32).tobytes()))


def _lows(part: BitMap) -> NDArray[np.uint32]:
    return np.frombuffer(part.to_array(), np.uint32)
