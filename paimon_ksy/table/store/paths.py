"""Paths of a table's data files and index files, each checked against its folders.

The rule itself is in `paimon_ksy.table.io.paths`. The folders of partitions are those that Java's
`InternalRowPartitionComputer` and `PartitionPathUtils` name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import cached_property
from posixpath import normpath
from typing import Any

import numpy as np

from paimon_ksy.errors import OptionError, OutsideError, UnsupportedError
from paimon_ksy.rows.binary_row import read_row
from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.casts import cast
from paimon_ksy.table.model.files import DELETION_VECTORS, HASH, IndexFile
from paimon_ksy.table.store.options import is_on
from paimon_ksy.table.store.schemas import Schemas
from paimon_ksy.types.arrow import arrow_values, to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import NANOS_PER_DAY, NANOS_PER_SECOND, date_text, time_text
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Field

_DIRECTORY = "data-file.path-directory"

_FOLDERS = 1000
"""The number of partition and bucket folders that are cached: finding one takes 0.1 ms."""

_POSTPONED = -2
"""The bucket whose folder is `bucket-postpone`."""


class Paths:
    """Paths of a table's data files, and of the index files that manifests name."""

    def __init__(self, storage: Storage, schemas: Schemas) -> None:
        self._storage = storage
        self._schemas = schemas
        self._location = schemas.location
        self._options = schemas.current.options
        self._has_all_roots = False
        self._folders: dict[tuple[bytes, int], str] = {}

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

    def external(self, path: str) -> str:
        """Return an external path in a manifest as a path of a file (see `inside`)."""
        return self.inside(_literal(path))

    def beside(self, path: str, name: str) -> str:
        """Return the path of a file in another file's folder (see `inside`)."""
        return self.inside(f"{path.rpartition('/')[0]}/{file_name(name, 'index file', path)}")

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
            OptionError: The option that names it is empty.
        """
        directory = self._options.get(_DIRECTORY)
        if directory is None:
            return self._location
        if not directory:
            raise OptionError(f"option {_DIRECTORY} is empty", path=self._location)
        if directory.startswith("/") or re.match("[A-Za-z][A-Za-z0-9+.-]*:", directory):
            folder = _literal(directory).rstrip("/")
        else:
            folder = f"{self._location}/{normpath(directory)}"
        try:
            self._storage.roots.check_folder(folder)
        except OutsideError as error:
            error.args = (f"{error}; the option {_DIRECTORY} = {directory!r} names it",)
            raise
        return folder

    def data_file(self, partition_row: bytes, bucket: int, name: str) -> str:
        """Return the path of a data file in a partition and bucket, as Java names their folders.

        The partition is a row in the form that `write_row` returns.

        Raises:
            OutsideError: The folder is elsewhere.
            UnsupportedError: Java's name of the folder cannot be derived.
        """
        key = partition_row, bucket
        if (folder := self._folders.get(key)) is None:
            folder = self._find(partition_row, bucket, name).removesuffix(name)
            if len(self._folders) >= _FOLDERS:
                self._folders.clear()
            self._folders[key] = folder
        return folder + name

    def index_file(self, file: IndexFile) -> str:
        """Return the path of an index file.

        Raises:
            OutsideError: The table may not use it.
        """
        if file.external_path:
            return self.external(file.external_path)
        # A global index is in one folder whatever the option says.
        if file.index_type in (DELETION_VECTORS, HASH) and self._has_indexes_beside:
            return self.inside(self._find(file.partition_row, file.bucket, file.file_name))
        return self.inside(f"{self._location}/index/{file.file_name}")

    def new_index_file(self, partition_row: bytes, bucket: int, name: str) -> tuple[str, bool]:
        """Return the path of a new index file, and whether its entry must contain it."""
        if not self._has_indexes_beside:
            return f"{self._location}/index/{name}", False
        # Versions of Java print floating-point numbers differently.
        return self.data_file(partition_row, bucket, name), self._has_column("FLOAT", "DOUBLE")

    @cached_property
    def _has_indexes_beside(self) -> bool:
        return is_on(self._options, "index-file-in-data-file-dir")

    def _has_column(self, *roots: str) -> bool:
        """Return whether a partition column has one of these types."""
        return any(column.type.root in roots for column in self._columns)

    def _find(self, row: bytes, bucket: int, name: str) -> str:
        texts = [f"{_escaped(c)}={_escaped(text)}" for c, text in self.partition(row).items()]
        bucket_name = "postpone" if bucket == _POSTPONED else str(bucket)
        path = self.inside("/".join((self.data_folder, *texts, f"bucket-{bucket_name}", name)))
        if self._has_column("FLOAT", "DOUBLE") and not self._storage.exists(path):
            for folder in self._equal_folders(self.data_folder, texts):
                other = self.inside(f"{folder}/bucket-{bucket_name}/{name}")
                if self._storage.exists(other):
                    return other
        binary = [column for column in self._columns if column.type.is_binary]
        if self._is_legacy and binary and not self._storage.exists(path):
            raise UnsupportedError(
                "does not exist, because Java names folders for the partition column "
                f"{binary[0]} by an address in its memory: copy the table with Java to "
                "one with partition.legacy-name=false",
                path=path,
            )
        return path

    @property
    def _columns(self) -> Sequence[Field]:
        """The partition columns."""
        return self._schemas.current.partition_schema.fields

    @cached_property
    def _is_legacy(self) -> bool:
        return is_on(self._options, "partition.legacy-name", default=True)

    def partition(self, row: bytes) -> dict[str, str]:
        """Return the text of each partition column, as Java writes it."""
        values = read_row(row, [column.type for column in self._columns])
        none = self._options.get("partition.default-name", "__DEFAULT_PARTITION__")
        texts = {}
        for column, value in zip(self._columns, values, strict=True):
            text = "" if value is None else _text(value, column.type, is_legacy=self._is_legacy)
            texts[column.name] = text if text.strip() else none
        return texts

    def _equal_folders(self, folder: str, names: Sequence[str]) -> Iterator[str]:
        """Yield the folders of a partition whose floating-point numbers are written differently.

        Java prints infinity and NaN in its own way, and older versions print more digits.
        """
        if not names:
            yield folder
            return
        column, number = names[0].split("=", 1)
        [root] = (one.type.root for one in self._columns if _escaped(one.name) == column)
        others = [names[0]]
        if root in ("FLOAT", "DOUBLE"):
            for name in self._storage.names(folder, f"{column}="):
                with suppress(ValueError):
                    if _same_number(name, number, is_single=root == "FLOAT"):
                        others.append(f"{column}={name}")
        for other in others:
            yield from self._equal_folders(f"{folder}/{other}", names[1:])


def _text(value: Any, kind: DataType, *, is_legacy: bool) -> str:
    """Return a value of a partition column as Java's `toString`, or as its cast to STRING."""
    if kind.is_binary:  # the first is pypaimon's name
        return str(value) if is_legacy else value.decode("utf-8", "replace")
    if is_legacy and kind.root in ("DATE", "TIME"):
        return str(value)
    if is_legacy and kind.is_timestamp:
        days, nanos = divmod(value, NANOS_PER_DAY)
        text = time_text(nanos).removesuffix(":00")
        seconds, point, fraction = text.partition(".")
        fraction += "0" * (-len(fraction) % 3)
        return f"{date_text(days)}T{seconds}{point}{fraction}"
    if kind.root == "TIMESTAMP_LTZ":  # in the time zone of the machine
        moment = datetime.fromtimestamp(value // NANOS_PER_SECOND, UTC).astimezone()
        offset = moment.utcoffset()
        assert offset is not None
        value += round(offset.total_seconds()) * NANOS_PER_SECOND
    column = arrow_values([value], to_arrow(kind))
    return str(cast(column, kind, parse_type("STRING"))[0].as_py())


def _same_number(text: str, other: str, *, is_single: bool) -> bool:
    """Return whether two texts are the same bits. Raises ValueError if one is not a number."""
    pair = np.array([float(text), float(other)], np.float32 if is_single else np.float64)
    return pair[:1].tobytes() == pair[1:].tobytes()


_TO_ESCAPE = re.compile("[\\x00-\\x1f\\x7f\"#%'*/:=?\\\\{}\\[\\]^]")


def _escaped(text: str) -> str:
    """Return a part of a folder's name, as `PartitionPathUtils.escapePathName` does."""
    return _TO_ESCAPE.sub(lambda match: f"%{ord(match[0]):02X}", text)


def _literal(path: str) -> str:
    """Return a path in Java's spelling, in which `%`, `?` and `#` of a `file:` URL are literal."""
    if not any(character in path for character in "%?#"):
        return path
    return re.sub("^file:(//(localhost)?(?=/))?", "", path)
