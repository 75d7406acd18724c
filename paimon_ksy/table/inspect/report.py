"""The report on a table, in plain values; a corrupt part has an `error` at its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from typing import Any

from paimon_ksy.errors import amount, counted
from paimon_ksy.messages.answers import Answer, Value, in_answer, keyed
from paimon_ksy.messages.sections import Report
from paimon_ksy.table.model.files import VectorPlace


@dataclass(frozen=True)
class Hint(Answer):
    """The file EARLIEST or LATEST.

    Hints may be outdated, so readers search for the real snapshot themselves.

    Attributes:
        named: The snapshot in the file; None if the file does not exist.
        actual: The real snapshot.
        error: The error in the hint, if any.
    """

    named: int | None
    actual: int | None
    error: str | None = None


@dataclass(frozen=True)
class SchemaColumn(Answer):
    """A column of a schema. Its `id` stays the same when it is renamed."""

    id: int
    column: str
    type: str
    comment: str | None = None


@dataclass(frozen=True)
class SchemaReport(Answer):
    """A version of the schema, and its `changes` since the previous version."""

    id: int
    time_millis: int | None = None
    columns: tuple[SchemaColumn, ...] = ()
    partition_keys: tuple[str, ...] = ()
    primary_keys: tuple[str, ...] = ()
    options: dict[str, str] = field(default_factory=dict)
    changes: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class SnapshotReport(Answer):
    """A snapshot, or a changelog that outlived its snapshot; `tags` are those of its id.

    With data evolution, a snapshot counts a row in each of its files, so `total_rows` and
    `added_rows` are None.
    """

    id: int
    version: int | None = field(default=None, metadata=keyed(text=False))
    kind: str | None = None
    schema_id: int | None = None
    time_millis: int | None = None
    commit_user: str | None = field(default=None, metadata=keyed(text=False))
    commit_identifier: int | None = field(default=None, metadata=keyed(text=False))
    total_rows: int | None = None
    added_rows: int | None = None
    changelog_rows: int | None = None
    watermark: int | None = None
    statistics: str | None = None
    tags: tuple[str, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class NamedSnapshot(Answer):
    """A tag or consumer and the snapshot that it names; a branch names none."""

    name: str
    snapshot: int | None = None
    error: str | None = None


@dataclass(frozen=True)
class ColumnStatistics(Answer):
    """The bounds and the null count of a column; each is None if it is unknown."""

    column: str
    min: Value | None
    max: Value | None
    nulls: int | None


@dataclass(frozen=True)
class IndexPart(Answer):
    """An index of a column in a file index; `bytes` is 0 if it is EMPTY."""

    column: str
    index_type: str
    bytes: int


@dataclass(frozen=True)
class DataFileIndex(Answer):
    """A file index: its size and parts; `place` is `embedded` or the name of the index file."""

    place: str
    bytes: int | None = None
    parts: tuple[IndexPart, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class VectorReport(Answer):
    """The deletion vector of a data file: its place in a file, and its number of deleted rows."""

    data_file: str
    byte: int
    length: int
    rows: int | None

    @classmethod
    def at(cls, place: VectorPlace) -> VectorReport:
        """Return the report on a vector with its vector file as `data_file`."""
        name = place.path.rpartition("/")[2]
        return cls(name, place.offset, place.length, place.cardinality)


@dataclass(frozen=True)
class DataFileReport(Answer):
    """A data or changelog file as a manifest lists it."""

    name: str
    path: str = field(metadata=keyed(text=False))
    partition: dict[str, Value]
    bucket: int
    level: int
    rows: int
    bytes: int
    schema_id: int
    min_sequence_number: int = field(metadata=keyed(text=False))
    max_sequence_number: int = field(metadata=keyed(text=False))
    deleted_rows: int | None
    creation_millis: int | None = field(metadata=keyed(text=False))
    source: str | None
    first_row_id: int | None
    min_key: tuple[Value, ...]
    max_key: tuple[Value, ...]
    statistics: tuple[ColumnStatistics, ...] = field(metadata=keyed(one_line=True))
    extra_files: tuple[str, ...] = field(metadata=keyed(text=False))
    embedded_index_bytes: int | None
    index: DataFileIndex | None = None
    deletion_vector: VectorReport | None = None
    error: str | None = None


@dataclass(frozen=True)
class EntryReport(Answer):
    """A change in a manifest: ADD or DELETE of a file, and the number of buckets at that time."""

    kind: str = field(metadata=keyed(title=True))
    total_buckets: int
    file: DataFileReport | None = field(metadata=keyed(beside=True, title=True))
    error: str | None = None


@dataclass(frozen=True)
class ManifestReport(Answer):
    """A manifest as its list describes it; `entries` contains its first entries."""

    name: str
    bytes: int
    added: int
    deleted: int
    schema_id: int
    partitions: tuple[ColumnStatistics, ...] = field(metadata=keyed(one_line=True))
    entries: tuple[EntryReport, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class ManifestListReport(Answer):
    """A manifest list: `role` is base, delta or changelog. `manifests` are its first ones."""

    role: str = field(metadata=keyed(title=True))
    name: str = field(metadata=keyed(title=True))
    num_manifests: int = field(default=0, metadata=keyed(text=False))
    manifests: tuple[ManifestReport, ...] = field(default=(), metadata=keyed(total="num_manifests"))
    error: str | None = None


@dataclass(frozen=True)
class GlobalIndexFileReport(Answer):
    """The part of a global index in one file, and the rows that it covers.

    Columns have their names in the latest schema; `field 7` is not in it. For a primary-key table,
    row ids are positions in the source files. `misread` is what other readers do wrong with it.
    """

    columns: tuple[str, ...]
    first_row_id: int
    last_row_id: int
    version: int | None = None
    misread: str | None = None


@dataclass(frozen=True)
class IndexFileReport(Answer):
    """An index file: deletion vectors or hash codes of a bucket, or a part of a global index.

    `rows` is the number of vectors, keys or rows in the index manifest; `vectors` contains the
    first.
    """

    type: str = field(metadata=keyed(title=True))
    name: str = field(metadata=keyed(title=True))
    path: str = field(metadata=keyed(text=False))
    partition: dict[str, Value]
    bucket: int
    bytes: int
    rows: int
    global_index: GlobalIndexFileReport | None = field(default=None, metadata=keyed(beside=True))
    vectors: tuple[VectorReport, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class GlobalIndexReport(Answer):
    """A global index: all files of one type that index the same columns.

    Attributes:
        type: Their type.
        columns: The names of the columns, as in `GlobalIndexFileReport`.
        files: The number of files.
        first_row_id: The first row id that they cover.
        last_row_id: The last row id that they cover.
        rows: The number of live row ids that they cover; None if rows have no ids.
        coverage: Their share of all live row ids, rounded down.
        version: The version of the first file; None if it is unknown.
        misread: What other readers do wrong with this version.
        unused: Why queries of paimon-ksy do not use it; None if they may.
    """

    type: str = field(metadata=keyed(title=True))
    columns: tuple[str, ...] = field(metadata=keyed(text=False))
    files: int
    first_row_id: int
    last_row_id: int
    rows: int | None
    coverage: float | None
    version: int | None
    misread: str | None
    unused: str | None

    @property
    @in_answer(json=False, title=True)
    def of(self) -> str:
        """The columns as text."""
        return ", ".join(self.columns)


@dataclass(frozen=True)
class IndexManifestReport(Answer):
    """The index manifest of a snapshot: its global indexes, and its first `files`."""

    name: str
    num_files: int = field(default=0, metadata=keyed(text=False))
    files: tuple[IndexFileReport, ...] = field(default=(), metadata=keyed(total="num_files"))
    global_indexes: tuple[GlobalIndexReport, ...] = ()
    error: str | None = None


@dataclass(frozen=True)
class Totals(Answer):
    """Sums over data files. `deleted_rows` is the number of rows in deletion vectors.

    It is None if a vector is listed without its cardinality, as in Paimon 0.9 and earlier.
    """

    files: int = 0
    rows: int = 0
    bytes: int = 0
    embedded_indexes: int = 0
    index_files: int = 0
    deletion_vectors: int = 0
    deleted_rows: int | None = 0


@dataclass(frozen=True)
class BucketReport(Answer):
    """A bucket: `listed` are its first data files, `errors` concern those that cannot be listed."""

    bucket: int = 0
    total_buckets: int = 0
    totals: Totals = field(default_factory=Totals)
    listed: list[DataFileReport] = field(default_factory=list, metadata=keyed(main=True))
    errors: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class PartitionReport(Answer):
    """A partition; `buckets` are its first ones."""

    values: dict[str, Value]
    num_buckets: int = field(default=0, metadata=keyed(text=False))
    totals: Totals = field(default_factory=Totals)
    buckets: tuple[BucketReport, ...] = field(default=(), metadata=keyed(total="num_buckets"))


@dataclass(frozen=True)
class ContentReport(Answer):
    """The content of a snapshot. `partitions` are the first ones.

    If it is not `complete`, some manifests could not be read, and totals are too small. `errors`
    contains all read errors, even of parts that are not listed, and `hidden` what the options of
    the table hide from queries.
    """

    snapshot: SnapshotReport
    lists: tuple[ManifestListReport, ...]
    index_manifest: IndexManifestReport | None
    totals: Totals
    num_partitions: int = field(metadata=keyed(text=False))
    partitions: tuple[PartitionReport, ...] = field(metadata=keyed(total="num_partitions"))
    complete: bool = field(metadata=keyed(text=False))
    errors: tuple[str, ...] = field(default=(), metadata=keyed(text=False))
    hidden: tuple[str, ...] = ()

    @property
    @in_answer(json=False)
    def incomplete(self) -> str | None:
        """Why totals are too small, if they are."""
        return None if self.complete else "a manifest is corrupt"


@dataclass(frozen=True)
class Listing(Answer):
    """The first or last of `count` items; `error` if they could not be listed."""

    count: int = field(metadata=keyed(text=False))
    listed: tuple[Any, ...] = field(metadata=keyed(total="count", main=True))
    error: str | None = None


@dataclass(frozen=True)
class TableReport(Report):
    """A table, and the `content` of a snapshot; None if the snapshot is missing or corrupt."""

    table: str = field(metadata=keyed(text=False, title=True))
    schema_id: int
    partition_keys: tuple[str, ...]
    primary_keys: tuple[str, ...]
    bucket_mode: str
    bucket: str
    unknown_options: tuple[str, ...]
    earliest: Hint
    latest: Hint
    schemas: Listing
    snapshots: Listing
    tags: Listing
    branches: Listing
    changelogs: Listing
    consumers: Listing
    content: ContentReport | None
    error: str | None = None

    @property
    @in_answer(json=False)
    def note(self) -> str | None:
        """Why there is no content, if nothing is wrong."""
        if self.content is not None or self.error is not None:
            return None
        return "no snapshot: the table was never written"

    @property
    def summary(self) -> list[str]:
        """Five lines about the whole table, and those about what queries do not return."""
        keys = f"primary key {', '.join(self.primary_keys)}" if self.primary_keys else "no key"
        parts = f", partitions {', '.join(self.partition_keys)}" if self.partition_keys else ""
        content = self.content
        totals, snapshot = (
            (Totals(), None) if content is None else (content.totals, content.snapshot)
        )
        manifest = None if content is None else content.index_manifest
        state = "no snapshot" if snapshot is None else f"snapshot {snapshot.id}"
        if snapshot is not None and snapshot.time_millis is not None:
            state += (
                f" of {datetime.fromtimestamp(snapshot.time_millis / 1000, UTC):%Y-%m-%d %H:%M} UTC"
            )
        of_files = totals.index_files + totals.embedded_indexes
        of_table = 0 if manifest is None else len(manifest.global_indexes)
        vectors = counted(totals.deletion_vectors, "deletion vector")
        deleted = (
            "" if totals.deleted_rows is None else f" of {counted(totals.deleted_rows, 'row')}"
        )
        states = f"{counted(self.snapshots.count, 'snapshot')}, {counted(self.tags.count, 'tag')}"
        rows = f"{counted(totals.rows, 'row')}, {amount(totals.bytes)}"
        indexed = f"indexes of {counted(of_files, 'file')}, {counted(of_table, 'global index')}"
        return [
            f"schema {self.schema_id}, {keys}{parts}",
            f"{state}; {states}",
            f"{counted(totals.files, 'data file')}, {rows}",
            *(() if content is None else content.hidden),
            f"{indexed}, {vectors}{deleted}",
            counted(len(self.errors), "error") if self.errors else "no errors in metadata",
        ]

    @property
    def errors(self) -> list[str]:
        """All errors, without duplicates."""
        return list(dict.fromkeys(_errors(self)))


def _errors(report: Any) -> Iterator[str]:
    if isinstance(report, tuple | list):
        for item in report:
            yield from _errors(item)
    elif is_dataclass(report) and not isinstance(report, Value):
        for item in fields(report):
            value = getattr(report, item.name)
            if item.name == "error" and value is not None:
                yield value
            elif item.name == "errors":
                yield from value
            else:
                yield from _errors(value)
