"""Group an Arrow column into distinct values and their rows, as Roaring bitmaps.

No step runs Python code for each row, or for each value that occurs in only one row.
"""

from __future__ import annotations

import array
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from ksykit.runtime.arrays import BytesColumn
from numpy.typing import NDArray
from pyroaring import BitMap

from paimon_ksy.columns.stored_columns import distinct_texts, not_null, stored_numbers
from paimon_ksy.columns.stored_values import floats_of, sortable
from paimon_ksy.errors import SchemaError
from paimon_ksy.java import hash_codes
from paimon_ksy.java.hash_codes import Hashes, Indices
from paimon_ksy.java.hash_map import map_order
from paimon_ksy.roaring.small_bitmaps import small_bitmaps
from paimon_ksy.types.arrays import bytes_of, to_arrow_array, to_numpy
from paimon_ksy.types.data_type import DataType

Rows = NDArray[np.uint32]


@dataclass(frozen=True)
class Postings:
    """Distinct values of a column and their rows.

    The rows of value i, ascending, are `rows[starts[i]:starts[i + 1]]`. `keys` are the n values as
    an index stores them, strings as an Arrow array of large_binary, others as a numpy array. There,
    BOOLEAN is uint8, DATE is days, TIME is milliseconds, TIMESTAMP has the unit of its index, and
    all NaNs are one. `ascending` is true if they ascend in Java's order.
    """

    num_rows: int
    keys: NDArray[Any] | pa.Array
    starts: NDArray[np.int32]
    rows: Rows
    null_rows: Rows
    ascending: bool

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def counts(self) -> NDArray[np.int32]:
        """The number of rows of each value."""
        return self.starts[1:] - self.starts[:-1]

    @property
    def first_rows(self) -> Rows:
        """The first row of each value."""
        return self.rows.take(self.starts[:-1])

    def ascending_order(self) -> Indices | slice:
        """Return the indexes of the values in Java's order; strings compare by unsigned bytes."""
        if self.ascending:
            return slice(None)
        order: Indices = to_numpy(pc.sort_indices(self.keys).cast(pa.int64()))
        return order

    def hash_order(self, among: Indices | None = None) -> Indices:
        """Return the indexes of the values, or those `among` them, in the order of a `HashMap`.

        Source: `BitmapFileIndex.Writer.write`, which calls `computeIfAbsent` for rows not null.
        """
        first_rows = self.first_rows
        by_row = np.argsort(first_rows)
        called_again = len(self) > 0 and bool(self.rows.max() > first_rows[by_row[-1]])
        del first_rows
        if among is not None:
            place = np.empty(len(self), np.uint32)
            place[by_row] = np.arange(len(self), dtype=np.uint32)
            among = place[among].astype(np.int64)
            del place

        order = map_order(hashes_of(self.keys)[by_row], called_again=called_again, among=among)
        return by_row[order]

    def bitmaps(self, keys: Indices) -> tuple[memoryview, Indices]:
        """Serialize the rows of n values as Roaring bitmaps, and return these and the n lengths."""
        # Made in the order of the values, because their rows have this order.
        turn_of = np.full(len(self), -1, np.int32)
        turn_of[keys] = np.arange(len(keys), dtype=np.int32)
        values = np.flatnonzero(turn_of >= 0)
        turns: NDArray[Any] = turn_of.take(values)
        starts, ends = self.starts.take(values), self.starts.take(values + 1)
        small = list(small_bitmaps(self.rows, starts, ends))
        lengths = np.zeros(len(keys), np.int64)
        for places, made in small:
            lengths[turns.take(places)] = made.itemsize
        others = np.flatnonzero(lengths.take(turns) == 0)
        large = self._serialized(starts.take(others), ends.take(others))
        others = turns.take(others)
        lengths[others] = [len(data) for data in large]
        firsts = np.cumsum(lengths) - lengths
        joined = np.empty(int(lengths.sum()), np.uint8)
        while small:
            places, made = small.pop()
            kind = np.dtype((np.void, made.itemsize))
            # For each byte, the value whose bitmap starts there.
            everywhere = np.ndarray(len(joined) - kind.itemsize + 1, kind, joined.data, strides=1)
            everywhere[firsts.take(turns.take(places))] = made.view(kind)
        view = joined.data
        for first, data in zip(firsts.take(others).tolist(), large, strict=True):
            view[first : first + len(data)] = data
        return view, lengths

    def _serialized(self, starts: NDArray[Any], ends: NDArray[Any]) -> list[bytes]:
        """Return the bitmaps of parts of the rows, serialized one by one."""
        rows = array.array("I")
        if len(starts):
            rows.frombytes(self.rows.tobytes())
        places = zip(starts.tolist(), ends.tolist(), strict=True)
        return [_serialize(rows[start:end]) for start, end in places]


def serialize_rows(rows: Rows) -> bytes:
    """Serialize rows as a Roaring bitmap, with runs where they are smaller, like Java."""
    values = array.array("I")
    values.frombytes(rows.tobytes())
    return _serialize(values)


def _serialize(rows: array.array[int]) -> bytes:
    bitmap = BitMap(rows)
    bitmap.run_optimize()
    return bitmap.serialize()


def postings(column: pa.Array | pa.ChunkedArray, data_type: DataType) -> Postings:
    """Return the distinct values of a column of this type and their rows. Raises SchemaError."""
    num_rows = len(column)
    if num_rows > 2**31 - 1:
        raise SchemaError(f"an index has at most 2147483647 rows, not {num_rows}: split the file")
    if data_type.is_string:
        codes, texts = distinct_texts(column, data_type)
        null_rows = np.flatnonzero(to_numpy(codes.is_null())).astype(np.uint32)
        present, starts, rows = _group(*not_null(codes), num_rows)
        keys = texts if len(present) == len(texts) else texts.take(pa.array(present))
        return Postings(num_rows, keys, starts, rows, null_rows, ascending=False)
    values, rows_not_null = stored_numbers(column, data_type)
    null_rows = _other_rows(rows_not_null, num_rows)
    if data_type.root in ("FLOAT", "DOUBLE"):
        values, starts, rows = _group(sortable(values), rows_not_null, num_rows)
        values = floats_of(values)
    else:
        values, starts, rows = _group(values, rows_not_null, num_rows)
    return Postings(num_rows, values, starts, rows, null_rows, ascending=True)


def _other_rows(rows: Indices | None, num_rows: int) -> Rows:
    if rows is None:
        return np.empty(0, np.uint32)
    other = np.ones(num_rows, np.bool_)
    other[rows] = False
    return np.flatnonzero(other).astype(np.uint32)


# -- grouping --------------------------------------------------------------------------------------


_STEP = 1 << 16


def _group(
    values: NDArray[Any], rows: Indices | None, num_rows: int
) -> tuple[NDArray[Any], NDArray[np.int32], Rows]:
    """Group integers: return the values, ascending, the start of each one's rows, and the rows.

    Value and row are packed into one integer, so that a single sort is enough.
    """
    if not len(values):
        return values, np.zeros(1, np.int32), np.empty(0, np.uint32)
    dtype = values.dtype
    low = int(values.min())
    row_bits = max(num_rows - 1, 1).bit_length()
    bits = (int(values.max()) - low).bit_length() + row_bits
    if bits > 64:
        order = np.argsort(values, kind="stable")
        values = values[order]
        starts = _starts(values)
        return (
            values[starts[:-1]],
            starts,
            (order if rows is None else rows[order]).astype(np.uint32),
        )
    # All in place, to need memory only for the packed integers and the rows.
    kind = np.dtype(np.uint32 if bits <= 32 else np.uint64)
    packed = np.empty(len(values), kind)
    np.subtract(values, low, out=packed, dtype=np.int64, casting="unsafe")
    del values
    packed <<= kind.type(row_bits)
    for start in range(0, len(packed), _STEP):
        part = packed[start : start + _STEP]
        numbers = (
            np.arange(start, start + len(part)) if rows is None else rows[start : start + _STEP]
        )
        np.bitwise_or(part, numbers, out=part, dtype=kind, casting="unsafe")
    packed.sort()
    sorted_rows = np.empty(len(packed), np.uint32)
    np.bitwise_and(packed, kind.type((1 << row_bits) - 1), out=sorted_rows, casting="same_kind")
    packed >>= kind.type(row_bits)
    starts = _starts(packed)
    keys = packed[starts[:-1]]
    del packed
    keys = keys.view(np.int64) if kind == np.uint64 else keys.astype(np.int64)
    keys += low
    return keys.astype(dtype, copy=False), starts, sorted_rows


def _starts(ascending: NDArray[Any]) -> NDArray[np.int32]:
    """Return the start of each run of equal values, and the end of the last one."""
    changes = np.empty(len(ascending) + 1, np.bool_)
    changes[0] = changes[-1] = True
    np.not_equal(ascending[1:], ascending[:-1], out=changes[1:-1])
    return np.flatnonzero(changes).astype(np.int32)


# -- of the values ---------------------------------------------------------------------------------


def hashes_of(keys: NDArray[Any] | pa.Array) -> Hashes:
    """Return the hash codes of keys in Java."""
    if isinstance(keys, pa.Array):
        return hash_codes.hash_binary_strings(*bytes_of(keys))
    return hash_codes.hash_numbers(keys.astype(np.bool_) if keys.dtype == np.uint8 else keys)


def taken(keys: Any, order: Indices | slice) -> Any:
    """Return the keys in this order, in a form for `RecordLayout.pack`."""
    if not isinstance(keys, pa.Array):
        return keys[order]
    if not isinstance(order, slice):
        keys = keys.take(to_arrow_array(order))
    data, offsets = bytes_of(keys)
    return BytesColumn(data.tobytes(), offsets)
