"""What is asked, and those who answer: we, pypaimon, pypaimon-rust, pyarrow, Polars and DuckDB."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds

from paimon_ksy.table.io.cache import clear_caches
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tools.bench.orders import Made, data_files
from tools.tables import rust_context

OURS = "paimon-ksy"
TOP = 10


@dataclass(frozen=True)
class Query:
    """Rows (or their count) where a column has one of the values; or the ten largest amounts."""

    name: str
    column: str
    values: tuple[Any, ...]
    kind: str = "rows"  # or count, top

    @property
    def sql(self) -> str:
        """The condition, empty if all rows are wanted."""
        if not self.values:
            return ""
        if len(self.values) == 1:
            return f"{self.column} = {self.values[0]!r}"
        return f"{self.column} IN ({', '.join(map(repr, self.values))})"


class Reader(ABC):
    """One way to read a table, newly opened. `sees_vectors`: it leaves out deleted rows."""

    name = ""
    sees_vectors = False
    measures_bytes = True

    @abstractmethod
    def __init__(self, made: Made) -> None: ...

    @abstractmethod
    def answer(self, asked: Query) -> pa.Table | int:
        """The rows as Arrow, or the count."""


class Ours(Reader):
    name = OURS
    sees_vectors = True

    def __init__(self, made: Made) -> None:
        clear_caches()
        self.table = Table.at(made.path)

    def answer(self, asked: Query) -> pa.Table | int:
        if asked.kind == "top":
            return query(self.table, order_by="amount DESC", limit=TOP)
        if asked.kind == "count":
            return count(self.table, asked.sql).count
        return query(self.table, asked.sql)


class PyPaimon(Reader):
    name = "pypaimon"
    sees_vectors = True

    def __init__(self, made: Made) -> None:
        self.table = Table.at(made.path).pypaimon

    def answer(self, asked: Query) -> pa.Table | int:
        builder = self.table.new_read_builder()
        if asked.kind != "top":
            predicates = builder.new_predicate_builder()
            if len(asked.values) == 1:
                builder = builder.with_filter(predicates.equal(asked.column, asked.values[0]))
            else:
                builder = builder.with_filter(predicates.is_in(asked.column, list(asked.values)))
        if asked.kind == "count":
            builder = builder.with_projection([asked.column])
        rows = builder.new_read().to_arrow(builder.new_scan().plan().splits())
        return largest(rows) if asked.kind == "top" else counted(rows, asked)


class Rust(Reader):
    name = "pypaimon-rust"
    sees_vectors = True

    def __init__(self, made: Made) -> None:
        self.context = rust_context(made.path)
        self.table = f"p.default.{Path(made.path).name}"

    def answer(self, asked: Query) -> pa.Table | int:
        if asked.kind == "top":
            sql = f"SELECT * FROM {self.table} ORDER BY amount DESC LIMIT {TOP}"
            return pa.Table.from_batches(self.context.sql(sql))
        if asked.kind == "count":
            sql = f"SELECT count(*) FROM {self.table} WHERE {asked.sql}"
            return int(pa.Table.from_batches(self.context.sql(sql))[0][0].as_py())
        rows = self.context.sql(f"SELECT * FROM {self.table} WHERE {asked.sql}")
        return pa.Table.from_batches(rows) if rows else pa.table({})


class ArrowDataset(Reader):
    name = "pyarrow.dataset"

    def __init__(self, made: Made) -> None:
        self.dataset = ds.dataset(data_files(made), format="parquet")

    def answer(self, asked: Query) -> pa.Table | int:
        if asked.kind == "top":
            return largest(self.dataset.to_table())
        condition = pc.field(asked.column).isin(list(asked.values))
        if len(asked.values) == 1:
            condition = pc.field(asked.column) == asked.values[0]
        if asked.kind == "count":
            return int(self.dataset.count_rows(filter=condition))
        return self.dataset.to_table(filter=condition)


class Polars(Reader):
    name = "Polars"
    measures_bytes = False  # maps files into memory

    def __init__(self, made: Made) -> None:
        self.files = data_files(made)

    def answer(self, asked: Query) -> pa.Table | int:
        import polars as pl

        rows = pl.scan_parquet(self.files)
        if asked.kind == "top":
            return rows.top_k(TOP, by="amount").collect().to_arrow()
        if len(asked.values) == 1:
            rows = rows.filter(pl.col(asked.column) == asked.values[0])
        else:
            rows = rows.filter(pl.col(asked.column).is_in(list(asked.values)))
        if asked.kind == "count":
            return int(rows.select(pl.len()).collect().item())
        return rows.collect().to_arrow()


class DuckDB(Reader):
    name = "DuckDB"

    def __init__(self, made: Made) -> None:
        import duckdb

        self.connection = duckdb.connect()
        # Its own cache of file contents would leave nothing to read.
        self.connection.execute("SET enable_external_file_cache = false")
        self.rows = f"read_parquet({data_files(made)!r})"

    def answer(self, asked: Query) -> pa.Table | int:
        if asked.kind == "top":
            return self._arrow(f"SELECT * FROM {self.rows} ORDER BY amount DESC LIMIT {TOP}")
        if asked.kind == "count":
            rows = self._arrow(f"SELECT count(*) FROM {self.rows} WHERE {asked.sql}")
            return int(rows[0][0].as_py())
        return self._arrow(f"SELECT * FROM {self.rows} WHERE {asked.sql}")

    def _arrow(self, sql: str) -> pa.Table:
        return self.connection.sql(sql).to_arrow_table()


READERS: list[type[Reader]] = [Ours, PyPaimon, Rust, ArrowDataset, Polars, DuckDB]
PAIMON = {"pypaimon", "pypaimon-rust"}


def largest(rows: pa.Table) -> pa.Table:
    """The rows of the largest amounts, in their order."""
    return rows.take(pc.select_k_unstable(rows, k=TOP, sort_keys=[("amount", "descending")]))


def counted(rows: pa.Table, asked: Query) -> pa.Table | int:
    return int(rows.num_rows) if asked.kind == "count" else rows


def essence(answer: pa.Table | int, asked: Query) -> object:
    """What has to be the same for all readers."""
    if isinstance(answer, int):
        return answer
    if asked.kind == "top":
        return answer["amount"].cast(pa.string()).to_pylist()  # orders of equal amounts may differ
    if answer.num_rows == 0:
        return (0, 0)
    return answer.num_rows, pc.sum(answer["order_id"]).as_py()
