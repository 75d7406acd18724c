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
        CorruptFileError,
        OptionError,
        PaimonKsyError,
        PredicateError,
        SchemaError,
        UnsupportedError,
    )
    from paimon_ksy.file_index import FileIndex, IndexIgnoredWarning, select_rows
    from paimon_ksy.live import TopN
    from paimon_ksy.predicate import Predicate, col
    from paimon_ksy.schema import Field, Schema
    from paimon_ksy.selection import Selection
    from paimon_ksy.sql import parse_predicate
    from paimon_ksy.types import DataType, parse_type

__version__ = "0.1.0"

__all__ = [
    "BucketIndex",
    "CorruptFileError",
    "DataType",
    "DeletionVector",
    "Field",
    "FileIndex",
    "IndexIgnoredWarning",
    "OptionError",
    "PaimonKsyError",
    "Predicate",
    "PredicateError",
    "Schema",
    "SchemaError",
    "Selection",
    "TopN",
    "UnsupportedError",
    "build_file_index",
    "col",
    "key_hashes",
    "parse_predicate",
    "parse_type",
    "select_rows",
]

# Where each public name is defined.
_MODULES = {
    "BucketIndex": "bucket_index",
    "CorruptFileError": "errors",
    "DataType": "types",
    "DeletionVector": "deletion_vector",
    "Field": "schema",
    "FileIndex": "file_index",
    "IndexIgnoredWarning": "file_index",
    "OptionError": "errors",
    "PaimonKsyError": "errors",
    "Predicate": "predicate",
    "PredicateError": "errors",
    "Schema": "schema",
    "SchemaError": "errors",
    "Selection": "selection",
    "TopN": "live",
    "UnsupportedError": "errors",
    "build_file_index": "build",
    "col": "predicate",
    "key_hashes": "bucket_index",
    "parse_predicate": "sql",
    "parse_type": "types",
    "select_rows": "file_index",
}


def __getattr__(name: str) -> object:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    globals()[name] = value  # the next use does not come here
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
