"""Read, inspect, build and query the index formats of Apache Paimon.

    import paimon_ksy as pk

    schema = pk.Schema.parse("status STRING, user_id BIGINT NOT NULL")
    with pk.FileIndex.open("data.index", schema) as index:
        selection = index.evaluate("status = 'PENDING'")

Names are imported at first use, so that `import paimon_ksy` is fast.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paimon_ksy.errors import AccessError as AccessError
    from paimon_ksy.errors import ConflictError as ConflictError
    from paimon_ksy.errors import CorruptFileError as CorruptFileError
    from paimon_ksy.errors import OptionError as OptionError
    from paimon_ksy.errors import PaimonKsyError as PaimonKsyError
    from paimon_ksy.errors import PredicateError as PredicateError
    from paimon_ksy.errors import SchemaError as SchemaError
    from paimon_ksy.errors import UncertainError as UncertainError
    from paimon_ksy.errors import UnsupportedError as UnsupportedError
    from paimon_ksy.evaluation.selection import Selection as Selection
    from paimon_ksy.evaluation.top_n import Order as Order
    from paimon_ksy.evaluation.top_n import TopN as TopN
    from paimon_ksy.file_index.builder import build_file_index as build_file_index
    from paimon_ksy.file_index.container import FileIndex as FileIndex
    from paimon_ksy.file_index.container import IndexIgnoredWarning as IndexIgnoredWarning
    from paimon_ksy.file_index.container import select_rows as select_rows
    from paimon_ksy.file_index.index_type import IndexPlace as IndexPlace
    from paimon_ksy.file_index.options import FileIndexOptions as FileIndexOptions
    from paimon_ksy.file_index.options import IndexSpec as IndexSpec
    from paimon_ksy.inspection.verify import verify as verify
    from paimon_ksy.messages.findings import Finding as Finding
    from paimon_ksy.messages.findings import Findings as Findings
    from paimon_ksy.predicates.sql import parse_predicate as parse_predicate
    from paimon_ksy.predicates.tree import Column as Column
    from paimon_ksy.predicates.tree import Predicate as Predicate
    from paimon_ksy.predicates.tree import col as col
    from paimon_ksy.table.advise.advise import advise as advise
    from paimon_ksy.table.advise.report import Advice as Advice
    from paimon_ksy.table.audit.audit import Repaired as Repaired
    from paimon_ksy.table.audit.audit import audit as audit
    from paimon_ksy.table.audit.audit import repair as repair
    from paimon_ksy.table.audit.orphans import Orphan as Orphan
    from paimon_ksy.table.audit.orphans import OrphansLeftError as OrphansLeftError
    from paimon_ksy.table.audit.orphans import clean_orphans as clean_orphans
    from paimon_ksy.table.dataset.polars import scan_polars as scan_polars
    from paimon_ksy.table.dataset.table import Table as Table
    from paimon_ksy.table.delete.delete import DeleteSummary as DeleteSummary
    from paimon_ksy.table.delete.delete import delete as delete
    from paimon_ksy.table.engine import Engine as Engine
    from paimon_ksy.table.engine import local_engine as local_engine
    from paimon_ksy.table.engine import spark_engine as spark_engine
    from paimon_ksy.table.index.rewrite import rewrite_index as rewrite_index
    from paimon_ksy.table.index.summary import RewriteSummary as RewriteSummary
    from paimon_ksy.table.inspect.inspect import inspect_table as inspect_table
    from paimon_ksy.table.inspect.report import TableReport as TableReport
    from paimon_ksy.table.query.explain import Explanation as Explanation
    from paimon_ksy.table.query.explain import explain as explain
    from paimon_ksy.table.query.plan import PlannedFile as PlannedFile
    from paimon_ksy.table.query.plan import QueryPlan as QueryPlan
    from paimon_ksy.table.query.plan import plan as plan
    from paimon_ksy.table.query.read import Count as Count
    from paimon_ksy.table.query.read import QueryStats as QueryStats
    from paimon_ksy.table.query.read import count as count
    from paimon_ksy.table.query.read import query as query
    from paimon_ksy.table.query.steps import Step as Step
    from paimon_ksy.table_index.bucket_index import BucketIndex as BucketIndex
    from paimon_ksy.table_index.bucket_index import key_hashes as key_hashes
    from paimon_ksy.table_index.deletion_vector import DeletionVector as DeletionVector
    from paimon_ksy.table_index.deletion_vector import WrongVectorError as WrongVectorError
    from paimon_ksy.table_index.vector_bytes import VectorBytes as VectorBytes
    from paimon_ksy.types.data_type import DataType as DataType
    from paimon_ksy.types.parse import parse_type as parse_type
    from paimon_ksy.types.schema import Field as Field
    from paimon_ksy.types.schema import Schema as Schema

__version__ = "0.1.0"

_MODULES = {
    "AccessError": "errors",
    "Advice": "table.advise.report",
    "BucketIndex": "table_index.bucket_index",
    "Column": "predicates.tree",
    "ConflictError": "errors",
    "CorruptFileError": "errors",
    "Count": "table.query.read",
    "DataType": "types.data_type",
    "DeleteSummary": "table.delete.delete",
    "DeletionVector": "table_index.deletion_vector",
    "Engine": "table.engine",
    "Explanation": "table.query.explain",
    "Field": "types.schema",
    "FileIndex": "file_index.container",
    "FileIndexOptions": "file_index.options",
    "Finding": "messages.findings",
    "Findings": "messages.findings",
    "IndexIgnoredWarning": "file_index.container",
    "IndexPlace": "file_index.index_type",
    "IndexSpec": "file_index.options",
    "OptionError": "errors",
    "Order": "evaluation.top_n",
    "Orphan": "table.audit.orphans",
    "OrphansLeftError": "table.audit.orphans",
    "PaimonKsyError": "errors",
    "PlannedFile": "table.query.plan",
    "Predicate": "predicates.tree",
    "PredicateError": "errors",
    "QueryPlan": "table.query.plan",
    "QueryStats": "table.query.read",
    "Repaired": "table.audit.audit",
    "RewriteSummary": "table.index.summary",
    "Schema": "types.schema",
    "SchemaError": "errors",
    "Selection": "evaluation.selection",
    "Step": "table.query.steps",
    "Table": "table.dataset.table",
    "TableReport": "table.inspect.report",
    "TopN": "evaluation.top_n",
    "UncertainError": "errors",
    "UnsupportedError": "errors",
    "VectorBytes": "table_index.vector_bytes",
    "WrongVectorError": "table_index.deletion_vector",
    "advise": "table.advise.advise",
    "audit": "table.audit.audit",
    "build_file_index": "file_index.builder",
    "clean_orphans": "table.audit.orphans",
    "col": "predicates.tree",
    "count": "table.query.read",
    "delete": "table.delete.delete",
    "explain": "table.query.explain",
    "inspect_table": "table.inspect.inspect",
    "key_hashes": "table_index.bucket_index",
    "local_engine": "table.engine",
    "parse_predicate": "predicates.sql",
    "parse_type": "types.parse",
    "plan": "table.query.plan",
    "query": "table.query.read",
    "repair": "table.audit.audit",
    "rewrite_index": "table.index.rewrite",
    "scan_polars": "table.dataset.polars",
    "select_rows": "file_index.container",
    "spark_engine": "table.engine",
    "verify": "inspection.verify",
}
"""The module that defines each public name, below `paimon_ksy`."""

__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value  # so that the next use bypasses __getattr__
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
