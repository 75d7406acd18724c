"""The keys and types of each command's JSON, from which `json_schema` generates schemas.

An answer consists of one or more types. Their keys together, and `schema_version`, are the keys of
the document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypedDict

from paimon_ksy.cli.build import BuiltIndex
from paimon_ksy.file_index.bitmap.inspect import BitmapReport
from paimon_ksy.file_index.bloom_filter.report import BloomFilterReport
from paimon_ksy.file_index.bsi.report import BsiReport
from paimon_ksy.file_index.range_bitmap.report import RangeBitmapReport
from paimon_ksy.inspection.diff import FileDiff
from paimon_ksy.inspection.report import FileReport
from paimon_ksy.messages.findings import Finding
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.audit.orphans import Orphan
from paimon_ksy.table.delete.delete import DeleteSummary
from paimon_ksy.table.index.summary import RewriteSummary
from paimon_ksy.table.inspect.diff import SnapshotDiff
from paimon_ksy.table.inspect.report import TableReport
from paimon_ksy.table.query.explain import Step
from paimon_ksy.table.query.read import Count, QueryStats
from paimon_ksy.table_index.deletion_vector_file import StoredVector

IndexBody = BitmapReport | BloomFilterReport | BsiReport | RangeBitmapReport
"""What `inspect` says of an index, by its type."""

# Single files -----------------------------------------------------------------------------------


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
    vectors: list[StoredVector]
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


class FailedOrphan(TypedDict):
    """An orphan that could not be deleted."""

    file: str
    bytes: int
    modified: float
    error: str


class Orphans(TypedDict):
    """The orphans of a table; with `dry_run`, none was deleted."""

    table: str
    dry_run: bool
    files: list[Orphan]
    bytes: int
    failed: list[FailedOrphan]


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
class CommandAnswer:
    """The JSON of a command.

    Attributes:
        types: The types whose keys together are the keys of the document. In a stream, each line
            has one of these types.
        is_stream: Whether the command prints a stream of JSON lines.
    """

    types: tuple[Any, ...]
    is_stream: bool = False


ANSWERS: Mapping[str, CommandAnswer] = {
    "inspect": CommandAnswer((FileReport,)),
    "eval": CommandAnswer((Evaluation,)),
    "eval count": CommandAnswer((EvaluatedCount,)),
    "verify": CommandAnswer((Verified,)),
    "diff": CommandAnswer((FileDiff,)),
    "diff snapshots": CommandAnswer((SnapshotDiff,)),
    "build": CommandAnswer((Built,)),
    "assemble": CommandAnswer((Written,)),
    "webide": CommandAnswer((ForWebIde,)),
    "generate": CommandAnswer((Generated,)),
    "report": CommandAnswer((Page,)),
    "dv show": CommandAnswer((ShownFiles,)),
    "dv verify": CommandAnswer((VerifiedFiles,)),
    "dv apply": CommandAnswer((Applied,)),
    "dv merge": CommandAnswer((WrittenVector,)),
    "dv create": CommandAnswer((WrittenVector,)),
    "bucket-index show": CommandAnswer((BucketIndexes,)),
    "bucket-index lookup": CommandAnswer((FoundKeys,)),
    "table inspect": CommandAnswer((TableReport, Errors)),
    "table explain": CommandAnswer((Explained,)),
    "table query": CommandAnswer((dict[str, Any],), is_stream=True),
    "table query stats": CommandAnswer((QueryStats,)),
    "table count": CommandAnswer((Count,)),
    "table rewrite-index": CommandAnswer((OfTable, RewriteSummary)),
    "table delete": CommandAnswer((OfTable, DeleteSummary)),
    "table advise": CommandAnswer((Advice,)),
    "table audit": CommandAnswer((AuditHead, Finding, AuditEnd), is_stream=True),
    "table clean-orphans": CommandAnswer((Orphans,)),
    "error": CommandAnswer((Failure,)),
    "note": CommandAnswer((Notice,)),
}
"""The answer of each command. If an option changes the answer, the option's name follows."""
