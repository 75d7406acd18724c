"""Check that a bloom filter is sound, and excludes no value of a column."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from paimon_ksy.columns.stored_columns import stored_numbers
from paimon_ksy.data_files.orc.shifted import ShiftedError, is_shifted, may_be_stored_as_others
from paimon_ksy.errors import CorruptFileError, counted
from paimon_ksy.file_index.bloom_filter.reader import (
    BloomFilterReader,
    hash_stored,
    hashes_of,
    places_of,
)
from paimon_ksy.file_index.bloom_filter.writer import BloomFilterBuilder
from paimon_ksy.types.data_type import DataType


def check(reader: BloomFilterReader, place: int, end: int) -> None:
    """Read the filter from byte `place` to `end`. Raises CorruptFileError."""
    if reader.index.num_hashes < 1:
        raise CorruptFileError(f"{reader.index.num_hashes} hash functions", offset=place)
    start, size = reader.index.place_bits()
    if size != end - start:
        raise CorruptFileError(f"its bits take {counted(size, 'byte')}", offset=place)
    reader.may_hold(np.zeros(1, np.uint64))


def compare(
    reader: BloomFilterReader,
    name: str,
    column: pa.ChunkedArray,
    data_type: DataType,
    file_format: str,
) -> None:
    """Compare the filter with the column of this name in a data file of this format.

    Raises:
        CorruptFileError: The filter excludes a value of the column.
        ShiftedError: It excludes only timestamps that Java's ORC writer changed.
    """
    lost = 0
    byte = None
    for hashes in BloomFilterBuilder.of(data_type, {}).hashes(column):
        missed = hashes[~reader.may_hold(hashes)]
        lost += len(missed)
        if len(missed) and byte is None:
            byte = _first_unset(reader, int(missed[0]))
    if lost and data_type.root == "CHAR":
        lost = _lost_texts(reader, column, data_type)
    if lost and is_shifted(data_type, file_format):
        lost = _lost_times(reader, column, data_type)
        if not lost:
            raise ShiftedError(name)
    if lost:
        raise CorruptFileError(
            f"the filter excludes {counted(lost, 'value')} of the data", offset=byte
        )


def _lost_texts(reader: BloomFilterReader, column: pa.ChunkedArray, data_type: DataType) -> int:
    """Return the number of texts that are excluded with any number of trailing spaces.

    Java indexes the original strings, but ORC does not store trailing spaces.
    """
    values = (value for value in column.unique().to_pylist() if value)
    each = (hashes_of([value], data_type) for value in values)
    return sum(hashes is not None and not reader.may_hold(hashes).any() for hashes in each)


def _lost_times(reader: BloomFilterReader, column: pa.ChunkedArray, data_type: DataType) -> int:
    """Return the number of timestamps that are excluded, and that ORC stores as they are."""
    numbers, _ = stored_numbers(column, data_type)
    seconds = numbers // (10**9 // data_type.stored_nanos)
    kept = hash_stored(numbers[~may_be_stored_as_others(seconds, data_type)])
    return int((~reader.may_hold(kept)).sum())


def _first_unset(reader: BloomFilterReader, code: int) -> int:
    """Return the first byte of the file that lacks a bit of a hash code."""
    start, _ = reader.index.place_bits()
    index = reader.index
    for places in places_of(np.array([code], np.uint64), index.num_hashes, index.num_bits):
        if not reader.is_set(places)[0]:
            return int(start) + (int(places[0]) >> 3)
    raise AssertionError("all bits of the hash code are set")
