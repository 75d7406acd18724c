"""The entries of a manifest as columns, for every version of Paimon.

A batch has the columns of `SCHEMA`, which are the fields of Java's `ManifestEntry` and
`DataFileMeta`. Fields that the writing version did not have are null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.errors import CorruptFileError, first_line
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.manifests.containers import FileRecords, read_containers
from paimon_ksy.types.arrays import to_numpy

ADD, DELETE = 0, 1
"""The kinds of entries."""

_VERSION = 2
"""The only version of entries, in all versions of Paimon since 0.4."""

_ENTRY = {
    "_KIND": "int32",
    "_PARTITION": "large_binary",
    "_BUCKET": "int32",
    "_TOTAL_BUCKETS": "int32",
}
_FILE = {
    "_FILE_NAME": "large_string",
    "_FILE_SIZE": "int64",
    "_ROW_COUNT": "int64",
    "_MIN_KEY": "large_binary",
    "_MAX_KEY": "large_binary",
    "_MIN_SEQUENCE_NUMBER": "int64",
    "_MAX_SEQUENCE_NUMBER": "int64",
    "_SCHEMA_ID": "int64",
    "_LEVEL": "int32",
}
_VALUE_STATS = {"_MIN_VALUES": "large_binary", "_MAX_VALUES": "large_binary"}
_OPTIONAL = {
    "_EXTRA_FILES": "strings",
    "_CREATION_TIME": "int64",
    "_DELETE_ROW_COUNT": "int64",
    "_EMBEDDED_FILE_INDEX": "large_binary",
    "_FILE_SOURCE": "int32",
    "_VALUE_STATS_COLS": "strings",
    "_EXTERNAL_PATH": "large_string",
    "_FIRST_ROW_ID": "int64",
    "_WRITE_COLS": "strings",
    "_WRITE_COLS_SEQUENCES": "int64s",
}
_NULL_COUNTS = "_NULL_COUNTS"

_PLACES = {
    **{name: name for name in ("_VERSION", *_ENTRY)},
    **{name: f"_FILE.{name}" for name in (*_FILE, *_OPTIONAL)},
    **{name: f"_FILE._VALUE_STATS.{name}" for name in (*_VALUE_STATS, _NULL_COUNTS)},
}
"""The path of each field in a record."""

STATISTICS = (*_VALUE_STATS, _NULL_COUNTS, "_VALUE_STATS_COLS")
"""The columns of statistics, which take most of the memory of entries."""

_NEEDED = [_PLACES[name] for name in ("_VERSION", *_ENTRY, *_FILE, *_VALUE_STATS)]

_SINCE_0_8 = "_DELETE_ROW_COUNT"
"""A field that marks newer entries. Up to 0.5, Paimon wrote all entries of an ORC file with the
statistics of the last one; no field distinguishes 0.5 from 0.7."""

_ELSEWHERE = (b"/", b"\\", b"\0")
"""Bytes that file names must not contain (`file_name`)."""


class ManifestEntries(NamedTuple):
    """Entries of manifests, one manifest after the other.

    Attributes:
        entries: The columns of `schema`.
        of: For each entry, the number of its manifest among those that are read.
    """

    entries: pa.RecordBatch
    of: NDArray[np.int64]


@lru_cache(maxsize=1)
def schema() -> pa.Schema:
    """Return the columns of entries."""
    kinds = {
        "int32": pa.int32(),
        "int64": pa.int64(),
        "large_binary": pa.large_binary(),
        "large_string": pa.large_string(),
        "strings": pa.large_list(pa.large_string()),
        "int64s": pa.large_list(pa.int64()),
    }
    fields = {**_ENTRY, **_FILE, **_VALUE_STATS, **_OPTIONAL}
    return pa.schema(
        [
            *(pa.field(name, kinds[kind]) for name, kind in fields.items()),
            pa.field(_NULL_COUNTS, kinds["int64s"]),
        ]
    )


def read_entries(files: Iterable[tuple[bytes, str]]) -> Iterator[ManifestEntries]:
    """Yield the entries of manifests in their order (see `read_containers`).

    Args:
        files: The bytes of each manifest, and its path for errors.

    Raises:
        CorruptFileError: A manifest is broken, lacks a field, or names a file elsewhere.
    """
    for records in read_containers(files, _PLACES.values()):
        if records.batch.num_rows:
            for checked in _checked(records):
                numbers, _, counts = zip(*checked.shares, strict=True)
                yield ManifestEntries(checked.batch, np.repeat(np.array(numbers), counts))


def _checked(records: FileRecords) -> Iterator[FileRecords]:
    """Yield records as entries: all at once, or file by file if one file is wrong."""
    path = records.shares[0].path
    try:
        try:
            batch = _entries(records.batch, is_orc=records.format == "ORC")
        except (ValueError, TypeError, KeyError, ArithmeticError) as error:
            raise CorruptFileError(first_line(error), path=path) from error
        _check_names(batch.column("_FILE_NAME"), "data file", path)
        extra = batch.column("_EXTRA_FILES")
        if extra.null_count < len(extra):
            _check_names(extra.flatten(), "file", path)
    except CorruptFileError:
        if len(records.shares) == 1:
            raise
        for each in records.alone():
            yield from _checked(each)
    else:
        yield records._replace(batch=batch)


def _entries(records: pa.RecordBatch, *, is_orc: bool) -> pa.RecordBatch:
    there = dict(zip(records.schema.names, records.columns, strict=True))
    for name in _NEEDED:
        if name not in there:
            raise ValueError(f"its entries have no field {name}")
        if there[name].null_count:
            raise ValueError(f"an entry has no value of {name}")
    versions, kinds = (to_numpy(there[name]) for name in ("_VERSION", "_KIND"))
    if (is_other := versions != _VERSION).any():
        wrong = versions[is_other.argmax()]
        raise ValueError(
            f"its entries have version {wrong}, but Paimon reads only version {_VERSION}"
        )
    if ((kinds != ADD) & (kinds != DELETE)).any():
        raise ValueError("an entry neither adds nor deletes a file")
    if is_orc and _PLACES[_SINCE_0_8] not in there:
        there |= _no_statistics(records.num_rows)
    columns = []
    for field in schema():
        column = there.get(_PLACES[field.name])
        if column is None:
            column = pa.nulls(records.num_rows, field.type)
        elif pa.types.is_timestamp(column.type):
            column = column.cast(pa.timestamp("ms", column.type.tz), safe=False).view(pa.int64())
        columns.append(column if column.type == field.type else column.cast(field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema())


def _no_statistics(count: int) -> dict[str, Any]:
    """Return statistics for this many files, all unknown."""
    nothing = pa.repeat(pa.scalar(write_row((), ()), pa.large_binary()), count)
    none = pa.repeat(pa.scalar([], pa.large_list(pa.large_string())), count)
    counts = pa.nulls(count, pa.large_list(pa.int64()))
    known = {
        "_MIN_VALUES": nothing,
        "_MAX_VALUES": nothing,
        _NULL_COUNTS: counts,
        "_VALUE_STATS_COLS": none,
    }
    return {_PLACES[name]: column for name, column in known.items()}


def _check_names(names: pa.Array, what: str, path: str) -> None:
    """Raise CorruptFileError if `file_name` refuses a name."""
    if not len(names := names.drop_null() if names.null_count else names):
        return
    _, offsets, data = names.buffers()
    places = np.frombuffer(offsets, np.int64)[names.offset : names.offset + len(names) + 1]
    texts = b"" if data is None else memoryview(data)[places[0] : places[-1]].tobytes()
    is_long = np.diff(places) > len("..")
    if is_long.all() and not any(part in texts for part in _ELSEWHERE):
        return
    for name in pc.unique(names).to_pylist():
        file_name(name, what, path)
