"""Read, inspect, build and query the index formats of Apache Paimon.

    import paimon_ksy as pk

    schema = pk.Schema.parse("status STRING, user_id BIGINT NOT NULL")
    with pk.FileIndex.open("data.index", schema) as index:
        selection = index.evaluate("status = 'PENDING'")

Names are imported at first use, so that `import paimon_ksy` is fast.
"""

from importlib import import_module
from types import FunctionType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paimon_ksy.errors import AccessError as AccessError
    from paimon_ksy.errors import ArgumentError as ArgumentError
    from paimon_ksy.errors import ConflictError as ConflictError
    from paimon_ksy.errors import CorruptFileError as CorruptFileError
    from paimon_ksy.errors import InexactError as InexactError
    from paimon_ksy.errors import InternalError as InternalError
    from paimon_ksy.errors import MissingColumnError as MissingColumnError
    from paimon_ksy.errors import MissingFileError as MissingFileError
    from paimon_ksy.errors import OptionError as OptionError
    from paimon_ksy.errors import OutOfMemoryError as OutOfMemoryError
    from paimon_ksy.errors import OutsideError as OutsideError
    from paimon_ksy.errors import PaimonKsyError as PaimonKsyError
    from paimon_ksy.errors import PredicateError as PredicateError
    from paimon_ksy.errors import SchemaError as SchemaError
    from paimon_ksy.errors import UncertainError as UncertainError
    from paimon_ksy.errors import UnreachableError as UnreachableError
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
    from paimon_ksy.inspection.verify import FileFacts as FileFacts
    from paimon_ksy.inspection.verify import verify as verify
    from paimon_ksy.messages.findings import Finding as Finding
    from paimon_ksy.messages.findings import Findings as Findings
    from paimon_ksy.predicates.sql import parse_predicate as parse_predicate
    from paimon_ksy.predicates.tree import Column as Column
    from paimon_ksy.predicates.tree import Predicate as Predicate
    from paimon_ksy.predicates.tree import col as col
    from paimon_ksy.table.advise.advise import AdviseArguments as AdviseArguments
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
    from paimon_ksy.table.index.rewrite import RewriteArguments as RewriteArguments
    from paimon_ksy.table.index.rewrite import index_new_files as index_new_files
    from paimon_ksy.table.index.rewrite import rewrite_index as rewrite_index
    from paimon_ksy.table.index.summary import RewriteSummary as RewriteSummary
    from paimon_ksy.table.inspect.inspect import inspect_table as inspect_table
    from paimon_ksy.table.inspect.report import TableReport as TableReport
    from paimon_ksy.table.query.explain import Explanation as Explanation
    from paimon_ksy.table.query.explain import explain as explain
    from paimon_ksy.table.query.plan import PlannedFile as PlannedFile
    from paimon_ksy.table.query.plan import QueryPlan as QueryPlan
    from paimon_ksy.table.query.plan import plan as plan
    from paimon_ksy.table.query.query import QueryArguments as QueryArguments
    from paimon_ksy.table.query.query import VersionArguments as VersionArguments
    from paimon_ksy.table.query.read import Count as Count
    from paimon_ksy.table.query.read import QueryStats as QueryStats
    from paimon_ksy.table.query.read import count as count
    from paimon_ksy.table.query.read import query as query
    from paimon_ksy.table.query.steps import Step as Step
    from paimon_ksy.table.store.alter import set_options as set_options
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

_NAMES = {
    "errors": (
        "AccessError ArgumentError ConflictError CorruptFileError InexactError InternalError "
        "MissingColumnError MissingFileError OptionError OutOfMemoryError OutsideError "
        "PaimonKsyError PredicateError SchemaError UncertainError UnreachableError "
        "UnsupportedError"
    ),
    "evaluation.selection": "Selection",
    "evaluation.top_n": "Order TopN",
    "file_index.builder": "build_file_index",
    "file_index.container": "FileIndex IndexIgnoredWarning select_rows",
    "file_index.index_type": "IndexPlace",
    "file_index.options": "FileIndexOptions IndexSpec",
    "inspection.verify": "FileFacts verify",
    "messages.findings": "Finding Findings",
    "predicates.sql": "parse_predicate",
    "predicates.tree": "Column Predicate col",
    "table.advise.advise": "AdviseArguments advise",
    "table.advise.report": "Advice",
    "table.audit.audit": "Repaired audit repair",
    "table.audit.orphans": "Orphan OrphansLeftError clean_orphans",
    "table.dataset.polars": "scan_polars",
    "table.dataset.table": "Table",
    "table.delete.delete": "DeleteSummary delete",
    "table.engine": "Engine local_engine spark_engine",
    "table.index.rewrite": "RewriteArguments index_new_files rewrite_index",
    "table.index.summary": "RewriteSummary",
    "table.inspect.inspect": "inspect_table",
    "table.inspect.report": "TableReport",
    "table.query.explain": "Explanation explain",
    "table.query.plan": "PlannedFile QueryPlan plan",
    "table.query.query": "QueryArguments VersionArguments",
    "table.query.read": "Count QueryStats count query",
    "table.query.steps": "Step",
    "table.store.alter": "set_options",
    "table_index.bucket_index": "BucketIndex key_hashes",
    "table_index.deletion_vector": "DeletionVector WrongVectorError",
    "table_index.vector_bytes": "VectorBytes",
    "types.data_type": "DataType",
    "types.parse": "parse_type",
    "types.schema": "Field Schema",
}
"""The public names that each module below `paimon_ksy` defines."""

_MODULES = {name: module for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_MODULES)


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    if isinstance(value, FunctionType):
        from paimon_ksy.messages.arguments import checked

        value = checked(value)
        value.__module__, value.__qualname__ = __name__, name  # by which it is pickled
    globals()[name] = value  # so that the next use bypasses __getattr__
    return value
