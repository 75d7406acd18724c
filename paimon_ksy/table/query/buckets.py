"""Fixed buckets: the bucket of a key, and the buckets that can hold rows that match a predicate.

The hash code of a row's bucket key determines its bucket, so `=` and IN on all columns of the key
select few buckets. Java's classes for this are `BucketSelectConverter` and `BucketSelector`. The
manifest entry of each data file contains the number of buckets, since a table can be rescaled.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from functools import cached_property
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.predicates.per_predicate import PerPredicate
from paimon_ksy.predicates.tree import Comparison, In, Leaf, Predicate, visit
from paimon_ksy.rows.binary_row import key_hashes
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.store import Table
from paimon_ksy.types.arrow import arrow_values, to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema

_MOST_KEYS = 1000
"""Java's `BucketSelector.MAX_VALUES`."""

_PRECISE = 6
"""pypaimon hashes timestamps without their nanoseconds."""


def bucket_key(schema: TableSchema, options: Mapping[str, str]) -> Schema | None:
    """Return the columns of the option bucket-key, else the primary key without partition columns.

    None if both are missing, or if the schema lacks one of the columns.
    """
    given = options.get("bucket-key", "")
    names = [name.strip() for name in given.split(",") if name.strip()] or [
        name for name in schema.primary_keys if name not in schema.partition_keys
    ]
    if not names or any(name not in schema.columns for name in names):
        return None
    return Schema(tuple(schema.columns.column(name) for name in names))


def default_buckets(hashes: NDArray[np.int32], total: int) -> NDArray[np.int64]:
    """Return the bucket of each hash code, like Java's `DefaultBucketFunction`."""
    return np.abs(np.fmod(hashes.astype(np.int64), total))


class FixedBuckets:
    """The buckets of a table with a fixed number of buckets, in one of its schemas.

    `note` is the reason why the predicates so far rule out no bucket; None if they may do so.
    """

    def __init__(self, table: Table, schema: TableSchema) -> None:
        self._table, self._schema = table, schema
        self._key = bucket_key(schema, schema.options)
        self._function = _function(schema)
        self._of_predicate = PerPredicate[frozenset[int] | None]()
        refusal = self._refusal
        self._is_known = refusal is None
        names = "" if self._key is None else ", ".join(self._key.names)
        self.note: str | None = refusal or (
            f"no predicate compares the bucket key {names} by = or IN with at most "
            f"{_MOST_KEYS:,} keys"
        )

    @classmethod
    def of(cls, table: Table, schema: TableSchema) -> FixedBuckets | None:
        """Return the buckets of a table; None if their number is not fixed."""
        number = schema.options.get("bucket", "").strip()
        return cls(table, schema) if number.isdecimal() and int(number) > 0 else None

    @property
    def _refusal(self) -> str | None:
        """Return why a key does not determine its bucket; None if it does."""
        if self._key is None:
            return "the table has no bucket key"
        for column in self._key:
            if not _is_exact(column.type):
                return f"{column.name}: equal values of {column.type} may be in several buckets"
        if self._function not in ("default", "mod"):
            return f"bucket-function.type = {self._function} is unsupported"
        return None

    def allowed(self, predicate: Predicate, total: int) -> frozenset[int] | None:
        """Return which of `total` buckets can have matching rows; None if all can."""
        return self._of_predicate.get(predicate, total, lambda: self._possible(predicate, total))

    def _possible(self, predicate: Predicate, total: int) -> frozenset[int] | None:
        """Return the buckets that can have matching rows; None if all can."""
        values = visit(predicate, _KeyValues()) if self._is_known else {}
        if values is None or self._key is None:
            return None
        parts = [_of_keys(values[c.name], c.type) for c in self._key if c.name in values]
        if len(parts) < len(self._key.names) or prod(map(len, parts)) > _MOST_KEYS:
            return None
        if not self._is_stable:
            self.note = "the bucket key had other types in an older schema"
            return None
        self.note = None
        return self._of(list(product(*parts)), self._key, total)

    def _of(self, keys: list[tuple[Any, ...]], names: Schema, total: int) -> frozenset[int]:
        columns = zip(names, zip(*keys, strict=True), strict=True) if keys else ()
        arrays = {c.name: arrow_values(values, to_arrow(c.type)) for c, values in columns}
        if not arrays:
            return frozenset()
        buckets = set(default_buckets(key_hashes(pa.table(arrays), names), total).tolist())
        if self._function == "mod":
            # Java's `ModBucketFunction`; pypaimon 2.1 uses the hash code even then.
            buckets |= {int(value) % total for (value,) in keys}
        return frozenset(buckets)

    @cached_property
    def _is_stable(self) -> bool:
        """Whether the key always had its current types.

        A compaction writes files of the new schema, but leaves rows in the bucket that their older
        type determined.
        """
        try:
            older = [self._table.schema_at(number) for number in range(self._schema.id)]
        except PaimonKsyError:
            return False
        current = _identity(self._schema)
        return all(_identity(schema) == current for schema in older)


def _identity(schema: TableSchema) -> Any:
    """Return the ids and types of the bucket key's columns, and the bucket function."""
    key = bucket_key(schema, schema.options)
    columns = [(schema.ids[c.name], c.type.with_nullable(True)) for c in key or ()]
    return columns, _function(schema)


def _function(schema: TableSchema) -> str:
    return schema.options.get("bucket-function.type", "default").strip().lower()


def _of_keys(values: frozenset[Any], kind: DataType) -> frozenset[Any]:
    """Return the values that a key can have: a DECIMAL has at most the digits of the key's type."""
    if kind.root != "DECIMAL":
        return values
    limit = Decimal((0, (1,), (kind.precision or 10) - (kind.scale or 0)))
    return frozenset(value for value in values if -limit < value < limit)


def _is_exact(kind: DataType) -> bool:
    """Return whether values that are equal in SQL have the same bytes, whichever writer wrote them.

    -0.0 equals 0.0; trailing spaces of a CHAR are ignored, and trailing zeros of a BINARY may be.
    """
    if kind.is_timestamp:
        return (kind.precision or 0) <= _PRECISE
    return kind.root not in ("FLOAT", "DOUBLE", "CHAR", "BINARY")


class _KeyValues:
    """The values that a column can have where the predicate is true, by column.

    Unrestricted columns are left out. None if the predicate is never true.
    """

    def always(self, value: bool | None) -> dict[str, frozenset[Any]] | None:
        return {} if value else None

    def leaf(self, leaf: Leaf) -> dict[str, frozenset[Any]] | None:
        if not isinstance(leaf.column, str):
            return {}
        if isinstance(leaf, Comparison) and leaf.op == "=":
            return {leaf.column: frozenset((leaf.value,))}
        if isinstance(leaf, In) and not leaf.negated:
            return {leaf.column: frozenset(leaf.values)}
        return {}

    def conjunction(
        self, children: list[dict[str, frozenset[Any]] | None]
    ) -> dict[str, frozenset[Any]] | None:
        by_column: dict[str, frozenset[Any]] = {}
        for child in children:
            if child is None:
                return None
            for name, values in child.items():
                by_column[name] = by_column[name] & values if name in by_column else values
        return by_column

    def disjunction(
        self, children: list[dict[str, frozenset[Any]] | None]
    ) -> dict[str, frozenset[Any]] | None:
        some = [child for child in children if child is not None]
        if not some:
            return None
        names = set[str].intersection(*(set(child) for child in some))
        return {name: frozenset().union(*(child[name] for child in some)) for name in names}

    def negation(self, child: Any) -> dict[str, frozenset[Any]] | None:
        return {}  # a bound predicate contains no NOT
