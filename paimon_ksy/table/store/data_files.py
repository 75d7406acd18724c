"""The data files of a table's snapshots, with their deletion vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import compress
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import PaimonKsyError, naming
from paimon_ksy.rows.many_rows import ManyRows
from paimon_ksy.table.engine import Engine
from paimon_ksy.table.manifests.bounds import alike
from paimon_ksy.table.manifests.entries import SCHEMA, STATISTICS, WITHOUT_STATISTICS
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.manifests.scan import EntryMask, OnContradiction, Visited, Visitor, scan
from paimon_ksy.table.manifests.vectors import VectorPlaces, file_keys
from paimon_ksy.table.model.files import (
    DataFile,
    ManifestFile,
    Snapshot,
    Statistics,
    format_of,
    internal_row,
)
from paimon_ksy.table.store.manifests import BareManifests, IndexManifests, Manifests
from paimon_ksy.table.store.paths import Paths
from paimon_ksy.table.store.schemas import Schemas
from paimon_ksy.types.arrays import (
    Numbers,
    no_rows,
    taken,
    to_arrow_array,
    to_arrow_scalar,
    to_list,
    to_numpy,
)
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema

T = TypeVar("T")

_NO_STATISTICS = Statistics()

FEW_FILES = 1000
"""The most entries of a snapshot whose live ones are cached, also by jobs."""


@dataclass(frozen=True, eq=False)
class DataFiles:
    """The data files of a table's snapshots.

    Its methods raise a PaimonKsyError if a manifest cannot be read.

    Attributes:
        schemas: The versions of the table's schema.
        paths: The paths of data and index files.
        manifests: The manifests that list data files.
        index_manifests: The index manifests, which list deletion vectors.
        key_types: The types of the columns in `DataFile.key_range`.
    """

    schemas: Schemas
    paths: Paths
    manifests: Manifests
    index_manifests: IndexManifests
    key_types: tuple[DataType, ...]
    # By internal values, which do not determine the row: they lack the padding of CHAR.
    _partition_rows: dict[tuple[Any, ...], bytes] = field(default_factory=dict)

    @property
    def partitions(self) -> Partitions:
        """The partitions of the entries."""
        return self.manifests.partitions

    def scan(
        self,
        manifests: Sequence[ManifestFile],
        visit: Visitor[T],
        on_contradiction: OnContradiction | None = None,
        *,
        counts: EntryMask | None = None,
        engine: Engine | None = None,
        bare: bool = False,
    ) -> Iterator[Visited[T]]:
        """Yield the results of `visit` for live files, batch by batch (see `scan.scan`).

        Args:
            manifests: Those of a snapshot, or some of them.
            visit: Returns the result for live files.
            on_contradiction: Called with the name of a manifest and what it contradicts.
            counts: Selects the entries that count; None for all.
            engine: The engine that reads manifests if there are many; None for threads.
            bare: Whether to read many entries without statistics and the cache: see
                `BareManifests`.

        Raises:
            CorruptFileError: A manifest contradicts another, and there is no `on_contradiction`.
        """
        on_contradiction = on_contradiction or self.manifests.contradiction
        bare = bare and not _are_few(manifests)
        read = BareManifests(self.manifests) if bare else self.manifests
        return scan(manifests, read, visit, on_contradiction, counts=counts, engine=engine)

    def of(
        self,
        snapshot: Snapshot | None,
        keep: Callable[[tuple[Any, ...], int], bool] | None = None,
        *,
        bare: bool = False,
    ) -> Iterator[DataFile]:
        """Yield the live data files of a snapshot, with their deletion vectors.

        It holds the entries of only a few manifests at a time.

        Args:
            snapshot: None for a table without snapshots, which has no files.
            keep: Selects the files to return, by partition and bucket.
            bare: Whether to leave out the statistics of many files (see `scan`).
        """
        if snapshot is None:
            return
        make = self.maker(snapshot)
        manifests = self.manifests.of(snapshot)
        for *_, entries in self.scan(manifests, lambda entries, *_: entries, bare=bare):
            if keep is not None:
                numbers = self.partitions.numbers(entries.column("_PARTITION")).tolist()
                buckets = entries.column("_BUCKET").to_pylist()
                kept = [
                    keep(self.partitions.values[number], bucket)
                    for number, bucket in zip(numbers, buckets, strict=True)
                ]
                entries = taken(entries, np.flatnonzero(kept))
            for at in range(0, len(entries), 1000):
                yield from make(entries[at : at + 1000])

    def maker(self, snapshot: Snapshot) -> Callable[[pa.RecordBatch], Iterator[DataFile]]:
        """Return a function from a snapshot's entries to data files with deletion vectors.

        Its argument is a batch that `read_entries` yields.
        """
        vectors = self.index_manifests.vectors(snapshot)
        if not len(vectors):
            return self.made

        def make(entries: pa.RecordBatch) -> Iterator[DataFile]:
            numbers = self.numbers_of(vectors, entries).tolist()
            for file, number in zip(self.made(entries), numbers, strict=True):
                if number < 0:
                    yield file
                else:
                    yield replace(file, deletion_vector=vectors.place(number))

        return make

    def numbers_of(self, vectors: VectorPlaces, entries: pa.RecordBatch) -> Numbers:
        """Return the number of each entry's deletion vector, -1 if it has none."""
        partitions = self.partitions.numbers(entries.column("_PARTITION"))
        return vectors.find(file_keys(entries, self.partitions.hashes(partitions)))

    def cached(
        self, snapshot: Snapshot, manifests: Sequence[ManifestFile]
    ) -> pa.RecordBatch | None:
        """Return the entries of a snapshot's live files, and cache them; None if there are many.

        It has these manifests.
        """
        if not _are_few(manifests):
            return None
        return self.manifests.cached(
            ("live", snapshot.base_manifest_list, snapshot.delta_manifest_list),
            lambda: self._live(manifests),
            lambda entries: entries.get_total_buffer_size(),
        )

    def _live(self, manifests: Sequence[ManifestFile]) -> pa.RecordBatch:
        batches = [entries for *_, entries in self.scan(manifests, lambda entries, *_: entries)]
        return pa.concat_batches(batches) if batches else no_rows(SCHEMA)

    def paths_of(self, entries: pa.RecordBatch, partitions: Numbers) -> pa.Array:
        """Return the path of each entry's data file.

        `partitions` has the number of each entry's partition.

        Raises:
            PaimonKsyError: A path is outside the table.
        """
        names, external = entries.column("_FILE_NAME"), entries.column("_EXTERNAL_PATH")
        buckets = to_numpy(entries.column("_BUCKET"))
        _, first, of = np.unique(
            partitions << 32 | buckets.view(np.uint32), return_index=True, return_inverse=True
        )
        folders = []
        for at in first.tolist():
            row, name = self.partitions.rows[partitions[at]], names[at].as_py()
            folders.append(self.paths.data_file(row, int(buckets[at]), name).removesuffix(name))
        text = pa.large_string()
        here = to_arrow_array(folders, text).take(to_arrow_array(of))
        paths = pc.binary_join_element_wise(here, names, to_arrow_scalar("", text))
        if external.null_count == len(external):
            return paths
        others = [self.paths.external(path) if path else None for path in external.to_pylist()]
        return pc.coalesce(to_arrow_array(others, text), paths)

    def partition_row(self, partition: tuple[Any, ...]) -> bytes:
        """Return the row of a partition, of which a data file was returned before."""
        return self._partition_rows[partition]

    def made(self, entries: pa.RecordBatch) -> Iterator[DataFile]:
        """Yield the data files of entries, without their deletion vectors.

        Raises:
            PaimonKsyError: A schema does not exist, a path is outside the table, or a key is not a
                row.
        """
        for file in self.each(entries):
            if isinstance(file, PaimonKsyError):
                raise file
            yield file

    def each(self, entries: pa.RecordBatch) -> Iterator[DataFile | PaimonKsyError]:
        """Yield the data file of each entry (see `made`), or the error in it.

        The entries may lack the columns of statistics.
        """
        partitions = self.partitions.numbers(entries.column("_PARTITION")).tolist()
        columns = zip(*(to_list(entries.column(name)) for name in _COLUMNS), strict=True)
        rows = zip(partitions, columns, self._statistics(entries), strict=True)
        for partition, values, statistics in rows:
            try:
                yield self._file(partition, dict(zip(_COLUMNS, values, strict=True)), statistics)
            except PaimonKsyError as error:
                yield error

    def _file(self, number: int, entry: Mapping[str, Any], statistics: Statistics) -> DataFile:
        self.schemas.at(entry["_SCHEMA_ID"])
        partition, row = self.partitions.values[number], self.partitions.rows[number]
        self._partition_rows.setdefault(partition, row)
        name, bucket = entry["_FILE_NAME"], entry["_BUCKET"]
        external = entry["_EXTERNAL_PATH"]
        if external:
            path = self.paths.external(external)
        else:
            path = self.paths.data_file(row, bucket, name)
        extra = tuple(entry["_EXTRA_FILES"] or ())
        return DataFile(
            path=path,
            name=name,
            format=format_of(name),
            partition=partition,
            bucket=bucket,
            total_buckets=entry["_TOTAL_BUCKETS"],
            level=entry["_LEVEL"],
            size=entry["_FILE_SIZE"],
            num_rows=entry["_ROW_COUNT"],
            schema_id=entry["_SCHEMA_ID"],
            min_sequence_number=entry["_MIN_SEQUENCE_NUMBER"],
            max_sequence_number=entry["_MAX_SEQUENCE_NUMBER"],
            delete_row_count=entry["_DELETE_ROW_COUNT"],
            first_row_id=entry["_FIRST_ROW_ID"],
            source=entry["_FILE_SOURCE"],
            creation_millis=entry["_CREATION_TIME"],
            extra_files=extra,
            embedded_index=entry["_EMBEDDED_FILE_INDEX"],
            index_files=tuple(
                self.paths.beside(path, each) for each in extra if each.endswith(".index")
            ),
            statistics=statistics,
            key_range=(self._key(entry["_MIN_KEY"], path), self._key(entry["_MAX_KEY"], path)),
            write_columns=None if entry["_WRITE_COLS"] is None else tuple(entry["_WRITE_COLS"]),
            external_path=external,
            partition_row=row,
        )

    def _key(self, data: bytes, path: str) -> tuple[Any, ...]:
        if not self.key_types or not data:
            return ()
        with naming(path):
            return internal_row(data, self.key_types)

    def _statistics(self, entries: pa.RecordBatch) -> list[Statistics]:
        """Return the statistics of each entry; none without their columns, or without a schema."""
        statistics = [_NO_STATISTICS] * len(entries)
        if not {*STATISTICS} <= {*entries.schema.names}:
            return statistics
        for part in alike(entries):
            try:
                columns = self.schemas.at(part.schema_id).columns
            except PaimonKsyError:  # that of each of these files
                continue
            if not (names := part.columns(columns.names)):
                continue
            types = _types(columns, names)
            some = taken(entries, part.at)
            least, greatest = (some.column(name) for name in ("_MIN_VALUES", "_MAX_VALUES"))
            readable = (
                ManyRows(least, len(names)).readable & ManyRows(greatest, len(names)).readable
            )
            unknown = [None] * len(names)
            counts = to_list(some.column("_NULL_COUNTS"))
            rows = zip(
                part.at.tolist(), least.to_pylist(), greatest.to_pylist(), counts, strict=True
            )
            for number, low, high, nulls in compress(rows, readable):
                known = tuple([*(nulls or ()), *unknown][: len(names)])
                statistics[number] = Statistics(names, types, low, high, known)
        return statistics


def _are_few(manifests: Iterable[ManifestFile]) -> bool:
    return sum(m.num_added_files + m.num_deleted_files for m in manifests) <= FEW_FILES


_COLUMNS = tuple(name for name in WITHOUT_STATISTICS if name not in ("_KIND", "_PARTITION"))
"""The columns of entries that directly become fields of a data file."""


@lru_cache(maxsize=256)
def _types(columns: Schema, names: tuple[str, ...]) -> tuple[DataType | None, ...]:
    """Return the types of these columns, None for a column that does not exist.

    The result is the same object for all files that are alike, so it is pickled once with them.
    """
    types = {column.name: column.type for column in columns}
    return tuple(types.get(name) for name in names)
