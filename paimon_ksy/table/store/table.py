"""A table: its name, options and schemas, and access to its metadata."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from typing import Any, Self, TypeAlias

from paimon_ksy.errors import MissingFileError, PaimonKsyError, none_of
from paimon_ksy.messages.arguments import checked
from paimon_ksy.messages.commands import table_words
from paimon_ksy.messages.masking import masked
from paimon_ksy.table.model.files import Snapshot, TableSchema
from paimon_ksy.table.store.data_files import DataFiles
from paimon_ksy.table.store.manifests import IndexManifests, Manifests
from paimon_ksy.table.store.opening import (
    Opened,
    is_of_catalog,
    open_folder,
    open_of_catalog,
    plain_path,
)
from paimon_ksy.table.store.options import Use, check_options, is_on
from paimon_ksy.table.store.paths import Paths
from paimon_ksy.table.store.schemas import Schemas
from paimon_ksy.table.store.snapshots import Snapshots
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import zone_named

_SHOWN = 200  # characters of the columns in a repr


class Table:
    """A Paimon table: open it with `Table.at(path)` or `Table.of_catalog(options, identifier)`.

    It can be pickled; the copy has empty caches.

    Attributes:
        opened: Its files and its schema, as they were opened.
        location: The table's folder, a path or URL.
        words: The table's name in commands: its path, or its name in a catalog with options.
        time_zone: The time zone of literals that have none; None if nobody chose it.
        storage: Reads and writes the table's files.
        schemas: The versions of its schema.
        metadata_path: The folder that contains schema/, snapshot/ and tag/, of it or its branch.
        paths: The paths of its data and index files.
        snapshots: Its snapshots, tags, changelogs and consumers.
        manifests: Its manifest lists and manifests.
        index_manifests: Its index manifests.
        data_files: The data files of its snapshots.
    """

    def __init__(
        self,
        opened: Opened,
        words: str | None = None,
        external_paths: Sequence[str] = (),
        time_zone: str | None = None,
    ) -> None:
        """Wrap an open table (see `with_external_paths` and `with_time_zone`).

        Raises:
            UnsupportedError: Its options forbid to show anything of it.
            PaimonKsyError: The table is unsupported, or its time zone is unknown.
        """
        if time_zone is not None:
            zone_named(time_zone)
        self.time_zone = time_zone
        self.opened = opened
        self.location: str = opened.table_path
        self.storage = opened.storage
        self.words = table_words(opened.folder) if words is None else words
        self.metadata_path = folder = opened.folder
        self.schemas = Schemas(opened.schema, self.storage, self.location, folder)
        self.check_options("open")
        self.paths = Paths(self.storage, self.schemas)
        self.external_paths = tuple(external_paths)
        self.paths.allow_changes(self.external_paths)
        self.snapshots = Snapshots(
            opened.environment, self.storage, self.location, folder, self.words
        )
        self.manifests = Manifests(self.storage, self.location, self.schema.partition_schema)
        self.index_manifests = IndexManifests(self.manifests, self.paths)
        self.data_files = DataFiles(
            self.schemas, self.paths, self.manifests, self.index_manifests, self.key_types
        )

    def __repr__(self) -> str:
        schema = self.schema
        keys = f", primary key {', '.join(schema.primary_keys)}" if schema.primary_keys else ""
        parts = f", partitions {', '.join(schema.partition_keys)}" if schema.partition_keys else ""
        names = ", ".join(f"{field.name} {field.type}" for field in schema.columns)
        columns = names if len(names) <= _SHOWN else f"{names[:_SHOWN]}.."
        return f"<Table {masked(self.location)}: schema {schema.id}{keys}{parts}: {columns}>"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.opened, self.words, self.external_paths, self.time_zone)

    @classmethod
    def named(cls, name: str, options: Mapping[str, str] | None = None) -> Self:
        """Open a table by its path, or by its name in a catalog, depending on the options.

        Args:
            name: `database.name` if the options contain `warehouse`, `uri` or `metastore`, which
                configure a catalog; otherwise a path or URL.
            options: The options of the catalog or file system.

        Raises:
            PaimonKsyError: The table does not exist, or cannot be read.
        """
        options = options or {}
        return cls.of_catalog(options, name) if is_of_catalog(options) else cls.at(name, options)

    @classmethod
    def of(cls, table: TableOrPath) -> Table:
        """Return a table, or open the one in a folder (see `at`)."""
        return table if isinstance(table, Table) else cls.at(table)

    @classmethod
    @checked
    def at(cls, path: str | os.PathLike[str], options: Mapping[str, str] | None = None) -> Self:
        """Open the table in a folder.

        Args:
            path: A local path or URL. The folder `branch/branch-NAME` of a table is that branch.
            options: The options of the file system.

        Raises:
            MissingFileError: The folder contains no table.
            PaimonKsyError: It cannot be read.
        """
        path = plain_path(path)
        folder, _, branch = path.rstrip("/").rpartition("/branch/branch-")
        if folder and "/" not in branch:
            return cls.at(folder, options).branch(branch)
        return cls(open_folder(path, options or {}), table_words(path, options or {}))

    @classmethod
    @checked
    def of_catalog(cls, options: Mapping[str, str], identifier: str) -> Self:
        """Open a table in a catalog.

        Args:
            options: pypaimon's options of the catalog.
            identifier: `database.name`, or `database.name$branch_b` for its branch b.

        Raises:
            PaimonKsyError: The table does not exist, or the catalog cannot be read.
        """
        return cls(open_of_catalog(options, identifier), table_words(identifier, options))

    @property
    def pypaimon(self) -> Any:
        """The table object of pypaimon, which publishes snapshots."""
        return self.opened.pypaimon

    @property
    def schema(self) -> TableSchema:
        """The version of the schema in which the table is read."""
        return self.schemas.current

    @property
    def options(self) -> Mapping[str, str]:
        """The table's options, from its current schema and from the catalog."""
        return self.schema.options

    @cached_property
    def key_types(self) -> tuple[DataType, ...]:
        """The types of the primary key's columns that are not partition columns."""
        schema = self.schema
        if is_on(schema.options, "pk-clustering-override"):
            return ()  # Java stores the bounds of the columns that cluster rows instead
        names = (name for name in schema.primary_keys if name not in schema.partition_keys)
        return tuple(schema.columns[name] for name in names)

    def check_options(self, use: Use) -> None:
        """Check that the table's options allow a use.

        Raises:
            UnsupportedError: An option that is not honoured changes rows, or what is written.
        """
        options = dict(self.options)
        if options.get("branch") == self.opened.branch:
            del options["branch"]
        check_options(options, use, self.location)

    @property
    def file_format(self) -> str:
        """The format of new data files."""
        return self.options.get("file.format", "parquet").strip().lower()

    @property
    def bucket_mode(self) -> str:
        """HASH_FIXED, HASH_DYNAMIC, CROSS_PARTITION, BUCKET_UNAWARE or POSTPONE_MODE."""
        schema, bucket = self.schema, int(self.options.get("bucket", -1))
        if bucket == -2 and schema.primary_keys:
            return "POSTPONE_MODE"
        if bucket != -1:
            return "HASH_FIXED"
        if not schema.primary_keys:
            return "BUCKET_UNAWARE"
        in_partitions = set(schema.partition_keys) <= set(schema.primary_keys)
        return "HASH_DYNAMIC" if in_partitions else "CROSS_PARTITION"

    def schema_at(self, schema_id: int) -> TableSchema:
        """Return a version of the schema.

        Raises:
            PaimonKsyError: No schema has this id.
        """
        return self.schemas.at(schema_id)

    def snapshot(self, snapshot_id: int | None = None, tag: str | None = None) -> Snapshot | None:
        """Return the snapshot with an id, that of a tag, or the latest; None if none exists yet.

        Raises:
            PaimonKsyError: The snapshot expired, or never existed.
        """
        if tag is not None:
            return self.snapshots.of_tag(tag)
        return self.snapshots.latest() if snapshot_id is None else self.snapshots.of_id(snapshot_id)

    def lost_changelog(self, snapshot: Snapshot) -> bool:
        """Return whether the changelog of a branch's snapshot expired with that of the main branch.

        A branch made from a tag has a copy of the tag's snapshot. The copy names the changelog, but
        neither a tag nor a branch keeps the changelog's files.
        """
        name, main = snapshot.changelog_manifest_list, self.branch("main")
        if not name or self.metadata_path == main.metadata_path:
            return False
        own = f"{main.metadata_path}/snapshot/snapshot-{snapshot.id}"
        if self.storage.exists(self.manifests.path(name)) or self.storage.exists(own):
            return False
        return any(tag.files == snapshot.files for of in (main, self) for tag in of._tagged())

    def _tagged(self) -> Iterator[Snapshot]:
        for name in self.snapshots.tags():
            with suppress(PaimonKsyError):  # which an audit reports
                yield self.snapshots.of_tag(name)

    def with_options(self, options: Mapping[str, str | None]) -> Self:
        """Return the table with changed options; None removes an option."""
        changed = {**self.options, **options}
        kept = {name: value for name, value in changed.items() if value is not None}
        return self._of(self.opened.with_schema(self.opened.document, kept), self.words)

    def with_external_paths(self, folders: Sequence[str]) -> Self:
        """Return the table with external paths in which jobs may write and delete files.

        By default, jobs only read there, because other tables may share these folders.

        Args:
            folders: Folders that schemas of the table list, such as in the option
                `data-file.external-paths`.

        Raises:
            OptionError: No schema of the table lists one of them.
        """
        return type(self)(self.opened, self.words, folders, self.time_zone)

    def with_time_zone(self, time_zone: str | None) -> Self:
        """Return the table with the time zone of literals that have none, in its predicates.

        Raises:
            PredicateError: The time zone is unknown.
        """
        return type(self)(self.opened, self.words, self.external_paths, time_zone)

    def _of(self, opened: Opened, words: str) -> Self:
        return type(self)(opened, words, self.external_paths, self.time_zone)

    def branches(self) -> Iterator[Self]:
        """Yield the table's main branch, and each other one.

        Raises:
            PaimonKsyError: They cannot be listed, or one has no schema.
        """
        names = self.storage.names(f"{self.location}/branch", "branch-")
        yield from map(self.branch, ("main", *names))

    def branch(self, name: str) -> Self:
        """Return one of the table's branches, with the branch's current schema.

        `main` is the table itself.

        Raises:
            MissingFileError: The branch does not exist.
            PaimonKsyError: It has no schema.
        """
        folder = f"{self.location}/branch"
        names = [] if name == "main" else self.storage.names(folder, "branch-")
        if name not in ("main", *names):
            raise MissingFileError(
                f"no branch {name!r}{none_of(name, 'it has', names)}", path=self.location
            )
        first, *words = shlex.split(self.words)
        if name != "main" and self.opened.identifier is not None:
            first = f"{first}$branch_{name}"
        elif name != "main":
            first = f"{first.rstrip('/')}/branch/branch-{name}"
        return self._of(self.opened.of_branch(name), shlex.join([first, *words]))


TableOrPath: TypeAlias = Table | str | os.PathLike[str]
"""A table, or its folder: a local path or a URL."""
