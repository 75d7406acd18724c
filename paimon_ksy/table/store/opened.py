"""An open table of pypaimon: the parts for reading, and the rest on first use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

from paimon_ksy.table.io.paths import EXTERNAL_PATHS
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.store.errors import pypaimon_module, reading_schema
from paimon_ksy.table.store.metadata_checks import check_metadata


def file_io_of(path: str, options: Mapping[str, str]) -> Any:
    """Return pypaimon's `FileIO` for a path or URL, with the options of the file system."""
    options_of = pypaimon_module("common.options").Options
    return pypaimon_module("common.file_io").FileIO.get(path, options_of(dict(options)))


@dataclass(frozen=True, eq=False)
class Opened:
    """The parts of pypaimon's `FileStoreTable`, and its methods, that reading needs.

    Importing that class takes 0.6 s and 60 MB, because it imports all code for merges, writes and
    commits. An instance can be pickled; the copy has empty caches.

    Attributes:
        file_io: pypaimon's `FileIO`.
        identifier: Its `Identifier`, which contains the branch.
        table_path: The folder.
        table_schema: Its `TableSchema`.
        environment: Its `CatalogEnvironment`; None for a table that was opened by its path.
    """

    file_io: Any
    identifier: Any
    table_path: str
    table_schema: Any
    environment: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.file_io, self.identifier, self.table_path, self.table_schema
        return type(self), (*parts, self.environment)

    @classmethod
    def at(cls, path: str, options: Mapping[str, str]) -> Self | None:
        """Return the table in a folder; None if it contains no schema.

        Errors of pypaimon are not translated.

        Args:
            path: The folder, a path or URL.
            options: The options of the file system.
        """
        file_io = file_io_of(path, options)
        identifier = pypaimon_module("common.identifier").Identifier("default", "table")
        schema = cls(file_io, identifier, path, None).latest_schema()
        return None if schema is None else cls(file_io, identifier, path, schema)

    @classmethod
    def of(cls, table: Any) -> Self:
        """Wrap a table that pypaimon opened."""
        check_metadata()
        parts = table.file_io, table.identifier, str(table.table_path), table.table_schema
        made = cls(*parts, table.catalog_environment)
        made.__dict__["pypaimon"] = table
        return made

    @cached_property
    def pypaimon(self) -> Any:
        """The table object of pypaimon."""
        check_metadata()
        kind = pypaimon_module("table.file_store_table").FileStoreTable
        parts = self.file_io, self.identifier, self.table_path, self.table_schema
        return kind(*parts, self.environment)

    def of_branch(self, name: str) -> Self:
        """Return the table in a branch, with this table's schema."""
        own = self.identifier
        made = type(own).create(own.get_database_name(), own.get_table_name(), branch=name)
        environment = None if self.environment is None else self.environment.copy(made)
        schema = self.table_schema.copy(new_options={**self.table_schema.options, "branch": name})
        return replace(self, identifier=made, table_schema=schema, environment=environment)

    @property
    def origin(self) -> tuple[str, dict[str, str]]:
        """The name and the options that open the table again, in another process."""
        if (loader := getattr(self.environment, "catalog_loader", None)) is not None:
            return self.identifier.get_full_name(), loader.context().options.to_map()
        return self.folder, self.file_io.properties.to_map()

    @property
    def partition_keys_fields(self) -> list[Any]:
        """The partition columns, as fields of pypaimon."""
        fields = {field.name: field for field in self.table_schema.fields}
        return [fields[name] for name in self.table_schema.partition_keys]

    @property
    def folder(self) -> str:
        """The folder of the table or its branch that contains schema/, snapshot/ and tag/."""
        location = self.table_path.rstrip("/")
        branch = self.identifier.get_branch_name_or_default()
        return location if branch == "main" else f"{location}/branch/branch-{branch}"

    def latest_schema(self) -> Any | None:
        """Return the latest schema of the table or branch as pypaimon's; None if there is none.

        pypaimon's `SchemaManager` imports all of pypaimon, and would wait for a pipe.

        Raises:
            PaimonKsyError: The schema cannot be read.
        """
        storage = Storage.of(self.file_io, self.table_path)
        if not (ids := storage.ids(f"{self.folder}/schema", "schema")):
            return None
        path = f"{self.folder}/schema/schema-{ids[-1]}"
        text = storage.read_json(path)
        with reading_schema(path):
            return pypaimon_module("schema.table_schema").TableSchema.from_json(text.decode())

    def path_factory(self) -> Any:
        """Return pypaimon's `FileStorePathFactory`, for files that exist."""
        return self._path_factory

    @cached_property
    def _path_factory(self) -> Any:
        if any(name.startswith(EXTERNAL_PATHS) for name in self.table_schema.options):
            return self.pypaimon.path_factory()  # checks the files
        library = pypaimon_module("common.options")
        known = library.CoreOptions
        options = known(library.Options(self.table_schema.options))
        return pypaimon_module("utils.file_store_path_factory").FileStorePathFactory(
            root=self.table_path,
            partition_keys=self.table_schema.partition_keys,
            partition_types=[field.type for field in self.partition_keys_fields],
            default_part_value=options.options.get(
                known.PARTITION_DEFAULT_NAME, "__DEFAULT_PARTITION__"
            ),
            format_identifier=options.file_format(),
            data_file_prefix="data-",
            changelog_file_prefix="changelog-",
            legacy_partition_name=options.options.get(known.PARTITION_GENERATE_LEGACY_NAME),
            file_suffix_include_compression=False,
            file_compression=options.file_compression(),
            data_file_path_directory=options.data_file_path_directory(),
            index_file_in_data_file_dir=options.index_file_in_data_file_dir(),
        )
