"""`paimon-ksy bucket-index`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import open_named, read_schema, schema_document
from paimon_ksy.cli.failures import UsageError, note
from paimon_ksy.cli.options import Columns, Form, Format, SchemaFile
from paimon_ksy.cli.sections import show
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.io.file_kind import BUCKET_INDEX, other_kind
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.tree import And, Comparison, Predicate
from paimon_ksy.types.arrow import arrow_values, to_arrow
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.table_index.bucket_index import BucketIndex

_SEVERAL_FORMS = ("CHAR", "FLOAT", "DOUBLE")  # types with equal values of different bytes


@dataclass(frozen=True)
class HashCodes(Answer):
    """The hash codes of a bucket index."""

    file: str
    index: BucketIndex = field(metadata=keyed(beside=True))


@dataclass(frozen=True)
class BucketIndexes(Answer):
    """The hash codes of bucket indexes."""

    files: list[HashCodes]


@dataclass(frozen=True)
class Lookup(Answer):
    """A key, and the bucket indexes that contain its hash code."""

    key: str
    hash_code: int
    files: list[str]


@dataclass(frozen=True)
class Lookups(Answer):
    """The keys, each with the bucket indexes that contain its hash code."""

    keys: list[Lookup]


@cli_command(
    "bucket-index show index/index-*",
    "bucket-index show index-1 --format json",
    answer=BucketIndexes,
)
def run_show(
    files: Annotated[list[str], typer.Argument(help="Paths or URLs.", metavar="FILE")],
    form: Format = Form.TEXT,
) -> None:
    """Count the keys of buckets, and report repeated hash codes and trailing bytes.

    The format has no magic number, so any file parses as a bucket index.
    """
    from paimon_ksy.table_index.bucket_index import read_bucket_index

    for path in files:
        with open_named(path) as source:
            if (other := other_kind(source, BUCKET_INDEX.title)) is not None:
                note(f"{path}: {other.message}")
    indexes = [HashCodes(path, read_bucket_index(path)) for path in files]
    show(BucketIndexes(indexes), form, "bucket indexes")


@cli_command(
    "bucket-index lookup index/index-* -s 'id BIGINT' --key 'id = 5'",
    "bucket-index lookup index/* --schema-file schema-0 -k 'id = 5'",
    answer=Lookups,
)
def run_lookup(
    files: Annotated[list[str], typer.Argument(help="Paths or URLs.", metavar="FILE")],
    keys: Annotated[
        list[str],
        typer.Option(
            "--key", "-k", help="Key, e.g. \"id = 5 AND name = 'x'\". Repeatable.", metavar="SQL"
        ),
    ],
    schema: Columns = None,
    schema_file: SchemaFile = None,
    form: Format = Form.TEXT,
) -> None:
    """Find the bucket that contains a key, by its hash code.

    --schema lists the columns of the key in order, without partition columns.
    A bucket with the hash code may contain another key with the same code.
    A bucket without it does not contain the key.
    """
    from paimon_ksy.table_index.bucket_index import key_hashes, lookup, read_bucket_index

    columns = key_columns(schema, schema_file)
    for column in columns:
        if column.type.root in _SEVERAL_FORMS:
            raise UnsupportedError(
                f"{column.type}: equal values are stored in several forms, which have different "
                "hash codes: trailing spaces, or both zeros",
                column=column.name,
            )
    hashes = key_hashes(_table([_row(key, columns) for key in keys], columns), columns).tolist()
    places = lookup([read_bucket_index(path) for path in files], hashes)
    lookups = [
        Lookup(key, code, [files[i] for i in where])
        for key, code, where in zip(keys, hashes, places, strict=True)
    ]
    show(Lookups(lookups), form, "keys")


def key_columns(schema: str | None, schema_file: str | None) -> Schema:
    """Return the columns of the key in order: the primary key without partition columns."""
    columns = read_schema(schema, schema_file)
    if columns is None:
        raise UsageError("pass the key's columns with --schema 'id BIGINT' or --schema-file FILE")
    if schema_file is None:
        return columns
    document = schema_document(schema_file)
    partition = document.get("partitionKeys") or []
    names = [name for name in document.get("primaryKeys") or [] if name not in partition]
    if not names:
        raise UsageError("the table has no primary key", path=schema_file)
    return Schema(tuple(columns.column(name) for name in names))


def _row(key: str, columns: Schema) -> list[Any]:
    """Return the values of a key in the order of its columns."""
    from paimon_ksy.predicates.sql import parse_predicate

    literals = _equalities(bind(parse_predicate(key, columns), columns), key)
    for column in columns:
        if column.name not in literals:
            raise UsageError(f"--key {key!r}: {column.name} is missing; the key is {columns}")
    return [literals[column.name] for column in columns]


def _table(rows: Sequence[Sequence[Any]], columns: Schema) -> pa.Table:
    import pyarrow as pa

    return pa.table(
        {
            field.name: arrow_values([row[number] for row in rows], to_arrow(field.type))
            for number, field in enumerate(columns)
        }
    )


def _equalities(predicate: Predicate, key: str) -> dict[str, Any]:
    children = predicate.children if isinstance(predicate, And) else (predicate,)
    literals = {}
    for child in children:
        name = child.column if isinstance(child, Comparison) and child.op == "=" else None
        if not isinstance(child, Comparison) or not isinstance(name, str) or name in literals:
            raise UsageError(f"--key {key!r}: write COLUMN = VALUE, and join several with AND")
        literals[name] = child.value
    return literals
