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
    from paimon_ksy.bucket_index import BucketIndex, key_hashes
    from paimon_ksy.build import build_file_index
    from paimon_ksy.deletion_vector import DeletionVector
    from paimon_ksy.errors import (
        AccessError,
        CorruptFileError,
        OptionError,
        PaimonKsyError,
        PredicateError,
        SchemaError,
        UnsupportedError,
    )
    from paimon_ksy.file_index import FileIndex, IndexIgnoredWarning, select_rows
    from paimon_ksy.finding import Finding
    from paimon_ksy.live import Order, TopN
    from paimon_ksy.predicate import Predicate, col
    from paimon_ksy.schema import Field, Schema
    from paimon_ksy.selection import Selection
    from paimon_ksy.sql import parse_predicate
    from paimon_ksy.table.advise import advise
    from paimon_ksy.table.audit import audit, repair
    from paimon_ksy.table.delete import delete
    from paimon_ksy.table.engine import local_engine, spark_engine
    from paimon_ksy.table.explain import explain
    from paimon_ksy.table.inspect import inspect_table
    from paimon_ksy.table.orphans import clean_orphans
    from paimon_ksy.table.rewrite import rewrite_index
    from paimon_ksy.table.scan import count, query
    from paimon_ksy.table.store import ConflictError, Table, UncertainError
    from paimon_ksy.types import DataType, parse_type
    from paimon_ksy.verification import verify

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
    "BucketIndex": "bucket_index",
    "ConflictError": "table.store",
    "CorruptFileError": "errors",
    "DataType": "types",
    "DeletionVector": "deletion_vector",
    "Field": "schema",
    "FileIndex": "file_index",
    "Finding": "finding",
    "IndexIgnoredWarning": "file_index",
    "OptionError": "errors",
    "Order": "live",
    "PaimonKsyError": "errors",
    "Predicate": "predicate",
    "PredicateError": "errors",
    "Schema": "schema",
    "SchemaError": "errors",
    "Selection": "selection",
    "Table": "table.store",
    "TopN": "live",
    "UncertainError": "table.store",
    "UnsupportedError": "errors",
    "advise": "table.advise",
    "audit": "table.audit",
    "build_file_index": "build",
    "clean_orphans": "table.orphans",
    "col": "predicate",
    "count": "table.scan",
    "delete": "table.delete",
    "explain": "table.explain",
    "inspect_table": "table.inspect",
    "key_hashes": "bucket_index",
    "local_engine": "table.engine",
    "parse_predicate": "sql",
    "parse_type": "types",
    "query": "table.scan",
    "repair": "table.audit",
    "rewrite_index": "table.rewrite",
    "select_rows": "file_index",
    "spark_engine": "table.engine",
    "verify": "verification",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value  # the next use does not come here
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
