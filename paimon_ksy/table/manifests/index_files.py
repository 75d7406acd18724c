"""Index manifests as columns: the index files of a snapshot, for every version of Paimon."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, Mapping
from copy import copy
from itertools import repeat
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import CorruptFileError, first_line
from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.manifests.containers import read_containers
from paimon_ksy.table.manifests.entries import ADD
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.files import GlobalIndex, IndexFile, VectorRange
from paimon_ksy.types.arrays import Numbers, filled, no_rows, to_arrow_scalar, to_numpy

UNKNOWN = -1
"""The cardinality of a vector whose manifest does not list it."""

MOST_FILES = 500_000
"""The most index files in a manifest, as each may become an object."""

_VERSION = 1
"""The only version of entries, in all versions of Paimon since 0.5."""

_RANGES, _GLOBAL_INDEX = "_DELETIONS_VECTORS_RANGES", "_GLOBAL_INDEX"
"""Fields that older versions lack. Vectors came with 0.8, external paths with 1.3, and global
indexes with 1.4."""


_TEXT, _INT, _LONG = pa.large_string(), pa.int32(), pa.int64()
_SCHEMA = pa.schema(
    [
        pa.field("_PARTITION", pa.large_binary(), nullable=False),
        pa.field("_BUCKET", _INT, nullable=False),
        *(pa.field(name, _LONG, nullable=False) for name in ("_FILE_SIZE", "_ROW_COUNT")),
        *(pa.field(name, _TEXT, nullable=False) for name in ("_INDEX_TYPE", "_FILE_NAME")),
        pa.field("_EXTERNAL_PATH", _TEXT),
    ]
)
"""The columns of index files. All versions have all of them but the last."""

_RANGE_SCHEMA = pa.schema(
    [
        pa.field("f0", _TEXT, nullable=False),
        *(pa.field(name, _INT, nullable=False) for name in ("f1", "f2")),
        pa.field("_CARDINALITY", _LONG),
    ]
)
"""The columns of deletion vectors. Cardinalities came with 1.0."""


class Vectors(NamedTuple):
    """Deletion vectors as columns, in the order of the manifest.

    Attributes:
        files: The number of the index file that contains each vector.
        ranges: The columns of `_RANGE_SCHEMA`: the name of the data file that each vector belongs
            to (`f0`), its offset and length in bytes (`f1`, `f2`), and the number of rows that it
            deletes (`_CARDINALITY`), null if not listed.
    """

    files: Numbers
    ranges: pa.RecordBatch

    @property
    def names(self) -> pa.Array:
        """The name of the data file that each vector belongs to."""
        return self.ranges.column("f0")

    def between(self, start: int, stop: int) -> Iterator[tuple[str, VectorRange]]:
        """Yield the names of the data files that some vectors belong to, and their ranges."""
        for name, *place in zip(*(c.to_pylist() for c in self.ranges[start:stop]), strict=True):
            yield name, VectorRange(*place)


class IndexFiles:
    """Index files that an index manifest adds, from a part of some MB.

    Attributes:
        columns: Their fields, such as `_BUCKET`, without vectors and global indexes.
        numbers: The number of each file's partition.
        partitions: The partitions by number.
        vectors: The deletion vectors that the files contain.
    """

    def __init__(self, records: pa.RecordBatch, partitions: Partitions) -> None:
        """Read records of an index manifest.

        Raises:
            KeyError: The records lack a field.
            ValueError, TypeError, ArrowException: A field has unexpected values.
            CorruptFileError: A partition is not a row of the partition columns.
        """
        there = dict(zip(records.schema.names, records.columns, strict=True))
        self.columns = _typed(there, records.num_rows, _SCHEMA)
        self.partitions = partitions
        self.numbers = partitions.numbers(self.columns.column("_PARTITION"))
        ranges = there.get(_RANGES)
        self._starts, self.vectors = _vectors(ranges, records.num_rows)
        self._global_indexes = _global_indexes(there.get(_GLOBAL_INDEX))

    def __len__(self) -> int:
        return len(self.numbers)

    def without_vectors(self) -> IndexFiles:
        """Return the same files without their vectors, which take most of the memory."""
        copied = copy(self)
        copied._starts, copied.vectors = _vectors(None, len(self))
        return copied

    def __iter__(self) -> Iterator[IndexFile]:
        """Yield the files one by one. Their vectors become objects at each use, uncached."""
        return self._between(0, len(self))

    def of_global_indexes(self) -> Iterator[IndexFile]:
        """Yield the files of global indexes."""
        if self._global_indexes is not None:
            yield from (file for file in self if file.global_index is not None)

    def file(self, number: int) -> IndexFile:
        """Return the file of a number."""
        return next(self._between(number, number + 1))

    def _between(self, start: int, stop: int) -> Iterator[IndexFile]:
        columns, indexes = self.columns[start:stop], self._global_indexes
        rows = zip(*(column.to_pylist() for column in columns.columns), strict=True)
        records = repeat(None) if indexes is None else indexes[start:stop].to_pylist()
        for number, row, record in zip(range(start, stop), rows, records, strict=False):
            values = dict(zip(columns.schema.names, row, strict=True))
            partition = self.numbers[number]
            vectors: Mapping[str, VectorRange] = {}
            first, end = self._starts[number : number + 2].tolist()
            if first < end:
                vectors = _StoredVectors(self.vectors, first, end)
            yield IndexFile(
                partition=self.partitions.values[partition],
                partition_row=self.partitions.rows[partition],
                vectors=vectors,
                bucket=values["_BUCKET"],
                index_type=values["_INDEX_TYPE"],
                file_name=values["_FILE_NAME"],
                file_size=values["_FILE_SIZE"],
                row_count=values["_ROW_COUNT"],
                external_path=values["_EXTERNAL_PATH"],
                global_index=None if record is None else _global_index(record),
            )


def read_index_files(data: bytes, path: str, partitions: Partitions) -> Iterator[IndexFiles]:
    """Yield the index files that an index manifest adds, in the file's order, in parts of some MB.

    `partitions` numbers the partitions; `path` is for errors.

    Raises:
        CorruptFileError: The file is broken, lacks a field, or names a file elsewhere.
    """
    count = 0
    for records, *_ in read_containers([(data, path)]):
        if not records.num_rows:
            continue
        count += records.num_rows
        if count > MOST_FILES:
            raise CorruptFileError(f"it lists more than {MOST_FILES:,} index files", path=path)
        try:
            files = IndexFiles(_added(records), partitions)
        except KeyError as error:
            raise CorruptFileError(f"an index file has no {error}", path=path) from error
        except (ValueError, TypeError, pa.ArrowException) as error:
            raise CorruptFileError(first_line(error), path=path) from error
        except CorruptFileError as error:
            error.path = path
            raise
        for name in files.columns.column("_FILE_NAME").to_pylist():
            file_name(name, "index file", path)
        yield files


def _added(records: pa.RecordBatch) -> pa.RecordBatch:
    """Return the records that add a file, which are the only ones that versions of Paimon write.

    Raises:
        KeyError: The records lack a field.
        CorruptFileError: A record has another version.
    """
    for name in ("_VERSION", "_KIND"):
        if name not in records.schema.names or records.column(name).null_count:
            raise KeyError(name)
    for version in pc.unique(records.column("_VERSION")).to_pylist():
        if version != _VERSION:
            raise CorruptFileError(
                f"its entries have version {version}, but Paimon reads only version {_VERSION}"
            )
    adds = pc.equal(kinds := records.column("_KIND"), to_arrow_scalar(ADD, kinds.type))
    return records if pc.all(adds).as_py() else records.filter(adds)


def _typed(there: Mapping[str, pa.Array], count: int, schema: pa.Schema) -> pa.RecordBatch:
    """Return columns with the types of a schema; optional columns may be null.

    Raises:
        KeyError: A value of a required column is missing.
    """
    columns = []
    for field in schema:
        column = there.get(field.name)
        if not field.nullable and (column is None or column.null_count):
            raise KeyError(field.name)
        if column is None:
            column = pa.nulls(count, field.type)
        columns.append(column if column.type == field.type else column.cast(field.type))
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _vectors(ranges: pa.Array | None, count: int) -> tuple[Numbers, Vectors]:
    """Return the number of each index file's first vector, followed by the end, and all vectors.

    Raises:
        KeyError: A vector lacks a field.
    """
    if ranges is None or ranges.null_count == count:
        none = np.zeros(count + 1, np.int64)
        return none, Vectors(none[:0], no_rows(_RANGE_SCHEMA))
    lengths = to_numpy(filled(pc.list_value_length(ranges), 0))
    starts = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    each = ranges.flatten()
    there = {field.name: pc.struct_field(each, field.name) for field in each.type}
    columns = _typed(there, len(each), _RANGE_SCHEMA)
    return starts, Vectors(np.repeat(np.arange(count), lengths), columns)


class _StoredVectors(Mapping[str, VectorRange]):
    """The vectors of an index file, by name of data file; the last one counts if names repeat."""

    def __init__(self, vectors: Vectors, start: int, stop: int) -> None:
        self._vectors, self._start, self._stop = vectors, start, stop

    def __len__(self) -> int:
        return self._stop - self._start

    def __iter__(self) -> Iterator[str]:
        return (name for name, _ in self._vectors.between(self._start, self._stop))

    def __getitem__(self, name: str) -> VectorRange:
        return self._ranges()[name]

    def items(self) -> ItemsView[str, VectorRange]:
        """Return the items of a dict created for this call."""
        return self._ranges().items()

    def _ranges(self) -> dict[str, VectorRange]:
        return dict(self._vectors.between(self._start, self._stop))


_ROW_RANGE = ("_ROW_RANGE_START", "_ROW_RANGE_END", "_INDEX_FIELD_ID")
"""The fields that each global index has."""


def _global_indexes(column: pa.Array | None) -> pa.Array | None:
    """Return the column of global indexes; None if there are none.

    Raises:
        KeyError: A global index lacks a field.
    """
    if column is None or column.null_count == len(column):
        return None
    names = [field.name for field in column.type]
    for name in _ROW_RANGE:
        if name not in names:
            raise KeyError(name)
    return column


def _global_index(record: Mapping[str, Any]) -> GlobalIndex:
    extra = record.get("_EXTRA_FIELD_IDS")
    return GlobalIndex(
        row_range_start=record["_ROW_RANGE_START"],
        row_range_end=record["_ROW_RANGE_END"],
        index_field_id=record["_INDEX_FIELD_ID"],
        extra_field_ids=None if extra is None else tuple(extra),
        index_meta=record.get("_INDEX_META"),
        source_meta=record.get("_SOURCE_META"),
    )
