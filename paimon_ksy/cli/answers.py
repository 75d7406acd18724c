"""The keys and types of each command's JSON, from which `json_schema` generates schemas.

An answer consists of one or more types. Their keys together, and `schema_version`, are the keys of
the document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from paimon_ksy.cli.bucket_index import BucketIndexes, Lookups
from paimon_ksy.cli.build import Built
from paimon_ksy.cli.dump import Written
from paimon_ksy.cli.dv import Applied, ShownFiles, VerifiedFiles, WrittenVector
from paimon_ksy.cli.evaluate import EvaluatedCount, Evaluation
from paimon_ksy.cli.failures import Failure, Notice
from paimon_ksy.cli.generate import Generated
from paimon_ksy.cli.report import Page
from paimon_ksy.cli.table_audit import AuditEnd, AuditHead, Orphans
from paimon_ksy.cli.table_delete import Deleted
from paimon_ksy.cli.table_inspect import Inspected
from paimon_ksy.cli.table_rewrite import Rewritten
from paimon_ksy.cli.table_scan import Explained
from paimon_ksy.cli.verify import Verified
from paimon_ksy.cli.webide import ForWebIde
from paimon_ksy.file_index.bitmap.inspect import BitmapReport
from paimon_ksy.file_index.bloom_filter.inspect import BloomFilterReport
from paimon_ksy.file_index.bsi.inspect import BsiReport
from paimon_ksy.file_index.range_bitmap.inspect import RangeBitmapReport
from paimon_ksy.inspection.diff import FileDiff
from paimon_ksy.inspection.report import FileReport
from paimon_ksy.messages.findings import Finding
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.inspect.diff import SnapshotDiff
from paimon_ksy.table.query.read import Count, QueryStats

IndexBody = BitmapReport | BloomFilterReport | BsiReport | RangeBitmapReport
"""What `inspect` says of an index, by its type."""


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
    "bucket-index lookup": CommandAnswer((Lookups,)),
    "table inspect": CommandAnswer((Inspected,)),
    "table explain": CommandAnswer((Explained,)),
    "table query": CommandAnswer((dict[str, Any],), is_stream=True),
    "table query stats": CommandAnswer((QueryStats,)),
    "table count": CommandAnswer((Count,)),
    "table rewrite-index": CommandAnswer((Rewritten,)),
    "table delete": CommandAnswer((Deleted,)),
    "table advise": CommandAnswer((Advice,)),
    "table audit": CommandAnswer((AuditHead, Finding, AuditEnd), is_stream=True),
    "table clean-orphans": CommandAnswer((Orphans,)),
    "error": CommandAnswer((Failure,)),
    "note": CommandAnswer((Notice,)),
}
"""The answer of each command. If an option changes the answer, the option's name follows."""
