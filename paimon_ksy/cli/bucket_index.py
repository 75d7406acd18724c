"""`paimon-ksy bucket-index`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from paimon_ksy.bucket_index import BucketIndex, key_hashes, lookup, read_bucket_index
from paimon_ksy.cli.common import read_schema, schema_document
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.output import Line, counted, print_json, print_lines, printable
from paimon_ksy.predicate import And, Comparison, Predicate, bind
from paimon_ksy.schema import Schema
from paimon_ksy.sql import parse_predicate
from paimon_ksy.types import DataType, to_arrow

if TYPE_CHECKING:
    import pyarrow as pa


def run_show(files: Sequence[str], *, as_json: bool) -> None:
    """Print what is in bucket indexes."""
    shown = [(path, read_bucket_index(path)) for path in files]
    if as_json:
        print_json([_json(path, index) for path, index in shown])
        return
    print_lines(_line(path, index) for path, index in shown)


def _json(path: str, index: BucketIndex) -> dict[str, Any]:
    return {
        "path": path,
        "count": len(index),
        "duplicates": len(index) - index.distinct,
        "trailing_bytes": len(index.trailing),
    }


def _line(path: str, index: BucketIndex) -> Line:
    line = [(printable(path), "bold"), (f": {counted(len(index), 'hash code')}", "")]
    repeated = len(index) - index.distinct
    if repeated:
        line.append((f", {repeated:,} of them repeated", "yellow"))
    if index.trailing:
        left = f", {counted(len(index.trailing), 'byte')} left over ({index.trailing.hex()})"
        line.append((left, "yellow"))
    return line


def run_lookup(
    files: Sequence[str],
    keys: Sequence[str],
    *,
    schema: str | None,
    schema_file: str | None,
    as_json: bool,
) -> None:
    """Print which files have the hash codes of keys."""
    columns = _key_columns(schema, schema_file)
    hashes = key_hashes(_table(keys, columns), columns)
    found = lookup([read_bucket_index(path) for path in files], hashes)
    if as_json:
        print_json(
            [
                {"key": key, "hash": int(code), "files": [files[i] for i in where]}
                for key, code, where in zip(keys, hashes, found, strict=True)
            ]
        )
        return
    for key, code, where in zip(keys, hashes, found, strict=True):
        names = ", ".join(printable(files[i]) for i in where) or "in none of the files"
        style = "" if where else "bold yellow"
        print_lines([[(printable(key), "bold"), (f": hash code {code}, ", ""), (names, style)]])


def _key_columns(schema: str | None, schema_file: str | None) -> Schema:
    """The columns of the key in its order: the primary key without the partition."""
    columns = read_schema(schema, schema_file)
    if columns is None:
        raise UsageError("give the key's columns: --schema 'id BIGINT' or --schema-file FILE")
    if schema_file is None:
        return columns
    document = schema_document(schema_file)
    partition = document.get("partitionKeys") or []
    names = [name for name in document.get("primaryKeys") or [] if name not in partition]
    if not names:
        raise UsageError(f"{schema_file}: the table has no primary key")
    return Schema(tuple(columns.column(name) for name in names))


def _table(keys: Sequence[str], columns: Schema) -> pa.Table:
    import pyarrow as pa

    values: dict[str, list[Any]] = {field.name: [] for field in columns}
    for key in keys:
        found = _equalities(bind(parse_predicate(key, columns), columns), key)
        for field in columns:
            if field.name not in found:
                raise UsageError(f"--key {key!r}: {field.name} is missing; the key is {columns}")
            values[field.name].append(found[field.name])
    return pa.table({field.name: _arrow(values[field.name], field.type) for field in columns})


def _equalities(predicate: Predicate, key: str) -> dict[str, Any]:
    children = predicate.children if isinstance(predicate, And) else (predicate,)
    found = {}
    for child in children:
        if not isinstance(child, Comparison) or child.op != "=" or child.column in found:
            raise UsageError(f"--key {key!r}: write COLUMN = VALUE, more of them joined by AND")
        found[child.column] = child.value
    return found


def _arrow(values: list[Any], data_type: DataType) -> pa.Array:
    """Internal values as a column."""
    import pyarrow as pa

    target = to_arrow(data_type)
    if data_type.is_timestamp:
        nanos = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}[target.unit]
        return pa.array([value // nanos for value in values], pa.int64()).cast(target)
    if data_type.root in ("DATE", "TIME"):
        return pa.array(values, pa.int32()).cast(target)
    return pa.array(values, target)
