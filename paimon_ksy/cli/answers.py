"""The keys and types of each command's JSON, from which `json_schema` generates schemas.

An answer consists of one or more types. Their keys together, and `schema_version`, are the keys of
the document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from paimon_ksy.cli.build import BuiltIndex
from paimon_ksy.inspection.meaning_changes import Fact, HashChange
from paimon_ksy.messages.findings import Finding
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.delete.delete import DeleteSummary
from paimon_ksy.table.index.summary import RewriteSummary
from paimon_ksy.table.inspect.diff import Sums
from paimon_ksy.table.inspect.report import (
    DataFileReport,
    IndexFileReport,
    IndexPart,
    SnapshotReport,
    TableReport,
    VectorReport,
)
from paimon_ksy.table.query.explain import Step

# Single files -----------------------------------------------------------------------------------


class RowSet(TypedDict):
    """A set of rows: their number, and the first ranges of them."""

    rows: int
    ranges: list[list[int]]
    num_ranges: int


class Vector(TypedDict):
    """A deletion vector: its place in the file, its first rows, and all its rows as ranges."""

    bits: int
    byte: int
    length: int
    rows: int
    max: int | None
    crc_ok: bool
    positions: list[int]
    ranges: list[list[int]]


class ValueRows(TypedDict):
    """A value in a bitmap index, and the number of its rows."""

    value: Any
    rows: int


class Slice(TypedDict):
    """A slice of a BSI or a range bitmap."""

    bit: int
    byte: int
    bytes: int
    rows: int | None


class Chunk(TypedDict):
    """A chunk of a dictionary: its first value, and the number of its values."""

    first: Any
    values: int
    bytes: int


class Dictionary(TypedDict):
    """The dictionary of a range bitmap."""

    byte: int
    bytes: int
    head_bytes: int
    num_chunks: int
    chunks: list[Chunk]


class Sign(TypedDict):
    """The absolute values of one sign in a BSI."""

    rows: int
    min: int | None
    max: int | None
    slices: list[Slice]


class BloomFilter(TypedDict):
    """The bits of a bloom filter; `false_positives` is a share from 0 to 1."""

    hashes: int
    bits: int
    bits_set: int
    false_positives: float


class InspectedIndex(TypedDict):
    """An index of a column; its keys depend on its type."""

    index_type: str
    empty: bool
    byte: int | None
    bytes: int
    error: NotRequired[str]
    version: NotRequired[int]
    rows: NotRequired[int]
    distinct: NotRequired[int]
    has_nulls: NotRequired[bool | None]
    nulls: NotRequired[int | None]
    blocks: NotRequired[int | None]
    values_seen: NotRequired[int]
    values: NotRequired[list[ValueRows] | None]
    min: NotRequired[Any]
    max: NotRequired[Any]
    positive: NotRequired[Sign | None]
    negative: NotRequired[Sign | None]
    dictionary: NotRequired[Dictionary | None]
    slices: NotRequired[list[Slice] | None]
    bloom_filter: NotRequired[BloomFilter]


class InspectedColumn(TypedDict):
    """A column of a file index; its type is null without a schema, or if the schema lacks it."""

    column: str
    type: str | None
    indexes: list[InspectedIndex]


class HexField(TypedDict):
    """A field of a file, with its bytes; `field` is null for bytes outside all fields."""

    byte: int
    bytes: int
    field: str | None
    hex: str


class Inspection(TypedDict):
    """The kind and the content of a file; the keys depend on the kind."""

    file: str
    kind: str
    bytes: int
    note: NotRequired[str]
    version: NotRequired[int]
    head_bytes: NotRequired[int]
    redundant_bytes: NotRequired[int]
    columns: NotRequired[list[InspectedColumn]]
    contradictions: NotRequired[int]
    vectors: NotRequired[list[Vector]]
    num_hash_codes: NotRequired[int]
    repeated: NotRequired[int]
    trailing_bytes: NotRequired[int]
    cardinality: NotRequired[int]
    containers: NotRequired[dict[str, int]]
    hex: NotRequired[list[HexField]]


class Evaluation(TypedDict):
    """The rows of a data file that match, according to its index.

    Attributes:
        answer: `skip` if no row matches, `rows`, or `all`.
        exact: Whether all of these rows match; otherwise, test the predicate on them.
        limited: Whether a limit or an order left out matching rows.
        not_indexed: Columns of the predicate on which the file has no index.
    """

    file: str
    answer: str
    exact: bool
    rows: int | None
    positions: list[int] | None
    limited: bool
    not_indexed: list[str]
    file_rows: int | None
    bytes_read: int
    file_bytes: int
    seconds: float


class EvaluatedCount(TypedDict):
    """The number of rows that match, printed with --count."""

    file: str
    rows: int | None
    exact: bool


class Verified(TypedDict):
    """The findings in a file."""

    file: str
    kind: str
    findings: list[Finding]


class ChangedValue(TypedDict):
    """A value whose rows differ between the indexes."""

    value: Any
    old_rows: int
    new_rows: int
    gained: int
    lost: int


class ChangedIndex(TypedDict):
    """An index that differs; sizes are null where it is missing, and 0 where it is EMPTY."""

    column: str
    type: str | None
    index_type: str
    change: str
    old_bytes: int | None
    new_bytes: int | None
    facts: list[Fact]
    rows: RowSet | None
    values: list[ChangedValue]
    num_values: int
    note: str | None


class ChangedVector(TypedDict):
    """A deletion vector that differs, with its number in each file."""

    old_number: int | None
    new_number: int | None
    change: str
    facts: list[Fact]
    deleted: RowSet
    restored: RowSet


class FieldSide(TypedDict):
    """A field in one of the two files, and some of its bytes."""

    field: str
    byte: int
    bytes: int
    value: Any
    hex_byte: int
    hex: str


class ChangedField(TypedDict):
    """A field that differs."""

    change: str
    old: FieldSide | None
    new: FieldSide | None


class FileDiff(TypedDict):
    """The differences of two files; if they are equal, `equal` is the last key."""

    old: str
    new: str
    kind: str
    old_bytes: int
    new_bytes: int
    equal: bool
    indexes: NotRequired[list[ChangedIndex]]
    same_indexes: NotRequired[int]
    vectors: NotRequired[list[ChangedVector]]
    num_vectors: NotRequired[int]
    same_vectors: NotRequired[int]
    hash_codes: NotRequired[HashChange]
    fields: NotRequired[list[ChangedField]]
    num_fields: NotRequired[int]
    bytes_left_out: NotRequired[int]
    errors: NotRequired[list[str]]


class ChangedDataFile(TypedDict):
    """A data file that differs between the two snapshots."""

    change: str
    old: DataFileReport | None
    new: DataFileReport | None
    indexes_added: list[IndexPart]
    indexes_dropped: list[IndexPart]


class ChangedFileVector(TypedDict):
    """The deletion vector of a data file that differs; its rows are null if they were not read."""

    data_file: str
    bucket: int
    change: str
    old: VectorReport | None
    new: VectorReport | None
    deleted: RowSet | None
    restored: RowSet | None


class ChangedIndexFile(TypedDict):
    """Another index file that differs, such as that of a bucket."""

    change: str
    old: IndexFileReport | None
    new: IndexFileReport | None


class SnapshotDiff(TypedDict):
    """The differences between two snapshots of a table."""

    table: str
    old: SnapshotReport
    new: SnapshotReport
    equal: bool
    schema_changes: list[str]
    added: Sums
    dropped: Sums
    num_changed: int
    files: list[ChangedDataFile]
    vectors: list[ChangedFileVector]
    num_vectors: int
    deleted_rows: int
    unread_vectors: int
    index_files: list[ChangedIndexFile]
    num_index_files: int
    errors: list[str]


class Built(TypedDict):
    """The file index that was built."""

    output: str
    bytes: int
    rows: int
    seconds: float
    indexes: list[BuiltIndex]


class Written(TypedDict):
    """The file that was written."""

    output: str
    bytes: int


class ForWebIde(TypedDict):
    """The two files for the Web IDE."""

    spec: str
    file: str


class Generated(TypedDict):
    """The folder of a generated package, its files, and what is left out of it, and why."""

    folder: str
    files: list[str]
    left_out: list[str]


class Page(TypedDict):
    """The page that was written; `findings` is null if the table was not audited."""

    output: str
    findings: list[Finding] | None


class ShownVectors(TypedDict):
    """The vectors of a file, up to the first malformed one."""

    file: str
    vectors: list[Vector]
    error: str | None


class ShownFiles(TypedDict):
    """The vectors of files."""

    files: list[ShownVectors]


class VerifiedVectors(TypedDict):
    """The number of vectors in a file; null if it is corrupt."""

    file: str
    vectors: int | None
    rows: int | None
    error: str | None


class VerifiedFiles(TypedDict):
    """The files that were verified."""

    files: list[VerifiedVectors]


class Applied(TypedDict):
    """The number of live rows in a data file; `output` is null if no file was written."""

    rows: int
    deleted_rows: int
    live_rows: int
    output: str | None


class WrittenVector(TypedDict):
    """The vector that was written."""

    output: str
    bytes: int
    bits: int
    byte: int
    length: int
    rows: int


class HashCodes(TypedDict):
    """The hash codes of a bucket index."""

    file: str
    num_hash_codes: int
    repeated: int
    trailing_bytes: int


class BucketIndexes(TypedDict):
    """The hash codes of bucket indexes."""

    files: list[HashCodes]


class FoundKey(TypedDict):
    """A key, and the bucket indexes that contain its hash code."""

    key: str
    hash_code: int
    files: list[str]


class FoundKeys(TypedDict):
    """The keys, each with the bucket indexes that contain its hash code."""

    keys: list[FoundKey]


# Whole tables -----------------------------------------------------------------------------------


class OfTable(TypedDict):
    """The table of the answer."""

    table: str


class Errors(TypedDict):
    """The errors of everything that is corrupt."""

    errors: list[str]


Counted = TypedDict(
    "Counted", {"rows": int, "from": str, "files_total": int, "files_read": int, "bytes_read": int}
)
Counted.__doc__ = (
    "The number of rows that match; `from` is `index` if no data file was read, else `data`."
)


class Explained(TypedDict):
    """The files, rows and bytes that each step of a query keeps and skips."""

    steps: list[Step]


class AuditHead(TypedDict):
    """The first line of an audit."""

    schema_version: int
    table: str


class AuditEnd(TypedDict):
    """The last line of an audit with --repair: a summary, and the number of findings left."""

    repair: RewriteSummary | None
    left: int


class OrphanFile(TypedDict):
    """A file that nothing refers to; `modified` is in seconds since 1970."""

    file: str
    bytes: int
    modified: float


class FailedOrphan(OrphanFile):
    """An orphan that could not be deleted."""

    error: str


class Orphans(TypedDict):
    """The orphans of a table; with `dry_run`, none was deleted."""

    table: str
    dry_run: bool
    files: list[OrphanFile]
    bytes: int
    failed: list[FailedOrphan]


class QueryCost(TypedDict):
    """The cost of a query, printed on stderr with --stats."""

    rows: int
    files_total: int
    files_read: int
    bytes_read: int
    seconds: float


class Problem(TypedDict):
    """An error: its kind, place and remedy."""

    code: str
    message: str
    file: str | None
    column: str | None
    byte: int | None
    remedy: str | None


class Failure(TypedDict):
    """An error on stderr."""

    error: Problem


class Message(TypedDict):
    """A text for people."""

    message: str


class Notice(TypedDict):
    """A note or warning on stderr."""

    note: Message


@dataclass(frozen=True)
class Answer:
    """The JSON of a command.

    Attributes:
        types: The types whose keys together are the keys of the document. In a stream, each line
            has one of these types.
        is_stream: Whether the command prints a stream of JSON lines.
    """

    types: tuple[Any, ...]
    is_stream: bool = False


ANSWERS: Mapping[str, Answer] = {
    "inspect": Answer((Inspection,)),
    "eval": Answer((Evaluation,)),
    "eval count": Answer((EvaluatedCount,)),
    "verify": Answer((Verified,)),
    "diff": Answer((FileDiff,)),
    "diff snapshots": Answer((SnapshotDiff,)),
    "build": Answer((Built,)),
    "assemble": Answer((Written,)),
    "webide": Answer((ForWebIde,)),
    "generate": Answer((Generated,)),
    "report": Answer((Page,)),
    "dv show": Answer((ShownFiles,)),
    "dv verify": Answer((VerifiedFiles,)),
    "dv apply": Answer((Applied,)),
    "dv merge": Answer((WrittenVector,)),
    "dv create": Answer((WrittenVector,)),
    "bucket-index show": Answer((BucketIndexes,)),
    "bucket-index lookup": Answer((FoundKeys,)),
    "table inspect": Answer((TableReport, Errors)),
    "table explain": Answer((Explained,)),
    "table query": Answer((dict[str, Any],), is_stream=True),
    "table query stats": Answer((QueryCost,)),
    "table count": Answer((Counted,)),
    "table rewrite-index": Answer((OfTable, RewriteSummary)),
    "table delete": Answer((OfTable, DeleteSummary)),
    "table advise": Answer((Advice,)),
    "table audit": Answer((AuditHead, Finding, AuditEnd), is_stream=True),
    "table clean-orphans": Answer((Orphans,)),
    "error": Answer((Failure,)),
    "note": Answer((Notice,)),
}
"""The answer of each command. If an option changes the answer, the option's name follows."""
