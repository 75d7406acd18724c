"""The entries of a manifest as columns, for every version of Paimon.

A batch has the columns of `SCHEMA`, which are the fields of Java's `ManifestEntry` and
`DataFileMeta`. Fields that the writing version did not have are null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.errors import CorruptFileError, first_line
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.manifests.containers import FileRecords, read_containers
from paimon_ksy.types.arrays import bytes_of, to_numpy

ADD, DELETE = 0, 1
"""The kinds of entries."""

_VERSION = 2
"""The only version of entries, in all versions of Paimon since 0.4."""

_INT, _LONG, _BYTES, _TEXT = pa.int32(), pa.int64(), pa.large_binary(), pa.large_string()
_TEXTS, _LONGS = pa.large_list(_TEXT), pa.large_list(_LONG)
_ENTRY = {"_KIND": _INT, "_PARTITION": _BYTES, "_BUCKET": _INT, "_TOTAL_BUCKETS": _INT}
_FILE = {
    "_FILE_NAME": _TEXT,
    **dict.fromkeys(("_FILE_SIZE", "_ROW_COUNT"), _LONG),
    **dict.fromkeys(("_MIN_KEY", "_MAX_KEY"), _BYTES),
    **dict.fromkeys(("_MIN_SEQUENCE_NUMBER", "_MAX_SEQUENCE_NUMBER", "_SCHEMA_ID"), _LONG),
    "_LEVEL": _INT,
}
_VALUE_STATS = dict.fromkeys(("_MIN_VALUES", "_MAX_VALUES"), _BYTES)
_OPTIONAL = {
    "_EXTRA_FILES": _TEXTS,
    **dict.fromkeys(("_CREATION_TIME", "_DELETE_ROW_COUNT"), _LONG),
    "_EMBEDDED_FILE_INDEX": _BYTES,
    "_FILE_SOURCE": _INT,
    "_VALUE_STATS_COLS": _TEXTS,
    "_EXTERNAL_PATH": _TEXT,
    "_FIRST_ROW_ID": _LONG,
    "_WRITE_COLS": _TEXTS,
    "_WRITE_COLS_SEQUENCES": _LONGS,
}
_NULL_COUNTS = "_NULL_COUNTS"

SCHEMA = pa.schema(
    {**_ENTRY, **_FILE, **_VALUE_STATS, **_OPTIONAL, _NULL_COUNTS: _LONGS},
)
"""The columns of entries."""

_PLACES = {
    **{name: name for name in ("_VERSION", *_ENTRY)},
    **{name: f"_FILE.{name}" for name in (*_FILE, *_OPTIONAL)},
    **{name: f"_FILE._VALUE_STATS.{name}" for name in (*_VALUE_STATS, _NULL_COUNTS)},
}
"""The path of each field in a record."""

STATISTICS = (*_VALUE_STATS, _NULL_COUNTS, "_VALUE_STATS_COLS")
"""The columns of statistics, which take most of the memory of entries."""

WITHOUT_STATISTICS = [name for name in SCHEMA.names if name not in STATISTICS]
"""The other columns of entries."""

_NEEDED = [_PLACES[name] for name in ("_VERSION", *_ENTRY, *_FILE, *_VALUE_STATS)]

_SINCE_0_8 = "_DELETE_ROW_COUNT"
"""A field that marks newer entries. Up to 0.5, Paimon wrote all entries of an ORC file with the
statistics of the last one; no field distinguishes 0.5 from 0.7."""

_ELSEWHERE = (b"/", b"\\", b"\0")
"""Bytes that file names must not contain (`file_name`)."""


class ManifestEntries(NamedTuple):
    """Entries of manifests, one manifest after the other.

    `entries` has the columns of `SCHEMA`, and `of` the number of the manifest of each.
    """

    entries: pa.RecordBatch
    of: NDArray[np.int64]


def read_entries(files: Iterable[tuple[bytes, str]]) -> Iterator[ManifestEntries]:
    """Yield the entries of manifests in their order (see `read_containers`).

    Files are their bytes and paths.

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
    for field in SCHEMA:
        column = there.get(_PLACES[field.name])
        if column is None:
            column = pa.nulls(records.num_rows, field.type)
        elif pa.types.is_timestamp(column.type):
            column = column.cast(pa.timestamp("ms", column.type.tz), safe=False).view(pa.int64())
        columns.append(column if column.type == field.type else column.cast(field.type))
    return pa.RecordBatch.from_arrays(columns, schema=SCHEMA)


def _no_statistics(count: int) -> dict[str, Any]:
    """Return statistics for this many files, all unknown."""
    known = dict.fromkeys(_VALUE_STATS, pa.repeat(pa.scalar(write_row((), ()), _BYTES), count))
    known[_NULL_COUNTS] = pa.nulls(count, _LONGS)
    known["_VALUE_STATS_COLS"] = pa.repeat(pa.scalar([], _TEXTS), count)
    return {_PLACES[name]: column for name, column in known.items()}


def _check_names(names: pa.Array, what: str, path: str) -> None:
    """Raise CorruptFileError if `file_name` refuses a name."""
    if not len(names := names.drop_null() if names.null_count else names):
        return
    data, places = bytes_of(names)
    texts = data[places[0] : places[-1]].tobytes()
    is_long = np.diff(places) > len("..")
    if is_long.all() and not any(part in texts for part in _ELSEWHERE):
        return
    for name in pc.unique(names).to_pylist():
        file_name(name, what, path)
