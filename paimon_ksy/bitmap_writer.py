"""Builds the body of a bitmap index, byte for byte as Java does.

Source: `BitmapFileIndex.Writer`, `BitmapFileIndexMeta` and `BitmapFileIndexMetaV2` (paimon-common,
release 1.4.2).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.errors import OptionError, UnsupportedError
from paimon_ksy.generated.arrays import Blobs, BytesColumn
from paimon_ksy.generated.codecs.bitmap_index_v1 import BitmapEntryV1Array
from paimon_ksy.generated.codecs.bitmap_index_v2 import (
    BitmapEntryV2Array,
    ofs_bitmap_of_row,
    ofs_null_of_null_row,
)
from paimon_ksy.generated.runtime import to_bytes
from paimon_ksy.generated.serializers.bitmap_index import make_bitmap_index
from paimon_ksy.generated.serializers.bitmap_index_v1 import (
    make_bitmap_dictionary_v1,
    make_bitmap_index_v1,
)
from paimon_ksy.generated.serializers.bitmap_index_v2 import (
    make_bitmap_block_ref_v2,
    make_bitmap_block_v2,
    make_bitmap_directory_v2,
    make_bitmap_index_v2,
)
from paimon_ksy.java_hash import Indices
from paimon_ksy.options import parse_memory_size
from paimon_ksy.postings import Postings, bytes_of, postings, serialize_rows
from paimon_ksy.types import DataType, column_type

MAX_INT = 2**31 - 1
_VERSION = "version"
_BLOCK_SIZE = "index-block-size"


@dataclass(frozen=True)
class BitmapBuilder:
    """Builds bitmap indexes of columns of one type with one set of options.

    Raises UnsupportedError for a type that a bitmap index refuses, OptionError for bad options.
    """

    data_type: DataType
    column_type: int
    version: int
    block_size: int

    @classmethod
    def of(cls, data_type: DataType, options: Mapping[str, str]) -> BitmapBuilder:
        stored_as = column_type(data_type)
        if stored_as is None:
            raise UnsupportedError(f"a bitmap index cannot be built on type {data_type}")
        for option in options:
            if option not in (_VERSION, _BLOCK_SIZE):
                raise OptionError(
                    f"a bitmap index has no option {option!r}: it has {_VERSION!r}, {_BLOCK_SIZE!r}"
                )
        version = options.get(_VERSION, "2").strip()
        if version not in ("1", "2"):
            raise OptionError(f"option {_VERSION!r}: a bitmap index is of 1 or 2, not {version!r}")
        block_size = parse_memory_size(options.get(_BLOCK_SIZE, "16kb"), _BLOCK_SIZE)
        return cls(data_type, stored_as, int(version), block_size)

    def build(self, column: pa.Array | pa.ChunkedArray) -> bytes:
        """The index of a column.

        Raises SchemaError if its values are not of the type, OptionError if a value does not fit
        into a block, UnsupportedError if the index would be larger than Java's int can tell.
        """
        found = postings(column, self.data_type)
        return (self._v1 if self.version == 1 else self._v2)(found)

    def _v1(self, found: Postings) -> bytes:
        order = found.hash_order()
        bitmaps, offsets, _ = _bitmaps(found, order[found.counts[order] > 1])
        entries = BitmapEntryV1Array.from_columns(
            self.column_type, key=_taken(found.keys, order), ofs_bitmap=offsets[order]
        )
        del order, offsets
        _check_size(int(entries.sizes().sum()) + bitmaps.size)
        index = make_bitmap_index_v1(
            num_rows=found.num_rows,
            has_null=int(len(found.null_rows) > 0),
            ofs_null=_ofs_null(found),
            dictionary=make_bitmap_dictionary_v1(entries=entries),
        )
        del found
        return to_bytes(
            make_bitmap_index(column_type=self.column_type, version=1, v1=index), tail=bitmaps
        )

    def _v2(self, found: Postings) -> bytes:
        in_many_rows = np.flatnonzero(found.counts > 1)
        if len(in_many_rows) > 1:
            in_many_rows = found.hash_order(in_many_rows)
        bitmaps, offsets, lengths = _bitmaps(found, in_many_rows)
        order = found.ascending_order()
        entries = BitmapEntryV2Array.from_columns(
            self.column_type,
            key=_taken(found.keys, order),
            ofs_bitmap=offsets[order],
            len_bitmap=lengths[order],
        )
        sizes = entries.sizes()
        blocks = list(self._blocks(sizes, bitmaps.size))
        nulls = found.null_rows
        index = make_bitmap_index_v2(
            num_rows=found.num_rows,
            num_values=len(found),
            has_null=int(len(nulls) > 0),
            ofs_null=_ofs_null(found),
            # Java serializes the bitmap of a single null row too, and does not store it.
            len_null=len(serialize_rows(nulls)) if len(nulls) else None,
            directory=make_bitmap_directory_v2(
                blocks=[
                    make_bitmap_block_ref_v2(
                        key=entries[start].key,
                        block=make_bitmap_block_v2(entries=entries[start:end]),
                    )
                    for start, end in blocks
                ],
                len_blocks=int(sizes.sum()) + len(blocks) * self._size_of_empty_block(),
            ),
        )
        del found, order, offsets, lengths
        return to_bytes(
            make_bitmap_index(column_type=self.column_type, version=2, v2=index), tail=bitmaps
        )

    def _blocks(self, sizes: Indices, size_of_bitmaps: int) -> Iterator[tuple[int, int]]:
        """First entry of each block, and the one after its last: `BitmapIndexBlock.tryAdd`."""
        room = self.block_size - self._size_of_empty_block()
        if len(sizes) and (largest := int(sizes.max())) > room:
            raise OptionError(
                f"a value takes {largest} bytes, and a block of the index {self.block_size}: "
                f"set {_BLOCK_SIZE!r} to at least {largest + self.block_size - room}b, "
                f"or {_VERSION!r} to 1"
            )
        ends = np.cumsum(sizes)
        _check_size((int(ends[-1]) if len(ends) else 0) + size_of_bitmaps)
        start, before = 0, 0
        while start < len(sizes):
            end = int(np.searchsorted(ends, before + room, side="right"))
            yield start, end
            start, before = end, int(ends[end - 1])

    def _size_of_empty_block(self) -> int:
        empty = make_bitmap_block_v2(column_type=self.column_type, bitmaps_start=0, entries=[])
        return len(to_bytes(empty))


def _bitmaps(
    found: Postings, in_many_rows: Indices
) -> tuple[Blobs, NDArray[np.int32], NDArray[np.int32]]:
    """The bitmaps in the order given, after that of the nulls; offset and length by value."""
    nulls = [serialize_rows(found.null_rows)] if len(found.null_rows) > 1 else []
    bitmaps = Blobs([*nulls, *found.bitmaps(in_many_rows)])
    _check_size(bitmaps.size)
    offsets = ofs_bitmap_of_row(found.first_rows).astype(np.int32)
    lengths = np.full(len(found), -1, np.int32)
    offsets[in_many_rows] = bitmaps.offsets[len(nulls) :]
    lengths[in_many_rows] = bitmaps.lengths[len(nulls) :]
    return bitmaps, offsets, lengths


def _ofs_null(found: Postings) -> int | None:
    if not len(found.null_rows):
        return None
    return int(ofs_null_of_null_row(int(found.null_rows[0]))) if len(found.null_rows) == 1 else 0


def _taken(keys: Any, order: Indices | slice) -> Any:
    """The keys in that order, as the codecs take them."""
    if not isinstance(keys, pa.Array):
        return keys[order]
    if not isinstance(order, slice):
        keys = keys.take(pa.array(order))
    data, offsets = bytes_of(keys)
    return BytesColumn(data.tobytes(), offsets)


def _check_size(size: int) -> None:
    if size > MAX_INT:
        raise UnsupportedError(
            f"the index would take {size} bytes, and Java reads at most {MAX_INT}: "
            "index fewer rows in one file"
        )
