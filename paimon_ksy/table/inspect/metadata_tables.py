"""The metadata of a table as Arrow tables: a row for each data file, partition, index or vector.

They are made of the columns of manifests, so a million files take seconds, and no objects. A
manifest that cannot be read is a PaimonKsyError.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from paimon_ksy.messages.tables import TIME, text_of
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.inspect.content import have_indexes
from paimon_ksy.table.inspect.files import FileReporter, source_name
from paimon_ksy.table.manifests.index_files import IndexFiles
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.manifests.scan import LiveGroup, are_many, live_groups
from paimon_ksy.table.manifests.vectors import VectorPlaces, file_keys
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.manifests import BareManifests
from paimon_ksy.types import typed_arrow as pa
from paimon_ksy.types.arrays import Numbers

_TEXT, _LONG = pa.string(), pa.int64()
FILES = pa.schema(
    {
        "path": _TEXT,
        "partition": pa.map_(_TEXT, _TEXT),
        **dict.fromkeys(("bucket", "level", "rows", "bytes", "schema_id"), _LONG),
        "creation": TIME,
        "source": _TEXT,
        "first_row_id": _LONG,
        "has_index": pa.bool_(),
        "deleted_rows": _LONG,
    }
)
INDEXES = pa.schema(
    {
        **dict.fromkeys(("file", "column", "index_type"), _TEXT),
        "bytes": _LONG,
        **dict.fromkeys(("place", "error"), _TEXT),
    }
)
_VECTORS = pa.schema(
    {
        **dict.fromkeys(("file", "data_file"), _TEXT),
        **dict.fromkeys(("byte", "length", "rows"), _LONG),
    }
)
_PARTITIONS = pa.schema(
    {
        "partition": FILES.field("partition").type,
        "record_count": _LONG,
        "file_size_in_bytes": _LONG,
        "file_count": _LONG,
        "last_update_time": TIME,
    }
)
_TOGETHER = 64
"""The data files of which a task reads the indexes."""


def files_table(table: Table, snapshot: Snapshot | None) -> pa.Table:
    """Return the live data files of a snapshot."""
    columns = partial(_files, FileReporter(table), table.index_manifests.vectors(snapshot))
    scanned = table.data_files.scan(table.manifests.of(snapshot), columns, bare=True)
    return pa.Table.from_batches((batch for *_, batch in scanned), FILES)


def files_parts(
    table: Table, snapshot: Snapshot | None, engine: Engine
) -> tuple[list[LiveGroup], Callable[[LiveGroup], Iterator[pa.RecordBatch]]] | None:
    """Return `files_table` in parts, and what makes the rows of one; None if manifests are few."""
    manifests = table.manifests
    if not are_many(listed := manifests.of(snapshot)):
        return None
    groups = live_groups(listed, BareManifests(manifests), manifests.contradiction, engine)
    vectors = table.index_manifests.vectors(snapshot)
    return [*groups], partial(_files_part, FileReporter(table), vectors)


def _files_part(
    reporter: FileReporter, vectors: VectorPlaces, part: LiveGroup
) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a part, in any process."""
    read = BareManifests(reporter.table.data_files.manifests)
    return part.visited(read, partial(_files, reporter, vectors))


def _files(
    reporter: FileReporter,
    vectors: VectorPlaces,
    entries: pa.RecordBatch,
    numbers: Numbers,
    partitions: Partitions,
) -> pa.RecordBatch:
    """Return the rows of `files_table` of some entries: see `Visitor`."""
    distinct, of = np.unique(numbers, return_inverse=True)
    sources = entries.column("_FILE_SOURCE").dictionary_encode()
    names = pa.array(map(source_name, sources.dictionary.to_pylist()), _TEXT)
    found = vectors.find(file_keys(entries, partitions.hashes(numbers)))
    columns = {
        "path": reporter.table.data_files.paths_of(entries, numbers),
        "partition": _partitions(reporter, partitions, distinct).take(pa.array(of)),
        "bucket": entries.column("_BUCKET"),
        "level": entries.column("_LEVEL"),
        "rows": entries.column("_ROW_COUNT"),
        "bytes": entries.column("_FILE_SIZE"),
        "schema_id": entries.column("_SCHEMA_ID"),
        "creation": entries.column("_CREATION_TIME").view(TIME),
        "source": names.take(sources.indices),
        "first_row_id": entries.column("_FIRST_ROW_ID"),
        "has_index": pa.array(have_indexes(entries)),
        "deleted_rows": vectors.deleted_rows(found),
    }
    return _batch(columns, FILES)


def _partitions(reporter: FileReporter, partitions: Partitions, numbers: Numbers) -> pa.Array:
    """Return the values of partitions as texts, by their numbers."""
    texts = [
        [(name, None if value.plain is None else text_of(value.plain)) for name, value in of_one]
        for of_one in (
            reporter.partition(partitions.values[number]).items() for number in numbers.tolist()
        )
    ]
    return pa.array(texts, FILES.field("partition").type)


def partitions_table(table: Table, snapshot: Snapshot | None) -> pa.Table:
    """Return the partitions of a snapshot, with sums over their data files."""
    parts = [pa.table({"number": pa.array([], _LONG), **{n: pa.array([], _LONG) for n in _SUMMED}})]
    for *_, part in table.data_files.scan(table.manifests.of(snapshot), _summed, bare=True):
        parts.append(part)
    sums = [("_ROW_COUNT", "sum"), ("_FILE_SIZE", "sum"), ("_FILE_SIZE", "count")]
    summed = pa.concat_tables(parts).group_by("number")
    totals = summed.aggregate([*sums, ("_CREATION_TIME", "max")])
    numbers, *columns, latest = (column.combine_chunks() for column in totals.columns)
    found = _partitions(FileReporter(table), table.data_files.partitions, numbers.to_numpy())
    arrays = found, *columns, latest.view(pa.timestamp("ms", "UTC"))
    named = dict(zip(_PARTITIONS.names, arrays, strict=True))
    return pa.Table.from_batches([_batch(named, _PARTITIONS)])


_SUMMED = "_ROW_COUNT", "_FILE_SIZE", "_CREATION_TIME"


def _summed(entries: pa.RecordBatch, numbers: Numbers, _: Partitions) -> pa.Table:
    """Return what is summed up of some entries, with their partitions: see `Visitor`."""
    columns = {name: entries.column(name).cast(_LONG) for name in _SUMMED}
    return pa.table({"number": numbers, **columns})


def indexes_table(table: Table, snapshot: Snapshot | None, engine: Engine) -> pa.Table:
    """Return the file indexes of the live data files of a snapshot, a row for each column and type.

    An index that cannot be read is a row with its error. Each task reads the heads of some indexes.
    """
    scanned = table.data_files.scan(table.manifests.of(snapshot), _indexed, bare=True)
    tasks = (
        entries[at : at + _TOGETHER]
        for *_, entries in scanned
        for at in range(0, len(entries), _TOGETHER)
    )
    batches = engine.batches(partial(_indexes, FileReporter(table)), tasks, INDEXES)
    return pa.Table.from_batches(batches, INDEXES)


def _indexed(entries: pa.RecordBatch, *_: object) -> pa.RecordBatch:
    """Return the entries whose files have indexes: see `Visitor`."""
    return entries.filter(pa.array(have_indexes(entries)))


def _indexes(reporter: FileReporter, entries: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """Yield the rows of `indexes_table` of some entries."""
    rows: list[tuple[str | int | None, ...]] = []
    for file in reporter.table.data_files.made(entries):
        if (index := reporter.index(file)) is None:
            continue
        if index.error is not None:
            rows.append((file.path, None, None, index.bytes, index.place, index.error))
        rows += (
            (file.path, part.column, part.index_type, part.bytes, index.place, None)
            for part in index.parts
        )
    columns = zip(*rows, strict=True) if rows else ((),) * len(INDEXES)
    yield _batch(dict(zip(INDEXES.names, map(pa.array, columns), strict=True)), INDEXES)


def vectors_table(table: Table, snapshot: Snapshot | None) -> pa.Table:
    """Return the deletion vectors of a snapshot: the files that they are in, and their places."""
    return pa.Table.from_batches(
        map(partial(_vectors, table), table.index_manifests.columns(snapshot)), _VECTORS
    )


def _vectors(table: Table, files: IndexFiles) -> pa.RecordBatch:
    """Return the rows of `vectors_table` of some index files."""
    distinct, of = np.unique(files.vectors.files, return_inverse=True)
    paths = [table.paths.index_file(files.file(number)) for number in distinct.tolist()]
    columns = [pa.array(paths, _TEXT).take(pa.array(of)), *files.vectors.ranges.columns]
    return _batch(dict(zip(_VECTORS.names, columns, strict=True)), _VECTORS)


def _batch(columns: Mapping[str, pa.Array], schema: pa.Schema) -> pa.RecordBatch:
    """Return columns with the types of a schema."""
    arrays = [columns[field.name].cast(field.type) for field in schema]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)
