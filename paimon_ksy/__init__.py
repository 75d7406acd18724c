"""The index formats of Apache Paimon: read, explained, built and queried.

    import paimon_ksy as pk

    schema = pk.Schema.parse("status STRING, user_id BIGINT NOT NULL")
    with pk.FileIndex.open("data.index", schema) as index:
        selection = index.evaluate("status = 'PENDING'")

Names are imported when first used, so that `import paimon_ksy` costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from paimon_ksy.errors import (
        AccessError,
        ConflictError,
        CorruptFileError,
        OptionError,
        PaimonKsyError,
        PredicateError,
        SchemaError,
        UncertainError,
        UnsupportedError,
    )
    from paimon_ksy.evaluation.selection import Selection
    from paimon_ksy.evaluation.top_n import Order, TopN
    from paimon_ksy.file_index.builder import build_file_index
    from paimon_ksy.file_index.container import FileIndex, IndexIgnoredWarning, select_rows
    from paimon_ksy.inspection.verify import verify
    from paimon_ksy.messages.findings import Finding
    from paimon_ksy.predicates.sql import parse_predicate
    from paimon_ksy.predicates.tree import Predicate, col
    from paimon_ksy.table.advise.advise import advise
    from paimon_ksy.table.audit.audit import audit, repair
    from paimon_ksy.table.audit.orphans import clean_orphans
    from paimon_ksy.table.delete.delete import delete
    from paimon_ksy.table.engine import local_engine, spark_engine
    from paimon_ksy.table.index.rewrite import rewrite_index
    from paimon_ksy.table.inspect.inspect import inspect_table
    from paimon_ksy.table.query.explain import explain
    from paimon_ksy.table.query.read import count, query
    from paimon_ksy.table.store import Table
    from paimon_ksy.table_index.bucket_index import BucketIndex, key_hashes
    from paimon_ksy.table_index.deletion_vector import DeletionVector
    from paimon_ksy.types.data_type import DataType
    from paimon_ksy.types.parse import parse_type
    from paimon_ksy.types.schema import Field, Schema

__version__ = "0.1.0"

__all__ = [
    "AccessError",
    "BucketIndex",
    "ConflictError",
    "CorruptFileError",
    "DataType",
    "DeletionVector",
    "Field",
    "FileIndex",
    "Finding",
    "IndexIgnoredWarning",
    "OptionError",
    "Order",
    "PaimonKsyError",
    "Predicate",
    "PredicateError",
    "Schema",
    "SchemaError",
    "Selection",
    "Table",
    "TopN",
    "UncertainError",
    "UnsupportedError",
    "advise",
    "audit",
    "build_file_index",
    "clean_orphans",
    "col",
    "count",
    "delete",
    "explain",
    "inspect_table",
    "key_hashes",
    "local_engine",
    "parse_predicate",
    "parse_type",
    "query",
    "repair",
    "rewrite_index",
    "select_rows",
    "spark_engine",
    "verify",
]

# Where each public name is defined.
_MODULES = {
    "AccessError": "errors",
    "BucketIndex": "table_index.bucket_index",
    "ConflictError": "errors",
    "CorruptFileError": "errors",
    "DataType": "types.data_type",
    "DeletionVector": "table_index.deletion_vector",
    "Field": "types.schema",
    "FileIndex": "file_index.container",
    "Finding": "messages.findings",
    "IndexIgnoredWarning": "file_index.container",
    "OptionError": "errors",
    "Order": "query.top_n",
    "PaimonKsyError": "errors",
    "Predicate": "predicates.tree",
    "PredicateError": "errors",
    "Schema": "types.schema",
    "SchemaError": "errors",
    "Selection": "query.selection",
    "Table": "table.store",
    "TopN": "query.top_n",
    "UncertainError": "errors",
    "UnsupportedError": "errors",
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
    "query": "table.query.read",
    "repair": "table.audit.audit",
    "rewrite_index": "table.index.rewrite",
    "select_rows": "file_index.container",
    "spark_engine": "table.engine",
    "verify": "inspection.verify",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value  # the next use does not come here
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
