"""A table as it is read: its catalog, schemas, snapshots, manifests and data files."""

from __future__ import annotations

import math
import os
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

from paimon_ksy.errors import (
    AccessError,
    CorruptFileError,
    MissingFileError,
    OutsideError,
    PaimonKsyError,
    UnsupportedError,
    first_line,
    is_denied,
    none_of,
)
from paimon_ksy.io.urls import is_local, local_path
from paimon_ksy.messages.commands import table_command, table_words
from paimon_ksy.table.io.cache import Recent
from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.documents import consumer_document, snapshot_document
from paimon_ksy.table.model.files import DataFile, Statistics, TableSchema, VectorPlace, format_of
from paimon_ksy.table.store.checked import check_metadata
from paimon_ksy.table.store.endpoints import check_endpoints
from paimon_ksy.table.store.entries import (
    FILE_BYTES,
    Entries,
    Listed,
    Wrong,
    deleted_of,
    digest_of_entry,
    identity_of,
    live_of,
)
from paimon_ksy.table.store.errors import (
    REMEDY,
    REMEDY_LATEST,
    REMEDY_SCHEMA,
    Reading,
    damaged_schema,
    pypaimon_module,
)
from paimon_ksy.table.store.near_names import no_table_at, no_table_of
from paimon_ksy.table.store.rows import key_of, statistics_of, values_of
from paimon_ksy.types.data_type import DataType

T = TypeVar("T")

_DIRECTORY = "data-file.path-directory"

_FOLDERS = 1000
"""Folders of partitions and buckets that are remembered: finding one takes 0.3 ms."""

_ENTRY_BYTES = 7000
"""Memory that an entry of pypaimon takes."""

_ENTRIES_BYTES = 2 << 20
"""Of entries that a table keeps, as a rewrite reads manifests to plan and to commit: those of small
manifests, of which there may be many. To open one takes longer than what it has."""

_MANIFESTS = Recent(32 << 20)


class Table:
    """A Paimon table, by `Table.at(path)` or `Table.of_catalog(options, identifier)`."""

    def __init__(self, pypaimon_table: Any, words: str | None = None) -> None:
        check_metadata()
        self.pypaimon = pypaimon_table
        """pypaimon's own table, for what it does itself: merging reads, writes."""
        self.location: str = str(pypaimon_table.table_path)
        self.words = table_words(self.metadata_path) if words is None else words
        """What names the table in a command: its path, or its name in a catalog with options."""
        self.storage = Storage.of(pypaimon_table.file_io, self.location)
        self.schema = TableSchema.parse(_json(pypaimon_table.table_schema))
        self._allow(self.schema)
        self._metadata("schema", f"schema-{self.schema.id}")
        manifests = self.options.get("manifest.format", "avro")
        if manifests.lower() != "avro":
            raise PaimonKsyError(
                f"has option manifest.format = {manifests}, but pypaimon reads only Avro "
                "manifests: copy it with Java to a table without that option",
                path=self.location,
            )
        self._schemas: dict[int, TableSchema] = {}
        self._knows_roots = False
        self._folders: dict[Any, str] = {}
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

        The folder `branch/branch-NAME` of a table is that branch. Raises PaimonKsyError if there
        is none.
        """
        path = _as_pypaimon_takes(os.fspath(path))
        folder, _, branch = path.rstrip("/").rpartition("/branch/branch-")
        if folder and "/" not in branch:
            return cls.at(folder, options).branch(branch)
        if not is_local(path):
            check_endpoints(options or {}, path)
        check_metadata()
        from_path = pypaimon_module("table.file_store_table").FileStoreTable.from_path
        try:
            found = from_path(path.rstrip("/"), dict(options or {}))
            return cls(found, table_words(path, options or {}))
        except PaimonKsyError:
            raise
        except Exception as error:  # pypaimon and file systems raise all kinds
            if (damaged := damaged_schema(error)) is not None:
                raise damaged from error
            if is_denied(error):
                raise AccessError.of(path) from error
            told = _with_cause(error)
            if told.startswith("No schema found"):
                told = no_table_at(path)
            elif told.startswith("Unrecognized filesystem type"):
                told += "; pypaimon reads tables of local folders, s3://, oss://, gs:// and hdfs://"
            elif isinstance(error, ImportError):
                told += "; install that package to read tables at such URLs"
            raise PaimonKsyError(f"cannot open a Paimon table there: {told}", path=path) from error

    @classmethod
    def of_catalog(cls, options: Mapping[str, str], identifier: str) -> Table:
        """The table `database.name` of a catalog with pypaimon's options. Raises PaimonKsyError.

        `database.name$branch_b` is its branch b.
        """
        check_endpoints(options)
        words = table_words(identifier, options)
        name, *parts = identifier.split("$")
        if parts and not parts[-1].startswith("branch_"):
            raise UnsupportedError(
                "system tables are unsupported; inspect the table "
                f"{'$'.join((name, *parts[:-1]))} instead: "
                + table_command(
                    "inspect", table=table_words("$".join((name, *parts[:-1])), options)
                ),
                path=identifier,
            )
        check_metadata()
        create = pypaimon_module("catalog.catalog_factory").CatalogFactory.create
        if options.get("uri", "").startswith(("http://", "https://")):
            options = {"metastore": "rest", **options}
        if "warehouse" in options:
            options = {**options, "warehouse": _as_pypaimon_takes(options["warehouse"])}
        catalog = None
        try:
            catalog = create(dict(options))
            found = catalog.get_table(identifier)
            if not isinstance(found, pypaimon_module("table.file_store_table").FileStoreTable):
                kind = type(found).__name__.removesuffix("Table").lower()
                raise UnsupportedError(
                    f"a table of type {kind} has no snapshots or indexes of Paimon",
                    path=identifier,
                )
            if (path := _as_pypaimon_takes(found.table_path)) != found.table_path:
                made = found.identifier, path, found.table_schema, found.catalog_environment
                found = type(found)(found.file_io, *made)
            return cls(found, words)
        except PaimonKsyError:
            raise
        except Exception as error:  # as above
            if (damaged := damaged_schema(error)) is not None:
                raise damaged from error
            if identifier.count(".") != 1 or "/" in identifier:
                raise PaimonKsyError(
                    "not the name of a table in a catalog: write DATABASE.TABLE, or give a "
                    "path without warehouse, uri and metastore",
                    path=identifier,
                ) from error
            told = no_table_of(catalog, identifier) if "NotExist" in type(error).__name__ else ""
            told = told or f"{type(error).__name__}: {first_line(error)}"
            raise PaimonKsyError(
                f"cannot be loaded from the catalog: {told}", path=identifier
            ) from error

    @property
    def options(self) -> Mapping[str, str]:
        """The options of the table, of its current schema and as the catalog gives them."""
        return self.schema.options

    @cached_property
    def key_types(self) -> tuple[DataType, ...]:
        """Types of the columns in `DataFile.key_range`: the primary key's without partitions."""
        fields = self.pypaimon.trimmed_primary_keys_fields
        return tuple(self.schema.columns[column.name] for column in fields)

    @property
    def metadata_path(self) -> str:
        """The folder that has schema/, snapshot/ and tag/ in it: of the table, or of its branch."""
        folder: str = self.pypaimon.snapshot_manager().snapshot_dir
        return folder.rpartition("/")[0]

    @property
    def bucket_mode(self) -> str:
        """`HASH_FIXED`, `HASH_DYNAMIC`, `CROSS_PARTITION`, `BUCKET_UNAWARE` or `POSTPONE_MODE`."""
        return str(self.pypaimon.bucket_mode().name)

    def with_options(self, options: Mapping[str, str | None]) -> Table:
        """The table with options changed, and removed where None."""
        return self.like(self.pypaimon.copy_without_time_travel(dict(options)))

    def like(self, pypaimon_table: Any) -> Table:
        """The table as pypaimon has it otherwise, which goes by the same name."""
        return Table(pypaimon_table, self.words)

    def branch(self, name: str) -> Table:
        """The same table in one of its branches, with the schema that it has by now.

        `main` is the table itself. Raises PaimonKsyError.
        """
        if name != "main" and not self.storage.exists(f"{self.location}/branch/branch-{name}"):
            names = self.storage.names(f"{self.location}/branch")
            known = [found.removeprefix("branch-") for found in names]
            raise PaimonKsyError(
                f"no branch {name!r}{none_of(name, 'it has', known)}", path=self.location
            )
        made = self.with_options({"branch": name}).pypaimon
        with self.reading(f"branch/branch-{name}/schema"):
            own = made.schema_manager.latest()
        if own is None or (own.id, own.fields) == (made.table_schema.id, made.table_schema.fields):
            return self._branch(made, name)
        # pypaimon's copy has the schema of the branch that it is a copy of.
        options = {**own.options, "branch": name}
        if "path" in made.table_schema.options:
            options["path"] = made.table_schema.options["path"]
        schema = own.copy(new_options=options)
        parts = made.file_io, made.identifier, made.table_path, schema, made.catalog_environment
        return self._branch(type(made)(*parts), name)

    def _branch(self, pypaimon_table: Any, name: str) -> Table:
        first, *options = shlex.split(self.words)
        if name == "main":
            return self.like(pypaimon_table)
        if pypaimon_table.catalog_environment.catalog_loader is None:
            first = f"{first.rstrip('/')}/branch/branch-{name}"
        else:
            first = f"{first}$branch_{name}"
        return Table(pypaimon_table, shlex.join([first, *options]))

    def reading(self, what: str) -> Reading:
        """Names this file of the table in what is raised over it."""
        return Reading(f"{self.location}/{what}")

    # Paths --------------------------------------------------------------------------------------

    def inside(self, path: str) -> str:
        """Return a path that metadata contain, if its folder is one that the table may use.

        Raises:
            OutsideError, CorruptFileError: As `Roots.check` does.
        """
        roots = self.storage.roots
        assert roots is not None
        try:
            return roots.check(path)
        except OutsideError:
            if self._knows_roots:
                raise
        for number in self.schema_ids():  # options that were changed since may list it
            self.schema_at(number)
        self._knows_roots = True
        return roots.check(path)

    def manifest_path(self, name: str, where: str = "") -> str:
        """Return the path of a manifest, or of a list of them, that the file `where` names.

        Raises:
            OutsideError, CorruptFileError: The name or the folder leads elsewhere.
        """
        where = where or self.metadata_path
        path = f"{self.location}/manifest/{file_name(name, 'manifest', where)}"
        self.storage.check(path)
        return path

    @cached_property
    def data_folder(self) -> str:
        """Return the folder that has those of partitions and buckets in it. Raises OutsideError."""
        with self.reading(f"schema/schema-{self.schema.id}"):
            folder = str(self.pypaimon.path_factory().data_file_path()).rstrip("/")
        try:
            self.storage.check_folder(folder)
        except OutsideError as error:
            if (option := self.options.get(_DIRECTORY)) is not None:
                error.args = (f"{error}; the option {_DIRECTORY} = {option!r} names it",)
            raise
        return folder

    def _metadata(self, folder: str, name: str = "") -> str:
        """The path of a folder with metadata, or of a file in it. Raises OutsideError."""
        path = f"{self.metadata_path}/{folder}"
        self.storage.check_folder(path)
        if name:
            path = f"{path}/{name}"
            self.storage.check(path)
        return path

    def _allow(self, schema: TableSchema) -> None:
        if self.storage.roots is not None:
            self.storage.roots.allow(schema.options)

    # Schemas and snapshots ----------------------------------------------------------------------

    def schema_at(self, schema_id: int) -> TableSchema:
        """A version of the schema. Raises PaimonKsyError if the table has none of this id."""
        if schema_id == self.schema.id:
            return self.schema
        if schema_id not in self._schemas:
            self._metadata("schema", f"schema-{schema_id}")
            with self.reading(f"schema/schema-{schema_id}"):
                found = self.pypaimon.schema_manager.get_schema(schema_id)
            if found is None:
                raise PaimonKsyError(f"its schema {schema_id} does not exist", path=self.location)
            if found.id != schema_id:
                raise CorruptFileError(
                    f"id is {found.id}, but the file is named schema-{schema_id}",
                    path=f"{self.metadata_path}/schema/schema-{schema_id}",
                    remedy=REMEDY_SCHEMA,
                )
            self._schemas[schema_id] = TableSchema.parse(_json(found))
            self._allow(self._schemas[schema_id])
        return self._schemas[schema_id]

    def schema_ids(self) -> list[int]:
        """The ids of all versions of the schema."""
        with self.reading("schema/*"):
            return sorted(schema.id for schema in self.pypaimon.schema_manager.list_all())

    def snapshot(self, snapshot_id: int | None = None, tag: str | None = None) -> Any | None:
        """Return pypaimon's Snapshot of an id, of a tag, or the latest; None if there is none yet.

        Raises:
            PaimonKsyError: It expired, or never existed.
        """
        if tag is not None:
            path = self._metadata("tag", f"tag-{tag}")
            with Reading(path):
                found = self.pypaimon.tag_manager().get(tag) if tag.strip() else None
            if found is None:
                raise PaimonKsyError(
                    f"has no tag {tag!r}",
                    path=self.location,
                    remedy=f"`{table_command('inspect', table=self.words)}` lists them",
                )
            return self.checked(found.trim_to_snapshot(), self._metadata("tag", f"tag-{tag}"))
        manager = self.pypaimon.snapshot_manager()
        if snapshot_id is None:
            self._metadata("snapshot", "LATEST")
            with Reading(f"{self.location}/snapshot/LATEST", REMEDY_LATEST):
                latest = manager.get_latest_snapshot()
                if latest is not None and manager.snapshot_loader is not None:
                    snapshot_document(_json(latest))  # which a server sent
            return None if latest is None else self.checked(latest)
        path = self._metadata("snapshot", f"snapshot-{snapshot_id}")
        with Reading(path):
            found = manager.get_snapshot_by_id(snapshot_id)
        if found is None:
            raise PaimonKsyError(
                f"has no snapshot {snapshot_id}; it may have expired",
                path=self.location,
                remedy=f"`{table_command('inspect', table=self.words)}` lists those that exist",
            )
        if found.id != snapshot_id:
            raise CorruptFileError(
                f"id is {found.id}, but the file is named snapshot-{snapshot_id}",
                path=path,
                remedy=REMEDY,
            )
        return self.checked(found)

    def checked(self, snapshot: Any, path: str | None = None) -> Any:
        """Return a snapshot that names nothing outside the table.

        Raises:
            OutsideError, CorruptFileError: It does, or its own file is elsewhere.
        """
        path = path or self._metadata("snapshot", f"snapshot-{snapshot.id}")
        for role in ("base_manifest_list", "delta_manifest_list", "changelog_manifest_list"):
            if name := getattr(snapshot, role):
                self.manifest_path(name, path)
        if snapshot.index_manifest:
            self.manifest_path(snapshot.index_manifest, path)
        if snapshot.statistics:
            file_name(snapshot.statistics, "file of statistics", path)
        return snapshot

    def changelog(self, snapshot_id: int) -> Any:
        """pypaimon's Changelog, which outlives the snapshot of this id. Raises PaimonKsyError."""
        path = self._metadata("changelog", f"changelog-{snapshot_id}")
        text = self.storage.read(path)
        with Reading(path):
            found = pypaimon_module("changelog.changelog").Changelog.from_json(text)
        return self.checked(found, path)

    def consumer_position(self, name: str) -> int:
        """The snapshot that a consumer reads next. Raises PaimonKsyError."""
        path = self._metadata("consumer", f"consumer-{name}")
        text = self.storage.read(path)
        with Reading(path):
            return int(consumer_document(text)["nextSnapshot"])

    # Files --------------------------------------------------------------------------------------

    def files(
        self,
        snapshot: Any | None,
        keep: Callable[[tuple[Any, ...], int], bool] | None = None,
    ) -> Iterator[DataFile]:
        """Yield the live data files of a snapshot, with their deletion vectors.

        It reads one manifest at a time, and keeps entries up to a bound. `keep(partition, bucket)`
        selects the files to read further.

        Raises:
            PaimonKsyError: A manifest cannot be read.
        """
        if snapshot is None:
            return
        vectors = self.deletion_vectors(snapshot)
        for entry in self.live_entries(self.manifests(snapshot), self.kept_entries):
            partition = self.partition_of(entry)
            if keep is None or keep(partition, entry.bucket):
                yield _with_vector(self._data_file(entry, partition), vectors)

    def known_files(self, snapshot: Any | None) -> Iterator[DataFile]:
        """Return the same, and keep decoded manifests for the next call, up to a bound."""
        if snapshot is None:
            return
        vectors = self._remembered(
            ("vectors", snapshot.index_manifest),
            lambda: self.deletion_vectors(snapshot),
            lambda found: FILE_BYTES * len(found),
        )
        manifests = self._remembered(
            (snapshot.base_manifest_list, snapshot.delta_manifest_list),
            lambda: self.manifests(snapshot),
            lambda found: FILE_BYTES * len(found),
        )
        for entry in self.live_entries(manifests, self._listed):
            file = entry.file
            self.schema_at(file.schema_id)
            self.inside(file.path)  # it may be one of another Table, which was asked before
            self._partition_rows.setdefault(file.partition, entry.partition)
            file = _with_vector(file, vectors)
            if file.deletion_vector is not None:
                self.inside(file.deletion_vector.path)
            yield file

    def _listed(self, manifest: Any) -> Iterable[Listed]:
        """The entries of a manifest; those of one that is not too long are remembered."""
        if manifest.num_added_files + manifest.num_deleted_files > _MANIFESTS.bound // FILE_BYTES:
            return map(self._list, self.entries(manifest))
        return self._remembered(
            manifest.file_name,
            lambda: tuple(map(self._list, self.entries(manifest))),
            lambda found: sum(entry.size for entry in found),
        )

    def _list(self, entry: Any) -> Listed:
        file = None if entry.kind else self.data_file(entry)
        name = entry.file.file_name
        return Listed(entry.kind, identity_of(entry), name, entry.partition, file)

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
                    raise PaimonKsyError(f"it lists a second deletion vector for {name}", path=path)
                places[key] = found
        return places

    def vector_files(
        self, snapshot: Any | None
    ) -> Iterator[tuple[tuple[tuple[Any, ...], int], str, dict[str, VectorPlace]]]:
        """Files of deletion vectors: partition and bucket, path, places by name of data file."""
        for entry in self.vector_entries(snapshot):
            path = self.index_file_path(entry)
            vectors = {
                name: VectorPlace(path, meta.offset, meta.length, meta.cardinality)
                for name, meta in (entry.index_file.dv_ranges or {}).items()
            }
            yield (self.partition_of(entry), entry.bucket), path, vectors

    def index_entries(self, snapshot: Any) -> list[Any]:
        """pypaimon's entries of the index manifest: deletion vectors, bucket indexes."""
        if not snapshot.index_manifest:
            return []
        path = self.manifest_path(snapshot.index_manifest)
        with self.reading(f"manifest/{snapshot.index_manifest}"):
            module = pypaimon_module("manifest.index_manifest_file")
            found: list[Any] = module.IndexManifestFile(self.pypaimon).read(snapshot.index_manifest)
        if not found and not self.storage.exists(path):
            # pypaimon takes a manifest that is not there for an empty one
            raise MissingFileError.of(path)
        for entry in found:
            file_name(entry.index_file.file_name, "index file", path)
        return [entry for entry in found if entry.kind == 0]

    def vector_entries(self, snapshot: Any | None) -> list[Any]:
        """The entries of the index manifest that are files of deletion vectors."""
        entries = [] if snapshot is None else self.index_entries(snapshot)
        return [entry for entry in entries if entry.index_file.index_type == "DELETION_VECTORS"]

    def index_file_path(self, entry: Any) -> str:
        """Where the index file of an index manifest's entry is. Raises OutsideError."""
        if not entry.index_file.external_path:
            self.data_folder  # noqa: B018 - in which pypaimon looks for it
        factory = self.pypaimon.path_factory()

        def path(values: tuple[Any, ...]) -> str:
            found = factory.bucket_index_path(
                values, entry.bucket, entry.index_file, self.storage.file_io
            )
            return str(found)

        values = tuple(entry.partition.values)
        found = self.inside(path(values))
        if self.by_binary is not None and not self.storage.exists(found):
            found = self.inside(path(self._as_texts(values, found)))
        return found

    def manifests(self, snapshot: Any) -> list[Any]:
        """pypaimon's ManifestFileMeta of a snapshot: of its base, then of its delta."""
        with self.reading(f"manifest list of snapshot {snapshot.id}"):
            lists = pypaimon_module("manifest.manifest_list_manager").ManifestListManager(
                self.pypaimon
            )
            found: list[Any] = lists.read_all(snapshot)
        return self._named(found, f"{self.location}/manifest/{snapshot.delta_manifest_list}")

    def _named(self, manifests: list[Any], where: str) -> list[Any]:
        """The manifests, if they are in their folder. Raises OutsideError, CorruptFileError."""
        for manifest in manifests:
            for name in (manifest.file_name, *(manifest.extra_files or ())):
                self.manifest_path(name, where)
        return manifests

    def entries(self, manifest: Any) -> list[Any]:
        """pypaimon's ManifestEntry of a manifest, statistics too, in the order of the file."""
        path = self.manifest_path(manifest.file_name)
        with self.reading(f"manifest/{manifest.file_name}"):
            files = pypaimon_module("manifest.manifest_file_manager").ManifestFileManager(
                self.pypaimon
            )
            found: list[Any] = files.read(manifest.file_name, drop_stats=False)
        for entry in found:
            file_name(entry.file.file_name, "data file", path)
            for name in entry.file.extra_files or ():
                file_name(name, "file", path)
        return found

    def kept_entries(self, manifest: Any) -> list[Any]:
        """The same, kept up to a bound for who asks again; not to be changed."""
        return self._entries.get(
            manifest.file_name,
            lambda: self.entries(manifest),
            lambda found: sum(_ENTRY_BYTES + len(e.file.embedded_index or b"") for e in found),
        )

    def manifest_list(self, name: str) -> list[Any]:
        """pypaimon's ManifestFileMeta in the manifest list of this name."""
        path = self.manifest_path(name)
        with self.reading(f"manifest/{name}"):
            lists = pypaimon_module("manifest.manifest_list_manager").ManifestListManager(
                self.pypaimon
            )
            found: list[Any] = lists.read(name)
        return self._named(found, path)

    def manifest_bounds(self, manifest: Any) -> Statistics:
        """The bounds of the partitions in a ManifestFileMeta."""
        return statistics_of(manifest.partition_stats, self.schema)

    def data_file(self, entry: Any) -> DataFile:
        """The file of a ManifestEntry, or the changelog file. Without its deletion vector."""
        return self._data_file(entry, self.partition_of(entry))

    def digest_of(self, entry: Any) -> bytes:
        """`DataFile.digest` of the file of a ManifestEntry."""
        return digest_of_entry(entry, self.partition_of(entry))

    def partition_of(self, entry: Any) -> tuple[Any, ...]:
        """The partition of an entry of a manifest or of the index manifest: internal values."""
        values = values_of(
            entry.partition.values, [field.type for field in self.schema.partition_schema]
        )
        if self._by_floats:  # one NaN for all, which then is equal to itself as a key
            values = tuple(math.nan if value != value else value for value in values)
        return values

    def partition_row(self, partition: tuple[Any, ...]) -> Any:
        """pypaimon's row of the partition of a data file that was listed."""
        return self._partition_rows[partition]

    def num_files(self, snapshot: Any | None) -> int:
        """How many data files a snapshot has, from its manifest lists alone."""
        manifests = [] if snapshot is None else self.manifests(snapshot)
        return sum(m.num_added_files - m.num_deleted_files for m in manifests)

    def live_entries(
        self,
        manifests: Sequence[Any],
        entries: Entries,
        *,
        deleted: Mapping[bytes, int] | None = None,
        wrong: Wrong | None = None,
    ) -> Iterator[Any]:
        """Yield the entries that were added and not deleted, of all manifests of a snapshot.

        Args:
            manifests: All that `manifests` returns for the snapshot.
            entries: Reads a manifest.
            deleted: What `deleted_of` returned for them, where that is known.
            wrong: Is called with the name of a manifest and what it contradicts.

        Raises:
            CorruptFileError: If there is no `wrong`, after the last entry.
        """
        if deleted is None:
            deleted = deleted_of(manifests, entries)
        return live_of(manifests, deleted, entries, wrong or self._contradiction)

    def _contradiction(self, manifest: str, message: str) -> None:
        path = f"{self.location}/manifest/{manifest}"
        raise CorruptFileError(message, path=path, remedy=REMEDY)

    def _data_file(self, entry: Any, partition: tuple[Any, ...]) -> DataFile:
        self._partition_rows.setdefault(partition, entry.partition)
        meta = entry.file
        schema = self.schema_at(meta.schema_id)
        path = meta.physical_path() if meta.external_path else None
        if path is None:
            path = self._path(tuple(entry.partition.values), entry.bucket, meta.file_name)
        else:
            self.inside(path)
        indexes = [name for name in meta.extra_files or () if name.endswith(".index")]
        if indexes:
            meta = replace(meta, file_path=path)
        stats = meta.value_stats
        created = meta.creation_time
        return DataFile(
            path=path,
            name=meta.file_name,
            format=format_of(meta.file_name),
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
            index_files=tuple(self.inside(meta.aligned_file_path(name)) for name in indexes),
            statistics=statistics_of(stats, schema),
            key_range=(
                key_of(meta.min_key, meta.key_stats.min_values, self.key_types),
                key_of(meta.max_key, meta.key_stats.max_values, self.key_types),
            ),
            write_columns=None if meta.write_cols is None else tuple(meta.write_cols),
            external_path=meta.external_path,
        )

    def _path(self, partition: tuple[Any, ...], bucket: int, name: str) -> str:
        # -0.0 and 0.0 are equal, and partitions of their own.
        key: Any = (repr(partition) if self._by_floats else partition), bucket
        if (folder := self._folders.get(key)) is None:
            find_path = pypaimon_module("utils.file_store_path_factory").canonical_data_file_path
            self.data_folder  # noqa: B018 - the better message
            path = self.inside(str(find_path(self.pypaimon, partition, bucket, name)))
            if self._by_floats and not self.storage.exists(path):
                # Java's text of a number may be another one: Infinity, NaN, digits of older Javas.
                find = self.pypaimon.path_factory()._find_floating_bucket_index
                path = find(partition, bucket, name, self.storage.file_io, path) or path
                self.inside(path)
            if self.by_binary is not None and not self.storage.exists(path):
                texts = self._as_texts(partition, path)
                path = self.inside(str(find_path(self.pypaimon, texts, bucket, name)))
            if self._by_nanoseconds is not None and not self.storage.exists(path):
                raise UnsupportedError(
                    "does not exist, because pypaimon truncates the partition column "
                    f"{self._by_nanoseconds} to microseconds: read the table with Java",
                    path=path,
                )
            folder = path.removesuffix(name)
            if len(self._folders) >= _FOLDERS:
                self._folders.clear()
            self._folders[key] = folder
        return folder + name

    def _as_texts(self, partition: tuple[Any, ...], path: str) -> tuple[Any, ...]:
        """The values as Java's cast to STRING names folders, of BINARY by its bytes as UTF-8.

        Raises UnsupportedError if Java names folders by `Object.toString`, which is another text
        for each array.
        """
        if self.options.get("partition.legacy-name", "true").strip().lower() != "false":
            raise UnsupportedError(
                "does not exist, because Java names folders for the partition column "
                f"{self.by_binary} by an address in its memory: copy the table with Java to "
                "one with partition.legacy-name=false",
                path=path,
            )
        return tuple(
            value.decode("utf-8", "replace") if isinstance(value, bytes) else value
            for value in partition
        )

    @cached_property
    def by_binary(self) -> str | None:
        """A partition column of BINARY or VARBINARY, if there is one."""
        found = (str(field) for field in self.schema.partition_schema if field.type.is_binary)
        return next(found, None)

    @cached_property
    def _by_floats(self) -> bool:
        """Whether a partition column is FLOAT or DOUBLE."""
        return any(field.type.root in ("FLOAT", "DOUBLE") for field in self.schema.partition_schema)

    @cached_property
    def _by_nanoseconds(self) -> str | None:
        """A partition column of TIMESTAMP(7) to (9), if there is one."""
        found = (
            str(field)
            for field in self.schema.partition_schema
            if field.type.is_timestamp and (field.type.precision or 0) > 6
        )
        return next(found, None)


def _with_cause(error: BaseException) -> str:
    """The line of an error, and that of the one that it began with."""
    told, cause = first_line(error), error
    while (further := cause.__cause__ or cause.__context__) is not None:
        cause = further
    began = first_line(cause)
    return told if began in told else f"{told}: {began}"


TableOrPath: TypeAlias = Table | str | os.PathLike[str]
"""A table, or its folder: a local path or a URL."""


def _json(schema: Any) -> str:
    return str(pypaimon_module("common.json_util").JSON.to_json(schema))


def _with_vector(file: DataFile, vectors: Mapping[tuple[Any, ...], VectorPlace]) -> DataFile:
    place = vectors.get((file.partition, file.bucket, file.name)) if vectors else None
    return replace(file, deletion_vector=place) if place else file


def _as_pypaimon_takes(name: str) -> str:
    """A path or URL as pypaimon understands it: a plain path where it is on this machine.

    A relative path with a colon may look like a URL to pypaimon.
    """
    path = local_path(name)
    if path is None:
        return name
    return str(Path(path).absolute()) if ":" in path else path
