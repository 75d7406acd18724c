"""Build the body of a bitmap index, byte for byte like Java.

Source: `BitmapFileIndex.Writer`, `BitmapFileIndexMeta` and `BitmapFileIndexMetaV2` (paimon-common,
release 1.4.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.columns.postings import Postings, Rows, postings, serialize_rows, taken
from paimon_ksy.errors import OptionError, UnsupportedError
from paimon_ksy.file_index.options import parse_memory_size
from paimon_ksy.generated.views.bitmap_index_v1 import BITMAP_ENTRY_V1
from paimon_ksy.generated.views.bitmap_index_v2 import BITMAP_BLOCK_REF_V2, BITMAP_ENTRY_V2
from paimon_ksy.generated.writers.bitmap_index import make_bitmap_index
from paimon_ksy.generated.writers.bitmap_index_v1 import (
    make_bitmap_dictionary_v1,
    make_bitmap_index_v1,
)
from paimon_ksy.generated.writers.bitmap_index_v2 import (
    make_bitmap_block_v2,
    make_bitmap_directory_v2,
    make_bitmap_index_v2,
    ofs_bitmap_of_row,
    ofs_null_of_null_row,
)
from paimon_ksy.java import MAX_INT
from paimon_ksy.java.hash_codes import Indices
from paimon_ksy.runtime.arrays import Buffer, BytesColumn
from paimon_ksy.runtime.objects import to_bytes
from paimon_ksy.runtime.records import layout_for
from paimon_ksy.types.data_type import DataType, column_type

# Values to write at a time, so that a large dictionary is never copied as a whole.
_STEP = 1 << 14
_VERSION = "version"
_BLOCK_SIZE = "index-block-size"


@dataclass(frozen=True)
class BitmapBuilder:
    """Builds bitmap indexes of columns of one type with one set of options."""

    data_type: DataType
    column_type: int
    version: int
    block_size: int

    @classmethod
    def of(cls, data_type: DataType, options: Mapping[str, str]) -> BitmapBuilder:
        """Return a builder for columns of a type.

        Raises:
            OptionError: An option has an invalid value.
        """
        stored_as = column_type(data_type)
        assert stored_as is not None, "IndexType.new_builder checks it"
        version = options.get(_VERSION, "2").strip()
        if version not in ("1", "2"):
            raise OptionError(
                f"option {_VERSION!r}: the version of a bitmap index is 1 or 2, not {version!r}"
            )
        block_size = parse_memory_size(options.get(_BLOCK_SIZE, "16kb"), _BLOCK_SIZE)
        return cls(data_type, stored_as, int(version), block_size)

    def build(self, column: pa.Array | pa.ChunkedArray) -> list[Buffer]:
        """Build the index of a column, as consecutive parts.

        Raises:
            SchemaError: The values are not of the type.
            OptionError: A value does not fit into a block.
            UnsupportedError: The index would be larger than a Java int.
        """
        # Large arrays are freed after their step: no name may keep them alive.
        if self.version == 1:
            return self._v1(postings(column, self.data_type))
        return self._v2(postings(column, self.data_type))

    def _v1(self, found: Postings) -> list[Buffer]:
        order = found.hash_order()
        bitmaps, offsets, _ = _bitmaps(found, order[(found.counts > 1)[order]])
        num_rows, num_values, nulls = found.num_rows, len(found), found.null_rows
        keys = found.keys
        del found
        keys, offsets = taken(keys, order), offsets[order]
        del order
        dictionary = [
            self._part(keys[a : a + _STEP], offsets[a : a + _STEP])
            for a in range(0, num_values, _STEP)
        ]
        del keys, offsets
        _check_size(sum(map(len, dictionary)) + sum(map(len, bitmaps)))
        index = make_bitmap_index_v1(
            num_rows=num_rows,
            num_values=num_values,
            has_null=int(len(nulls) > 0),
            ofs_null=_ofs_null(nulls),
        )
        head = to_bytes(make_bitmap_index(column_type=self.column_type, version=1, v1=index))
        return [head, *dictionary, *bitmaps]

    def _part(self, keys: Any, offsets: NDArray[np.int32]) -> bytes:
        """Return a part of the dictionary of version 1, which directly follows the head."""
        layout = layout_for(BITMAP_ENTRY_V1, self.column_type)
        entries = layout.pack(key=keys, ofs_bitmap=offsets)
        return _written(
            make_bitmap_dictionary_v1(
                column_type=self.column_type, num_values=len(keys), entries=entries
            )
        )

    def _v2(self, found: Postings) -> list[Buffer]:
        in_many_rows = np.flatnonzero(found.counts > 1)
        if len(in_many_rows) > 1:
            in_many_rows = found.hash_order(in_many_rows)
        bitmaps, offsets, lengths = _bitmaps(found, in_many_rows)
        del in_many_rows
        num_rows, num_values, nulls = found.num_rows, len(found), found.null_rows
        keys, order = found.keys, found.ascending_order()
        del found
        blocks, least = self._blocks(
            taken(keys, order), offsets[order], lengths[order], sum(map(len, bitmaps))
        )
        del keys, order, offsets, lengths
        places = BytesColumn.of(blocks).offsets
        index = make_bitmap_index_v2(
            num_rows=num_rows,
            num_values=num_values,
            has_null=int(len(nulls) > 0),
            ofs_null=_ofs_null(nulls),
            # Java serializes the bitmap of a single null row too, but does not store it.
            len_null=len(serialize_rows(nulls)) if len(nulls) else None,
            directory=make_bitmap_directory_v2(
                blocks=layout_for(BITMAP_BLOCK_REF_V2, self.column_type).pack(
                    key=least, ofs_block=places[:-1]
                ),
                len_blocks=int(places[-1]),
            ),
        )
        head = to_bytes(make_bitmap_index(column_type=self.column_type, version=2, v2=index))
        return [head, *blocks, *bitmaps]

    def _blocks(
        self,
        keys: Any,
        offsets: NDArray[np.int32],
        lengths: NDArray[np.int32],
        size_of_bitmaps: int,
    ) -> tuple[list[bytes], list[Any]]:
        """Return the blocks of the index, and the least value of each: `BitmapIndexBlock.tryAdd`.

        A block is a head, which has the number of entries, and these.
        """
        head_of = partial(_head_of_block, self.column_type)
        room = self.block_size - len(head_of(0))
        blocks: list[bytes] = []
        least: list[Any] = []
        start, window = 0, _STEP
        while start < len(keys):
            some = slice(start, start + window)
            entries = layout_for(BITMAP_ENTRY_V2, self.column_type).pack(
                key=keys[some], ofs_bitmap=offsets[some], len_bitmap=lengths[some]
            )
            data, ends = entries.data, entries.offsets[1:]
            first = size = 0
            while first < len(ends):
                stop = int(np.searchsorted(ends, size + room, side="right"))
                if stop == len(ends) and some.stop < len(keys):
                    break
                if stop == first:
                    size, most = int(ends[first]) - size, self.block_size
                    raise OptionError(
                        f"a value takes {size} bytes, and a block of the index {most}: set "
                        f"{_BLOCK_SIZE!r} to at least {size + most - room}b, or {_VERSION!r} to 1"
                    )
                end = int(ends[stop - 1])
                blocks.append(head_of(stop - first) + data[size:end])
                least.append(keys[start + first])
                first, size = stop, end
            start, window = start + first, _STEP if first else 2 * window
        _check_size(sum(map(len, blocks)) + size_of_bitmaps)
        return blocks, least


@lru_cache(maxsize=1024)
def _head_of_block(column_type: int, count: int) -> bytes:
    """Return the head of a block with this many entries, which does not depend on them."""
    entries = BytesColumn(b"", np.zeros(count + 1, np.int64))
    block = make_bitmap_block_v2(column_type=column_type, bitmaps_start=0, entries=entries)
    return _written(block)


def _bitmaps(
    found: Postings, in_many_rows: Indices
) -> tuple[list[Buffer], NDArray[np.int32], NDArray[np.int32]]:
    """Return the bitmap of nulls, the bitmaps in this order, and each value's offset and length."""
    nulls = [serialize_rows(found.null_rows)] if len(found.null_rows) > 1 else []
    data, sizes = found.bitmaps(in_many_rows)
    bitmaps: list[Buffer] = [*nulls, data]
    before = sum(map(len, nulls))
    _check_size(before + len(data))
    offsets = np.empty(len(found), np.int32)
    first_rows = found.first_rows
    for some in range(0, len(found), _STEP):
        rows = first_rows[some : some + _STEP].astype(np.int64)
        offsets[some : some + _STEP] = ofs_bitmap_of_row(rows)
    lengths = np.full(len(found), -1, np.int32)
    offsets[in_many_rows] = before + np.cumsum(sizes) - sizes
    lengths[in_many_rows] = sizes
    return bitmaps, offsets, lengths


def _ofs_null(nulls: Rows) -> int | None:
    if not len(nulls):
        return None
    return int(ofs_null_of_null_row(int(nulls[0]))) if len(nulls) == 1 else 0


def _written(made: Any) -> bytes:
    data = to_bytes(made)
    # A Kaitai object refers to itself, so its data would stay until the next garbage collection.
    vars(made).clear()
    return data


def _check_size(size: int) -> None:
    if size > MAX_INT:
        raise UnsupportedError(
            f"the index would take {size} bytes, and Java reads at most {MAX_INT}: "
            "index fewer rows in one file"
        )
