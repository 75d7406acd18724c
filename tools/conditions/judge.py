"""Compares the rows that conditions select with Spark's answers."""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.predicates.from_spark import conditions_from_spark
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.spark.conditions import _sent, condition_of
from paimon_ksy.spark.types import spark_schema
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.store import Table
from tools.conditions.grammar import Grammar, Node, literal, shown_in_spark
from tools.conditions.rows import SCHEMA, ZONES, draw_rows
from tools.tables import append, make_table

_QUICK = {
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",  # compiling takes longer than a few rows
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.datetime.java8API.enabled": "true",  # which knows all times
}


class Spark:
    """Evaluates expressions on rows in Spark."""

    def __init__(self, session: Any, folder: Path) -> None:
        self._session, self._folder = session, folder
        self._frame: Any = None
        self._empty: Any = None

    @contextmanager
    def settings(self, **values: str) -> Iterator[None]:
        """Set options of the session for a while; `__` in a name is a dot."""
        options = {name.replace("__", "."): value for name, value in values.items()}
        before = {name: self._session.conf.get(name, None) for name in options}
        for name, value in options.items():
            self._session.conf.set(name, value)
        try:
            yield
        finally:
            for name, value in before.items():
                if value is None:
                    self._session.conf.unset(name)
                else:
                    self._session.conf.set(name, value)

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Evaluate without compiling, and do not log errors, which are expected here."""
        from pyspark.logger import PySparkLogger

        log = PySparkLogger.getLogger("SQLQueryContextLogger")
        was, log.disabled = log.disabled, True
        self._session.sparkContext.setLogLevel("OFF")
        try:
            with self.settings(**_QUICK):
                yield
        finally:
            log.disabled = was
            self._session.sparkContext.setLogLevel("ERROR")

    def load(self, rows: pa.Table) -> None:
        """Take rows, and let Spark know the CHAR columns as those of a table."""
        from pyspark.sql.classic.dataframe import DataFrame

        for column in SCHEMA:
            if column.type.root == "CHAR":
                place = rows.column_names.index(column.name)
                padded = pc.utf8_rpad(rows[column.name], column.type.length)
                rows = rows.set_column(place, column.name, padded)
        path = str(self._folder / "rows.parquet")
        pq.write_table(rows, path)
        frame = self._session.read.parquet(path)._jdf
        known = json.loads(frame.schema().json())
        for column, known_field in zip(SCHEMA, known["fields"], strict=True):
            if column.type.root in ("CHAR", "VARCHAR"):
                known_field["metadata"] = {"__CHAR_VARCHAR_TYPE_STRING": str(column.type).lower()}
        kind = self._session._jvm.org.apache.spark.sql.types.DataType.fromJson(json.dumps(known))
        local = self._session._jsparkSession.createDataFrame(frame.collectAsList(), kind)
        self._frame = DataFrame(local, self._session)  # which is evaluated without a job

    def types(self, texts: Sequence[str]) -> list[str | None]:
        """Return the type of each expression; None if Spark refuses it."""
        from pyspark.errors import PySparkException

        found: list[str | None] = [None] * len(texts)
        parsed = {}
        for place, text in enumerate(texts):
            with suppress(PySparkException):
                parsed[place] = self._state.sqlParser().parseExpression(text)
        self._resolve(parsed, list(parsed), found)
        return found

    def _resolve(self, parsed: dict[int, Any], places: Sequence[int], found: list[Any]) -> None:
        """Resolve all at once; if one is an error, each half."""
        from pyspark.errors import PySparkException

        if not places:
            return
        catalyst = self._session._jvm.org.apache.spark.sql.catalyst
        none = self._session._jvm.scala.Option.empty()
        columns = self._listed(
            [catalyst.analysis.UnresolvedAlias(parsed[place], none) for place in places]
        )
        plan = catalyst.plans.logical.Project(columns, self._frame._jdf.logicalPlan())
        try:
            answer = self._state.analyzer().execute(plan).projectList()
        except PySparkException:
            _by_halves(partial(self._resolve, parsed), places, found)
            return
        for at, place in enumerate(places):
            column = answer.apply(at)
            if column.resolved():
                found[place] = str(column.dataType().simpleString())

    @property
    def _state(self) -> Any:
        return self._session._jsparkSession.sessionState()

    def _listed(self, values: list[Any]) -> Any:
        return self._session._jvm.PythonUtils.toSeq(values)

    def pushed(self, text: str, zone: str) -> Iterator[tuple[str, Predicate | None, Sequence[str]]]:
        """Yield what our reader tests of a condition in each kind of session, and what only Spark.

        A classic session resolves it; Spark Connect sends the text.
        """
        empty = self._empty = self._empty or self._session.createDataFrame(
            [], spark_schema(tuple(SCHEMA))
        )
        of_classic = condition_of(self._session, text, SCHEMA, zone, empty.filter(text))
        yield "a classic session", of_classic.pushed, of_classic.rest
        yield "Spark Connect", *conditions_from_spark(_sent(self._session, text), SCHEMA, zone)

    def values(self, texts: Sequence[str]) -> list[list[str | None] | None]:
        """Return the values of each expression in text; None if Spark refuses one, or has an error.

        A text stands behind `=`, so that an error is null.
        """
        known = [place for place, name in enumerate(self.types(texts)) if name is not None]
        found: list[list[str | None] | None] = [None] * len(texts)
        for start in range(0, len(known), 64):
            self._evaluate(texts, known[start : start + 64], found)
        return found

    def _evaluate(self, texts: Sequence[str], places: Sequence[int], found: list[Any]) -> None:
        """Evaluate all at once; if one is an error before any row, each half."""
        from pyspark.errors import PySparkException

        if not places:
            return
        listed = [
            f"try_to_binary(coalesce('=' || CAST(({texts[place]}) AS STRING), ''), 'utf-8')"
            for place in places
        ]
        try:
            answer = self._frame.selectExpr(*listed).collect()
        except PySparkException:
            _by_halves(partial(self._evaluate, texts), places, found)
            return
        for at, place in enumerate(places):
            column = [row[at] for row in answer]
            if None not in column:
                found[place] = [value.decode()[1:] if value else None for value in column]


def _by_halves(
    step: Callable[[Sequence[int], list[Any]], None], places: Sequence[int], found: list[Any]
) -> None:
    middle = len(places) // 2
    if middle:
        step(places[:middle], found)
        step(places[middle:], found)


CRASH = "crash: "


def selected(text: str, rows: pa.Table, zone: str) -> list[bool] | str:
    """Return for each row whether we select it; or the message of our refusal."""
    try:
        found: list[bool] = mask(parse_predicate(text, SCHEMA, time_zone=zone), rows).to_pylist()
    except PaimonKsyError as error:
        return str(error)
    except Exception as error:  # which no condition may raise
        return f"{CRASH}{error!r}"
    return found


def paimon_table(folder: Path, rows: pa.Table) -> str:
    """Make a table of the rows, in two data files; return its path."""
    middle = rows.num_rows // 2
    options = {"deletion-vectors.enabled": "true", "bucket": "-1"}
    path = make_table(folder, "t", [rows.slice(0, 0)], options)
    schema = Path(path) / "schema" / "schema-0"
    content = json.loads(schema.read_text("utf-8"))
    for column, made in zip(SCHEMA, content["fields"], strict=True):
        if column.type.is_string or column.type.is_timestamp:
            made["type"] = str(column.type)
    schema.write_text(json.dumps(content), "utf-8")
    for part in (rows.slice(0, middle), rows.slice(middle)):
        append(Table.at(path).pypaimon, part)
    return path


def deleted(path: str, text: str, zone: str) -> int | str:
    """Return how many rows a delete would delete; or the message of our refusal."""
    try:
        return delete(Table.at(path).with_time_zone(zone), text, dry_run=True).rows
    except PaimonKsyError as error:
        return str(error)


@dataclass
class Case:
    """A condition and both answers; None if Spark refuses it, a text if we do."""

    node: Node
    spark: list[bool] | None
    ours: list[bool] | str

    @property
    def outcome(self) -> str:
        """One of OUTCOMES."""
        if isinstance(self.ours, str) and self.ours.startswith(CRASH):
            return "crash"
        if isinstance(self.ours, str):
            return "both refuse" if self.spark is None else "only we refuse"
        if self.spark is None:
            return "only Spark refuses"
        return "same" if self.ours == self.spark else "different"


_DELETES = 10
"""Conditions of one batch in four that a delete tries, too."""
OUTCOMES = ("same", "both refuse", "only we refuse", "different", "only Spark refuses", "crash")
WRONG = OUTCOMES[3:]


def cause(message: str) -> str:
    """Return the part of a refusal that does not depend on names, texts and numbers."""
    if message.startswith("cannot evaluate "):
        message = re.split(r".: (?=\D)", message, maxsplit=1)[-1]
    message = message.partition(" (")[0]
    return re.sub(r"\d+", "#", re.sub(r"'[^']*'|\([^)]*\)", "..", message))[:90]


@dataclass
class Report:
    """The outcomes of all conditions.

    Attributes:
        counts: How many conditions had each outcome.
        refused: The conditions that only we refuse, by the cause; the first of each is small.
        failures: The smallest conditions that differ, with both answers.
        drawn: The conditions.
        entries: The entries of the tables that were drawn.
        deletes: How many dry runs of a delete were compared.
        pushed: How many conditions our reader tests, in each kind of session.
    """

    counts: Counter[str] = field(default_factory=Counter)
    refused: dict[str, list[str]] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    drawn: list[str] = field(default_factory=list)
    entries: set[str] = field(default_factory=set)
    deletes: int = 0
    pushed: Counter[str] = field(default_factory=Counter)

    def share_refused(self) -> float:
        """Return which part of the conditions that Spark answers only we refuse."""
        answered = self.counts["same"] + self.counts["only we refuse"] + self.counts["different"]
        return self.counts["only we refuse"] / max(1, answered)


class Comparison:
    """Draws rows and conditions in batches, and compares the answers."""

    def __init__(self, spark: Spark, seed: int, *, shrink: bool = True) -> None:
        self.spark, self.random = spark, Random(seed)
        self.grammar, self.report = Grammar(self.random), Report()
        self.shrink = shrink
        self.rows, self.zone = pa.table({}), "UTC"

    def run(self, count: int, size: int = 50) -> Report:
        """Compare so many conditions, a batch for each zone in turn."""
        with self.spark.quietly():
            for batch, start in enumerate(range(0, count, size)):
                self.zone = ZONES[batch % len(ZONES)]
                with self.spark.settings(
                    spark__sql__session__timeZone=self.zone, spark__sql__ansi__enabled="true"
                ):
                    self._batch(min(size, count - start), batch)
        return self.report

    def _batch(self, count: int, batch: int) -> None:
        wildness = (0.0, 0.1, 0.5)[batch // len(ZONES) % 3]
        self.rows = draw_rows(self.random, self.random.randint(5, 10), wildness)
        self.spark.load(self.rows)
        cases = self.conditions(count)
        for case in cases:
            self.record(case)
        if batch % 4 == 2:
            self._delete(self.random.sample(cases, min(len(cases), _DELETES)))

    def conditions(self, count: int) -> list[Case]:
        """Draw conditions: plain ones, tests, and combinations of those that are no errors."""
        grammar, number = self.grammar, count * 3 // 5
        self._values(number * 3 // 2)
        tests = [grammar.test() for _ in range(number) if grammar.waiting]
        cases = self.compare(tests)
        sound = [case.node for case in cases if case.spark is not None]
        errors = [case.node for case in cases if case.spark is None]
        joined = []
        plain = [grammar.plain() for _ in range(count // 5)]
        for _ in range(count - len(tests) - len(plain)):
            some = self.random.sample(sound, min(len(sound), self.random.randint(2, 4)))
            node = grammar.joined(some or tests[:1])
            if errors and self.random.random() < 0.3:
                guarded = self.random.choice(errors)
                node = Node("CASE WHEN {} THEN {} END", "boolean", (node, guarded), "CASE")
            joined.append(node)
        return cases + self.compare([*joined, *plain])

    def _values(self, count: int) -> None:
        """Draw values of the tables, in steps, so that earlier ones are parts of later ones."""
        grammar = self.grammar
        grammar.start()
        for _ in range(3):
            nodes = [grammar.value() for _ in range(count // 3)]
            types = self.spark.types([node.sql for node in nodes])
            grammar.waiting += (n for n, name in zip(nodes, types, strict=True) if name is None)
            kept = list(grammar.keep(nodes, types))
            grammar.waiting += kept
            names = [name for name in types if name is not None]
            shown = [shown_in_spark(node.sql, name) for node, name in zip(kept, names, strict=True)]
            for node, name, column in zip(kept, names, self.spark.values(shown), strict=True):
                grammar.seen[node.sql] = self._literals(column, name)

    def _literals(self, column: list[str | None] | None, name: str) -> list[str]:
        texts = [text for text in column or () if text is not None]
        return [literal(text, name, self.random) for text in texts[:6]]

    def compare(self, nodes: Sequence[Node]) -> list[Case]:
        """Return the answers to conditions."""
        texts = [node.sql for node in nodes]
        cases = []
        for node, column in zip(nodes, self.spark.values(texts), strict=True):
            cases.append(Case(node, _truths(column), selected(node.sql, self.rows, self.zone)))
        unsure = [case for case in cases if case.outcome == "only Spark refuses"]
        with self.spark.settings(**_LATE):
            again = self.spark.values([case.node.sql for case in unsure])
        for case, column in zip(unsure, again, strict=True):
            case.spark = _truths(column)
        return cases

    def record(self, case: Case) -> None:
        """Count a condition; keep its smallest failing part."""
        report, outcome = self.report, case.outcome
        report.counts[outcome] += 1
        report.drawn.append(case.node.sql)
        report.entries |= {node.entry for node in case.node.walk() if node.entry}
        if outcome == "only we refuse":
            reason = cause(str(case.ours))
            if reason not in report.refused:
                report.refused[reason] = []
                case = self.smallest(case) if self.shrink else case
            report.refused[reason].append(case.node.sql)
        elif outcome == "same":
            self._push(case)
        elif outcome in WRONG:
            report.failures.append(self.shown(self.smallest(case) if self.shrink else case))

    def _push(self, case: Case) -> None:
        """Check that what our reader tests in Spark selects no fewer rows, and if all, no more."""
        if _mentions(case.node.sql, "c"):  # a CHAR, which is a STRING in our DataFrames
            return
        for session, predicate, rest in self.spark.pushed(case.node.sql, self.zone):
            if predicate is None:
                continue
            self.report.pushed[session] += 1
            bound = bound_predicate(predicate, SCHEMA, self.zone)
            found = mask(bound, self.rows).to_pylist()
            lost = any(kept > own for kept, own in zip(case.spark or (), found, strict=True))
            if lost or (not rest and found != case.spark):
                text = f"{session}: {case.node.sql} [{self.zone}] tests {predicate!r}"
                self.report.failures.append(text)

    def smallest(self, case: Case) -> Case:
        """Return the smallest part of a condition that has the same outcome."""
        for _ in range(12):
            nodes = sorted({*case.node.simpler()}, key=lambda node: len(node.sql))[:40]
            smaller = (
                other
                for other in self.compare([n for n in nodes if len(n.sql) < len(case.node.sql)])
                if other.outcome == case.outcome
            )
            found = next(smaller, None)
            if found is None:
                return case
            case = found
        return case

    def shown(self, case: Case) -> str:
        """Return a failure in text: the condition, and the first row on which answers differ."""
        names = [name for name in SCHEMA.names if _mentions(case.node.sql, name)]
        if case.spark is None or isinstance(case.ours, str):
            rows = self.rows.select(names).to_pylist()
            return f"{case.outcome}: {case.node.sql} [{self.zone}] we: {case.ours} on {rows}"
        at = next(i for i, value in enumerate(case.ours) if value != case.spark[i])
        row = self.rows.slice(at, 1).select(names).to_pylist()[0]
        return f"{case.outcome}: {case.node.sql} [{self.zone}] Spark: {case.spark[at]} on {row}"

    def _delete(self, cases: Sequence[Case]) -> None:
        """Check that a delete would delete the rows that are selected."""
        with tempfile.TemporaryDirectory() as folder:
            path = paimon_table(Path(folder), self.rows)
            for case in cases:
                count = deleted(path, case.node.sql, self.zone)
                expected = str if isinstance(case.ours, str) else sum(case.ours)
                if count != expected and not (expected is str and isinstance(count, str)):
                    text = f"delete: {case.node.sql} [{self.zone}] {count}, but selects {expected}"
                    self.report.failures.append(text)
                self.report.deletes += isinstance(count, int)


_LATE = {
    "spark__sql__optimizer__excludedRules": (
        "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"
    ),
    "spark__sql__legacy__duplicateBetweenInput": "true",
}
"""Settings that let Spark evaluate as late as for tables: rows of the driver after other rules have
folded constants, and what BETWEEN tests only where no other operand decides."""


def _truths(column: list[str | None] | None) -> list[bool] | None:
    return None if column is None else [value == "true" for value in column]


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<![\w'.]){name}(?!\w)", text, re.IGNORECASE) is not None
