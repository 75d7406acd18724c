"""Paths of a table's data and index files, each checked against the table's folders.

The rule itself is in `paimon_ksy.table.io.paths`.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

from paimon_ksy.errors import OutsideError, UnsupportedError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DELETION_VECTORS, HASH, IndexFile
from paimon_ksy.table.store.errors import TranslatedErrors, pypaimon_module
from paimon_ksy.table.store.from_pypaimon import pypaimon_row
from paimon_ksy.table.store.opened import Opened
from paimon_ksy.table.store.options import is_on
from paimon_ksy.table.store.schemas import Schemas

_DIRECTORY = "data-file.path-directory"

_FOLDERS = 1000
"""The number of partition and bucket folders that are cached: finding one takes 0.3 ms."""


class Paths:
    """Paths of a table's data files, and of the index files that manifests name."""

    def __init__(self, opened: Opened, storage: Storage, schemas: Schemas) -> None:
        self._opened = opened
        self._storage = storage
        self._schemas = schemas
        self._has_all_roots = False
        self._folders: dict[Any, str] = {}

    def inside(self, path: str) -> str:
        """Return a path from metadata after checking that the table may use its folder.

        Raises:
            OutsideError, CorruptFileError: As in `Roots.check`.
        """
        try:
            return self._storage.roots.check(path)
        except OutsideError:
            if self._has_all_roots:
                raise
        self._allow_all_roots()
        return self._storage.roots.check(path)

    def allow_changes(self, folders: Sequence[str]) -> None:
        """Allow changes in external paths.

        Raises:
            OptionError: No schema of the table lists one of them.
        """
        if folders:
            self._allow_all_roots()
        for folder in folders:
            self._storage.roots.allow_changes(folder)

    def _allow_all_roots(self) -> None:
        for number in self._schemas.ids():  # options of older schemas may list one
            self._schemas.at(number)
        self._has_all_roots = True

    @cached_property
    def data_folder(self) -> str:
        """The folder that contains the folders of partitions and buckets.

        Raises:
            OutsideError: The table may not use it.
        """
        schema = self._schemas.current
        with TranslatedErrors(f"{self._schemas.paths.folder}/schema/schema-{schema.id}"):
            folder = str(self._opened.path_factory().data_file_path()).rstrip("/")
        try:
            self._storage.roots.check_folder(folder)
        except OutsideError as error:
            if (option := schema.options.get(_DIRECTORY)) is not None:
                error.args = (f"{error}; the option {_DIRECTORY} = {option!r} names it",)
            raise
        return folder

    def data_file(self, partition: tuple[Any, ...], bucket: int, name: str) -> str:
        """Return the path of a data file in a partition and bucket, as Java names their folders.

        Args:
            partition: The values in pypaimon's form.
            bucket: The number of the bucket.
            name: The name of the file.

        Raises:
            OutsideError: The folder is elsewhere.
            UnsupportedError: Java's name of the folder cannot be derived.
        """
        # -0.0 and 0.0 are equal in Python, but separate partitions.
        key: Any = (repr(partition) if self._by_floats else partition), bucket
        if (folder := self._folders.get(key)) is None:
            folder = self._find(partition, bucket, name).removesuffix(name)
            if len(self._folders) >= _FOLDERS:
                self._folders.clear()
            self._folders[key] = folder
        return folder + name

    def index_file(self, file: IndexFile) -> str:
        """Return the path of an index file.

        Raises:
            OutsideError: The table may not use it.
        """
        if file.index_type not in (DELETION_VECTORS, HASH) and not file.external_path:
            # A global index is in this folder whatever `index-file-in-data-file-dir` says.
            return self.inside(f"{self._opened.path_factory().index_path()}/{file.file_name}")
        if not file.external_path:
            self.data_folder  # noqa: B018 - checks the folder in which pypaimon looks
        factory = self._opened.path_factory()

        def path(values: tuple[Any, ...]) -> str:
            return str(factory.bucket_index_path(values, file.bucket, file, self._storage.file_io))

        row = pypaimon_row(file.partition_row, self._opened.partition_keys_fields)
        values = tuple(row.values)
        found = self.inside(path(values))
        if self.by_binary is not None and not self._storage.exists(found):
            found = self.inside(path(self._as_texts(values, found)))
        return found

    @cached_property
    def by_binary(self) -> str | None:
        """The first partition column of BINARY or VARBINARY, if there is one."""
        partitions = self._schemas.current.partition_schema
        return next((str(field) for field in partitions if field.type.is_binary), None)

    def _find(self, partition: tuple[Any, ...], bucket: int, name: str) -> str:
        canonical = pypaimon_module("utils.file_store_path_factory").canonical_data_file_path
        self.data_folder  # noqa: B018 - has the better message
        path = self.inside(str(canonical(self._opened, partition, bucket, name)))
        if self._by_floats and not self._storage.exists(path):
            # Java's text of a number may differ: Infinity, NaN, digits of older Java versions.
            find = self._opened.path_factory()._find_floating_bucket_index
            path = find(partition, bucket, name, self._storage.file_io, path) or path
            self.inside(path)
        if self.by_binary is not None and not self._storage.exists(path):
            texts = self._as_texts(partition, path)
            path = self.inside(str(canonical(self._opened, texts, bucket, name)))
        if self._by_nanoseconds is not None and not self._storage.exists(path):
            raise UnsupportedError(
                "does not exist, because pypaimon truncates the partition column "
                f"{self._by_nanoseconds} to microseconds: read the table with Java",
                path=path,
            )
        return path

    def _as_texts(self, partition: tuple[Any, ...], path: str) -> tuple[Any, ...]:
        """Return the values as Java's cast to STRING names folders: bytes are decoded as UTF-8.

        Raises:
            UnsupportedError: Java names folders by `Object.toString`, whose result differs for each
                array.
        """
        options = self._schemas.current.options
        if is_on(options, "partition.legacy-name", default=True):
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
    def _by_floats(self) -> bool:
        """Whether a partition column is FLOAT or DOUBLE."""
        partitions = self._schemas.current.partition_schema
        return any(field.type.root in ("FLOAT", "DOUBLE") for field in partitions)

    @cached_property
    def _by_nanoseconds(self) -> str | None:
        """The first partition column of TIMESTAMP(7) to (9), if there is one."""
        found = (
            str(field)
            for field in self._schemas.current.partition_schema
            if field.type.is_timestamp and (field.type.precision or 0) > 6
        )
        return next(found, None)
