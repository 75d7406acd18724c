"""Table functions for SQL, such as `SELECT * FROM paimon_files('/lake/db.db/orders')`.

They only read, since Spark may run a task twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pyarrow as pa
from pyspark.sql.functions import udtf
from pyspark.sql.pandas.types import from_arrow_schema

from paimon_ksy.messages.findings import Finding
from paimon_ksy.messages.tables import to_table
from paimon_ksy.spark.workers import by_value, in_one_line
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.dataset.table import Table
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.inspect.metadata_tables import FILES, INDEXES
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.steps import Step

_HERE = local_engine(1)  # a function runs in one task of Spark
_FINDINGS, _STEPS = partial(to_table, Finding), partial(to_table, Step)
_FUNCTIONS: dict[str, tuple[pa.Schema, Callable[..., pa.Table]]] = {
    "paimon_files": (FILES, Table.files),
    "paimon_indexes": (INDEXES, partial(Table.indexes, engine=_HERE)),
    "paimon_snapshots": (to_table(Snapshot, ()).schema, lambda table: table.snapshots()),
    "paimon_audit": (
        _FINDINGS(()).schema,
        lambda table, deep=False: _FINDINGS(audit(table, deep=deep, engine=_HERE)),
    ),
    "paimon_explain": (
        _STEPS(()).schema,
        lambda table, where: _STEPS(explain(table, where, engine=_HERE)),
    ),
}


def register_functions(spark: Any) -> None:
    """Register the functions: see `register`."""
    zone = spark.conf.get("spark.sql.session.timeZone")
    for name, (schema, _) in _FUNCTIONS.items():
        handler = _handler(by_value(partial(_rows, name, zone)))
        spark.udtf.register(name, udtf(handler, returnType=from_arrow_schema(schema)))


def _handler(rows: Callable[..., Iterator[tuple[Any, ...]]]) -> type:
    class Handler:
        def eval(self, path: str, *arguments: Any, **named: Any) -> Any:
            return rows(path, *arguments, **named)

    return Handler


def _rows(name: str, zone: str, path: str, *arguments: Any, **named: Any) -> Iterator[Any]:
    """Yield the rows of a function about the table in a folder."""
    with in_one_line():
        table = Table.at(path).with_time_zone(zone)
        found = _FUNCTIONS[name][1](table, *arguments, **named)
    are_maps = [pa.types.is_map(field.type) for field in found.schema]
    for row in found.to_pylist():
        cells = zip(row.values(), are_maps, strict=True)
        yield tuple(dict(value) if is_map else value for value, is_map in cells)
