"""Build the body of a range bitmap, byte for byte like Java.

Source: `RangeBitmap.Appender`, `ChunkedDictionary.Appender` and `KeyFactory` (paimon-common,
release 1.4.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.objects import to_bytes
from ksykit.runtime.records import layout_for
from numpy.typing import NDArray

from paimon_ksy.columns.postings import Postings, postings, taken
from paimon_ksy.errors import OptionError, UnsupportedError
from paimon_ksy.file_index.options import parse_memory_size
from paimon_ksy.file_index.range_bitmap.reader import stored_type
from paimon_ksy.generated.structs.bit_slice_index import make_bit_slice_index
from paimon_ksy.generated.structs.chunked_dictionary import (
    make_chunked_dictionary,
    make_dictionary_chunks,
)
from paimon_ksy.generated.structs.range_bitmap_index import make_range_bitmap_index
from paimon_ksy.generated.views.bit_slice_index import BIT_SLICE
from paimon_ksy.generated.views.chunked_dictionary import (
    DICTIONARY_KEY,
    DICTIONARY_KEYS_OFS_KEYS,
    FIXED_CHUNK,
    TEXT_CHUNK,
)
from paimon_ksy.java import MAX_INT
from paimon_ksy.roaring.bits import serialized_rows, serialized_slices
from paimon_ksy.types.data_type import DataType

_CHUNK_SIZE = "chunk-size"
_UNCHUNKED = ("BOOLEAN", "TINYINT", "SMALLINT")
_EMPTY_WIDTH = 64  # number of slices that Java writes without values
_HEAD_ROOM = 1 << 20  # bytes reserved for the head


@dataclass(frozen=True)
class RangeBitmapBuilder:
    """Builder of range bitmaps for columns of one type, with a chunk size in bytes."""

    data_type: DataType
    column_type: int
    chunk_size: int

    @classmethod
    def of(cls, data_type: DataType, options: Mapping[str, str]) -> RangeBitmapBuilder:
        """Return a builder for columns of a type. Raises OptionError."""
        stored = stored_type(data_type)
        assert stored is not None, "IndexType.new_builder checks it"
        default = "0b" if data_type.root in _UNCHUNKED else "16kb"
        chunk_size = parse_memory_size(options.get(_CHUNK_SIZE, default), _CHUNK_SIZE)
        if chunk_size > MAX_INT:
            raise OptionError(f"option {_CHUNK_SIZE!r}: a chunk has at most {MAX_INT} bytes")
        return cls(data_type, stored, chunk_size)

    def build(self, column: pa.Array | pa.ChunkedArray) -> list[bytes]:
        """Build the index of a column.

        Raises:
            SchemaError: The values do not have the type.
            UnsupportedError: The size of the index would not fit in Java's int.
        """
        values = postings(column, self.data_type)
        order = values.ascending_order()
        keys = taken(values.keys, order)
        dictionary = self._dictionary(keys)
        slices = _slices(values, order)
        size = sum(map(len, (*dictionary, *slices)))
        if size + _HEAD_ROOM > MAX_INT:
            raise UnsupportedError(
                f"the index would take {size} bytes, and Java reads at most {MAX_INT}: "
                "index fewer rows in one file"
            )
        ends = [self._packed(keys[i : i + 1]).data for i in (0, len(values) - 1) if len(values)]
        head = make_range_bitmap_index(
            column_type=self.column_type,
            num_rows=values.num_rows,
            num_values=len(values),
            min=ends[0] if ends else None,
            max=ends[1] if ends else None,
            len_dictionary=sum(map(len, dictionary)),
        )
        return [to_bytes(head), *dictionary, *slices]

    def _packed(self, keys: Any) -> BytesColumn:
        return layout_for(DICTIONARY_KEY, self.column_type).pack(key=keys)

    def _dictionary(self, keys: Any) -> list[bytes]:
        """Return the head of the dictionary, the heads of its chunks, and the keys."""
        is_text = isinstance(keys, BytesColumn)
        if is_text:
            sizes = layout_for(DICTIONARY_KEY, self.column_type).sizes([keys])
            ends = np.append(0, np.cumsum(sizes))
            firsts, size = self._firsts(ends), int(ends[-1])
            counts = np.diff(np.append(firsts, len(keys))) - 1
            len_keys = ends[firsts + counts + 1] - ends[firsts + 1] if len(firsts) else firsts
            len_offsets = counts * DICTIONARY_KEYS_OFS_KEYS.size
        else:
            key_size = layout_for(DICTIONARY_KEY, self.column_type).size
            step, size = self.chunk_size // key_size + 1, key_size * len(keys)
            firsts = np.arange(0, len(keys), step)
            counts = np.diff(np.append(firsts, len(keys))) - 1
            len_keys, len_offsets = counts * key_size, counts * 0
        places = np.cumsum(len_keys + len_offsets) - (len_keys + len_offsets)
        if size > MAX_INT:
            raise UnsupportedError("the values of the index take over 2 GB: index fewer rows")
        common = {
            "key": BytesColumn.of([keys[i] for i in firsts.tolist()]) if is_text else keys[firsts],
            "code": firsts,
            "ofs_keys": places,
            "num_keys": counts,
            "len_keys": len_keys,
        }
        kind, more = (
            (TEXT_CHUNK, {"len_offsets": len_offsets})
            if is_text
            else (FIXED_CHUNK, {"len_key": key_size})
        )
        chunks = layout_for(kind, self.column_type).pack(**common, **more)
        heads = make_dictionary_chunks(
            ofs_chunks=chunks.offsets[:-1],
            text_chunks=chunks if is_text else None,
            fixed_chunks=None if is_text else chunks,
        )
        head = make_chunked_dictionary(
            column_type=self.column_type,
            num_chunks=len(firsts),
            len_chunks=len(chunks.data),
            heads=heads,
        )
        data = [to_bytes(head)]
        if not is_text:
            whole = len(keys) // step * step
            parts = keys[:whole].reshape(-1, step)[:, 1:].ravel(), keys[whole + 1 :]
            return [*data, *(self._packed(part).data for part in parts)]
        for first, count in zip(firsts.tolist(), counts.tolist(), strict=True):
            if count:
                offsets = ends[first + 1 : first + 1 + count] - ends[first + 1]
                data.append(DICTIONARY_KEYS_OFS_KEYS.pack(ofs_keys=offsets).data)
                data.append(self._packed(keys[first + 1 : first + 1 + count]).data)
        return data

    def _firsts(self, ends: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the first key of each chunk of strings, which end at `ends[1:]`.

        A chunk is full if another key would exceed `chunk_size`. Java also bounds the offsets, but
        these take no more bytes than the lengths of the keys.
        """
        firsts = []
        first = 0
        while first < len(ends) - 1:
            firsts.append(first)
            first = int(np.searchsorted(ends, ends[first + 1] + self.chunk_size, "right")) - 1
        return np.array(firsts, np.int64)


def _slices(values: Postings, order: Any) -> list[bytes]:
    """Return the bit-slice index: its head, the rows that are not null, and a slice per bit."""
    count = len(values)
    chosen = np.ones(values.num_rows, np.bool_)
    chosen[values.null_rows] = False
    if not count:
        slices = [serialized_rows(np.zeros(0, np.bool_))] * _EMPTY_WIDTH
    else:
        codes = np.arange(count, dtype=np.uint32)
        if not isinstance(order, slice):
            codes[order] = np.arange(count, dtype=np.uint32)
        numbers = np.zeros(values.num_rows, np.uint32)
        numbers[values.rows] = np.repeat(codes, values.counts)
        slices = serialized_slices(numbers, max((count - 1).bit_length(), 1))
    rows = serialized_rows(chosen)
    places = BytesColumn.of(slices)
    head = make_bit_slice_index(
        num_slices=len(slices),
        len_rows=len(rows),
        slices=BIT_SLICE.pack(ofs_bitmap=places.offsets[:-1], len_bitmap=places.lengths),
    )
    return [to_bytes(head), rows, *slices]
