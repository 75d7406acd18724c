"""Build the body of a bitmap index, byte for byte like Java.

Source: `BitmapFileIndex.Writer`, `BitmapFileIndexMeta` and `BitmapFileIndexMetaV2` (paimon-common,
release 1.4.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
from ksykit.runtime.arrays import Buffer, BytesColumn
from ksykit.runtime.objects import to_bytes
from ksykit.runtime.records import layout_for
from numpy.typing import NDArray

from paimon_ksy.columns.postings import Postings, postings, serialize_rows, taken
from paimon_ksy.errors import OptionError, UnsupportedError
from paimon_ksy.file_index.options import parse_memory_size
from paimon_ksy.generated.structs.bitmap_index import make_bitmap_index
from paimon_ksy.generated.structs.bitmap_index_v1 import make_bitmap_index_v1
from paimon_ksy.generated.structs.bitmap_index_v2 import (
    BitmapBlockV2,
    make_bitmap_directory_v2,
    make_bitmap_index_v2,
    ofs_bitmap_of_row,
    ofs_null_of_null_row,
)
from paimon_ksy.generated.views.bitmap_index_v1 import BITMAP_ENTRY_V1
from paimon_ksy.generated.views.bitmap_index_v2 import BITMAP_BLOCK_REF_V2, BITMAP_ENTRY_V2
from paimon_ksy.java import MAX_INT
from paimon_ksy.java.hash_codes import Indices
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
        """Return a builder for columns of a type. Raises OptionError."""
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

    def _v1(self, values: Postings) -> list[Buffer]:
        order = values.hash_order()
        bitmaps, offsets, _ = _bitmaps(values, order[(values.counts > 1)[order]])
        facts, num_values, keys = _facts(values), len(values), values.keys
        del values
        keys, offsets = taken(keys, order), offsets[order]
        del order
        pack = layout_for(BITMAP_ENTRY_V1, self.column_type).pack
        dictionary = [
            pack(key=keys[a : a + _STEP], ofs_bitmap=offsets[a : a + _STEP]).data
            for a in range(0, num_values, _STEP)
        ]
        del keys, offsets
        _check_size(sum(map(len, dictionary)) + sum(map(len, bitmaps)))
        index = make_bitmap_index_v1(**facts)
        head = to_bytes(make_bitmap_index(column_type=self.column_type, version=1, v1=index))
        return [head, *dictionary, *bitmaps]

    def _v2(self, values: Postings) -> list[Buffer]:
        in_many_rows = np.flatnonzero(values.counts > 1)
        if len(in_many_rows) > 1:
            in_many_rows = values.hash_order(in_many_rows)
        bitmaps, offsets, lengths = _bitmaps(values, in_many_rows)
        del in_many_rows
        facts, nulls = _facts(values), values.null_rows
        keys, order = values.keys, values.ascending_order()
        del values
        blocks, least = self._blocks(taken(keys, order), offsets[order], lengths[order])
        _check_size(sum(map(len, blocks)) + sum(map(len, bitmaps)))
        del keys, order, offsets, lengths
        places = BytesColumn.of(blocks).offsets
        index = make_bitmap_index_v2(
            **facts,
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

    def _blocks(self, keys: Any, offsets: Any, lengths: Any) -> tuple[list[bytes], list[Any]]:
        """Return the blocks, and the least value of each, as `BitmapIndexBlock.tryAdd` does."""
        head_of = partial(BitmapBlockV2.pack_field, "num_entries")
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
        return blocks, least


def _bitmaps(
    values: Postings, in_many_rows: Indices
) -> tuple[list[Buffer], NDArray[np.int32], NDArray[np.int32]]:
    """Return the bitmap of nulls, the bitmaps in this order, and each value's offset and length."""
    nulls = [serialize_rows(values.null_rows)] if len(values.null_rows) > 1 else []
    data, sizes = values.bitmaps(in_many_rows)
    bitmaps: list[Buffer] = [*nulls, data]
    before = sum(map(len, nulls))
    _check_size(before + len(data))
    offsets: NDArray[np.int32] = ofs_bitmap_of_row(values.first_rows.view(np.int32))
    lengths = np.full(len(values), -1, np.int32)
    offsets[in_many_rows] = before + np.cumsum(sizes) - sizes
    lengths[in_many_rows] = sizes
    return bitmaps, offsets, lengths


def _facts(values: Postings) -> dict[str, Any]:
    """Return the fields that the heads of both versions have."""
    nulls = values.null_rows
    ofs_null = 0 if len(nulls) else None
    if len(nulls) == 1:
        ofs_null = int(ofs_null_of_null_row(int(nulls[0])))
    return {"num_rows": values.num_rows, "num_values": len(values), "ofs_null": ofs_null}


def _check_size(size: int) -> None:
    if size > MAX_INT:
        raise UnsupportedError(
            f"the index would take {size} bytes, and Java reads at most {MAX_INT}: "
            "index fewer rows in one file"
        )
