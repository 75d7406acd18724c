"""The part of `make conformance` on whole tables: ours indexed and deleted from, read by the
Paimon library.

A case is a golden table, or a random one written by pypaimon (Parquet, ORC or Avro, in several
files, partitioned or not, in buckets or not), given random indexes by `rewrite_index`, embedded or
beside the data files, once or twice. Of some, rows are deleted before, between and after: by
`delete` with predicates, and by the library itself on top of that, by vectors of 32 and 64 bits.
Then the library reads it: all rows, and for each predicate the rows that it selects and the data
files that its indexes keep. Rows have to be the same as ours, and ours those of a scan; of files we
may keep no more than the library does.

Tables that the library writes and compacts are indexed and deleted from in between.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.table import Table as Grid

import paimon_ksy as pk
from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from tests.support.golden_json import internal_value, nodes, value_to_json
from tests.support.golden_tables import expected, golden_table, golden_table_names, rows_of
from tools import jvm
from tools.conformance.cases import (
    ZEROS,
    Case,
    Column,
    combined,
    explain,
    leaves_of,
    random_values,
    scan,
    short,
    some_rows,
)
from tools.tables import by_pypaimon, delete_rows, make_table

# Without those that pypaimon writes so that the library reads other values: TIMESTAMP(9), TIME(3).
TYPES = [
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "STRING", "TIME(0)",
]  # fmt: skip
NOT_ORC = [
    "TIMESTAMP(0)", "TIMESTAMP(3)", "TIMESTAMP(3) WITH LOCAL TIME ZONE", "TIMESTAMP(6)",
    "TIMESTAMP(6) WITH LOCAL TIME ZONE",
]  # fmt: skip
"""Timestamps in ORC of pyarrow have negative nanoseconds, which the library cannot read."""

NOT_AVRO = ["MAP<STRING, INT>", "DATE"]  # pypaimon writes no dates out of Python's range to Avro
FORMATS = ["parquet", "orc", "avro"]
KINDS = ["bitmap", "bsi", "bloom-filter", "range-bitmap"]
ALL_NULL = "IS NULL where all is null: two rows in the library"
"""By its range-bitmap: the first row and the last."""

NAN_BOUNDS = "NaN in Parquet of pyarrow: lost, also without an index"
"""Its statistics leave out NaN, and the library takes them as bounds of all values."""

ROW = "row"
"""A column with the number of the row."""


@dataclass
class Outcome:
    """What came of the cases so far: tables by what they are, answers by what they are like."""

    tables: Counter[str] = field(default_factory=Counter)
    answers: Counter[str] = field(default_factory=Counter)
    explained: Counter[str] = field(default_factory=Counter)
    differences: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Comparison:
    """One table that the library has opened, and what is told of differences."""

    title: str
    path: str
    java: jvm.Session
    outcome: Outcome

    def differ(self, what: str) -> None:
        """Note a difference."""
        self.outcome.differences.append(f"{self.title}: {what}")

    def rows(self, node: Mapping[str, Any] | None, *, index: bool = True) -> dict[str, Any]:
        """What the library answers, with the indexes or without."""
        return self.java.ask({"op": "read", "predicate": node, "index": index})

    def files(self, predicate: pk.Predicate, theirs: Mapping[str, int], node: object) -> None:
        """Compare the data files that are kept: by name, how many rows, -1 if all."""
        kept = {file.name for task in pruned(self.path, predicate) for file in task.files}
        keeps = {name for name, rows in theirs.items() if rows}
        if more := kept - keeps:
            self.differ(f"{short(node)}: we keep {sorted(more)}, the library does not")
        self.outcome.answers["files kept by the library"] += len(keeps)
        self.outcome.answers["files kept by ours"] += len(kept)


def pruned(path: str, predicate: pk.Predicate) -> Iterator[Any]:
    """The tasks that statistics and indexes leave of a query."""
    for task in plan_query(Table.at(path), Query(predicate)).tasks:
        left = task.pruned(ReadStats())
        if left is not None:
            yield left


def run(seed: int, numbers: Iterable[int], golden: bool, folder: Path) -> Outcome:
    """Compares the golden tables and the random ones of these numbers; `folder` is for them."""
    outcome = Outcome()
    with jvm.session("Tables") as java:
        for name in golden_table_names() if golden else ():
            opened = Comparison(f"golden {name}", golden_table(name, folder), java, outcome)
            _guarded(opened, partial(_golden, opened, name, seed))
            shutil.rmtree(folder)
        for kind in TURNS if golden else ():
            opened = Comparison(f"in turns: {kind}", f"{folder}/t", java, outcome)
            _guarded(opened, partial(in_turns, opened, seed, kind))
            shutil.rmtree(folder)
        for number in numbers:
            path = f"{folder}/default.db/t{number}"
            opened = Comparison(f"table {number}", path, java, outcome)
            _guarded(opened, partial(_random, opened, folder, seed, number))
            shutil.rmtree(folder)
    return outcome


def _guarded(opened: Comparison, compare: Callable[[], None]) -> None:
    try:
        compare()
    except Exception as error:  # anything is a difference, and the next table's turn comes
        opened.differ(f"{type(error).__name__}: {short(error)}")


# Golden tables ----------------------------------------------------------------------------------


def _golden(opened: Comparison, name: str, seed: int) -> None:
    """A table that the library wrote itself."""
    rng = random.Random(f"{seed}:{name}")
    table = expected(name)
    index(opened, rng, table.schema, table.schema.to_arrow().empty_table())
    if not _same_as_golden(opened, table.schema, table.rows):
        opened.differ("the library reads other rows than before")
    for case in rng.sample(table.cases, min(len(table.cases), 20)):
        node = java_node(case.node, table.schema)
        answer = opened.rows(node)
        ours = query(Table.at(opened.path), case.predicate, engine=local_engine(1))
        rows = sorted(map(repr, _in_json(table.schema, rows_of(ours))))
        if sorted(map(repr, _in_json(table.schema, case.rows))) != rows:
            opened.differ(f"{short(node)}: ours has {len(rows)} rows, not {len(case.rows)}")
        if sorted(map(repr, answer["rows"])) == rows:
            opened.outcome.answers["same rows"] += 1
        else:
            opened.differ(f"{short(node)}: library {len(answer['rows'])} rows, ours {len(rows)}")
        opened.files(case.predicate, answer["files"], node)
    if name.startswith("append_dv"):
        _golden_deletes(opened, name, seed)
    opened.outcome.tables["golden"] += 1


def _same_as_golden(opened: Comparison, schema: pk.Schema, rows: Iterable[Sequence[Any]]) -> bool:
    theirs = opened.rows(None)["rows"]
    return sorted(map(repr, theirs)) == sorted(map(repr, _in_json(schema, rows)))


def _golden_deletes(opened: Comparison, name: str, seed: int) -> None:
    """Delete what predicates select, one after the other; the library tells which rows are left."""
    table = expected(name)
    left = list(table.rows)
    for case in random.Random(f"{seed}:{name}").sample(table.cases, 8):
        gone = set(map(repr, case.rows))
        deleted = delete(opened.path, case.predicate, engine=local_engine(1))
        before = len(left)
        left = [row for row in left if repr(row) not in gone]
        if deleted.rows != before - len(left):
            opened.differ(
                f"{short(case.node)}: {deleted.rows} rows deleted, not {before - len(left)}"
            )
        opened.java.ask({"op": "open", "path": opened.path})
        if _same_as_golden(opened, table.schema, left):
            opened.outcome.answers["deletes from golden tables"] += 1
        else:
            opened.differ(f"{short(case.node)}: the library reads other rows than are left")


def _in_json(schema: pk.Schema, rows: Iterable[Sequence[Any]]) -> list[list[Any]]:
    """Rows of internal values as the library's program prints them."""
    types = [column.type for column in schema]
    return [list(map(value_to_json, types, row)) for row in rows]


def java_node(node: Mapping[str, Any], schema: pk.Schema) -> dict[str, Any]:
    """A golden predicate with its values as the library's program reads them."""
    if "args" in node:
        return {"op": node["op"], "args": [java_node(child, schema) for child in node["args"]]}
    kind = schema[node["col"]]

    def value(item: Any) -> Any:
        return value_to_json(kind, internal_value(kind, item))

    if node["op"] == "between":
        ends = [("ge", node["from"]), ("le", node["to"])]
        args = [{"op": op, "col": node["col"], "value": value(end)} for op, end in ends]
        return {"op": "and", "args": args}
    changed = dict(node)
    if "value" in node:
        changed["value"] = value(node["value"])
    if "values" in node:
        changed["values"] = [value(item) for item in node["values"]]
    return changed


# Random tables ----------------------------------------------------------------------------------


def _random(opened: Comparison, folder: Path, seed: int, number: int) -> None:
    """A table that pypaimon wrote."""
    rng = random.Random(f"{seed}:{number}")
    chosen = FORMATS[number % len(FORMATS)]
    case = random_rows(rng, number, chosen)
    rows = case.num_rows
    partitioned = rng.random() < 0.3
    deleting = rng.random() < 0.4
    data = case.table()
    cuts = sorted({0, rows, *(rng.randrange(rows) for _ in range(rng.randrange(4)))})
    commits = [data.slice(start, end - start) for start, end in pairwise(cuts)]
    bits = rng.choice([32, 64])
    bucketed = deleting and rng.random() < 0.4
    options = {
        "file.format": chosen,
        "deletion-vectors.enabled": str(deleting).lower(),
        "deletion-vectors.bitmap64": str(bits == 64).lower(),
    }
    if bucketed:
        options |= {"bucket": "2", "bucket-key": ROW}
    make_table(folder, f"t{number}", commits, options, partition_keys=["p"] if partitioned else [])
    live = set(range(rows))
    mixed = deleting and rng.random() < 0.5
    if mixed:  # vectors of 32 bits, whatever the table says
        live -= _delete(opened.path, rng)
    for _ in range(rng.choice([1, 1, 2])):  # the second with other indexes
        index(opened, rng, case.schema, data)
        if deleting:
            live -= _delete_where(opened, rng, case, live, by_library=False)
        if deleting and not (mixed and bits == 64):  # the library does not merge both kinds
            live -= _delete_where(opened, rng, case, live, by_library=True)
    theirs = {row[-1]: row for row in opened.rows(None)["rows"]}
    wrong = [row for row in live if theirs.get(row) != list(case.rows()[row])]
    if wrong or theirs.keys() != live:
        opened.differ(f"the library reads {len(theirs)} rows of {len(live)}, {len(wrong)} wrong")
    for node in case.predicates:
        _compare(opened, case, node, live)
    kinds = [chosen, "partitioned" * partitioned, "in buckets" * bucketed]
    kinds.append(f"deletion vectors, {bits} bits" * deleting)
    opened.outcome.tables.update(kind for kind in kinds if kind)


def random_rows(rng: random.Random, number: int, chosen: str) -> Case:
    """Columns of random types, a partition column `p`, and the number of the row as the last."""
    types = TYPES + NOT_ORC * (chosen != "orc") + NOT_AVRO * (chosen != "avro")
    texts = [types[number % len(types)], *rng.choices(types, k=rng.randrange(1, 4))]
    rows = rng.choice((1, 20, 300, 300, 5000))
    columns = [
        Column(f"c{at}", text, random_values(rng, text, rows)) for at, text in enumerate(texts)
    ]
    columns.append(Column("p", "INT", [rng.randrange(3) for _ in range(rows)]))
    columns.append(Column(ROW, "BIGINT", list(range(rows))))
    leaves = [leaf for c in columns[:-1] if c.kind.root != "MAP" for leaf in leaves_of(rng, c)]
    predicates = [*leaves, *combined(rng, leaves, 4)]
    return Case(number, columns, {}, rng.sample(predicates, min(15, len(predicates))), "plain")


def _delete(path: str, rng: random.Random) -> set[int]:
    """Delete rows of some files; the numbers of the rows."""
    table = Table.at(path)
    gone = {}
    for file in table.data_files.of(table.snapshot()):
        if rng.random() < 0.7:
            gone[file.name] = rng.sample(range(file.num_rows), rng.randint(1, file.num_rows))
    before = {row[ROW] for row in by_pypaimon(path).select([ROW]).to_pylist()}
    if gone:
        delete_rows(path, {name: sorted(rows) for name, rows in gone.items()})
    return before - {row[ROW] for row in by_pypaimon(path).select([ROW]).to_pylist()}


def _delete_where(
    opened: Comparison, rng: random.Random, case: Case, live: set[int], *, by_library: bool
) -> set[int]:
    """Delete what a predicate selects, or any rows by the library; which are gone. Both tell what
    is left."""
    node = rng.choice(case.predicates)
    if by_library:
        gone = _delete_by_library(opened, rng)
    else:
        gone = scan(case, node) & live
        deleted = delete(opened.path, case.predicate(node), engine=local_engine(1))
        if deleted.rows != len(gone):
            opened.differ(f"{short(node)}: {deleted.rows} rows deleted, not {len(gone)}")
    opened.java.ask({"op": "open", "path": opened.path})
    left = live - gone
    theirs = {row[-1] for row in opened.rows(None)["rows"]}
    ours = set(query(Table.at(opened.path), None, [ROW], engine=local_engine(1))[ROW].to_pylist())
    who = "the library" if by_library else "ours"
    if theirs == ours == left:
        opened.outcome.answers[f"deletes by {who}"] += 1
    else:
        opened.differ(
            f"{len(gone)} rows deleted by {who}: the library reads {some_rows(theirs)}, "
            f"ours {some_rows(ours)}, left are {some_rows(left)}"
        )
    return gone


def positions(path: str, column: str) -> Iterator[tuple[str, int, Any]]:
    """The data file, position and value of a column of each live row."""
    for task in plan_query(Table.at(path), Query(None, [column])).tasks:
        assert isinstance(task, FileTask)
        values = [v for batch in task.read(ReadStats()) for v in batch.column(0).to_pylist()]
        for position, value in zip(task.matching(ReadStats())[0], values, strict=True):
            yield task.file.name, position, value


def _delete_by_library(opened: Comparison, rng: random.Random) -> set[int]:
    gone: set[int] = set()
    files: dict[str, list[int]] = {}
    for file, position, number in positions(opened.path, ROW):
        if rng.random() < 0.2:
            files.setdefault(file, []).append(position)
            gone.add(number)
    if files:
        opened.java.ask({"op": "open", "path": opened.path})
        opened.java.ask({"op": "delete", "files": files})
    return gone


def index(opened: Comparison, rng: random.Random, schema: pk.Schema, data: pa.Table) -> None:
    """Give the table random indexes beside those that it has, and have the library open it.

    The earlier ones are carried over as they are, or built again.
    """
    options = index_options(rng, schema, data)
    rebuild = rng.random() < 0.5
    done = rewrite_index(opened.path, set=options, rebuild=rebuild, engine=local_engine(1))
    opened.outcome.answers["indexes kept"] += done.kept
    opened.outcome.answers["files embedded"] += done.embedded
    opened.outcome.answers["files beside"] += done.index_files
    opened.java.ask({"op": "open", "path": opened.path})


def index_options(rng: random.Random, schema: pk.Schema, data: pa.Table) -> dict[str, str]:
    """Options of a table, for random indexes that its columns can have."""
    names = [column.name for column in schema] + [
        f"{column.name}[{key}]"
        for column in schema
        if column.type.root == "MAP"
        for key in ("k1", "absent")
    ]
    options = {}
    for kind in KINDS:
        chosen = [
            name for name in names if rng.random() < 0.5 and accepts(kind, schema, name, data)
        ]
        options[f"file-index.{kind}.columns"] = ",".join(chosen)
        if kind == "bitmap":
            for name in chosen:
                options[f"file-index.bitmap.{name}.version"] = rng.choice(["1", "2"])
    options["file-index.in-manifest-threshold"] = rng.choice(["1 b", "500 b", "10 mb"])
    return options


def accepts(kind: str, schema: pk.Schema, name: str, data: pa.Table) -> bool:
    """Whether the index takes the column, with the values that it has."""
    try:
        pk.build_file_index(data, schema, {f"file-index.{kind}.columns": name})
    except pk.PaimonKsyError:
        return False
    return True


def _compare(opened: Comparison, case: Case, node: dict[str, Any], live: set[int]) -> None:
    predicate = case.predicate(node)
    true = scan(case, node) & live
    data = query(Table.at(opened.path), predicate, [ROW], engine=local_engine(1))
    ours = set(data[ROW].to_pylist())
    if ours != true or data.num_rows != len(ours):
        opened.differ(f"{short(node)}: ours {some_rows(ours)}, true {some_rows(true)}")
    answer = opened.rows(node)
    theirs = {row[-1] for row in answer["rows"]}
    if ZEROS in explain(case, node):
        opened.outcome.explained[ZEROS] += theirs != true
        return
    if theirs < true and (reason := _reason(opened, case, node, theirs, true)):
        opened.outcome.explained[reason] += 1
    elif theirs != true:
        opened.differ(f"{short(node)}: library {some_rows(theirs)}, true {some_rows(true)}")
    else:
        opened.outcome.answers["same rows"] += 1
    opened.files(predicate, answer["files"], node)


def _reason(
    opened: Comparison, case: Case, node: Mapping[str, Any], read: set[int], true: set[int]
) -> str | None:
    """Why the library loses rows: by its own range bitmap, or because of Parquet's statistics."""
    if any(_all_null(opened, leaf["col"]) for leaf in nodes(node) if leaf["op"] == "isnull"):
        return ALL_NULL
    floats = [column for column in case.compared(node) if column.kind.root in ("FLOAT", "DOUBLE")]
    lost_are_nan = all(any(c.values[row] == "NaN" for c in floats) for row in true - read)
    without = {row[-1] for row in opened.rows(node, index=False)["rows"]}
    return NAN_BOUNDS if lost_are_nan and without == read else None


def _all_null(opened: Comparison, column: str) -> bool:
    """Whether a data file has only nulls in a column."""
    for task in plan_query(Table.at(opened.path), Query(None, [column])).tasks:
        data = pa.Table.from_batches(task.read(ReadStats()), task.arrow_schema)
        if data.num_rows > 2 and data.column(0).null_count == data.num_rows:
            return True
    return False


# Tables of the library, in turns ----------------------------------------------------------------

_INDEXED = {"file-index.bitmap.columns": "status", "file-index.in-manifest-threshold": "1 b"}
TURNS = {
    "buckets with vectors": {"bucket": "2", "bucket-key": "id", "deletion-vectors.enabled": "true"},
    "keys with vectors": {"bucket": "1", "deletion-vectors.enabled": "true"},
    "keys with vectors of 64 bits": {
        **{"bucket": "2", "deletion-vectors.enabled": "true"},
        "deletion-vectors.bitmap64": "true",
    },
    "keys with a changelog": {"bucket": "1", "changelog-producer": "lookup"},
    "keys with formats by level": {
        **{"bucket": "1", "num-sorted-run.compaction-trigger": "3"},
        "file.format.per.level": "0:avro,4:orc",
    },
    "keys with other bounds and names": {
        **{"bucket": "1", "metadata.stats-mode": "counts", "data-file.thin-mode": "true"},
        **{"data-file.prefix": "d-", "file.suffix.include.compression": "true"},
        **{"data-file.path-directory": "data"},
    },
}
"""Options of tables that the library writes and compacts, while we index them and delete rows."""


def in_turns(opened: Comparison, seed: int, kind: str) -> None:
    """What we commit has to be such that the library can go on writing, with the same rows."""
    rng = random.Random(f"{seed}:{kind}")
    columns = [("id", "BIGINT NOT NULL"), ("status", "STRING"), ("amount", "INT")]
    listed = [{"name": name, "type": text} for name, text in columns]
    keys = ["id"] if kind.startswith("keys") else []
    options = {**_INDEXED, **TURNS[kind]}
    opened.java.ask(
        {"op": "create", "path": opened.path, "columns": listed, "keys": keys, "options": options}
    )
    rows: dict[int, list[Any]] = {}
    for turn in range(6):
        numbers = rng.sample(range(60), 20) if keys else range(turn * 20, turn * 20 + 20)
        written = [[n, rng.choice(["NEW", "DONE", None]), rng.randrange(9)] for n in numbers]
        rows |= dict(zip(numbers, written, strict=True))
        opened.java.ask({"op": "write", "rows": written, "compact": turn in (1, 4)})
        rewrite_index(
            opened.path,
            set={"file-index.bsi.columns": rng.choice(["", "id", "amount"])},
            engine=local_engine(1),
        )
        if not keys:
            gone = rng.sample(sorted(rows), 1 if turn % 2 else 3)  # of one bucket, or of both
            delete(opened.path, f"id IN ({', '.join(map(str, gone))})", engine=local_engine(1))
            rows = {number: row for number, row in rows.items() if number not in gone}
        opened.java.ask({"op": "open", "path": opened.path})
        theirs = sorted(opened.rows(None)["rows"])
        data = query(opened.path, engine=local_engine(1))
        ours = sorted([list(row.values()) for row in data.to_pylist()])
        for who, read in (("the library", theirs), ("ours", ours)):
            if read != sorted(rows.values()):
                opened.differ(
                    f"turn {turn}: {who} reads {len(read)} rows of {len(rows)}, or others"
                )
        for finding in audit(opened.path, deep=True, engine=local_engine(1)):
            if finding.severity == "error":
                opened.differ(f"turn {turn}: {finding}")
    opened.outcome.tables["in turns"] += 1


def print_comparison(console: Console, seed: int, numbers: range, golden: bool) -> bool:
    """Compares, and prints what came of it; whether all is as it should be."""
    with tempfile.TemporaryDirectory() as folder:
        outcome = run(seed, numbers, golden, Path(folder, "tables"))
    grid = Grid(title="whole tables with our indexes and deletes, read by the Paimon library")
    grid.add_column("what", no_wrap=True)
    grid.add_column("count", justify="right")
    for counts in (outcome.tables, outcome.answers, outcome.explained):
        for what, count in sorted(counts.items()):
            grid.add_row(f"tables: {what}" if counts is outcome.tables else what, f"{count:,}")
    console.print(grid)
    for difference in outcome.differences[:40]:
        console.print(difference, markup=False, highlight=False)
    if outcome.differences:
        console.print(f"{len(outcome.differences)} differences; a table again: --tables --case N")
    return not outcome.differences
