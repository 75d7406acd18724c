"""Columns of a table in Arrow, and the columns that a predicate needs."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from paimon_ksy.predicates.tree import Predicate, columns_in, leaves
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa


def tested_names(predicate: Predicate) -> tuple[str, ...]:
    """Return the columns that a predicate tests, and keys of a MAP as `m[key]`."""
    return tuple(dict.fromkeys(name for leaf in leaves(predicate) for name in columns_in(leaf)))


def columns_of(predicate: Predicate, schema: Schema) -> tuple[str, ...]:
    """Return the columns that have to be read to test a bound predicate."""
    return tuple(dict.fromkeys(schema.split(name)[0].name for name in tested_names(predicate)))


@lru_cache(maxsize=64)
def arrow_schema(schema: Schema, columns: tuple[str, ...]) -> pa.Schema:
    """Return the Arrow schema of some columns of a table."""
    return Schema(tuple(schema.column(name) for name in columns)).to_arrow()


def cast_to(batch: pa.RecordBatch, schema: pa.Schema, path: str) -> pa.RecordBatch:
    """Return the columns of a batch that a schema lists, cast to its types.

    Raises:
        UnsupportedError: Timestamps do not fit; it names the file at `path`.
    """
    import pyarrow as pa

    from paimon_ksy.types.timestamps import WIDE, does_not_fit, from_numbers

    batch = batch.select(schema.names)
    if batch.schema.equals(schema):
        return batch
    columns = [*map(from_numbers, batch.columns, schema.types)]
    for column, field in zip(columns, schema, strict=True):
        if column.type == WIDE != field.type:
            raise does_not_fit(field.name, path)
    return pa.RecordBatch.from_arrays(columns, schema=schema)
