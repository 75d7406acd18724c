"""Whole tables that the Java library (1.4.2) wrote, with their rows and its answers.

    from tests.support.golden_tables import expected, golden_table, rows_of, same_rows

    path = golden_table("append_dv32", tmp_path)     # a copy to read and change
    table = expected("append_dv32")
    table.schema, table.rows                         # live rows in the table's current schema
    for case in table.cases:                         # what Java answered
        case.predicate                               # ours, not bound yet
        case.rows                                    # the rows it selects, exactly
    same_rows(read, table.rows)                      # read: Arrow; in any order

Rows are tuples of internal values (see `types.literals`), a MAP is a dict. The data are in
`golden/tables.tar.xz`.
"""

import json
import tarfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.golden import members_of
from tests.support.golden_json import internal_value, is_predicate, predicate_from_json
from tools.dist import extract

ARCHIVE = ROOT / "tests" / "golden" / "tables.tar.xz"

Row = tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Case:
    """A predicate and what Java read for it.

    `rows` are those that the predicate selects, `pruned` those left by statistics and indexes
    alone, `files` how many data files were planned.
    """

    predicate: Predicate
    node: Mapping[str, Any]
    rows: Sequence[Row]
    pruned: Sequence[Row]
    files: int


@dataclass(frozen=True, eq=False)
class GoldenTable:
    """A table's current schema, its live rows, and Java's answers.

    `spec` is what it was made from, `made` what its manifests say: `dataFiles`, `indexFiles`.
    """

    name: str
    schema: Schema
    snapshot: int
    rows: Sequence[Row]
    cases: Sequence[Case]
    spec: Mapping[str, Any]
    made: Mapping[str, Any]


@cache
def golden_table_names() -> tuple[str, ...]:
    """All tables, in order of their names."""
    return tuple(sorted({path.split("/")[0] for path in members_of(ARCHIVE)}))


def golden_table(name: str, folder: Path | str) -> str:
    """Copy the table to a folder of its name in `folder`, and return its path."""
    start = f"{name}/table/"
    place = Path(folder, name)
    for path, data in members_of(ARCHIVE).items():
        if path.startswith(start):
            file = place / path.removeprefix(start)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
    if not place.exists():
        raise KeyError(f"no golden table {name!r}: there are {', '.join(golden_table_names())}")
    return str(place)


def odd_table(name: str, folder: Path | str) -> str:
    """The same of a table in `golden/odd_tables.tar.xz`, which has no answers."""
    with tarfile.open(ARCHIVE.with_name("odd_tables.tar.xz")) as archive:
        members = [member for member in archive if member.name.split("/")[0] == name]
        if not members:
            raise KeyError(f"no table {name!r}")
        extract(archive, folder, members)
    return str(Path(folder, name))


@cache
def expected(name: str) -> GoldenTable:
    """The rows and answers of a table."""
    members = members_of(ARCHIVE)
    document = json.loads(members[f"{name}/expected.json"])
    schema_file = f"{name}/table/schema/schema-{document['make']['schemaId']}"
    schema = Schema.from_paimon_json(members[schema_file])
    live = document["live"]
    rows = [_row(schema, row) for row in live["rows"]]
    cases = [
        Case(
            predicate=predicate_from_json(answer["pred"], schema),
            node=answer["pred"],
            rows=[rows[at] for at in answer["exact"]["rows"]],
            pruned=[
                # Where indexes hide an update from the merge, an older row appears.
                rows[at] if isinstance(at, int) else _row(schema, at)
                for at in answer["withIndex"]["rows"]
            ],
            files=answer["withIndex"]["files"],
        )
        for answer in document["predicates"]
        if is_predicate(answer["pred"])
    ]
    spec = json.loads(members[f"{name}/spec.json"])
    return GoldenTable(name, schema, live["snapshot"], rows, cases, spec, document["make"])


def rows_of(data: pa.Table | pa.RecordBatch) -> list[Row]:
    """The rows of Arrow data as tuples of internal values."""
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    columns = [_internal(column.combine_chunks(), column.type) for column in data.columns]
    return list(zip(*columns, strict=True))


def same_rows(found: pa.Table | Iterable[Row], wanted: Iterable[Row]) -> bool:
    """Whether both have the same rows, in any order; NaN is itself, -0.0 is not 0.0."""
    rows = rows_of(found) if isinstance(found, pa.Table) else found
    return ordered(rows) == ordered(wanted)


def ordered(rows: Iterable[Row]) -> list[str]:
    """Rows as texts in one order, to compare them and to show where they differ."""
    return sorted(repr(tuple(map(_comparable, row))) for row in rows)


def _comparable(value: Any) -> Any:
    return sorted(value.items()) if isinstance(value, dict) else value


def _row(schema: Schema, values: Sequence[Any]) -> Row:
    return tuple(
        _stored(field.type, internal_value(field.type, value))
        for field, value in zip(schema, values, strict=True)
    )


def _stored(kind: DataType, value: Any) -> Any:
    """A FLOAT as the double that it is."""
    return float(np.float32(value)) if kind.root == "FLOAT" and value is not None else value


def _internal(column: pa.Array, kind: pa.DataType) -> list[Any]:
    if pa.types.is_date(kind):
        return list(column.cast(pa.int32()).to_pylist())
    if pa.types.is_time(kind):
        per_milli = {"s": 0.001, "ms": 1, "us": 1000, "ns": 1_000_000}[kind.unit]
        return _scaled(column.cast(pa.int32() if kind.bit_width == 32 else pa.int64()), per_milli)
    if pa.types.is_timestamp(kind):
        nanos = {"s": 10**9, "ms": 10**6, "us": 1000, "ns": 1}[kind.unit]
        values = column.cast(pa.int64()).to_pylist()
        return [None if value is None else value * nanos for value in values]
    if pa.types.is_map(kind):
        return [None if value is None else dict(value) for value in column.to_pylist()]
    return list(column.to_pylist())


def _scaled(column: pa.Array, per_milli: float) -> list[Any]:
    return [None if v is None else int(v // per_milli) for v in column.to_pylist()]
