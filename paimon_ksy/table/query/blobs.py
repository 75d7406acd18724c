"""Values of a BLOB column, from its own files: their bytes, or where these are.

A newer file may have placeholders, for which the values in older files are valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.data_files.open import RESTORE
from paimon_ksy.errors import CorruptFileError, UnsupportedError, counted
from paimon_ksy.generated.views.blob_file import BlobEntry, places_blob_entry
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.source import Source
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import blob_descriptor
from paimon_ksy.table_files.blob_file import PLACEHOLDER, blob_rows, check_entry
from paimon_ksy.types.arrays import Numbers
from paimon_ksy.types.schema import Field

_BATCH_ROWS, _BATCH_BYTES = 1024, 32 << 20
"""The most rows of a batch, and the bytes of values after which it ends."""

_OVERHEAD = places_blob_entry(0).end


def blob_values(
    storage: Storage,
    field: Field,
    files: Sequence[tuple[DataFile, int]],
    positions: Numbers,
    stats: ReadStats,
    *,
    as_descriptors: bool,
) -> Iterator[pa.RecordBatch]:
    """Yield values of a column in batches; null for rows that no file has.

    Args:
        storage: The storage of the files.
        field: The column.
        files: The files with values, the newest first, each with the position of its first row.
        positions: The rows, ascending.
        stats: Counts reads.
        as_descriptors: Whether to return where each value is, in Paimon's form.

    Raises:
        UnsupportedError: The column contains BLOBs in an array or map.
        PaimonKsyError: A file cannot be read.
    """
    if field.type.root != "BLOB":
        raise UnsupportedError(
            f"column {field.name!r} is {field.type}: BLOBs within other values are unsupported; "
            "leave the column out, or read it with pypaimon"
        )
    with ExitStack() as stack:
        sources: dict[int, Source] = {}
        of = np.full(len(positions), -1)
        lengths, starts = np.full(len(positions), -1), np.zeros(len(positions), np.int64)
        for number, (file, first) in enumerate(files):
            at = np.flatnonzero(
                (of < 0) & (positions >= first) & (positions < first + file.num_rows)
            )
            if not len(at):
                continue
            source = sources[number] = stack.enter_context(storage.open(file.path))
            own_lengths, own_starts = _places(source, file)
            local = positions[at] - first
            has = own_lengths[local] != PLACEHOLDER
            of[at[has]] = number
            lengths[at[has]], starts[at[has]] = own_lengths[local[has]], own_starts[local[has]]
        sizes = np.where(of < 0, 0, (lengths - _OVERHEAD).clip(min=0))
        for low, high in _batches(sizes):
            values: list[Any] = []
            for row in range(low, high):
                number, length, start = int(of[row]), int(lengths[row]), int(starts[row])
                if number < 0 or length < 0:
                    values.append(None)
                    continue
                size = length - _OVERHEAD
                if as_descriptors:
                    data_at = start + places_blob_entry(size).data
                    values.append(blob_descriptor(files[number][0].path, data_at, size))
                else:
                    values.append(_value(sources[number], start, length))
            yield pa.RecordBatch.from_arrays([pa.array(values, pa.large_binary())], [field.name])
        read = sum(source.bytes_read for source in sources.values())
        stats.add(ReadStats(read, files={files[number][0].path for number in sources}))


def _places(source: Source, file: DataFile) -> tuple[Numbers, Numbers]:
    """Return the length and the start of each row's entry."""
    none, parts = np.empty(0, np.int64), list(blob_rows(source))
    lengths = np.concatenate([none, *(rows.lengths for rows in parts)])
    starts = np.concatenate([none, *(rows.starts for rows in parts)])
    if len(lengths) != file.num_rows:
        raise CorruptFileError(
            f"has {counted(len(lengths), 'row')}, but {file.num_rows:,} according to the manifest: "
            "it is truncated, or another file",
            path=file.path,
            remedy=RESTORE,
        )
    return lengths, starts


def _value(source: Source, start: int, length: int) -> bytes:
    with CorruptErrors(source, remedy=RESTORE):
        data = memoryview(source.read(start, length))
        check_entry(data, start)
        return bytes(BlobEntry(data, start, 0, length - _OVERHEAD).data)


def _batches(sizes: Numbers) -> Iterator[tuple[int, int]]:
    """Yield the first row of each batch, and the row after its last one."""
    ends, low = np.cumsum(sizes), 0
    while low < len(sizes):
        before = int(ends[low] - sizes[low])
        high = int(np.searchsorted(ends, before + _BATCH_BYTES, side="right"))
        high = min(max(high, low + 1), low + _BATCH_ROWS, len(sizes))
        yield low, high
        low = high
