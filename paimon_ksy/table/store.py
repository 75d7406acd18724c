"""A Paimon table as pypaimon knows it: schemas, snapshots, manifests, commits.

The one module that knows pypaimon. What it hands out is plain and can be pickled, so that workers
need no table. Calls that are not public in pypaimon, each because no public one does the same:

- `SnapshotManager`, `ManifestListManager`, `ManifestFileManager`, `IndexManifestFile`: planning in
  pypaimon makes splits, which leave out file indexes, statistics and what was deleted.
- `FileStoreCommit._try_commit`: the public commit makes a rewrite of metadata an OVERWRITE, and
  Java's rewrite of file indexes is a COMPACT.
- `FileStoreCommit._write_manifest_files` and what numbers rows before it: they take all entries of
  a commit at once, which may be those of every data file.
- `RenamingSnapshotCommit.file_io`: its rename on a local file system is not safe between processes.
- `canonical_data_file_path`, `bucket_index_path`: where Java puts a file of a partition.
- `ParquetPageIndexReader`: pyarrow has no way to read single pages of a column. Its `_batches` is
  given the pages that have selected rows, where it would take all from the first to the last, and
  no dictionary that these do not need; and Arrow these pages as a stream, where it would make a
  file of them.
"""

from __future__ import annotations

import json
import os
import uuid
from collections import deque
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from paimon_ksy.binary_row import read_row
from paimon_ksy.errors import PaimonKsyError, SchemaError
from paimon_ksy.generated.codecs.parquet_metadata import (
    pack_parquet_metadata_end,
    pack_parquet_metadata_start,
)
from paimon_ksy.generated.flat.parquet_metadata import ParquetMetadataEnd
from paimon_ksy.literal import place
from paimon_ksy.schema import Schema
from paimon_ksy.table.recent import Recent
from paimon_ksy.table.storage import Storage
from paimon_ksy.types import DataType

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.deletion_vector import VectorFile

T = TypeVar("T")

_FOLDERS = 1000
"""Folders of partitions and buckets that are remembered: finding one takes 0.3 ms."""

_PART = 2000
"""Data files whose entries are written to a manifest at once."""

_ENTRY_BYTES = 7000
"""Memory that an entry of pypaimon takes."""

_ENTRIES_BYTES = 2 << 20
"""Of entries that a table keeps, as a rewrite reads manifests to plan and to commit: those of small
manifests, of which there may be many. To open one takes longer than what it has."""

_MANIFESTS = Recent(32 << 20)
_FILE_BYTES = 5000
"""Memory that a data file takes with its statistics, or a manifest in a list."""

BATCH_COMMIT = 0x7FFFFFFFFFFFFFFF
"""The commit identifier of batch jobs (`BatchWriteBuilder.COMMIT_IDENTIFIER`)."""


class ConflictError(PaimonKsyError):
    """Somebody else changed the files first: nothing was committed; plan again what is left."""


class UncertainError(PaimonKsyError):
    """A commit may have been made, now or later: files that it names must not be deleted."""


@dataclass(frozen=True)
class TableSchema:
    """One version of a table's schema. `ids` are the ids of its columns, by name."""

    id: int
    columns: Schema
    ids: Mapping[str, int]
    partition_keys: tuple[str, ...]
    primary_keys: tuple[str, ...]
    options: Mapping[str, str]
    time_millis: int | None = None

    @cached_property
    def partition_schema(self) -> Schema:
        """The partition columns, in the order of the partition keys."""
        return Schema(tuple(self.columns.column(name) for name in self.partition_keys))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "ids": dict(self.ids), "options": dict(self.options)}

    @classmethod
    def parse(cls, text: str | bytes) -> TableSchema:
        """A file `schema/schema-N`. Raises SchemaError."""
        try:
            document = json.loads(text)
            columns = Schema.from_paimon_json(document)
            return cls(
                id=int(document.get("id", 0)),
                columns=columns,
                ids={node["name"]: int(node["id"]) for node in document["fields"]},
                partition_keys=tuple(document.get("partitionKeys") or ()),
                primary_keys=tuple(document.get("primaryKeys") or ()),
                options=dict(document.get("options") or {}),
                time_millis=document.get("timeMillis"),
            )
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise SchemaError(f"not a schema file of Paimon: {error}") from error


@dataclass(frozen=True)
class VectorPlace:
    """Where a data file's deletion vector is: bytes `offset` to `offset + length` of a file."""

    path: str
    offset: int
    length: int
    cardinality: int | None


@dataclass(frozen=True)
class Statistics:
    """Of columns of a data file: rows of their smallest and largest values, and counts of nulls.

    Each a tuple beside `columns`. A value is None if it is not known; a count of nulls too.
    """

    columns: tuple[str, ...]
    min_values: tuple[Any, ...]
    max_values: tuple[Any, ...]
    null_counts: tuple[int | None, ...]


@dataclass(frozen=True)
class DataFile:
    """A data file as a manifest has it.

    `partition` has internal values (see `literal`), beside the partition keys. `index` is the
    embedded index or the path of the index file, None without one. `source` is 0 for appended
    and 1 for compacted files.
    """

    path: str
    name: str
    format: str
    partition: tuple[Any, ...]
    bucket: int
    total_buckets: int
    level: int
    size: int
    num_rows: int
    schema_id: int
    min_sequence_number: int
    max_sequence_number: int
    delete_row_count: int | None
    first_row_id: int | None
    source: int | None
    creation_millis: int | None
    extra_files: tuple[str, ...]
    embedded_index: bytes | None = field(repr=False)
    index_files: tuple[str, ...]
    statistics: Statistics = field(repr=False)
    key_range: tuple[tuple[Any, ...], tuple[Any, ...]] = field(repr=False)
    write_columns: tuple[str, ...] | None
    external_path: str | None
    deletion_vector: VectorPlace | None = None

    @property
    def index(self) -> bytes | str | None:
        """The index that readers use: an embedded one before a file. Raises PaimonKsyError if
        there are several files, which Java refuses too."""
        if self.embedded_index is not None:
            return self.embedded_index
        if len(self.index_files) > 1:
            raise PaimonKsyError(
                f"{self.path}: has {len(self.index_files)} index files where one is allowed: "
                f"{', '.join(self.index_files)}; rewrite its index"
            )
        return self.index_files[0] if self.index_files else None

    @property
    def key(self) -> tuple[Any, ...]:
        """What tells this data file from the others of a snapshot."""
        return self.partition, self.bucket, self.level, self.name, self.external_path

    @property
    def state(self) -> tuple[Any, ...]:
        """What a commit that replaces the file's index changes."""
        return self.extra_files, self.embedded_index

    @property
    def digest(self) -> bytes:
        """16 bytes that tell this data file with this index from all others, in place of both."""
        return _digest(self.key, self.state)


def _digest(key: tuple[Any, ...], state: tuple[Any, ...]) -> bytes:
    return blake2b(repr((key, state)).encode(errors="surrogatepass"), digest_size=16).digest()


@dataclass(frozen=True, slots=True)
class NewIndex:
    """The index that a data file gets: `embedded` bytes, a file's name beside it, or none."""

    embedded: bytes | None = None
    file_name: str | None = None


@dataclass(frozen=True)
class NewVectors:
    """A new file of deletion vectors of data files in one bucket; `external` if its path is not
    where a table keeps such files."""

    partition: tuple[Any, ...]
    bucket: int
    file: VectorFile
    path: str
    external: bool


@dataclass(frozen=True)
class MergedFiles:
    """Data files whose rows are to be had only together, by pypaimon. It can be pickled."""

    table: Any = field(repr=False)
    split: Any = field(repr=False)

    def read(self, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """Rows of these columns, as pypaimon merges them. Raises PaimonKsyError."""
        where = self.split.files[0].file_path
        with _Reading(f"{where} and {len(self.split.files) - 1} more"):
            builder = self.table.new_read_builder().with_projection(list(columns))
            yield from builder.new_read().to_arrow_batch_reader([self.split])


@dataclass(frozen=True, slots=True)
class _Listed:
    """An entry of a manifest: of a deleted file no more than its identity."""

    kind: int
    identity: bytes
    partition: Any
    file: DataFile | None

    @property
    def size(self) -> int:
        """Bytes of memory, about."""
        index = None if self.file is None else self.file.embedded_index
        return _FILE_BYTES + len(index or b"")


class Table:
    """A Paimon table, by `Table.at(path)` or `Table.of_catalog(options, identifier)`."""

    def __init__(self, pypaimon_table: Any) -> None:
        self._table = pypaimon_table
        self.location: str = str(pypaimon_table.table_path)
        self.storage = Storage(pypaimon_table.file_io)
        self.schema = TableSchema.parse(_json(pypaimon_table.table_schema))
        self._schemas: dict[int, TableSchema] = {}
        self._folders: dict[tuple[tuple[Any, ...], int], str] = {}
        # By internal values, which do not tell all of a row: CHAR has no padding there.
        self._partition_rows: dict[tuple[Any, ...], Any] = {}
        self._entries = Recent(_ENTRIES_BYTES)

    @classmethod
    def named(cls, name: str, options: Mapping[str, str] | None = None) -> Table:
        """The table of a path, or of a catalog, by the options.

        With `warehouse`, `uri` or `metastore` among them they are those of a catalog, and the name
        is `database.name`. Else the name is a path or URL. Raises PaimonKsyError.
        """
        if (options or {}).keys() & {"warehouse", "uri", "metastore"}:
            return cls.of_catalog(options or {}, name)
        return cls.at(name, options)

    @classmethod
    def at(cls, path: str | os.PathLike[str], options: Mapping[str, str] | None = None) -> Table:
        """The table in this folder, a local path or URL; `options` are of the file system.

        Raises PaimonKsyError if there is none.
        """
        path = os.fspath(path)
        from_path = _pypaimon("table.file_store_table").FileStoreTable.from_path
        try:
            return cls(from_path(path.rstrip("/"), dict(options or {})))
        except PaimonKsyError:
            raise
        except Exception as error:  # pypaimon and file systems raise all kinds
            if (damaged := _damaged_schema(error)) is not None:
                raise damaged from error
            line, remedy = _line(error), "give the folder that has schema/ and snapshot/ in it"
            if line.startswith("Unrecognized filesystem type"):
                remedy = "pypaimon reads tables of local folders, s3://, oss://, gs:// and hdfs://"
            elif isinstance(error, ImportError):
                remedy = "without that package tables of such a URL cannot be read"
            raise PaimonKsyError(
                f"{path}: no Paimon table can be opened there: {line}; {remedy}"
            ) from error

    @classmethod
    def of_catalog(cls, options: Mapping[str, str], identifier: str) -> Table:
        """The table `database.name` of a catalog with pypaimon's options. Raises PaimonKsyError."""
        create = _pypaimon("catalog.catalog_factory").CatalogFactory.create
        if options.get("uri", "").startswith(("http://", "https://")):
            options = {"metastore": "rest", **options}
        try:
            return cls(create(dict(options)).get_table(identifier))
        except PaimonKsyError:
            raise
        except Exception as error:  # as above
            if (damaged := _damaged_schema(error)) is not None:
                raise damaged from error
            raise PaimonKsyError(
                f"{identifier}: cannot be had of the catalog: {type(error).__name__}: "
                f"{_line(error)}"
            ) from error

    @property
    def pypaimon(self) -> Any:
        """pypaimon's own table, for what it does itself: merging reads, writes."""
        return self._table

    @property
    def options(self) -> Mapping[str, str]:
        """The options of the table, of its current schema and as the catalog gives them."""
        return self.schema.options

    @cached_property
    def key_types(self) -> tuple[DataType, ...]:
        """Types of the columns in `DataFile.key_range`: the primary key's without partitions."""
        fields = self._table.trimmed_primary_keys_fields
        return tuple(self.schema.columns[column.name] for column in fields)

    @property
    def metadata_path(self) -> str:
        """The folder that has schema/, snapshot/ and tag/ in it: of the table, or of its branch."""
        folder: str = self._table.snapshot_manager().snapshot_dir
        return folder.rpartition("/")[0]

    @property
    def bucket_mode(self) -> str:
        """`HASH_FIXED`, `HASH_DYNAMIC`, `CROSS_PARTITION`, `BUCKET_UNAWARE` or `POSTPONE_MODE`."""
        return str(self._table.bucket_mode().name)

    def with_options(self, options: Mapping[str, str | None]) -> Table:
        """The table with options changed, and removed where None."""
        return Table(self._table.copy_without_time_travel(dict(options)))

    def branch(self, name: str) -> Table:
        """The same table in one of its branches; `main` is the table itself."""
        return self.with_options({"branch": name})

    # Schemas and snapshots ----------------------------------------------------------------------

    def schema_at(self, schema_id: int) -> TableSchema:
        """A version of the schema. Raises PaimonKsyError if the table has none of this id."""
        if schema_id == self.schema.id:
            return self.schema
        if schema_id not in self._schemas:
            with self._reading(f"schema/schema-{schema_id}"):
                found = self._table.schema_manager.get_schema(schema_id)
            if found is None:
                raise PaimonKsyError(f"{self.location}: its schema {schema_id} is not there")
            self._schemas[schema_id] = TableSchema.parse(_json(found))
        return self._schemas[schema_id]

    def schema_ids(self) -> list[int]:
        """The ids of all versions of the schema."""
        with self._reading("schema/*"):
            return sorted(schema.id for schema in self._table.schema_manager.list_all())

    def snapshot(self, snapshot_id: int | None = None, tag: str | None = None) -> Any | None:
        """pypaimon's Snapshot: of an id, of a tag, or the latest; None if there is none yet.

        Raises PaimonKsyError if it is not there any more, or never was.
        """
        if tag is not None:
            with self._reading(f"tag/tag-{tag}"):
                found = self._table.tag_manager().get(tag) if tag.strip() else None
            if found is None:
                raise PaimonKsyError(f"{self.location}: has no tag {tag!r}")
            return found.trim_to_snapshot()
        manager = self._table.snapshot_manager()
        with self._reading(f"snapshot/snapshot-{'*' if snapshot_id is None else snapshot_id}"):
            if snapshot_id is None:
                return manager.get_latest_snapshot()
            found = manager.get_snapshot_by_id(snapshot_id)
        if found is None:
            raise PaimonKsyError(
                f"{self.location}: has no snapshot {snapshot_id}, or it is expired; "
                "`paimon-ksy table inspect` lists those that are there"
            )
        return found

    # Files --------------------------------------------------------------------------------------

    def files(
        self,
        snapshot: Any | None,
        keep: Callable[[tuple[Any, ...], int], bool] | None = None,
    ) -> Iterator[DataFile]:
        """The live data files of a snapshot, with their deletion vectors.

        `keep(partition, bucket)` says of which to read on. Manifest after manifest: no more than
        one is held, and entries up to a bound. Raises PaimonKsyError.
        """
        if snapshot is None:
            return
        vectors = self.deletion_vectors(snapshot)
        for entry in self.live_entries(self.manifests(snapshot), self._kept_entries):
            partition = self._partition(entry.partition)
            if keep is None or keep(partition, entry.bucket):
                yield _with_vector(self._data_file(entry, partition), vectors)

    def known_files(self, snapshot: Any | None) -> Iterator[DataFile]:
        """The same; what manifests tell is remembered for the next question, up to a bound."""
        if snapshot is None:
            return
        vectors = self._remembered(
            ("vectors", snapshot.index_manifest),
            lambda: self.deletion_vectors(snapshot),
            lambda found: _FILE_BYTES * len(found),
        )
        manifests = self._remembered(
            (snapshot.base_manifest_list, snapshot.delta_manifest_list),
            lambda: self.manifests(snapshot),
            lambda found: _FILE_BYTES * len(found),
        )
        for entry in self.live_entries(manifests, self._listed):
            self._partition_rows.setdefault(entry.file.partition, entry.partition)
            yield _with_vector(entry.file, vectors)

    def _listed(self, manifest: Any) -> Iterable[_Listed]:
        """The entries of a manifest; those of one that is not too long are remembered."""
        if manifest.num_added_files + manifest.num_deleted_files > _MANIFESTS.bound // _FILE_BYTES:
            return map(self._list, self.entries(manifest))
        return self._remembered(
            manifest.file_name,
            lambda: tuple(map(self._list, self.entries(manifest))),
            lambda found: sum(entry.size for entry in found),
        )

    def _list(self, entry: Any) -> _Listed:
        file = None if entry.kind else self.data_file(entry)
        return _Listed(entry.kind, _identity(entry), entry.partition, file)

    def _remembered(self, name: Any, make: Callable[[], T], size: Callable[[T], int]) -> T:
        """What was made of a file of this name."""
        return _MANIFESTS.get((self._identity, name), make, size)

    @cached_property
    def _identity(self) -> Any:
        """The same of two tables whose manifests tell the same: options may say where files are."""
        return self.storage.identity, self.location, frozenset(self.options.items())

    def deletion_vectors(self, snapshot: Any) -> dict[tuple[Any, ...], VectorPlace]:
        """By partition, bucket and name of the data file: where its deletion vector is."""
        places: dict[tuple[Any, ...], VectorPlace] = {}
        for bucket, path, vectors in self.vector_files(snapshot):
            for name, found in vectors.items():
                key = *bucket, name
                if key in places:
                    raise PaimonKsyError(f"{path}: a second deletion vector for {name}")
                places[key] = found
        return places

    def vector_files(
        self, snapshot: Any | None
    ) -> Iterator[tuple[tuple[tuple[Any, ...], int], str, dict[str, VectorPlace]]]:
        """Files of deletion vectors: partition and bucket, path, places by name of data file."""
        for entry in self._vector_entries(snapshot):
            path = self.index_file_path(entry)
            vectors = {
                name: VectorPlace(path, meta.offset, meta.length, meta.cardinality)
                for name, meta in (entry.index_file.dv_ranges or {}).items()
            }
            yield (self._partition(entry.partition), entry.bucket), path, vectors

    def index_entries(self, snapshot: Any) -> list[Any]:
        """pypaimon's entries of the index manifest: deletion vectors, bucket indexes."""
        if not snapshot.index_manifest:
            return []
        with self._reading(f"manifest/{snapshot.index_manifest}"):
            module = _pypaimon("manifest.index_manifest_file")
            found: list[Any] = module.IndexManifestFile(self._table).read(snapshot.index_manifest)
        if not found and not self.storage.exists(
            f"{self.location}/manifest/{snapshot.index_manifest}"
        ):  # pypaimon takes a manifest that is not there for an empty one
            raise PaimonKsyError(
                f"{self.location}/manifest/{snapshot.index_manifest}: no such file"
            )
        return [entry for entry in found if entry.kind == 0]

    def index_file_path(self, entry: Any) -> str:
        """Where the index file of an index manifest's entry is."""
        factory = self._table.path_factory()
        values = tuple(entry.partition.values)
        return str(
            factory.bucket_index_path(values, entry.bucket, entry.index_file, self.storage.file_io)
        )

    def merged(
        self, snapshot: Any, groups: Iterable[Iterable[DataFile]], travel: Mapping[str, str] | None
    ) -> Iterator[list[MergedFiles]]:
        """For each group of files, which are of one bucket, those that pypaimon reads as one.

        `travel` has pypaimon's options that lead to the snapshot in the schema it had; None takes
        the table's current one. Raises PaimonKsyError if pypaimon does not see one of the files.
        """
        if travel is None:
            table = self._table.copy_without_time_travel({"scan.snapshot-id": str(snapshot.id)})
        else:
            table = self._table.copy(dict(travel))
        with self._reading(f"plan of snapshot {snapshot.id}"):
            splits = table.new_read_builder().new_scan().plan().splits()
        of_bucket: dict[Any, list[Any]] = {}
        for split in splits:
            of_bucket.setdefault((self._partition(split.partition), split.bucket), []).append(split)
        for group in groups:
            files = {file.name: file for file in group}
            some = next(iter(files.values()))
            found = [
                split.filter_file(lambda meta, names=files: meta.file_name in names)
                for split in of_bucket.get((some.partition, some.bucket), ())
            ]
            kept = [split for split in found if split is not None]
            missing = files.keys() - {meta.file_name for split in kept for meta in split.files}
            if missing:
                path = files[min(missing)].path
                raise PaimonKsyError(f"{path}: has to be merged, and pypaimon does not see it")
            yield [MergedFiles(table, split) for split in kept]

    def manifests(self, snapshot: Any) -> list[Any]:
        """pypaimon's ManifestFileMeta of a snapshot: of its base, then of its delta."""
        with self._reading(f"manifest list of snapshot {snapshot.id}"):
            lists = _pypaimon("manifest.manifest_list_manager").ManifestListManager(self._table)
            found: list[Any] = lists.read_all(snapshot)
            return found

    def entries(self, manifest: Any) -> list[Any]:
        """pypaimon's ManifestEntry of a manifest, statistics too, in the order of the file."""
        with self._reading(f"manifest/{manifest.file_name}"):
            files = _pypaimon("manifest.manifest_file_manager").ManifestFileManager(self._table)
            found: list[Any] = files.read(manifest.file_name, drop_stats=False)
            return found

    def _kept_entries(self, manifest: Any) -> list[Any]:
        """The same, kept up to a bound for who asks again; not to be changed."""
        return self._entries.get(
            manifest.file_name,
            lambda: self.entries(manifest),
            lambda found: sum(_ENTRY_BYTES + len(e.file.embedded_index or b"") for e in found),
        )

    def manifest_list(self, name: str) -> list[Any]:
        """pypaimon's ManifestFileMeta in the manifest list of this name."""
        with self._reading(f"manifest/{name}"):
            lists = _pypaimon("manifest.manifest_list_manager").ManifestListManager(self._table)
            found: list[Any] = lists.read(name)
            return found

    def manifest_bounds(self, manifest: Any) -> Statistics:
        """The bounds of the partitions in a ManifestFileMeta."""
        return _statistics(manifest.partition_stats, self.schema)

    def data_file(self, entry: Any) -> DataFile:
        """The file of a ManifestEntry, or the changelog file. Without its deletion vector."""
        return self._data_file(entry, self._partition(entry.partition))

    def digest_of(self, entry: Any) -> bytes:
        """`DataFile.digest` of the file of a ManifestEntry."""
        return _entry_digest(entry, self._partition(entry.partition))

    def partition_of(self, entry: Any) -> tuple[Any, ...]:
        """The partition of an entry of a manifest or of the index manifest: internal values."""
        return self._partition(entry.partition)

    def num_files(self, snapshot: Any | None) -> int:
        """How many data files a snapshot has, from its manifest lists alone."""
        manifests = [] if snapshot is None else self.manifests(snapshot)
        return sum(m.num_added_files - m.num_deleted_files for m in manifests)

    def _live_entries(self, snapshot: Any) -> Iterator[Any]:
        return self.live_entries(self.manifests(snapshot), self.entries)

    def live_entries(
        self, manifests: Sequence[Any], entries: Callable[[Any], Iterable[Any]]
    ) -> Iterator[Any]:
        """Entries that were added and not deleted later; as Java's FileEntry merges them.

        `entries` reads a manifest. pypaimon's own merge forgets the order: there a file that was
        deleted and came back is gone.
        """
        return self._live_of(manifests, self._deleted_of(manifests, entries), entries)

    def _deleted_of(
        self, manifests: Sequence[Any], entries: Callable[[Any], Iterable[Any]]
    ) -> dict[bytes, tuple[int, int]]:
        """By identity: manifest and place of the last entry that deletes it."""
        deleted: dict[bytes, tuple[int, int]] = {}
        for number, manifest in enumerate(manifests):
            if manifest.num_deleted_files:
                for at, entry in enumerate(entries(manifest)):
                    if entry.kind:
                        deleted[_identity(entry)] = number, at
        return deleted

    def _live_of(
        self,
        manifests: Sequence[Any],
        deleted: Mapping[bytes, tuple[int, int]],
        entries: Callable[[Any], Iterable[Any]],
    ) -> Iterator[Any]:
        for number, manifest in enumerate(manifests):
            if not manifest.num_added_files:
                continue
            for at, entry in enumerate(entries(manifest)):
                gone = deleted.get(_identity(entry)) if deleted else None
                if not entry.kind and (gone is None or gone < (number, at)):
                    yield entry

    def _data_file(self, entry: Any, partition: tuple[Any, ...]) -> DataFile:
        self._partition_rows.setdefault(partition, entry.partition)
        meta = entry.file
        schema = self.schema_at(meta.schema_id)
        path = meta.physical_path() if meta.external_path else None
        if path is None:
            path = self._path(tuple(entry.partition.values), entry.bucket, meta.file_name)
        indexes = [name for name in meta.extra_files or () if name.endswith(".index")]
        if indexes:
            meta = replace(meta, file_path=path)
        stats = meta.value_stats
        created = meta.creation_time
        return DataFile(
            path=path,
            name=meta.file_name,
            format=meta.file_name.rpartition(".")[2].lower(),
            partition=partition,
            bucket=entry.bucket,
            total_buckets=entry.total_buckets,
            level=meta.level,
            size=meta.file_size,
            num_rows=meta.row_count,
            schema_id=meta.schema_id,
            min_sequence_number=meta.min_sequence_number,
            max_sequence_number=meta.max_sequence_number,
            delete_row_count=meta.delete_row_count,
            first_row_id=meta.first_row_id,
            source=meta.file_source,
            creation_millis=None if created is None else created.get_millisecond(),
            extra_files=tuple(meta.extra_files or ()),
            embedded_index=meta.embedded_index,
            index_files=tuple(map(meta.aligned_file_path, indexes)),
            statistics=_statistics(stats, schema),
            key_range=(
                _key(meta.min_key, meta.key_stats.min_values, self.key_types),
                _key(meta.max_key, meta.key_stats.max_values, self.key_types),
            ),
            write_columns=None if meta.write_cols is None else tuple(meta.write_cols),
            external_path=meta.external_path,
        )

    def _path(self, partition: tuple[Any, ...], bucket: int, name: str) -> str:
        if (folder := self._folders.get((partition, bucket))) is None:
            find = _pypaimon("utils.file_store_path_factory").canonical_data_file_path
            folder = str(find(self._table, partition, bucket, name)).removesuffix(name)
            if len(self._folders) >= _FOLDERS:
                self._folders.clear()
            self._folders[partition, bucket] = folder
        return folder + name

    def _partition(self, row: Any) -> tuple[Any, ...]:
        return _values(row.values, [field.type for field in self.schema.partition_schema])

    def _reading(self, what: str) -> _Reading:
        return _Reading(f"{self.location}/{what}")

    # Commits ------------------------------------------------------------------------------------

    def commit_indexes(self, planned: Mapping[bytes, NewIndex]) -> int | None:
        """Give data files, by `DataFile.digest`, other indexes in one snapshot; returns its id.

        Its kind is COMPACT, as of Java's rewrite_file_index. None if nothing changes. Raises
        ConflictError, with nothing committed, if a file is gone or has another index by now, and
        UncertainError if it cannot be told whether it was committed.
        """
        if not planned:
            return None
        rewritten = _Rewritten(self, planned)
        try:
            return self._commit("COMPACT", rewritten)
        except ConflictError:
            if rewritten.nothing:
                return None
            raise

    def new_vectors_path(
        self, partition: tuple[Any, ...], bucket: int, name: str
    ) -> tuple[str, bool]:
        """Where a new file of deletion vectors goes, and whether its entry has to tell so."""
        values = tuple(self._partition_row(partition).values)
        path, external = self._table.path_factory().new_bucket_index_path(values, bucket, name)
        return str(path), bool(external)

    def commit_vectors(
        self,
        planned: Any,
        added: Sequence[NewVectors],
        replaced: Container[str],
        dropped: Set[tuple[Any, ...]] = frozenset(),
    ) -> int:
        """New files of deletion vectors for those at the paths `replaced`, in one snapshot.

        Data files with a `key` in `dropped` are taken out. All of it was planned on the snapshot
        `planned`, by this object. The kind is OVERWRITE, as of Java's delete; the numbers of
        records are those of data files, as there. Returns the snapshot's id. Raises ConflictError,
        with nothing committed, if a data file or a replaced file is gone, or a data file has
        another vector by now (or its bucket, where a bucket has one file of vectors), and
        UncertainError.
        """
        names = {
            (one.partition, one.bucket, meta.data_file)
            for one in added
            for meta in one.file.vectors
        } | {(partition, bucket, name) for partition, bucket, _, name, _ in dropped}
        # Java keeps one file of vectors of a bucket, whatever its name.
        one_each = self.bucket_mode != "BUCKET_UNAWARE"
        buckets = {(one.partition, one.bucket) for one in added} if one_each else set()
        old = {
            entry.index_file.file_name: entry
            for entry in self._vector_entries(planned)
            if self.index_file_path(entry) in replaced
        }

        def entries(latest: Any) -> list[Any]:
            """What is changed of the data files, after a look at what others changed."""
            found = self._same_vectors(latest, old.keys(), names, buckets)
            if found is not None:
                raise ConflictError(f"{self.location}: conflict: {found}")
            if not dropped and _same_files(planned, latest):
                return []
            missing, gone = set(names), []
            for entry in self._live_entries(latest):
                meta, partition = entry.file, self._partition(entry.partition)
                missing.discard((partition, entry.bucket, meta.file_name))
                key = partition, entry.bucket, meta.level, meta.file_name, meta.external_path
                if key in dropped:
                    gone.append(replace(entry, kind=1))
            if missing:
                file = min(str(key[2]) for key in missing)
                raise ConflictError(f"{self.location}: conflict: data file {file} is gone by now")
            return gone

        return self._commit(
            "OVERWRITE",
            entries,
            [self._vectors_entry(one) for one in added],
            [replace(entry, kind=1) for entry in old.values()],
        )

    def _same_vectors(
        self, snapshot: Any, replaced: Set[str], names: Set[Any], buckets: Set[Any]
    ) -> str | None:
        """What speaks against it that new vectors of data files replace those files of vectors."""
        missing = set(replaced)
        for entry in self._vector_entries(snapshot):
            meta, bucket = entry.index_file, (self._partition(entry.partition), entry.bucket)
            if meta.file_name in replaced:
                missing.discard(meta.file_name)
            elif bucket in buckets or any((*bucket, n) in names for n in meta.dv_ranges or ()):
                return f"{meta.file_name} deletes rows of the same data files by now"
        return f"{min(missing)} is replaced by now" if missing else None

    def _vector_entries(self, snapshot: Any | None) -> list[Any]:
        entries = [] if snapshot is None else self.index_entries(snapshot)
        return [entry for entry in entries if entry.index_file.index_type == "DELETION_VECTORS"]

    def _vectors_entry(self, new: NewVectors) -> Any:
        """The entry of the index manifest; its ranges are in the order of the file, as Java reads
        them one after the other."""
        range_of = _pypaimon("index.deletion_vector_meta").DeletionVectorMeta
        ranges = {
            meta.data_file: range_of(meta.data_file, meta.offset, meta.length, meta.cardinality)
            for meta in new.file.vectors
        }
        meta = _pypaimon("index.index_file_meta").IndexFileMeta(
            "DELETION_VECTORS",
            new.file.name,
            new.file.size,
            len(ranges),
            ranges,
            new.path if new.external else None,
        )
        entry = _pypaimon("manifest.index_manifest_entry").IndexManifestEntry
        return entry(0, self._partition_row(new.partition), new.bucket, meta)

    def _partition_row(self, partition: tuple[Any, ...]) -> Any:
        """pypaimon's row of the partition of a data file that was listed."""
        return self._partition_rows[partition]

    def _commit(
        self,
        kind: str,
        entries: list[Any] | Callable[[Any], Iterable[Any]],
        index_adds: Iterable[Any] = (),
        index_deletes: Iterable[Any] = (),
    ) -> int:
        """One snapshot of these changes, whose `entries` may depend on the snapshot before it.

        A function that gives them looks for conflicts, in each attempt. Raises ConflictError, or
        UncertainError if it is not known whether it was made.
        """
        before = self.snapshot()
        commit = self._table.new_batch_write_builder().new_commit().file_store_commit
        if hasattr(commit.snapshot_commit, "file_io"):
            commit.snapshot_commit.file_io = _local_links(commit.snapshot_commit.file_io)
        if isinstance(entries, _Rewritten):
            entries.join(commit)
        failed: Exception | None = None
        try:
            commit._try_commit(
                commit_kind=kind,
                commit_identifier=BATCH_COMMIT,
                commit_entries_plan=entries if callable(entries) else lambda _: entries,
                detect_conflicts=not callable(entries),
                index_adds=list(index_adds),
                index_deletes=list(index_deletes),
            )
        except Exception as error:  # file systems and callbacks raise all kinds
            failed = error
        finally:
            commit.close()
        # Whatever was raised, for instance of a callback: the snapshot tells what happened.
        found = self._snapshot_of(commit.commit_user, 0 if before is None else before.id)
        if found is not None:
            return found
        if isinstance(entries, _Rewritten):
            entries.discard()
        if failed is None:
            raise ConflictError(f"{self.location}: another snapshot was written over this commit's")
        if isinstance(failed, PaimonKsyError):  # of `entries`
            raise failed
        # FileStoreCommit gives a cause to what is raised if an attempt ended in an exception, and
        # "Failed to prepare" is said before an attempt.
        text = str(failed)
        certain = "conflict" in text.lower() and failed.__cause__ is None
        if certain or "Failed to prepare" in text:
            raise ConflictError(f"{self.location}: {_line(failed)}") from failed
        raise UncertainError(
            f"{self.location}: it is not known whether the commit was made: {_line(failed)}"
        ) from failed

    def _snapshot_of(self, commit_user: str, after: int) -> int | None:
        """The snapshot later than `after` that a commit user made; users are unique to a commit."""
        latest = self.snapshot()
        manager = self._table.snapshot_manager()
        for snapshot_id in range(latest.id, after, -1) if latest is not None else ():
            snapshot = manager.get_snapshot_by_id(snapshot_id)
            if snapshot is not None and snapshot.commit_user == commit_user:
                return int(snapshot.id)
        return None


class _Rewritten:
    """Data files that get other indexes, in manifests written while those of a snapshot are read:
    no more than a part of the entries is held.

    To `FileStoreCommit` it is the plan of a commit, called in each attempt with the latest
    snapshot, and its entries, of which it takes sums by partition. Rows, files and bytes stay as
    they were, so one data file of each partition, the last one made, is enough for that.
    """

    def __init__(self, table: Table, planned: Mapping[bytes, NewIndex]) -> None:
        self.nothing = False
        self._table, self._planned = table, planned
        manager = _pypaimon("manifest.manifest_file_manager").ManifestFileManager
        self._manager = manager(table.pypaimon)
        self._manifests: list[Any] = []
        self._samples: dict[tuple[Any, ...], tuple[Any, Any]] = {}
        self._seen: Any = None
        self._may_be_named = False

    def __len__(self) -> int:
        return 2 * len(self._samples)

    def __iter__(self) -> Iterator[Any]:
        for pair in self._samples.values():
            yield from pair

    def join(self, commit: Any) -> None:
        """Have a FileStoreCommit take the manifests, and tell of each attempt how it ended."""
        commit._write_manifest_files = lambda *_: self._manifests
        # Rows that are there have their ids and sequence numbers.
        commit._assign_snapshot_id = lambda _, entries: entries
        commit._group_commit_entries_by_partition = lambda entries: entries
        commit._assign_row_tracking_meta = lambda start, entries: (entries, start)
        publisher = commit.snapshot_commit

        def publish(*arguments: Any) -> Any:
            self._may_be_named = True
            done = type(publisher).commit(publisher, *arguments)
            self._may_be_named = bool(done)
            return done

        publisher.commit = publish

    def __call__(self, snapshot: Any) -> _Rewritten:
        """Look for conflicts, and write the manifests if those there are do not do.

        Raises ConflictError if a data file is gone or has another index by now.
        """
        if not self._untouched_until(snapshot):
            self.discard()
            try:
                self._write(snapshot)
            except BaseException:
                self.discard()
                raise
        self._seen = snapshot
        return self

    def discard(self) -> None:
        """Delete the manifests, unless a snapshot may name them."""
        if not self._may_be_named:
            for meta in self._manifests:
                self._table.storage.delete(f"{self._manager.manifest_path}/{meta.file_name}")
        self._manifests, self._samples = [], {}
        self._seen, self._may_be_named = None, False

    def _untouched_until(self, snapshot: Any) -> bool:
        """Whether the manifests are those of an attempt that certainly failed, and the snapshots
        since then took out none of the data files: then little has to be read again."""
        if self._seen is None or snapshot is None or self._may_be_named:
            return False
        table, seen = self._table, self._seen
        get = table.pypaimon.snapshot_manager().get_snapshot_by_id
        there = get(seen.id)
        if there is None or snapshot.id < seen.id or not _same_files(seen, there):
            return False
        for number in range(seen.id + 1, snapshot.id + 1):
            if (later := get(number)) is None:
                return False
            for manifest in table.manifest_list(later.delta_manifest_list):
                for entry in table.entries(manifest) if manifest.num_deleted_files else ():
                    if entry.kind and table.digest_of(entry) in self._planned:
                        return False
        return True

    def _write(self, snapshot: Any) -> None:
        table = self._table
        manifests = [] if snapshot is None else table.manifests(snapshot)
        deleted = table._deleted_of(manifests, table._kept_entries)
        found = 0
        part: list[tuple[Any, Any]] = []
        for entry in table._live_of(manifests, deleted, table._kept_entries):
            index = self._planned.get(table.digest_of(entry))
            if index is None:
                continue
            found += 1
            changed = replace(entry, kind=0, file=_with_index(entry.file, index))
            if _identity(changed) != _identity(entry):
                part.append((replace(entry, kind=1), _unlike(changed, deleted)))
            if len(part) == _PART:
                self._write_part(part)
                part = []
        if part:
            self._write_part(part)
        if found < len(self._planned):
            raise ConflictError(
                f"{table.location}: {len(self._planned) - found} of {len(self._planned)} data "
                "files are gone, or have another index by now"
            )
        self.nothing = not self._manifests

    def _write_part(self, part: list[tuple[Any, Any]]) -> None:
        entries = [old for old, _ in part] + [new for _, new in part]
        size = self._table.pypaimon.options.manifest_target_size()
        self._manifests += self._manager.rolling_write(entries, size, f"manifest-{uuid.uuid4()}")
        for pair in part:
            partition = self._table.partition_of(pair[0])
            if (other := self._samples.get(partition)) is None or _made(other) < _made(pair):
                self._samples[partition] = pair


def _made(pair: tuple[Any, Any]) -> float:
    """When a data file was made; pypaimon takes one that does not tell for new."""
    created = pair[0].file.creation_time
    return float("inf") if created is None else float(created.get_millisecond())


TableOrPath: TypeAlias = Table | str | os.PathLike[str]
"""A table, or its folder: a local path or a URL."""


class _LocalLinks:
    """A local FileIO whose `try_to_write_atomic` never replaces a file.

    pypaimon's own looks whether the file is there, and then renames over it: between the two,
    another process may write the same snapshot, which would be lost.
    """

    def __init__(self, file_io: Any) -> None:
        self._file_io = file_io

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file_io, name)

    def try_to_write_atomic(self, path: str, content: str) -> bool:
        """Write the file if there is none yet; whether it was written."""
        target = Path(self._file_io.to_filesystem_path(path))
        made = target.with_name(f".{target.name}.{uuid.uuid4()}.tmp")
        try:
            made.write_text(content, encoding="utf-8")
            target.hardlink_to(made)
        except FileExistsError:
            return False
        except OSError:  # a file system without hard links
            return bool(self._file_io.try_to_write_atomic(path, content))
        finally:
            made.unlink(missing_ok=True)
        return True


def _local_links(file_io: Any) -> Any:
    return _LocalLinks(file_io) if type(file_io).__name__ == "LocalFileIO" else file_io


REMEDY = (
    "restore the file from a backup, or roll the table back to a sound snapshot; `paimon-ksy table "
    "audit` tells what else is broken"
)
"""What to do about a snapshot or a manifest that cannot be read."""


class _Reading:
    """Turns what pypaimon raises over a file into PaimonKsyError that names it."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, Exception) and not isinstance(error, PaimonKsyError):
            raised = _damaged_schema(error)
            if raised is None:
                raised = PaimonKsyError(f"{self.path}: cannot be read: {_line(error)}")
                raised.remedy = REMEDY
            raise raised from error


_SCHEMA_FAILURES = "Failed to read schema from "


def _damaged_schema(error: BaseException) -> PaimonKsyError | None:
    """What pypaimon raises over a schema file, which all others need, as an error that names it."""
    found: BaseException | None = error
    while found is not None:
        if str(found).startswith(_SCHEMA_FAILURES):
            path, reason = str(found).removeprefix(_SCHEMA_FAILURES), found
            while reason.__cause__ is not None:
                reason = reason.__cause__
            raised = PaimonKsyError(f"{path}: cannot be read: {_line(reason)}")
            raised.remedy = "restore the file from a backup: files of that schema need it"
            return raised
        found = found.__cause__
    return None


def _pypaimon(module: str) -> Any:
    """A module of pypaimon. Raises PaimonKsyError if it is not installed."""
    from importlib import import_module

    try:
        return import_module(f"pypaimon.{module}")
    except ImportError as error:
        raise PaimonKsyError(
            f"whole tables need pypaimon 2.1 ({error}): pip install 'paimon-ksy[table]'"
        ) from None


def spelled(options: Mapping[str, str]) -> dict[str, str]:
    """Options of catalogs and file systems as pypaimon spells them, of keys in small letters."""
    config = _pypaimon("common.options.config")
    kinds = config.CatalogOptions, config.OssOptions, config.S3Options
    options_of = [option for kind in kinds for option in vars(kind).values()]
    keys = [str(option.key()) for option in options_of if hasattr(option, "key")]
    known = {key.lower(): key for key in keys}
    return {known.get(key, key): value for key, value in options.items()}


def _json(schema: Any) -> str:
    return str(_pypaimon("common.json_util").JSON.to_json(schema))


def _identity(entry: Any) -> bytes:
    """What must be the same for a DELETE to take an ADD back (Java's `FileEntry.Identifier`), as a
    digest: there may be very many."""
    if isinstance(entry, _Listed):
        return entry.identity
    return _entry_digest(entry, tuple(entry.partition.values))


def _entry_digest(entry: Any, partition: tuple[Any, ...]) -> bytes:
    meta = entry.file
    key = partition, entry.bucket, meta.level, meta.file_name, meta.external_path
    return _digest(key, (tuple(meta.extra_files or ()), meta.embedded_index))


def _with_vector(file: DataFile, vectors: Mapping[tuple[Any, ...], VectorPlace]) -> DataFile:
    place = vectors.get((file.partition, file.bucket, file.name)) if vectors else None
    return replace(file, deletion_vector=place) if place else file


def parquet_pages(
    source: Any, parquet: Any, columns: Sequence[str], group: int, batch_rows: int
) -> list[Callable[[Any], tuple[Iterator[pa.RecordBatch], Any] | None]] | None:
    """For each column what reads single pages of a row group of a `pq.ParquetFile`.

    Called with ascending positions, it gives the rows of the pages that have one, and where among
    them the positions are; None if that is no less to read than all pages. `source` has
    `read_at(length, offset)`. None if the file does not tell where its pages are.
    """
    module = _pypaimon("read.reader.parquet_page_index_reader")
    kind = module.ParquetPageIndexReader
    found = kind.create(source, parquet, list(columns), [group], batch_rows)
    if found is None:
        return None
    parts = found.metadata, found.schema, found.footer

    def pages(column: int, positions: Any) -> tuple[Iterator[pa.RecordBatch], Any] | None:
        ahead = _ReadAhead(source)
        reader = kind(ahead, *parts, [column], found.fields, batch_rows)
        decode = reader._batches
        at = positions

        def decode_kept(plans: list[Any], _: Any) -> Any:
            nonlocal at
            plan = _pages_with(positions, plans[0], ahead, module)
            spans = plan[2]
            starts, counts = np.array(spans).T
            of = np.searchsorted(starts, positions, side="right") - 1
            at = positions - starts[of] + (np.cumsum(counts) - counts)[of]
            # Batches of one size, the last of which ends with the last row that is selected.
            last = int(at[-1]) + 1
            size = -(-last // -(-last // batch_rows))
            if len(plan[1]) == 1:
                return _decoded(reader, parquet.metadata, group, plan, size)
            reader.batch_size = size
            return decode([plan], [(start, start + count - 1) for start, count in spans])

        reader._batches = decode_kept
        batches = reader.read_row_group(group, [(int(positions[0]), int(positions[-1]))])
        return None if batches is None else (batches, at)

    return [partial(pages, column) for column in found.columns]


def with_raw_decimals(metadata: Any, columns: Set[str]) -> Any:
    """Metadata of a Parquet file in which these columns of decimals are the bytes that are stored:
    Arrow takes three times as long to make decimals of all values as to read their bytes.

    A column stays what it is where another one, in a nested one, has its name.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    metadata.write_metadata_file(sink)
    written = sink.getvalue().to_pybytes()
    start, stop = len(pack_parquet_metadata_start()), len(written) - _SIZE_METADATA_END
    if start + ParquetMetadataEnd(written, 0, stop).len_footer != stop:
        return metadata
    footer = written[start:stop]
    heads = _raw_head(footer, columns)
    if heads is None:
        return metadata
    head, raw = heads
    footer = raw + footer[len(head) :]
    end = pack_parquet_metadata_end(len_footer=len(footer))
    return pq.read_metadata(pa.BufferReader(written[:start] + footer + end))


_SIZE_METADATA_END = len(pack_parquet_metadata_end(len_footer=0))


def _raw_head(footer: bytes, columns: Set[str]) -> tuple[bytes, bytes] | None:
    """The first bytes of a footer, its version and schema, and what comes in their place.

    None if they are not as libraries write them.
    """
    for asked, head, raw in tuple(_RAW_HEADS):
        if asked == columns and footer.startswith(head):
            return head, raw
    module = _pypaimon("read.reader.parquet_page_index_reader")
    parsed = module._Compact(footer, module._MAX_FOOTER_ITEMS)

    def encoded(version: int, elements: list[Any]) -> bytes:
        fields = {1: (_I32, version), 2: (_LIST, (_STRUCT, elements))}
        without_stop: bytes = module._encode(_STRUCT, fields)[:-1]
        return without_stop

    try:
        parsed.take(1)  # the head of a field, by its number and type
        version = parsed.value(_I32)
        parsed.take(1)
        _, elements = parsed.value(_LIST)
        head = footer[: parsed.position]
        if encoded(version, elements) != head:
            return None
    except (ValueError, TypeError, AttributeError, module._PageIndexBudgetExceeded):
        return None
    names = [module._get(element, 4) for element in elements]
    known = {name for name in names if names.count(name) == 1 and name.decode() in columns}
    changed = [
        {field: value for field, value in element.items() if field not in _DECIMAL_FIELDS}
        if name in known
        else element
        for name, element in zip(names, elements, strict=True)
    ]
    raw = encoded(version, changed)
    _RAW_HEADS.append((frozenset(columns), head, raw))
    return head, raw


_RAW_HEADS: deque[tuple[frozenset[str], bytes, bytes]] = deque(maxlen=8)
"""The last ones: most files of a table begin their footers with the same bytes."""

_I32, _LIST, _STRUCT = 5, 9, 12
"""Types in Thrift's compact protocol."""

_DECIMAL_FIELDS = (6, 7, 8, 10)
"""In parquet.thrift: what makes a `SchemaElement` more than the bytes of its physical type."""


def _decoded(
    reader: Any, metadata: Any, group: int, plan: Any, batch_rows: int
) -> Iterator[pa.RecordBatch]:
    """The rows of some pages of a column that is not nested."""
    import pyarrow.parquet as pq

    [chunk], spans = plan[1:]
    index, _, start = chunk[:3]
    payload, _, _ = reader._column_payload(chunk)
    column = metadata.row_group(group).column(index)
    file = _Pages(payload, start, start + column.total_compressed_size)
    left = sum(count for _, count in spans)
    # Read as a stream, a column ends where there are no more pages.
    with pq.ParquetFile(file, metadata=metadata, buffer_size=_STREAM_BYTES) as parquet:
        for batch in parquet.iter_batches(
            batch_rows, [group], [column.path_in_schema], use_threads=False
        ):
            left -= batch.num_rows
            if left < 0:
                break
            yield batch
    if left:
        raise ValueError("the pages of a column hold other rows than its index says")


_STREAM_BYTES = 1 << 16


class _Pages:
    """A file for Arrow in which a column begins with some of its pages, and has no others."""

    closed = False

    def __init__(self, pages: bytes, start: int, end: int) -> None:
        self._pages = memoryview(pages)
        self._start, self._end = start, end
        self._at = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = 0) -> int:
        self._at = offset if whence == 0 else self._end + offset
        return self._at

    def tell(self) -> int:
        return self._at

    def read(self, length: int) -> memoryview:
        if self._at < self._start:
            raise ValueError("bytes before a column's pages are not there")
        at = self._at - self._start
        found = self._pages[at : at + length]
        self._at += len(found)
        return found

    def close(self) -> None:
        self.closed = True


class _ReadAhead:
    """A file of which pages can be looked at before they are read."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._seen: dict[tuple[int, int], bytes] = {}

    def read_at(self, length: int, offset: int) -> bytes:
        data: bytes | None = self._seen.pop((length, offset), None)
        if data is None:
            data = self._source.read_at(length, offset)
        return data

    def pages(self, places: Sequence[tuple[int, int]]) -> Iterator[memoryview]:
        """Pages by offset and length, read as they will be: those next to each other at once."""
        at = 0
        while at < len(places):
            until = at + 1
            while until < len(places) and places[until][0] == sum(places[until - 1]):
                until += 1
            start, length = places[at][0], sum(places[until - 1]) - places[at][0]
            data = self._seen[length, start] = self.read_at(length, start)
            for offset, size in places[at:until]:
                yield memoryview(data)[offset - start : offset - start + size]
            at = until


def _pages_with(positions: Any, plan: Any, source: _ReadAhead, module: Any) -> Any:
    """pypaimon's plan to read pages of a column, without those that have none of the positions.

    Nor the dictionary, if these pages stand behind where it grew too long to go on with it.
    """
    column, chunks, _ = plan
    if len(chunks) > 1:  # a nested one
        return plan
    index, metadata, dictionary, len_dictionary, pages, spans = chunks[0]
    starts, counts = np.array(spans).T
    first = np.searchsorted(positions, starts)
    kept = np.flatnonzero(np.searchsorted(positions, starts + counts) > first).tolist()
    pages, spans = [pages[at] for at in kept], [spans[at] for at in kept]
    is_first = pages[0][0] <= dictionary + len_dictionary
    if not is_first and all(_is_plain(page, module) for page in source.pages(pages)):
        len_dictionary = 0
    return column, [(index, metadata, dictionary, len_dictionary, pages, spans)], spans


def _is_plain(page: memoryview, module: Any) -> bool:
    """Whether a page of Parquet needs no dictionary; False if its header is unusual."""
    try:
        header = module._Compact(page, module._MAX_PAGE_HEADER_ITEMS).value(_THRIFT_STRUCT)
    except (ValueError, module._PageIndexBudgetExceeded):  # which pypaimon tells
        return False
    return any(
        module._get(module._get(header, field, {}), encoding) in _PLAIN_ENCODINGS
        for field, encoding in _PAGE_ENCODINGS.items()
    )


_THRIFT_STRUCT = 12
_PAGE_ENCODINGS = {5: 2, 8: 4}
"""In parquet.thrift: the fields of `PageHeader` for pages of data, and of these `encoding`."""

_PLAIN_ENCODINGS = (0, 5, 6, 7, 9)
"""`Encoding`: those without a dictionary."""


def _unlike(entry: Any, deleted: Container[bytes]) -> Any:
    """The entry as one that no manifest deletes, since pypaimon would then leave out its rows.

    A file's name is new anyway. An embedded index, or none, comes back if an index is put in, and
    out again: such a one has redundant bytes in its head, which readers pass over.
    """
    from paimon_ksy.build import marked

    while _identity(entry) in deleted:
        made = marked(entry.file.embedded_index, uuid.uuid4().bytes[:8])
        entry = replace(entry, file=replace(entry.file, embedded_index=made))
    return entry


def _with_index(meta: Any, index: NewIndex) -> Any:
    others = [name for name in meta.extra_files or () if not name.endswith(".index")]
    own = [] if index.file_name is None else [index.file_name]
    return replace(meta, extra_files=[*others, *own], embedded_index=index.embedded)


def _values(values: Iterable[Any], types: Iterable[DataType]) -> tuple[Any, ...]:
    """pypaimon's Python values as internal ones."""
    return tuple(
        None if value is None else _value(value, data_type)
        for value, data_type in zip(values, types, strict=False)
    )


def _value(value: Any, data_type: DataType) -> Any:
    return place(value, data_type, "partition").value


def _same_files(one: Any, other: Any) -> bool:
    """Whether two snapshots have the same data files and vectors: files of these names never
    change, and an id may come back after a rollback."""
    names = ("base_manifest_list", "delta_manifest_list", "index_manifest")
    return all(getattr(one, name) == getattr(other, name) for name in names)


def _statistics(stats: Any, schema: TableSchema) -> Statistics:
    """Decoded, since what pypaimon hands out holds on to the bytes of the whole manifest."""
    fields = getattr(stats.min_values, "fields", None) or []
    names = [f.name for f in fields][: len(stats.min_values)]
    known = {column.name: column.type for column in schema.columns}
    types = [known.get(name) for name in names]
    counts = stats.null_counts or []
    return Statistics(
        tuple(names),
        _bounds(stats.min_values, types),
        _bounds(stats.max_values, types),
        tuple(counts[at] if at < len(counts) else None for at in range(len(names))),
    )


def _bounds(row: Any, types: Sequence[DataType | None]) -> tuple[Any, ...]:
    """The values of a BinaryRow.

    pypaimon makes datetimes, which cut off nanoseconds (so that the greatest value would not be it)
    and end with the year 9999; for other types it is faster.
    """
    known = [kind for kind in types if kind is not None]
    if any(kind.is_timestamp and (kind.precision or 0) > 6 for kind in known):
        return read_row(row.data, known)
    try:
        return tuple(_bound(row, at, kind) for at, kind in enumerate(types))
    except OverflowError:
        return read_row(row.data, known)


def _key(row: Any, bounds: Any, types: Sequence[DataType]) -> tuple[Any, ...]:
    """The first or last key of a file; with nanoseconds the bounds of its columns, which lie no
    further in."""
    if any(kind.is_timestamp and (kind.precision or 0) > 6 for kind in types):
        return _bounds(bounds, types) if len(bounds) == len(types) else ()
    return _values(row.values, types)


def _bound(row: Any, at: int, data_type: DataType | None) -> Any:
    try:
        value = row.get_field(at)
    except (ValueError, TypeError):  # a type that no row can hold
        return None
    return None if value is None or data_type is None else _value(value, data_type)


def _line(error: BaseException) -> str:
    text = str(error)
    return text.splitlines()[0] if text else type(error).__name__
