"""Conversion of columns and predicates from one version of a table's schema to another.

A file keeps the schema that it was written with. A column that was renamed later is found by its
id. A column that was added later is null in each row, since only writers apply default values. A
column whose type changed is cast as in Paimon.

Source: `SchemaEvolutionUtil` (paimon-core, release 1.4.2).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.errors import SchemaError, UnsupportedError, none_of, with_article
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.tree import (
    Always,
    ArraysOverlap,
    Comparison,
    Computed,
    In,
    IsNotNull,
    IsNull,
    Leaf,
    Match,
    Predicate,
    Unsure,
    replaced,
)
from paimon_ksy.table.model.casts import cast, keeps_values, never_gives_null
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.literals import DATE, TIMESTAMP, TIMESTAMP_LTZ, TypedLiteral
from paimon_ksy.types.schema import Field


def file_column(read: TableSchema, file: TableSchema, name: str) -> Field | None:
    """Return the column of a file that stores a column's values; None if all are null.

    `read` is the schema of the result. A key of a map, such as `m[key]`, is not a column.

    Raises:
        SchemaError: `read` has no such column.
    """
    if name not in read.ids:
        raise SchemaError(
            f"no column {name!r}{none_of(name, 'the schema has', read.columns.names)}"
        )
    if read.id == file.id:
        return file.columns.column(name)
    names = {column_id: name for name, column_id in file.ids.items()}
    stored = names.get(read.ids[name])
    return None if stored is None else file.columns.column(stored)


def file_columns(read: TableSchema, file: TableSchema, names: Iterable[str]) -> tuple[Field, ...]:
    """Return the columns of a file that these columns are read from, each once."""
    columns = (file_column(read, file, name) for name in names)
    return tuple(dict.fromkeys(field for field in columns if field is not None))


def same_column(read: TableSchema, file: TableSchema, name: str) -> str | None:
    """Return a column's name in a file; None if the file lacks it or stores another type."""
    stored = file_column(read, file, name)
    if stored is None or read.id == file.id:
        return None if stored is None else name
    is_same = stored.type.with_nullable(True) == read.columns[name].with_nullable(True)
    return stored.name if is_same else None


def evolve(
    batch: pa.RecordBatch, file: TableSchema, read: TableSchema, columns: Sequence[str]
) -> pa.RecordBatch:
    """Return rows of a file with the columns, names and types of the schema of the result.

    `read` is the schema of the result. The batch has the columns of `file_columns`.

    Raises:
        UnsupportedError: A type, or a value, cannot be cast.
    """
    if read.id == file.id and all(read.columns[name].nullable for name in columns):
        return batch.select(list(columns))
    arrays, fields = [], []
    for name in columns:
        target = read.columns.column(name)
        source = file_column(read, file, name)
        arrow_type = to_arrow(target.type)
        if source is None:
            array = pa.nulls(batch.num_rows, arrow_type)
        else:
            array = batch.column(source.name)
            try:
                array = cast(array, source.type, target.type)
            except (pa.ArrowException, ValueError, ArithmeticError) as error:
                raise UnsupportedError(
                    f"column {name!r}: {with_article(source.type)} cannot be read as "
                    f"{target.type}: {error}"
                ) from error
            except UnsupportedError as error:
                message = f"column {name!r}: {error}"
                raise UnsupportedError(message, remedy=error.remedy) from error
        arrays.append(array)
        fields.append(pa.field(name, array.type, target.type.nullable))
    if not columns:
        return batch.select([])
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def to_file_schema(predicate: Predicate, read: TableSchema, file: TableSchema) -> Predicate:
    """Return a predicate in terms of a file's schema, bound to it.

    It is true for the same rows. A test that the file's type does not support is replaced by
    `Unsure`, which makes the predicate true for more rows. `read` is the schema to which it is
    bound now.
    """

    def of_file(leaf: Leaf) -> Predicate:
        if isinstance(leaf, Unsure):
            return leaf
        if isinstance(leaf.column, Computed):
            stored = file_columns(read, file, leaf.column.columns)
            return leaf if stored == leaf.column.fields else Unsure(leaf.column)
        column, key = read.columns.split(leaf.column)
        own = file_column(read, file, column.name)
        if own is None:
            return Always(isinstance(leaf, IsNull))
        source, target, name = own.type, column.type, own.name
        if key is not None:
            if source.root != "MAP" or source.fields[0].type != target.fields[0].type:
                return Unsure(name)
            source, target = (t.fields[1].type.with_nullable(True) for t in (source, target))
            name = f"{name}[{key}]"
        return _to_type(leaf, name, source, target)

    return bind(replaced(predicate, of_file), file.columns)


def _to_type(leaf: Leaf, name: str, source: DataType, target: DataType) -> Predicate:
    """Return a test of values of type `target` as a test of the `source` values before the cast."""
    if source.with_nullable(True) == target.with_nullable(True):
        return replace(leaf, column=name, type=source)
    if isinstance(leaf, IsNull | IsNotNull):
        if never_gives_null(source, target):
            return replace(leaf, column=name, type=source)
        return Unsure(name)
    if not keeps_values(source, target) or isinstance(leaf, Unsure | ArraysOverlap):
        return Unsure(name)
    if isinstance(leaf, Match):
        return Unsure(name) if target.root == "CHAR" else replace(leaf, column=name, type=source)
    if isinstance(leaf, In):
        literals = [_literal(value, target) for value in leaf.values]
        if not all(_fits(value, source) for value in literals):
            return Unsure(name)
        return In(name, tuple(literals), leaf.negated)
    assert isinstance(leaf, Comparison)
    literal = _literal(leaf.value, target)
    return Comparison(leaf.op, name, literal) if _fits(literal, source) else Unsure(name)


def _literal(value: Any, kind: DataType) -> Any:
    """Return an internal value as a literal."""
    if kind.is_timestamp:
        return TypedLiteral(value, TIMESTAMP_LTZ if kind.root == "TIMESTAMP_LTZ" else TIMESTAMP)
    return TypedLiteral(value, DATE) if kind.root == "DATE" else value


def _fits(value: Any, source: DataType) -> bool:
    """Return whether a literal keeps its value in this type: a FLOAT would round it."""
    if source.root != "FLOAT" or not isinstance(value, float):
        return True
    with np.errstate(over="ignore"):
        return value != value or float(np.float32(value)) == value
