"""Deletion vectors: which rows of a data file are deleted.

A vector is of 32 or of 64 bits, which says how it is stored and how large a position can be. The
index manifest of a table tells of each data file where its vector is: file, offset and length, and
how many rows are deleted. `read_vector` takes just these, `read_vectors` needs only the file, and
`write_vectors` returns them.
"""

from __future__ import annotations

import os
import uuid
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from kaitaistruct import KaitaiStructError, ValidationFailedError
from numpy.typing import ArrayLike, NDArray
from pyroaring import AbstractBitMap, BitMap, BitMap64

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.generated import runtime
from paimon_ksy.generated.codecs.deletion_vectors import (
    pack_deletion_vector_end,
    pack_deletion_vector_start,
    pack_deletion_vectors_head,
)
from paimon_ksy.generated.flat.deletion_vectors import DeletionVectorEnd as FlatEnd
from paimon_ksy.generated.flat.deletion_vectors import DeletionVectorStart as FlatStart
from paimon_ksy.generated.parsers.deletion_vectors import DeletionVectors
from paimon_ksy.generated.serializers.deletion_vectors import make_deletion_vector_data
from paimon_ksy.io.file_kind import VECTORS, other_kind
from paimon_ksy.io.source import Source, open_source, read_flat
from paimon_ksy.roaring.bitmap_32 import BadBitmapError, read_first
from paimon_ksy.roaring.bitmap_64 import MAX_KEY, read_bitmaps, size_of, write_bitmaps
from paimon_ksy.table_index.crc32 import crc32

if TYPE_CHECKING:
    import pyarrow as pa

Bits = Literal[32, 64]
Positions = ArrayLike | range | Set[int]

MAX_POSITION: Mapping[int, int] = {32: 2**31 - 1, 64: (MAX_KEY << 32) + 2**31}
"""By bits: the largest position that Java accepts."""

TARGET_SIZE = 2 << 20
"""Bytes after which a new file begins: the default of `deletion-vector.index-file.target-size`."""

_Kind = DeletionVectors.VectorKind
_KINDS: dict[int, Any] = {32: _Kind.bits_32, 64: _Kind.bits_64}
_LOW = 2**32
_MAX_FILE = 2**31 - 1  # offsets and lengths in a manifest are Java's int
DAMAGED = (
    "the file is damaged, and the data do not show which rows are deleted: "
    "`paimon-ksy table audit TABLE` lists the older snapshots that have a sound vector"
)
"""What to do about a broken vector."""
_ELSEWHERE = (
    "the file is damaged, or no vector starts there: `paimon-ksy dv show FILE` finds all of its "
    "vectors"
)
_OTHER_KIND = (
    "give a vector file, such as index-1f2e-0 in the table's index folder; `paimon-ksy "
    "inspect FILE` shows what this file is"
)


class WrongVectorError(PaimonKsyError):
    """A vector deletes rows that the data file does not have."""


def _runs(rows: BitMap) -> Iterator[tuple[int, int]]:
    """Yield the first and the last of each run of consecutive integers."""
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


@dataclass(frozen=True)
class VectorBytes:
    """A vector as it stands in a file; `length` is Paimon's, as in VectorMeta."""

    data: bytes = field(repr=False)
    length: int
    cardinality: int


@dataclass(frozen=True, repr=False)
class DeletionVector:
    """A set of deleted row positions; it never changes, operations return another one.

    `bits` is 32 or 64. Two vectors are equal if they have the same bits and positions.
    """

    bits: Bits = 32
    _parts: Mapping[int, BitMap] = field(default_factory=dict)  # by upper 32 bits; none is empty
    # Whether the bitmaps are kept as runs where that is smaller: not part of the value.
    _optimized: bool = field(default=False, init=False, compare=False)

    # -- making --

    @staticmethod
    def of(positions: Positions = (), bits: Bits = 32) -> DeletionVector:
        """The vector of these positions. Raises PaimonKsyError if one is out of its range."""
        return DeletionVector(bits).add(positions)

    @staticmethod
    def of_rows(rows: BitMap | BitMap64, bits: Bits = 32) -> DeletionVector:
        """The vector of the positions in a bitmap. Raises PaimonKsyError as `of` does."""
        if not rows:
            return DeletionVector(bits)
        if isinstance(rows, BitMap64):
            return DeletionVector.of(np.asarray(rows.to_array()), bits)
        made = DeletionVector(bits, {0: BitMap(rows)})
        made._check(0, int(rows.max()))
        return made

    def add(self, positions: Positions) -> DeletionVector:
        """This vector and more positions: an int, a range, a set, or integers in any order.

        Raises PaimonKsyError if one is below 0 or above what the bits can hold.
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
        """Positions in either; with 64 bits if one of the two has them."""
        return self._with(other._parts, max(self.bits, other.bits))

    def __sub__(self, other: DeletionVector) -> DeletionVector:
        """Positions that are not in the other; bits as this one."""
        left = {k: p - other._parts[k] if k in other._parts else p for k, p in self._parts.items()}
        return DeletionVector(self.bits, {key: part for key, part in left.items() if part})

    union = __or__
    difference = __sub__

    def to_bits(self, bits: Bits) -> DeletionVector:
        """The same positions in the other kind. Raises UnsupportedError if they do not fit."""
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
        """How many rows are deleted."""
        return sum(map(len, self._parts.values()))

    def __len__(self) -> int:
        return self.cardinality

    def __bool__(self) -> bool:
        return bool(self._parts)

    @property
    def max(self) -> int | None:
        """The largest position, None if there is none."""
        if not self._parts:
            return None
        key = max(self._parts)
        return key * _LOW + int(self._parts[key].max())

    def __contains__(self, position: int) -> bool:
        return position >= 0 and position % _LOW in self._parts.get(position // _LOW, ())

    def __iter__(self) -> Iterator[int]:
        for key in sorted(self._parts):
            yield from (key * _LOW + low for low in self._parts[key])

    def ranges(self) -> Iterator[tuple[int, int]]:
        """Yield the first and the last position of each run of deleted rows, ascending.

        That takes no longer for a run of many rows than for one row.
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
        return f"<{self.bits}-bit deletion vector of {self.cardinality:,} rows>"

    def positions(self) -> NDArray[np.int64]:
        """All positions, ascending: eight bytes each."""
        parts = [_array(self._parts[key]) + key * _LOW for key in sorted(self._parts)]
        return np.concatenate(parts) if parts else np.empty(0, np.int64)

    def rows(self, num_rows: int = _LOW) -> BitMap:
        """A new bitmap of the positions below `num_rows`, which is at most 2^32."""
        part = self._parts.get(0, BitMap())
        return BitMap(part) if num_rows >= _LOW else part & BitMap(range(num_rows))

    def rows_64(self) -> BitMap64:
        """A new bitmap of all positions."""
        parts = {key: part.serialize() for key, part in self._parts.items()}
        return BitMap64.deserialize(b"".join(write_bitmaps(parts)))

    def count(self, start: int, stop: int) -> int:
        """How many positions are in `range(start, stop)`."""
        return sum(part.range_cardinality(a, b) for part, a, b in self._within(start, stop))

    def is_deleted(self, positions: ArrayLike) -> NDArray[np.bool_]:
        """For an array of positions of any shape: whether each is deleted."""
        wanted = np.asarray(positions)
        if wanted.size == 0:
            return np.zeros(wanted.shape, np.bool_)
        if wanted.dtype.kind not in "iu":
            raise PaimonKsyError(f"positions are integers, not {wanted.dtype}")
        low, high = int(wanted.min()), int(wanted.max())
        if low >= 0 and high - low <= 16 * wanted.size:
            found: NDArray[np.bool_] = self.mask(low, high + 1)[wanted - low]
            return found
        asked = np.unique(wanted[(wanted >= 0) & (wanted <= MAX_POSITION[64])])
        hits = DeletionVector.of(asked, 64)
        hits = hits - (hits - self)
        return np.isin(wanted, hits.positions().astype(wanted.dtype))

    def mask(self, start: int, stop: int) -> NDArray[np.bool_]:
        """For each position of `range(start, stop)`: whether it is deleted."""
        found = np.zeros(stop - start, np.bool_)
        for key in self._keys(start, stop):
            part = self._parts[key]
            begin, end = max(start - key * _LOW, 0), min(stop - key * _LOW, _LOW)
            if begin > int(part.min()) or end <= int(part.max()):
                part = part & BitMap(range(begin, end))
            lows = _lows(part)
            here = found[begin + key * _LOW - start :]
            here[lows - np.uint32(begin) if begin else lows] = True
        return found

    def _keys(self, start: int, stop: int) -> list[int]:
        return [key for key in self._parts if start < (key + 1) * _LOW and stop > key * _LOW]

    def _within(self, start: int, stop: int) -> Iterator[tuple[BitMap, int, int]]:
        for key in self._keys(start, stop):
            yield self._parts[key], max(start - key * _LOW, 0), min(stop - key * _LOW, _LOW)

    # -- applying --

    def apply(self, table: pa.Table) -> pa.Table:
        """The live rows of a whole data file.

        Raises PaimonKsyError if a position is past its end: then the vector is of another file.
        """
        import pyarrow as pa

        batches = list(self.apply_to_batches(table.to_batches()))
        return pa.Table.from_batches(batches, schema=table.schema)

    def apply_to_batches(
        self, batches: Iterable[pa.RecordBatch], *, start: int = 0
    ) -> Iterator[pa.RecordBatch]:
        """The live rows of each batch of a data file read in order, from its row `start` on.

        Batches without live rows are left out. At the end raises WrongVectorError if a position is
        past it: then the vector is of another file.
        """
        at = start
        for batch in batches:
            rows = batch.num_rows
            deleted = self.count(at, at + rows)
            if deleted == 0:
                yield batch
            elif deleted < rows:
                yield batch.filter(_arrow_mask(~self.mask(at, at + rows)))
            at += rows
        self.check_rows(at)

    def check_rows(self, num_rows: int) -> None:
        """Raises WrongVectorError if a position is not one of a file with so many rows."""
        if self.max is not None and self.max >= num_rows:
            raise WrongVectorError(
                f"the vector deletes row {self.max}, but the file has {num_rows} rows: it is "
                "the vector of another file"
            )

    # -- bytes --

    def to_bytes(self) -> bytes:
        """The vector as it stands in a file, the same bytes as Java's.

        Raises UnsupportedError if it takes 2 GB or more.
        """
        return self._written()[0]

    def stored(self) -> VectorBytes:
        """Return `to_bytes` with the numbers that a manifest stores for it.

        Raises:
            UnsupportedError: The vector is too large.
        """
        data, len_data = self._written()
        return VectorBytes(data, _length(self.bits, len_data, len(data)), self.cardinality)

    def _written(self) -> tuple[bytes, int]:
        """`to_bytes`, and the size that it starts with."""
        if not self._optimized:
            for part in self._parts.values():
                part.run_optimize()
            object.__setattr__(self, "_optimized", True)
        parts = {key: part.serialize() for key, part in self._parts.items()}
        if self.bits == 32:
            pieces = [parts[0] if parts else BitMap().serialize()]
            size = len(pieces[0])
        else:
            size = size_of(parts)
            if size >= _MAX_FILE:
                raise UnsupportedError(
                    f"a vector up to position {self.max} takes {size} bytes: the limit is 2 GB"
                )
            pieces = write_bitmaps(parts)
        len_data = len(_KIND_BYTES[self.bits]) + size
        start = pack_deletion_vector_start(len_data=len_data, kind=_KIND_NUMBERS[self.bits])
        end = pack_deletion_vector_end(crc32=_crc(self.bits, *pieces))
        return b"".join([start, *pieces, end]), len_data

    @staticmethod
    def from_bytes(data: bytes, *, verify: bool = True) -> DeletionVector:
        """The vector of `to_bytes`. Raises CorruptFileError."""
        with open_source(data) as source:
            found = _read(source, 0, verify)
            if found.end != len(data):
                raise CorruptFileError(
                    f"{len(data) - found.end} bytes follow the vector",
                    offset=found.end,
                    remedy="give the bytes of one vector, from its length to its CRC",
                )
            return found.vector


def _all_int(values: NDArray[Any]) -> bool:
    # Integers beyond 64 bits are an array of objects.
    return values.dtype.kind == "O" and all(type(value) is int for value in values.flat)


def _bitmap(positions: NDArray[np.int64]) -> BitMap:
    # An array.array is taken ten times faster than a numpy array.
    return BitMap(array("I", (positions % _LOW).astype(np.uint32).tobytes()))


def _lows(part: BitMap) -> NDArray[np.uint32]:
    return np.frombuffer(part.to_array(), np.uint32)


def _array(part: BitMap) -> NDArray[np.int64]:
    return _lows(part).astype(np.int64)


def _arrow_mask(mask: NDArray[np.bool_]) -> pa.BooleanArray:
    import pyarrow as pa

    bits = np.packbits(mask, bitorder="little")
    return pa.BooleanArray.from_buffers(pa.bool_(), len(mask), [None, pa.py_buffer(bits)])


# Reading ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VectorMeta:
    """Where a vector is in its file, as the index manifest has it.

    `length` is Paimon's: without size and CRC for 32 bits, with both for 64. `data_file` is None
    where only the file of vectors was read.
    """

    offset: int
    length: int
    cardinality: int
    data_file: str | None = None


@dataclass(frozen=True)
class StoredVector:
    """A vector and where it was read; `end` is the byte after it."""

    vector: DeletionVector
    offset: int
    end: int
    length: int
    crc_ok: bool

    @property
    def meta(self) -> VectorMeta:
        """What a manifest has to say of it."""
        return VectorMeta(self.offset, self.length, self.vector.cardinality)


def read_vector(
    source: Any,
    offset: int,
    length: int | None = None,
    cardinality: int | None = None,
    *,
    verify: bool = True,
) -> DeletionVector:
    """The vector at a place that the index manifest gives; `source` as `open_source` takes it.

    Checks the file's version, `length` and, if given, the number of rows, the CRC and the bitmap.
    With `verify=False` neither version nor CRC nor number of rows, as Java does. Raises
    CorruptFileError.
    """
    opened = open_source(source)
    try:
        if verify:
            read_version(opened)
        return read_stored(opened, offset, length, cardinality, verify=verify).vector
    finally:
        if opened is not source:
            opened.close()


def check_rows_of(vector: DeletionVector, name: str, num_rows: int, offset: int) -> None:
    """Raise CorruptFileError if the vector deletes a row that the data file `name` lacks.

    `offset` is the byte at which the vector starts in its file.
    """
    if vector.max is not None and vector.max >= num_rows:
        raise CorruptFileError(
            f"it deletes row {vector.max} of {name}, which has {num_rows} rows", offset=offset
        )


def read_vectors(source: Any, *, verify: bool = True) -> Iterator[StoredVector]:
    """All vectors of a file in order; nothing but the file is needed.

    Raises CorruptFileError at the first one that is broken. With `verify=False` the CRC is not
    checked; `StoredVector.crc_ok` tells.
    """
    opened = open_source(source)
    try:
        offset = read_version(opened)
        while offset < opened.size:
            found = _read(opened, offset, verify, DAMAGED)
            yield found
            offset = found.end
    finally:
        if opened is not source:
            opened.close()


def read_version(source: Source) -> int:
    """Checks the version of a file of vectors; where the first vector starts.

    Raises CorruptFileError.
    """
    source.stream.seek(0)
    try:
        DeletionVectors.DeletionVectorsHead(source.stream)
    except ValidationFailedError as error:
        if found := other_kind(source, VECTORS):
            raise found from error
        message = f"unsupported version {error.actual} of deletion vectors; supported is 1"
        raise CorruptFileError(message, path=source.name, offset=0, remedy=_OTHER_KIND) from error
    except EOFError as error:
        message = "the file is empty"
        raise CorruptFileError(message, path=source.name, offset=0, remedy=DAMAGED) from error
    return int(source.stream.pos())


def has_vector(source: Source) -> bool:
    """Return whether the bytes that mark a vector occur anywhere in a file."""
    data = source.read(0, source.size)
    return any(mark in data for mark in _KIND_BYTES.values())


def vector_end(source: Source, offset: int) -> int | None:
    """Return the byte after the vector at `offset`, by its size; None if it has no sound head."""
    start = read_flat(source, FlatStart, offset)
    if start is None:
        return None
    bits = 32 if start.kind == _KIND_NUMBERS[32] else 64
    return int(start.end) + int(start.len_data) - len(_KIND_BYTES[bits]) + _SIZE_END


def read_stored(
    source: Source,
    offset: int,
    length: int | None = None,
    cardinality: int | None = None,
    *,
    verify: bool = True,
) -> StoredVector:
    """As `read_vector`, with where it was found, and without a look at the file's version."""
    found = _read(source, offset, verify)
    if length is not None and length != found.length:
        raise CorruptFileError(
            f"the vector's length is {found.length}, but {length} was given",
            path=source.name,
            offset=offset,
            remedy=_ELSEWHERE,
        )
    if verify and cardinality is not None and cardinality != found.vector.cardinality:
        raise CorruptFileError(
            f"the vector deletes {found.vector.cardinality} rows, but {cardinality} was "
            "given: it is another vector, or the metadata is wrong",
            path=source.name,
            offset=offset,
            remedy=_ELSEWHERE,
        )
    return found


def _read(source: Source, offset: int, verify: bool, remedy: str = _ELSEWHERE) -> StoredVector:
    if not 0 <= offset <= source.size:
        raise CorruptFileError(
            f"the vector starts there, outside the file of {source.size} bytes",
            path=source.name,
            offset=offset,
            remedy=remedy,
        )
    start = read_flat(source, FlatStart, offset)
    try:
        if start is None:
            source.stream.seek(offset)
            DeletionVectors.DeletionVectorStart(source.stream)  # tells what is wrong
            raise EOFError("it changed while it was read")
        bits: Bits = 32 if start.kind == _KIND_NUMBERS[32] else 64
        begin, size = start.end, start.len_data - len(_KIND_BYTES[bits])
        rest_size, left = size + _SIZE_END, source.size - begin
        if rest_size > left:
            raise EOFError(f"a bitmap and its CRC need {rest_size} bytes, but only {left} are left")
        rest = source.view(begin, rest_size)
    except (KaitaiStructError, EOFError, ValueError) as error:
        raise CorruptFileError(
            _describe(error), path=source.name, offset=offset, remedy=remedy
        ) from error
    bitmap = memoryview(rest)[:size]
    last = FlatEnd(rest, begin, size)
    end = last.end
    crc_ok = _crc(bits, bitmap) == last.crc32
    if verify and not crc_ok:
        raise CorruptFileError(
            "the CRC of the vector is wrong", path=source.name, offset=offset, remedy=DAMAGED
        )
    try:
        parts = _parts_of(bitmap) if bits == 32 else read_bitmaps(bitmap)
    except BadBitmapError as error:
        raise CorruptFileError(
            f"the bitmap of a vector is broken: {error}",
            path=source.name,
            offset=begin + error.offset,
            remedy=DAMAGED,
        ) from error
    length = _length(bits, start.len_data, end - offset)
    return StoredVector(DeletionVector(bits, parts), offset, end, length, crc_ok)


def _parts_of(bitmap: bytes | memoryview) -> dict[int, BitMap]:
    # 4294967295 is let through: Java's 32-bit vectors make it of position -1.
    rows, end = read_first(bitmap)
    if end != len(bitmap):
        raise BadBitmapError(f"{len(bitmap) - end} bytes follow the bitmap", end)
    return {0: rows} if rows else {}


def _describe(error: Exception) -> str:
    if isinstance(error, ValidationFailedError):
        if isinstance(error.actual, int) and error.src_path.endswith("/1"):
            return f"{error.actual:#010x} is not the magic number of a deletion vector"
        return f"a vector cannot have a size of {error.actual}"
    return f"the file ends within a vector: {' '.join(str(error).split())}"


def _length(bits: Bits, len_data: int, len_vector: int) -> int:
    """What a manifest calls the length: `DeletionVector.serializeTo` of the two Java classes."""
    return len_data if bits == 32 else len_vector


def _kind_bytes(bits: int) -> bytes:
    """What comes between a vector's size and its bitmap, and counts for size and CRC."""
    if bits == 32:
        return bytes(runtime.to_bytes(make_deletion_vector_data(bitmap_32=b"")))
    return bytes(runtime.to_bytes(make_deletion_vector_data(bitmap_64=b"")))


def _crc(bits: int, *bitmap: bytes | memoryview) -> int:
    """The CRC of a vector whose bitmap is these pieces."""
    crc = _KIND_CRC[bits]
    for piece in bitmap:
        crc = crc32(piece, crc)
    return crc


_KIND_NUMBERS = {bits: int(kind.value) for bits, kind in _KINDS.items()}
_KIND_BYTES = {bits: _kind_bytes(bits) for bits in _KINDS}
FIRST_VECTOR = len(pack_deletion_vectors_head())
"""The byte where the first vector of a file starts."""
_SIZE_END = len(pack_deletion_vector_end(crc32=0))
_KIND_CRC = {bits: crc32(kind, 0) for bits, kind in _KIND_BYTES.items()}


# Writing ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class VectorFile:
    """A file of vectors that was written: name, size in bytes, and what the manifest needs."""

    name: str
    size: int
    vectors: tuple[VectorMeta, ...]


def write_vectors(
    path: str | os.PathLike[str], vectors: Mapping[str, DeletionVector]
) -> VectorFile:
    """Write one file with the vectors of data files, in this order; of none, if there is none.

    The file gets its name when it is whole. Raises UnsupportedError if it would take 2 GB or more.
    """
    return _write(Path(path), iter(vectors.items()), None)


def write_rolling(
    folder: str | os.PathLike[str],
    vectors: Mapping[str, DeletionVector],
    *,
    target_size: int = TARGET_SIZE,
    new_name: Callable[[], str] | None = None,
) -> list[VectorFile]:
    """Write vectors to files in a folder, a new one as soon as one is over `target_size` bytes.

    `new_name` gives names of files; without it they are named as Paimon does (`index-UUID-N`).
    """
    names = _names() if new_name is None else iter(new_name, None)
    left = iter(vectors.items())
    written = []
    for first in left:
        path = Path(folder) / next(names)
        written.append(_write(path, _chain(first, left), target_size))
    return written


def join_vectors(name: str, vectors: Mapping[str, VectorBytes]) -> tuple[VectorFile, bytes]:
    """A file of this name with the vectors of data files, in this order, and its bytes.

    Raises UnsupportedError if it would take 2 GB or more.
    """
    pieces = [pack_deletion_vectors_head()]
    at = len(pieces[0])
    metas = []
    for data_file, stored in vectors.items():
        metas.append(VectorMeta(at, stored.length, stored.cardinality, data_file))
        pieces.append(stored.data)
        at += len(stored.data)
    if at > _MAX_FILE:
        raise UnsupportedError("a vector file is limited to 2 GB", path=name)
    return VectorFile(name, at, tuple(metas)), b"".join(pieces)


def _chain(
    first: tuple[str, DeletionVector], rest: Iterator[tuple[str, DeletionVector]]
) -> Iterator[tuple[str, DeletionVector]]:
    yield first
    yield from rest


def _names() -> Iterator[str]:
    prefix, number = uuid.uuid4(), 0
    while True:
        yield f"index-{prefix}-{number}"
        number += 1


def _write(
    path: Path, vectors: Iterator[tuple[str, DeletionVector]], target_size: int | None
) -> VectorFile:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    metas = []
    try:
        with temporary.open("xb") as file:
            at = file.write(pack_deletion_vectors_head())
            for name, vector in vectors:
                stored = vector.stored()
                if at + len(stored.data) > _MAX_FILE:
                    raise UnsupportedError("a vector file is limited to 2 GB", path=path)
                metas.append(VectorMeta(at, stored.length, stored.cardinality, name))
                at += file.write(stored.data)
                if target_size is not None and at > target_size:
                    break
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        reason = (error.strerror or str(error)).lower()
        raise PaimonKsyError(f"cannot be written: {reason}", path=path) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return VectorFile(path.name, at, tuple(metas))
