"""Read bloom filters, which prove that values are in no row of a file.

Source: `BloomFilterFileIndex`, `FastHash` and `BloomFilter64` (paimon-common, release 1.4.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from xxhash import xxh64_intdigest

from paimon_ksy.errors import CorruptFileError, counted, type_not_held
from paimon_ksy.evaluation.evaluate import LeafOrRange
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.bloom_filter.xxhash64 import Hashes
from paimon_ksy.generated.views.bloom_filter_index import BloomFilterIndex
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.predicates.tree import Comparison, In
from paimon_ksy.types.data_type import INTEGER_BITS, DataType, to_utf8

_TYPES = (
    *INTEGER_BITS,
    *("FLOAT", "DOUBLE", "CHAR", "VARCHAR", "BINARY", "VARBINARY"),
    *("DATE", "TIME", "TIMESTAMP", "TIMESTAMP_LTZ"),
)

_Places = NDArray[np.uint32]


def is_taken(data_type: DataType) -> bool:
    """Return whether bloom filters support columns of this type."""
    return data_type.root in _TYPES


# Hashing ----------------------------------------------------------------------------------------


def hash_numbers(numbers: NDArray[np.int64]) -> Hashes:
    """Hash numbers with Thomas Wang's 64-bit hash, using Java's `>>`, which keeps the sign."""
    keys = ~numbers
    keys += numbers << 21
    keys ^= keys >> 24
    keys *= 265
    keys ^= keys >> 14
    keys *= 21
    keys ^= keys >> 28
    keys += keys << 31
    return keys.view(np.uint64)


def hash_stored(numbers: NDArray[Any]) -> Hashes:
    """Hash stored numbers: a float is hashed by its bits, and all NaNs are equal."""
    if numbers.dtype.kind == "f":
        one_nan = np.where(np.isnan(numbers), numbers.dtype.type(np.nan), numbers)
        numbers = one_nan.view(f"i{numbers.dtype.itemsize}")
    return hash_numbers(numbers.astype(np.int64))


def places_of(hashes: Hashes, num_hashes: int, num_bits: int) -> Iterator[_Places]:
    """Yield, for each hash function, the bit of each value: `BloomFilter64.addHash`."""
    combined = hashes.astype(np.uint32).view(np.int32)
    second = (hashes >> np.uint64(32)).astype(np.uint32).view(np.int32)
    size = np.uint32(num_bits)
    for _ in range(num_hashes):
        combined += second
        places = (combined ^ (combined >> 31)).view(np.uint32)
        places -= places // size * size  # equals %, for which numpy has no fast loop
        yield places


# Reading ----------------------------------------------------------------------------------------

_PAGE = 4096  # bytes to read for one bit: the least that a disk reads
_MAX_PADDING = 1000  # most missing spaces of a CHAR, which bounds the forms to hash


class BloomFilterReader:
    """A bloom filter in `length` bytes from byte `pos` of `source`.

    It reads lazily, and only the pages with the bits of the values in a leaf.
    """

    num_rows = None

    def __init__(
        self, source: Source, pos: int, column: str, data_type: DataType, length: int
    ) -> None:
        if not is_taken(data_type):
            raise type_not_held(column, data_type, "bloom filter")
        self._source = source
        self._pos = pos
        self._length = length
        self._column = column
        self._type = data_type

    @cached_property
    def index(self) -> BloomFilterIndex:
        """The head, read at first use."""
        return read_head(self._source, self._pos, self._length, self._column)

    def answer(self, leaf: LeafOrRange) -> Selection | None:
        """Return `skip` if no row can match `=` or IN; None if one may match, and for other leaves.

        Raises CorruptFileError or FormatError.
        """
        if isinstance(leaf, Comparison) and leaf.op == "=":
            values: Sequence[Any] = (leaf.value,)
        elif isinstance(leaf, In) and not leaf.negated:
            values = leaf.values
        else:
            return None
        hashes = hashes_of(values, self._type)
        if hashes is None or self.may_hold(hashes).any():
            return None
        return Selection("skip", True)

    def may_hold(self, hashes: Hashes) -> NDArray[np.bool_]:
        """Return, for each hash, whether its value may be in the file."""
        held = np.ones(len(hashes), np.bool_)
        rest = np.arange(len(hashes))
        # In steps, because one unset bit is enough, and most values are absent.
        for number, places in enumerate(
            places_of(hashes, self.index.num_hashes, self.index.num_bits)
        ):
            if number < 4 or number % 16 == 0:
                rest = np.flatnonzero(held)
                if not len(rest):
                    break
            held[rest] &= self.is_set(places[rest])
        return held

    def is_set(self, places: _Places) -> NDArray[np.bool_]:
        """Return whether each of these bits is set."""
        at = (places >> np.uint32(3)).astype(np.int64)
        self._load(at)
        masks = np.left_shift(1, places & np.uint32(7)).astype(np.uint8)
        are_set: NDArray[np.bool_] = (self._bits[at] & masks) != 0
        return are_set

    @cached_property
    def _bits(self) -> NDArray[np.uint8]:
        """The bytes of the filter; those not loaded yet are 0."""
        return np.zeros(self.index.len_bits, np.uint8)

    @cached_property
    def _loaded(self) -> NDArray[np.bool_]:
        return np.zeros(-(-self.index.len_bits // _PAGE), np.bool_)

    def _load(self, at: NDArray[np.int64]) -> None:
        """Load the pages that contain these bytes."""
        start, size = self.index.place_bits()
        pages = np.unique(at // _PAGE)
        pages = pages[~self._loaded[pages]]
        places = [(page * _PAGE, min((page + 1) * _PAGE, size)) for page in pages.tolist()]
        ranges = self._source.read_ranges([(start + begin, start + end) for begin, end in places])
        for (begin, end), data in zip(places, ranges, strict=True):
            self._bits[begin:end] = np.frombuffer(data, np.uint8)
        self._loaded[pages] = True


def read_head(source: Source, pos: int, length: int, column: str) -> BloomFilterIndex:
    """Return the head of a bloom filter. Raises CorruptFileError."""
    index = read_view(source, BloomFilterIndex, pos, length)
    start, size = index.place_bits()
    if size <= 0 or start + size > source.size:
        raise CorruptFileError(
            f"a bloom filter of {counted(length, 'byte')} at byte {pos} exceeds the file of "
            f"{counted(source.size, 'byte')}",
            path=source.name,
            column=column,
            offset=pos,
        )
    return index


def hashes_of(values: Sequence[Any], data_type: DataType) -> Hashes | None:
    """Return the hashes of all forms in which values may be stored; None if there are too many."""
    if data_type.is_binary:
        return np.array([xxh64_intdigest(value) for value in values], np.uint64)
    if data_type.is_string:
        texts = _texts(values, data_type)
        return None if texts is None else np.array([*map(xxh64_intdigest, texts)], np.uint64)
    if data_type.root in ("FLOAT", "DOUBLE"):
        # 0.0 and -0.0 are one value in SQL, but two in the index.
        both = [v for value in values for v in ((0.0, -0.0) if value == 0 else (value,))]
        return hash_stored(np.array(both, np.float32 if data_type.root == "FLOAT" else np.float64))
    if data_type.is_timestamp:
        unit = data_type.stored_nanos
        values = [value // unit for value in values if data_type.is_cut or value % unit == 0]
    return hash_stored(np.array(values, np.int64))


def _texts(values: Sequence[str], data_type: DataType) -> set[bytes] | None:
    """Return the forms in which texts may be stored; None if there are too many."""
    texts = set(map(to_utf8, values))
    if data_type.root != "CHAR":
        return texts
    padded = _padded(values, data_type.length or 1)
    return None if padded is None else texts | padded


def _padded(values: Iterable[str], length: int) -> set[bytes] | None:
    """Return the texts with any number of trailing spaces, up to the length of the column."""
    texts = set()
    for value in values:
        text = value.rstrip(" ")
        spaces = max(length - len(text), 0)
        if spaces > _MAX_PADDING:
            return None
        encoded = to_utf8(text)
        texts |= {encoded + b" " * count for count in range(spaces + 1)}
    return texts
