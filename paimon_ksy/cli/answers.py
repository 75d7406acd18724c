"""List the keys of each command's JSON, with their types. `json_schema` makes schemas from them.

An answer is one type, whose keys are those of the document, or several, whose keys are joined.
`schema_version` is added to each document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NotRequired, TypedDict

from paimon_ksy.cli.build import BuiltIndex
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
    """Some rows: how many, and the first runs of them."""

    rows: int
    ranges: list[list[int]]
    num_ranges: int


class Vector(TypedDict):
    """A deletion vector in its file: all its rows as ranges, the first ones as positions."""

    bits: int
    byte: int
    length: int
    rows: int
    max: int | None
    crc_ok: bool
    positions: list[int]
    ranges: list[list[int]]


class ValueRows(TypedDict):
    """A value of a bitmap index, and its rows."""

    value: Any
    rows: int


class Slice(TypedDict):
    """A slice of a BSI or range bitmap."""

    bit: int
    byte: int
    bytes: int
    rows: int | None


class Chunk(TypedDict):
    """A chunk of a dictionary: its first value, and how many there are."""

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
    """The values of one sign in a BSI, without it."""

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
    """An index of a column; which keys it has depends on its type."""

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
    """A column of a file index; its type is null if no schema has it."""

    column: str
    type: str | None
    indexes: list[InspectedIndex]


class HexField(TypedDict):
    """A field of a file with its bytes; null for bytes of no field."""

    byte: int
    bytes: int
    field: str | None
    hex: str


class Inspection(TypedDict):
    """What a file is; which keys it has depends on its kind."""

    file: str
    kind: str
    bytes: int
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
    """Which rows of a data file match, by its index.

    Attributes:
        answer: `skip` if no row matches, `rows`, or `all`.
        exact: Whether all of these rows match; else the predicate has to be tested on them.
        limited: Whether the rows are those that come first.
        not_indexed: Columns of the predicate that the file has no index on.
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
    """With --count: how many rows match."""

    file: str
    rows: int | None
    exact: bool


class Verified(TypedDict):
    """What is wrong with a file."""

    file: str
    kind: str
    findings: list[Finding]


class Fact(TypedDict):
    """Something that differs."""

    name: str
    old: Any
    new: Any


class ChangedValue(TypedDict):
    """A value whose rows differ."""

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
    """A deletion vector that differs, by its number in each file."""

    old_number: int | None
    new_number: int | None
    change: str
    facts: list[Fact]
    deleted: RowSet
    restored: RowSet


class ChangedHashCodes(TypedDict):
    """The hash codes of a bucket index that differ."""

    facts: list[Fact]
    gained: list[int]
    num_gained: int
    lost: list[int]
    num_lost: int


class FieldSide(TypedDict):
    """A field in one of two files, and some of its bytes."""

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
    """What differs in two files; if they are equal, nothing follows that key."""

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
    hash_codes: NotRequired[ChangedHashCodes]
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
    """The deletion vector of a data file that differs; rows are null if they were not read."""

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
    """What differs in two snapshots of a table."""

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


class Page(TypedDict):
    """The page that was written; no findings if a table was not audited."""

    output: str
    findings: list[Finding] | None


class ShownVectors(TypedDict):
    """The vectors of a file, up to one that is broken."""

    file: str
    vectors: list[Vector]
    error: str | None


class ShownFiles(TypedDict):
    """The vectors of files."""

    files: list[ShownVectors]


class VerifiedVectors(TypedDict):
    """How many vectors a file has; null if it is corrupt."""

    file: str
    vectors: int | None
    rows: int | None
    error: str | None


class VerifiedFiles(TypedDict):
    """What was verified of files."""

    files: list[VerifiedVectors]


class Applied(TypedDict):
    """How many rows of a data file are live; the output is null if none was written."""

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
    """Where keys are."""

    keys: list[FoundKey]


# Whole tables -----------------------------------------------------------------------------------


class OfTable(TypedDict):
    """The table that the answer is about."""

    table: str


class Errors(TypedDict):
    """All that is broken."""

    errors: list[str]


Counted = TypedDict(
    "Counted", {"rows": int, "from": str, "files_total": int, "files_read": int, "bytes_read": int}
)
Counted.__doc__ = "How many rows match; `from` is `index` if no data file was read, else `data`."


class Explained(TypedDict):
    """What each step of a query keeps and skips."""

    steps: list[Step]


class AuditHead(TypedDict):
    """The first line of an audit."""

    schema_version: int
    table: str


class AuditEnd(TypedDict):
    """The last line of an audit with --repair: what was rebuilt, and the findings that are left."""

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
    """The orphans of a table; in a dry run none was deleted."""

    table: str
    dry_run: bool
    files: list[OrphanFile]
    bytes: int
    failed: list[FailedOrphan]


class QueryCost(TypedDict):
    """With --stats on stderr: what a query took."""

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
        types: The types of the document, whose keys are joined; or of a line of a stream, each of
            which has one of the types.
        is_stream: Whether it is a stream of lines.
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
"""By command; an answer that an option changes has the option's name after it."""
