"""Find out whether an index only looks corrupt because the schema has another type."""

from __future__ import annotations

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, SchemaError
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.report import IndexReport
from paimon_ksy.io.source import Source
from paimon_ksy.types.data_type import DataType, column_type, quote
from paimon_ksy.types.parse import STORED_FORMS
from paimon_ksy.types.schema import Field, Schema


def schema_mismatch(
    source: Source, schema: Schema | None, error: CorruptFileError
) -> SchemaError | None:
    """Return an error about a wrong type in the schema; None if the index is corrupt instead.

    The bytes of an index may fit several types: the error lists all of them.

    Args:
        source: The file index.
        schema: The schema that was used to read it.
        error: The error about one of its columns.
    """
    column = error.column
    if schema is None or column is None or column not in schema:
        return None
    own = column_type(schema[column])
    fitting = [
        kind for kind in STORED_FORMS if column_type(kind) != own and _fits(source, column, kind)
    ]
    if not fitting:
        return None
    name = column if column.isidentifier() else quote(column)
    listed = " or ".join(map(str, fitting))
    schemas = " or ".join(f"--schema '{name} {kind}'" for kind in fitting)
    return SchemaError(
        f"its type in the schema is {schema[column]}, but the index stores another type: it "
        f"can be read as {listed}",
        path=error.path,
        column=column,
        remedy=f"correct the type: {schemas}",
    )


def _fits(source: Source, column: str, kind: DataType) -> bool:
    """Return whether this type fits all indexes of the column, and one of them has values."""
    try:
        report = inspect_file(source, Schema((Field(column, kind),)))
    except PaimonKsyError:
        return False
    columns = (
        [of for of in report.file_index.columns if of.name == column] if report.file_index else []
    )
    indexes = [index for of in columns for index in of.indexes if not index.empty]
    typed = [index for index in indexes if _is_typed(index)]
    has_values = all(getattr(index.body, "has_values", False) for index in typed)
    return bool(typed) and has_values and all(index.error is None for index in indexes)


def _is_typed(index: IndexReport) -> bool:
    return index.type in INDEX_TYPES and INDEX_TYPES[index.type].is_typed
