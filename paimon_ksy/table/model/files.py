"""The contents of a table's schemas, snapshots and manifests, as plain, picklable values."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, SchemaError
from paimon_ksy.messages.answers import HIDDEN, Answer, keyed
from paimon_ksy.rows.binary_row import CAN_BE_STORED, read_row
from paimon_ksy.table.model.documents import columns_of, schema_document, snapshot_document
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Field, Schema

ROW_ID, SEQUENCE_NUMBER = "_ROW_ID", "_SEQUENCE_NUMBER"
"""The columns of row tracking: the id of a row, and the snapshot that wrote it last."""

_ROW_COLUMNS = {ROW_ID: -1, SEQUENCE_NUMBER: -2}
"""The ids that these columns have in all schemas here."""


@dataclass(frozen=True)
class TableSchema:
    """One version of a table's schema. `ids` maps the names of its columns to their ids.

    `version` is the version of its file format: 1 up to Paimon 0.7, then 2, then 3.
    """

    id: int
    columns: Schema
    ids: Mapping[str, int]
    partition_keys: tuple[str, ...]
    primary_keys: tuple[str, ...]
    options: Mapping[str, str]
    time_millis: int | None = None
    version: int = 3

    @cached_property
    def partition_schema(self) -> Schema:
        """The partition columns, in the order of the partition keys."""
        return Schema(tuple(self.columns.column(name) for name in self.partition_keys))

    def named(self, ids: Sequence[int]) -> tuple[str, ...]:
        """Return the names of the columns with these ids; `field 7` for one that does not exist."""
        names = {number: name for name, number in self.ids.items()}
        return tuple(names.get(number, f"field {number}") for number in ids)

    @cached_property
    def with_row_ids(self) -> TableSchema:
        """The schema with the columns of row tracking, which are not among all columns."""
        if _ROW_COLUMNS.keys() & set(self.columns.names):
            return self
        fields = (Field(name, DataType("BIGINT")) for name in _ROW_COLUMNS)
        columns = Schema((*self.columns, *fields))
        return replace(self, columns=columns, ids={**self.ids, **_ROW_COLUMNS})

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "ids": dict(self.ids), "options": dict(self.options)}

    @classmethod
    @lru_cache(maxsize=64)
    def parse(cls, text: str | bytes) -> TableSchema:
        """Return the schema in a file `schema/schema-N`.

        Recently parsed schemas are cached: equal schemas are the same object, to which predicates
        are bound once.

        Raises:
            SchemaError: The document is not a schema.
        """
        try:
            document = schema_document(text)
        except ValueError as error:
            raise SchemaError(f"not a schema file of Paimon: {error}") from error
        return cls(
            id=document["id"],
            columns=columns_of(document),
            ids={node["name"]: node["id"] for node in document["fields"]},
            partition_keys=tuple(document["partitionKeys"]),
            primary_keys=tuple(document["primaryKeys"]),
            options=document["options"],
            time_millis=document.get("timeMillis"),
            version=document["version"],
        )


def _json_name(name: str) -> str:
    """Return a field's name in JSON: `schemaId` for `schema_id`."""
    first, *words = name.split("_")
    return first + "".join(word.capitalize() for word in words)


@dataclass(frozen=True)
class Snapshot(Answer):
    """A snapshot, the snapshot of a tag, or a changelog, as stored in its file.

    The fields are those of Java's `Snapshot`. Lists and manifests are names of files in manifest/.
    The keys are the columns of Java's `$snapshots`.
    """

    version: int = field(metadata=HIDDEN)
    id: int = field(metadata=keyed("snapshot_id"))
    schema_id: int
    base_manifest_list: str
    base_manifest_list_size: int | None = field(metadata=HIDDEN)
    delta_manifest_list: str
    delta_manifest_list_size: int | None = field(metadata=HIDDEN)
    changelog_manifest_list: str | None
    changelog_manifest_list_size: int | None = field(metadata=HIDDEN)
    index_manifest: str | None = field(metadata=HIDDEN)
    commit_user: str
    commit_identifier: int
    commit_kind: str
    time_millis: int = field(metadata=keyed("commit_time_millis"))
    total_record_count: int
    delta_record_count: int
    changelog_record_count: int | None
    watermark: int | None
    statistics: str | None = field(metadata=HIDDEN)
    next_row_id: int | None = field(metadata=HIDDEN)
    uuid: str | None = field(default=None, compare=False, repr=False, metadata=HIDDEN)
    properties: Mapping[str, str] | None = field(
        default=None, compare=False, repr=False, metadata=HIDDEN
    )

    @classmethod
    def parse(cls, text: str | bytes) -> Snapshot:
        """Return the snapshot in a file `snapshot/snapshot-N`, in that of a tag or a changelog.

        Raises:
            ValueError: A field is missing or wrong. The message names it.
        """
        document = snapshot_document(text)
        values: dict[str, Any] = {
            each.name: document.get(_json_name(each.name)) for each in fields(cls)
        }
        return cls(**values)

    @classmethod
    def of(cls, snapshot: Any) -> Snapshot:
        """Return a snapshot of another library, whose attributes have the same names.

        Raises:
            ValueError: A field is wrong. The message names it.
        """
        values = {_json_name(each.name): getattr(snapshot, each.name) for each in fields(cls)}
        return cls.parse(json.dumps(values))

    @property
    def manifest_lists(self) -> dict[str, str | None]:
        """The names of the manifest lists, by kind: `base`, `delta` and `changelog`."""
        return {
            "base": self.base_manifest_list,
            "delta": self.delta_manifest_list,
            "changelog": self.changelog_manifest_list,
        }

    @property
    def files(self) -> tuple[str | None, ...]:
        """The names of the manifest lists and of the index manifest."""
        return *self.manifest_lists.values(), self.index_manifest


@dataclass(frozen=True, slots=True)
class ManifestFile:
    """A manifest as listed in a manifest list. The fields are named as in `ManifestFileMeta`.

    `least_partition` and `greatest_partition` are rows, as bytes, of the bounds of each partition
    column. `null_counts` has the number of nulls in each. Without `has_bounds` they may be wrong.
    """

    file_name: str
    file_size: int
    num_added_files: int
    num_deleted_files: int
    schema_id: int
    extra_files: tuple[str, ...]
    least_partition: bytes = field(repr=False)
    greatest_partition: bytes = field(repr=False)
    null_counts: tuple[int | None, ...] = field(repr=False)
    has_bounds: bool = True

    @property
    def num_files(self) -> int:
        """The number of data files that it adds to a snapshot, minus those that it deletes."""
        return self.num_added_files - self.num_deleted_files

    def partition_bounds(self, schema: Schema) -> Statistics:
        """Return the bounds of the partitions in the manifest."""
        names, unknown = tuple(schema.names), (None,) * len(schema.names)
        if not self.has_bounds:
            return Statistics(names, unknown, null_counts=unknown)
        types = tuple(column.type for column in schema)
        counts = (*self.null_counts, *unknown)[: len(names)]
        return Statistics(names, types, self.least_partition, self.greatest_partition, counts)


class VectorRange(NamedTuple):
    """The range of a data file's deletion vector in an index file, in bytes."""

    offset: int
    length: int
    cardinality: int | None


@dataclass(frozen=True)
class GlobalIndex:
    """The rows and columns that a global index covers, and the metadata its type needs to read it.

    The fields are named as in Java's `GlobalIndexMeta`.
    """

    row_range_start: int
    row_range_end: int
    index_field_id: int
    extra_field_ids: tuple[int, ...] | None
    index_meta: bytes | None = field(repr=False)
    source_meta: bytes | None = field(repr=False)

    @property
    def field_ids(self) -> tuple[int, ...]:
        """The ids of the indexed columns, in the order of the keys."""
        return self.index_field_id, *(self.extra_field_ids or ())


DELETION_VECTORS, HASH = "DELETION_VECTORS", "HASH"
"""The types of index files that belong to a bucket. All others are global indexes."""


@dataclass(frozen=True)
class IndexFile:
    """An index file as listed in an index manifest.

    The fields are named as in Java's `IndexManifestEntry` and `IndexFileMeta`. `partition` has
    internal values (see `types.literals`), and `partition_row` is their row as bytes. `vectors`
    maps the names of data files to the ranges of deletion vectors, in the order of the manifest.
    """

    partition: tuple[Any, ...]
    partition_row: bytes = field(repr=False)
    bucket: int
    index_type: str
    file_name: str
    file_size: int
    row_count: int
    vectors: Mapping[str, VectorRange] = field(default_factory=dict)
    external_path: str | None = None
    global_index: GlobalIndex | None = None


FileInBucket = tuple[tuple[Any, ...], int, str]
"""A partition, a bucket in it, and the name of a data file in the bucket."""


@dataclass(frozen=True)
class VectorPlace:
    """The place of a data file's deletion vector: bytes `offset` to `offset + length` of a file."""

    path: str
    offset: int
    length: int
    cardinality: int | None


@dataclass(frozen=True)
class Statistics:
    """Statistics of columns of a data file: rows of minima and maxima, and null counts.

    Values are decoded on request, because a query needs only one or two columns.

    Attributes:
        columns: The names of the columns.
        types: Their types; None for a column that the schema lacks.
        least: The row of minima, in the form that `write_row` returns.
        greatest: The row of maxima.
        null_counts: The number of nulls of each column; None if it is unknown.
    """

    columns: tuple[str, ...] = ()
    types: tuple[DataType | None, ...] = ()
    least: bytes = b""
    greatest: bytes = b""
    null_counts: tuple[int | None, ...] = ()

    def of(self, column: str) -> tuple[Any, Any, int | None] | None:
        """Return the minimum, the maximum and the null count of a column; None if not listed.

        An unknown value is None, and so is one that rows cannot store, or whose bytes are corrupt.
        """
        if column not in self.columns:
            return None
        at = self.columns.index(column)
        return self._value(self.least, at), self._value(self.greatest, at), self.null_counts[at]

    def _value(self, row: bytes, at: int) -> Any:
        data_type = self.types[at]
        if data_type is None or data_type.root not in CAN_BE_STORED:
            return None
        try:
            alone = [data_type if i == at else None for i in range(len(self.types))]
            return _internal(read_row(row, alone)[at], data_type)
        except CorruptFileError:
            return None


@dataclass(frozen=True)
class DataFile:
    """A data file as listed in a manifest.

    `partition` has internal values (see `types.literals`), in the order of the partition keys, and
    `partition_row` is their row as bytes. `index` is the embedded index, or the path of the index
    file, or None without an index. `source` is 0 for appended and 1 for compacted files. `size` is
    in bytes.
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
    partition_row: bytes = field(default=b"", repr=False)

    @property
    def folder(self) -> str:
        """The folder that it and its index files are in."""
        return self.path.rpartition("/")[0]

    @property
    def has_index(self) -> bool:
        """Whether it has a file index, or several by mistake."""
        return self.embedded_index is not None or bool(self.index_files)

    @property
    def index(self) -> bytes | str | None:
        """The index that readers use: the embedded one if both exist.

        Raises:
            PaimonKsyError: There are several index files, which Java refuses, too.
        """
        if self.embedded_index is not None:
            return self.embedded_index
        if len(self.index_files) > 1:
            raise PaimonKsyError(
                f"has {len(self.index_files)} index files, but only one is allowed: "
                f"{', '.join(self.index_files)}; rewrite its index",
                path=self.path,
            )
        return self.index_files[0] if self.index_files else None

    @property
    def other_files(self) -> list[str]:
        """The paths of further files beside it, such as a copy of its rows."""
        names = [name for name in self.extra_files if not name.endswith(".index")]
        return [f"{self.folder}/{name}" for name in names]

    def without_statistics(self) -> DataFile:
        """Return the file without its statistics, which take most of its memory."""
        return replace(self, statistics=Statistics(), key_range=((), ()))

    @property
    def key(self) -> tuple[Any, ...]:
        """The values that distinguish this data file from the others of a snapshot."""
        return self.partition, self.bucket, self.level, self.name, self.external_path

    @property
    def state(self) -> tuple[Any, ...]:
        """The values that a commit changes when it replaces the file's index."""
        return self.extra_files, self.embedded_index

    @property
    def digest(self) -> bytes:
        """A digest of 16 bytes of both `key` and `state`."""
        return digest_of(self.key, self.state)


def shared_rows(first_ids: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many rows of each file to leave out, so that each row id is counted once.

    The first id of a file without row ids is -1.
    """
    order = np.lexsort((-counts, first_ids))
    starts, sizes = first_ids[order], counts[order]
    ends = np.maximum.accumulate(np.where(starts < 0, 0, starts + sizes))
    before = np.concatenate((starts[:1], ends[:-1]))
    shared = np.empty_like(counts)
    shared[order] = np.where(starts < 0, 0, np.clip(before - starts, 0, sizes))
    return shared


_COMPRESSED = frozenset(("gz", "bz2", "deflate", "snappy", "lz4", "zst"))
"""`HadoopCompressionType.isCompressExtension`: CSV, JSON and text are compressed as whole files."""


def format_of(name: str) -> str:
    """Return the format of the data file of this name (`DataFileMeta.fileFormat`)."""
    ends = name.lower().split(".")
    return ends[-2] if len(ends) > 2 and ends[-1] in _COMPRESSED else ends[-1]


def digest_of(key: tuple[Any, ...], state: tuple[Any, ...]) -> bytes:
    """Return the `DataFile.digest` of a `key` and a `state`."""
    return blake2b(repr((key, state)).encode(errors="surrogatepass"), digest_size=16).digest()


def internal_row(data: bytes, types: Sequence[DataType | None]) -> tuple[Any, ...]:
    """Return the values of a manifest's row as columns have them: a CHAR has no padding.

    The type of a field to skip is None.

    Raises:
        CorruptFileError: The bytes are not a row of these types.
    """
    kinds = [kind if kind is not None and kind.root in CAN_BE_STORED else None for kind in types]
    return tuple(map(_internal, read_row(data, kinds), kinds))


def _internal(value: Any, data_type: DataType | None) -> Any:
    """Return a value in the form of `types.literals`: no padding of CHAR, and no negative zero."""
    if value is None or data_type is None:
        return None
    if data_type.root == "CHAR":
        return value.rstrip(" ")
    return value + 0.0 if data_type.root in ("FLOAT", "DOUBLE") else value
