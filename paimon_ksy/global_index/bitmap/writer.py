"""Write a bitmap or multivalue index, in the bytes of Java, pypaimon or pypaimon-rust.

Sources:

- `BitmapGlobalIndexWriter` and `BitmapGlobalIndexFormat` (paimon-common, 2026-08),
- `BitmapIndexWriter` of pypaimon 2.1.0,
- `bitmap_global_index_writer.rs` of paimon 0.4.0.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from ksykit.runtime.varints import VarintLayout, pack_integers, packed_size
from pyroaring import BitMap

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.generated.structs.global_bitmap_index import GlobalBitmapFooter
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.generated.views.global_bitmap_index import (
    GLOBAL_BITMAP_BLOCK_REF,
    GLOBAL_BITMAP_VALUE,
)
from paimon_ksy.global_index.blocks import size_of, to_block
from paimon_ksy.global_index.metadata import SortedMetadata
from paimon_ksy.global_index.sorted_keys import KeyForm
from paimon_ksy.roaring.bitmap_64 import write_bitmaps
from paimon_ksy.types.arrays import elements, validity
from paimon_ksy.types.data_type import Field

_BLOCK_SIZE = 16 << 10
"""Bytes of a block of the dictionary, which writers do not exceed by default."""


@dataclass(frozen=True)
class Style:
    """How a library writes such files.

    Attributes:
        by_bytes: Whether keys ascend by their bytes, instead of their values.
        has_runs: Whether containers of bitmaps become runs where that takes fewer bytes.
        rows_first: Whether the bitmaps of null and other rows come first, instead of last.
    """

    by_bytes: bool
    has_runs: bool
    rows_first: bool


JAVA = Style(by_bytes=False, has_runs=True, rows_first=False)
JAVA_2_0 = Style(by_bytes=False, has_runs=True, rows_first=True)
PYPAIMON = Style(by_bytes=True, has_runs=False, rows_first=True)
PYPAIMON_RUST = Style(by_bytes=False, has_runs=False, rows_first=True)


@dataclass(frozen=True)
class BitmapIndexWriter:
    """A writer of indexes of one column.

    Attributes:
        field: The column; for a multivalue index, with the type of the elements.
        style: The library whose bytes are written.
        block_size: The size up to which blocks of the dictionary are filled.
        compression: How these blocks and the directory are compressed.
    """

    field: Field
    style: Style = JAVA
    block_size: int = _BLOCK_SIZE
    compression: BlockCompression = BlockCompression.none

    def write(
        self, column: pa.Array, rows: Sequence[int] | None = None
    ) -> tuple[bytes, SortedMetadata]:
        """Return the index of a column, and its metadata; by default, rows count from 0."""
        is_there = column.is_valid().to_numpy(zero_copy_only=False)
        at = np.arange(len(column)) if rows is None else np.array(rows, np.int64)
        nulls, others = at[~is_there], at[is_there]
        return self._write(column.drop_null(), others, _bitmap(nulls), _bitmap(others))

    def write_elements(self, column: pa.ListArray) -> tuple[bytes, SortedMetadata]:
        """Return the multivalue index of a column of arrays, and its metadata."""
        values, rows = elements(column)
        return self._write(values.drop_null(), rows[validity(values)], BitMap(), BitMap())

    def _write(
        self, values: pa.Array, rows: np.ndarray, nulls: BitMap, others: BitMap
    ) -> tuple[bytes, SortedMetadata]:
        form = KeyForm.of([self.field])
        if form is None:
            raise UnsupportedError(
                f"a bitmap global index cannot be built on type {self.field.type}"
            )
        stored = pa.array(form.stored(values).tolist(), pa.large_binary()).dictionary_encode()
        texts: list[bytes] = stored.dictionary.to_pylist()
        codes = stored.indices.to_numpy()
        groups = np.split(
            rows[np.argsort(codes, kind="stable")],
            np.cumsum(np.bincount(codes, minlength=len(texts)))[:-1],
        )
        keys = {text: form.key(text) for text in texts}
        ascending = sorted(texts, key=keys.__getitem__)
        rows_of = dict(zip(texts, groups, strict=False))  # without texts, there is one empty group
        in_order = sorted(texts) if self.style.by_bytes else ascending
        data = self._file([(text, _bitmap(rows_of[text])) for text in in_order], nulls, others)
        least, greatest = (ascending[0], ascending[-1]) if ascending else (None, None)
        return data, SortedMetadata(least, greatest, bool(nulls))

    def _file(
        self, entries: Sequence[tuple[bytes, BitMap]], nulls: BitMap, others: BitMap
    ) -> bytes:
        """Return a file of these keys and rows."""
        out = bytearray()
        places: dict[str, int] = {}
        if self.style.rows_first:
            places = self._rows_of_file(out, nulls, others)
        listed: list[tuple[bytes, int, int]] = []
        block: list[tuple[bytes, int, int]] = []
        size = 0
        for key, rows in entries:
            place = self._append(out, rows)
            entry = key, *place
            added = GLOBAL_BITMAP_VALUE.size(entry)
            if block and size + added + packed_size(len(block) + 1) > self.block_size:
                listed.append(self._block(out, block))
                block, size = [], 0
            block.append(entry)
            size += added
        if block:
            listed.append(self._block(out, block))
        places = places or self._rows_of_file(out, nulls, others)
        directory = to_block(_records(GLOBAL_BITMAP_BLOCK_REF, listed), self.compression)
        places |= {
            "ofs_directory": len(out),
            "len_directory": len(directory) - size_of(0),
            "num_values": len(entries),
        }
        return bytes(out + directory + GlobalBitmapFooter.pack(**places))

    def _rows_of_file(self, out: bytearray, nulls: BitMap, others: BitMap) -> dict[str, int]:
        ofs_nulls, len_nulls = self._append(out, nulls)
        ofs_others, len_others = self._append(out, others)
        return {
            "ofs_null_rows": ofs_nulls,
            "len_null_rows": len_nulls,
            "ofs_non_null_rows": ofs_others,
            "len_non_null_rows": len_others,
        }

    def _append(self, out: bytearray, rows: BitMap) -> tuple[int, int]:
        """Append a bitmap; return where it starts, and its length."""
        if self.style.has_runs:
            rows.run_optimize()
        start = len(out)
        out += b"".join(write_bitmaps({0: rows.serialize()} if rows else {}))
        return start, len(out) - start

    def _block(
        self, out: bytearray, entries: Sequence[tuple[bytes, int, int]]
    ) -> tuple[bytes, int, int]:
        """Append a block of the dictionary; return its first key, where it starts, its length."""
        block = to_block(_records(GLOBAL_BITMAP_VALUE, entries), self.compression)
        start = len(out)
        out += block
        return entries[0][0], start, len(block) - size_of(0)


def _bitmap(rows: np.ndarray) -> BitMap:
    """Return a bitmap without runs."""
    return BitMap(rows, optimize=False)


def _records(layout: VarintLayout, entries: Sequence[tuple[bytes, int, int]]) -> bytes:
    """Return the number of entries, and them."""
    columns: Iterator[tuple[object, ...]] = zip(*entries, strict=True)
    names = [name for name, _ in layout.columns]
    packed = layout.pack(**dict(zip(names, columns, strict=False))).data if entries else b""
    return pack_integers([len(entries)]).data + packed
