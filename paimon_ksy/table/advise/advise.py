"""Which file indexes a table should have: measured on a sample of its data files.

The sample's columns are looked at and their indexes built, and what the given predicates, or
typical ones, would then leave out is compared with what they leave out now. Work on files is in
`profile` and `measure`, typical predicates are in `typical`, and what it all comes to in `verdict`.
"""

from __future__ import annotations

import itertools
import math
import re
import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from hashlib import blake2b
from typing import Any, TypeVar

from paimon_ksy.errors import OptionError, PaimonKsyError, PredicateError
from paimon_ksy.file_index.container import bound_predicate
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec
from paimon_ksy.messages.commands import table_command
from paimon_ksy.predicates.statistics import may_match
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.advise.choose import THRESHOLD, Findings, Question, Totals, Verdict
from paimon_ksy.table.advise.layout import Kept
from paimon_ksy.table.advise.measure import Asked, Measured, Trial, measure
from paimon_ksy.table.advise.profile import Look, Profiled, profile
from paimon_ksy.table.advise.questions import ABSENT, Summary, typical
from paimon_ksy.table.advise.report import Advice, rewrite_command
from paimon_ksy.table.advise.sample import Job, Key
from paimon_ksy.table.engine import Engine, spark_engine
from paimon_ksy.table.index.rewrite import (
    FORMATS,
    NO_STATISTICS,
    file_options,
    partitions_where,
    usable_options,
)
from paimon_ksy.table.model.columns import tested_names
from paimon_ksy.table.model.evolve import devolve
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.model.statements import alter_table, sql_name
from paimon_ksy.table.query.plan import Size, bounds_of, folded
from paimon_ksy.table.query.splits import Reading
from paimon_ksy.table.store import Table, TableOrPath
from paimon_ksy.types.data_type import DataType

TYPES = ("bitmap", "range-bitmap", "bsi", "bloom-filter")
"""Index types that are tried, in the order in which they are chosen if they are worth the same;
others only where they are there already."""

_MICROSECONDS = 6  # the precision of a TIMESTAMP that indexes hold wholly

FPP = "0.01"
"""The rate of false positives of bloom filters that are tried."""

_SAMPLE = 2, 32  # files, at least and at most
_VALUES = 8_000_000  # of the sample, if nobody says how many files
_ROWS = 1 << 16, 1 << 20  # of a file, at least and at most
_PREDICATES = 200  # different ones
_NAMED = 10  # columns in a note
_TASK_VALUES = 500_000
_UNASKED = 2  # files of which indexes are built that nothing is asked of
_REMEMBERED = 1024
_COMBINATIONS = 64
_STATISTICS = "metadata.stats-mode"

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many parts of it are done, and how many there are."""

Task = TypeVar("Task")
Result = TypeVar("Result")


# Asking for it ----------------------------------------------------------------------------------


def advise(
    table: TableOrPath,
    *,
    sample: int | None = None,
    predicates: Iterable[Predicate | str] | None = None,
    where: Predicate | str | None = None,
    columns: Sequence[str] | None = None,
    engine: Engine | None = None,
    spark: Any = None,
    progress: Progress | None = None,
) -> Advice:
    """Recommend file indexes for a table, measured on a sample of its data files.

    Nothing is written to the table.

    Args:
        sample: The number of data files to read; by default 2 to 32, for eight million values.
        predicates: Typical predicates; repeat one to weight it. By default typical ones for each
            column.
        where: A predicate on partition columns that selects files.
        columns: The columns to consider.
        engine: Where to run; by default on Spark, like `rewrite_index`.

    Raises:
        PredicateError, SchemaError, OptionError: An argument does not fit the table.
        CorruptFileError: A file is malformed.
        PaimonKsyError: The table has no data to measure.
    """
    started = time.perf_counter()
    if not isinstance(table, Table):
        table = Table.at(table)
    if sample is not None and sample < 1:
        raise OptionError(f"cannot sample {sample} files: give 1 or more")
    run = _Run(table, where, columns, predicates, sample)
    found = run.look(engine or spark_engine(spark), progress)
    return replace(run.advice(found, where), seconds=time.perf_counter() - started)


def parse_predicates(text: str, schema: TableSchema, name: str) -> list[Predicate]:
    """The predicates of a text: one a line, comments after `#` or `--` at its start.

    Raises PredicateError that tells the line, `name` being that of the file.
    """
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip().removesuffix(";")
        if not line or line.startswith(("#", "--")):
            continue
        try:
            found.append(bound_predicate(line, schema.columns))
        except PredicateError as error:
            raise PredicateError(f"{name}, line {number}: {error}") from None
    if not found:
        raise PredicateError(f"{name}: contains no predicate: write one per line")
    return found


# The sample -------------------------------------------------------------------------------------


def choose(files: Iterable[DataFile], most: Callable[[Size], int]) -> tuple[list[DataFile], Size]:
    """Some of the files, spread over partitions and time by their rows, and the size of all.

    `most(size)` says how many. The same ones for the same files; of very many no more than a
    thousand are kept, those with the smallest hash codes of their names.
    """
    size = Size()
    kept: list[tuple[bytes, DataFile]] = []
    for file in files:
        size += Size.of((file,))
        if file.num_rows and file.format in FORMATS:
            kept.append((blake2b(file.name.encode(), digest_size=8).digest(), file))
        if len(kept) >= 2 * _REMEMBERED:
            kept = sorted(kept, key=lambda item: item[0])[:_REMEMBERED]
    candidates = sorted((file for _, file in kept), key=_place)
    count = min(most(size), len(candidates))
    ends = list(itertools.accumulate(file.num_rows for file in candidates))
    chosen: dict[int, DataFile] = {}
    at = 0
    for step in range(count):
        wanted = (step + 0.5) / count * ends[-1]
        while ends[at] <= wanted:
            at += 1
        chosen[at] = candidates[at]
    left = [n for n in range(len(candidates)) if n not in chosen]
    for n in sorted(left, key=lambda n: (-candidates[n].num_rows, n))[: count - len(chosen)]:
        chosen[n] = candidates[n]
    return [chosen[n] for n in sorted(chosen)], size


def _place(file: DataFile) -> tuple[Any, ...]:
    partition = tuple((value is None, str(value)) for value in file.partition)
    return partition, file.bucket, file.creation_millis or 0, file.min_sequence_number, file.name


# Looking at it ----------------------------------------------------------------------------------


class _Run:
    """One piece of advice: what is asked of which files."""

    def __init__(
        self,
        table: Table,
        where: Predicate | str | None,
        columns: Sequence[str] | None,
        predicates: Iterable[Predicate | str] | None,
        sample: int | None,
    ) -> None:
        self.table, self.schema = table, table.schema
        self.wanted, _ = usable_options(table.schema)
        self.given = None if predicates is None else _given(predicates, table.schema)
        self.names = self._names(columns)
        self.unfit = {
            name: why for name in self.names if (why := _unfit(name, table.schema)) is not None
        }
        self.notes: list[str] = []
        if self.given is not None and len(self.given) > _PREDICATES:
            tried = list(_some(self.given))
            self.notes.append(
                f"measured {len(tried):,} of {len(self.given):,} different predicates"
            )
            self.given = tried
        keep = partitions_where(table.schema, where)
        snapshot = table.snapshot()
        if snapshot is None:
            raise PaimonKsyError("has no snapshot yet, so there are no rows", path=table.location)
        self.snapshot: Any = snapshot
        self.most_rows = _ROWS[1]
        self.files, self.size = self._sample(keep, sample)
        if not self.files:
            some = "" if where is None else " in these partitions"
            raise PaimonKsyError(
                f"has no Parquet, ORC or Avro file with rows{some}", path=table.location
            )
        schemas = {file.schema_id: table.schema_at(file.schema_id) for file in self.files}
        self.job = Job(table.storage, self.schema, schemas, self.most_rows)

    def _names(self, columns: Sequence[str] | None) -> tuple[str, ...]:
        """The columns to look at, and keys of maps that are named."""
        known = self.schema.columns
        if columns is not None:
            return tuple(
                dict.fromkeys(known.column(name, ignore_case=True).name for name in columns)
            )
        names = list(known.names)
        for question in self.given or ():
            names += question.names
        names += [spec.name for spec in self.wanted.indexes]
        return tuple(dict.fromkeys(names))

    def _sample(
        self, keep: Callable[[tuple[Any, ...], int], bool] | None, asked: int | None
    ) -> tuple[list[DataFile], Size]:
        columns = max(1, len(self.names) - len(self.unfit))

        def most(size: Size) -> int:
            if asked is not None:
                return asked
            rows = max(1, size.rows // max(1, size.files))
            count = max(_SAMPLE[0], min(_SAMPLE[1], _VALUES // (rows * columns)))
            self.most_rows = max(_ROWS[0], min(_ROWS[1], 2 * _VALUES // (count * columns)))
            return count

        live = self.table.files(self.snapshot, keep)
        reading = Reading.of(self.schema)
        if reading.streams:
            return choose((file for file in live if reading.sees(file)), most)
        files = list(live)
        sections = list(reading.sections(files))
        alone = [section.files[0] for section in sections if section.merge is None]
        merged = [file for section in sections if section.merge for file in section.files]
        if merged:
            reason = next(section.merge for section in sections if section.merge)
            told = (
                f"pypaimon reads {len(merged):,} of {len(merged) + len(alone):,} files whole "
                f"({reason})"
            )
            if not alone and reading.data_evolution:
                raise PaimonKsyError(f"{told}, so indexes cannot help", path=self.table.location)
            what = "the other files, and for these after" if alone else "these files after"
            self.notes.append(f"{told}; the advice holds for {what} a compaction")
        elif files and not alone:
            told = f"{len(files):,} files wait for a compaction, and readers ignore them until then"
            self.notes.append(f"{told}; the advice holds for these files after it")
        return choose(alone or merged or files, most)

    def look(self, engine: Engine, progress: Progress | None) -> Findings:
        """Have the workers look at the columns, then ask the indexes. Raises PaimonKsyError."""
        profiled = self._profiled(engine, progress)
        summaries = {}
        for name in self.names:
            profiles = [found.columns[name] for found in profiled if name in found.columns]
            if profiles:
                summaries[name] = Summary.of(name, self.schema.columns[name], profiles)
        questions = self.given
        if questions is None:
            questions = [
                question
                for summary in summaries.values()
                for question in _typical(summary, self.schema)
            ]
        there = {key for found in profiled for key in found.existing}
        candidates = self._candidates(summaries, questions, there)
        totals = [Totals() for _ in questions]
        measured: list[list[Measured]] = [[] for _ in self.files]
        trials = list(self._trials(questions, candidates))
        for number, made in _told(
            engine, partial(measure, self.job), trials, "measuring", progress
        ):
            measured[number].append(made)
            for answer in made.answers:
                total = totals[answer.number]
                total.rows += answer.rows
                total.now = total.now.plus(answer.now)
                total.bounds = total.bounds.plus(answer.bounds)
                for way, (alone, bounded) in answer.found.items():
                    total.found[way] = total.found.get(way, Kept()).plus(alone)
                    cost = bounded.page_bytes + bounded.index_bytes
                    total.cost[way] = total.cost.get(way, 0) + cost
        return Findings(
            schema=self.schema,
            size=self.size,
            files=self.files,
            names=self.names,
            unfit=self.unfit,
            is_typical=self.given is None,
            wanted=self.wanted,
            summaries=summaries,
            questions=questions,
            totals=totals,
            candidates=candidates,
            untried=self._untried(candidates, profiled),
            profiled=profiled,
            measured=measured,
        )

    def _profiled(self, engine: Engine, progress: Progress | None) -> list[Profiled]:
        fit = [(name,) for name in self.names if name not in self.unfit]
        looks = [
            (number, Look(_light(file), names, first == 0))
            for number, file in enumerate(self.files)
            for first, names in enumerate(_parts(fit, file.num_rows) or [()])
        ]
        profiled: dict[int, Profiled] = {}
        for number, found in _told(engine, partial(profile, self.job), looks, "looking", progress):
            before = profiled.get(number)
            if before is not None:
                found = replace(
                    found,
                    columns={**before.columns, **found.columns},
                    existing={**before.existing, **found.existing},
                )
            profiled[number] = found
        return [profiled[number] for number in range(len(self.files))]

    def _candidates(
        self, summaries: Mapping[str, Summary], questions: Sequence[Question], there: set[Key]
    ) -> dict[Key, IndexSpec]:
        """The indexes to try: of each column that is asked for those that fit its type."""
        named = {name for question in questions for name in question.names}
        wanted = {(spec.name, spec.index_type): spec for spec in self.wanted.indexes}
        there = there | wanted.keys()
        candidates = {}
        for name, summary in summaries.items():
            if self.given is not None and name not in named | {own for own, _ in there}:
                continue
            column, key = self.schema.columns.split(name)
            fit = (kind for kind in TYPES if not _loses_rows(kind, self.schema.columns[name]))
            types = [*fit, *sorted(kind for own, kind in there if own == name)]
            for kind in dict.fromkeys(types):
                options: Mapping[str, str] = {}
                if kind == "bloom-filter":
                    options = {"items": str(_round_up(summary.distinct_in_file)), "fpp": FPP}
                    if "." in name and (name, kind) not in wanted:
                        continue  # no option of it can be set, and it would be of 600 kB
                spec = IndexSpec(kind, column.name, key, options)
                spec = wanted.get((name, kind), spec)
                if _in_file(spec, self.schema, self.schema) is not None:
                    candidates[name, kind] = spec
        return candidates

    def _untried(
        self, candidates: Mapping[Key, IndexSpec], profiled: Sequence[Profiled]
    ) -> dict[Key, IndexSpec]:
        """The indexes that files have and that were not tried, as the columns are not looked at.

        A bloom filter is to stay as large as it is: without options it is one of a million values.
        """
        sizes: dict[Key, int] = {}
        for found in profiled:
            for key, size in found.existing.items():
                if key not in candidates:
                    sizes[key] = max(size, sizes.get(key, 0))
        untried = {}
        for (name, kind), size in sizes.items():
            column, map_key = self.schema.columns.split(name)
            options: Mapping[str, str] = {}
            if kind == "bloom-filter":
                if "." in name:
                    continue  # as above
                options = {"items": str(max(1, values_of_size(size, float(FPP)))), "fpp": FPP}
            spec = IndexSpec(kind, column.name, map_key, options)
            if "," not in name and _in_file(spec, self.schema, self.schema) is not None:
                untried[name, kind] = spec
        return untried

    def _trials(
        self, questions: Sequence[Question], candidates: Mapping[Key, IndexSpec]
    ) -> Iterator[tuple[int, Trial]]:
        """What to try on which file: columns that are asked for together go together."""
        names = [(name,) for name in dict.fromkeys(name for name, _ in candidates)]
        groups = _together([*(question.names for question in questions), *names])
        ways = [_ways(question.names, candidates) for question in questions]
        own_specs = {
            number: {
                key: own
                for key, spec in candidates.items()
                if (own := _in_file(spec, self.schema, schema)) is not None
            }
            for number, schema in self.job.schemas.items()
        }
        known: dict[tuple[Any, ...], Predicate] = {}
        named = {name for question in questions for name in question.names}
        for number, file in enumerate(self.files):
            asked = []
            for at, question in enumerate(questions):
                key = at, file.partition, file.schema_id
                if key not in known:
                    known[key] = self._in_terms_of(file, question.predicate)
                if may_match(known[key], bounds_of(file, self.job.schemas[file.schema_id])):
                    asked.append(Asked(at, known[key], ways[at]))
            for some in _parts(groups, file.num_rows):
                specs = {
                    key: spec
                    for key, spec in own_specs[file.schema_id].items()
                    if key[0] in some and (key[0] in named or number < _UNASKED)
                }
                of_these = tuple(a for a in asked if questions[a.number].names[0] in some)
                if specs or of_these:
                    yield number, Trial(_light(file), specs, of_these)

    def _in_terms_of(self, file: DataFile, predicate: Predicate) -> Predicate:
        """A predicate as it is asked of a file, with what its partition decides decided."""
        found = folded(predicate, self.schema, file.partition)
        return devolve(found, self.schema, self.job.schemas[file.schema_id])

    def advice(self, found: Findings, where: Predicate | str | None) -> Advice:
        """What the findings come to; how long it took is not known here."""
        verdict = Verdict(found)
        index_options = verdict.index_options()
        options = dict(index_options)
        notes = list(self.notes)
        without = verdict.missing_statistics()
        if without:
            named = ", ".join(without[:_NAMED])
            if len(without) > _NAMED:
                named += f" and {len(without) - _NAMED:,} more"
            notes.append(
                f"{named}: minimum and maximum would exclude files, but the manifests lack "
                f"them. Later writers store them if {_STATISTICS} is 'full' or "
                "'truncate(16)', Java's default"
            )
            if own_mode(self.schema.options) == "none":
                options[_STATISTICS] = "full"
        if where is not None and index_options:
            notes.append(
                "the options apply to the whole table, but only these partitions were measured"
            )
        index_bytes = sum(
            verdict.of_table(key, verdict.sizes.get(key, 0)) for key in verdict.advised
        )
        if verdict.is_left:
            drop = table_command("rewrite-index", "--drop-unlisted", table=self.table.words)
            then = "once the options are saved, " if index_options else ""
            notes.append(
                f"rewrites keep the indexes that the options do not list; {then}`{drop}` drops all "
                "of them"
            )
        if THRESHOLD in index_options:
            notes.append(
                "the indexes are small: stored in the manifests, they need no files of their own"
            )
        needs_work = bool(index_options) or (verdict.advised and verdict.is_missing())
        text = where if where is None or isinstance(where, str) else repr(where)
        location = self.table.location
        return Advice(
            table=location,
            snapshot=int(self.snapshot.id),
            files=self.size.files,
            rows=self.size.rows,
            bytes=self.size.bytes,
            sample=tuple(file.path for file in self.files),
            sample_rows=verdict.rows,
            sample_bytes=verdict.bytes,
            in_part=verdict.rows < sum(file.num_rows for file in self.files),
            is_typical=found.is_typical,
            columns=tuple(verdict.column(name) for name in self.names),
            predicates=tuple(verdict.asked(at) for at in range(len(found.questions))),
            options=options,
            index_bytes=round(index_bytes),
            sql=alter_table(sql_name(location), options) if options else None,
            command=rewrite_command(self.table.words, index_options, text) if needs_work else None,
            notes=tuple(notes),
            seconds=0.0,
        )


def own_mode(options: Mapping[str, str]) -> str:
    """The statistics that writers are told to make; `none` if they are not told."""
    return options.get(_STATISTICS, "none").strip().lower()


def _given(predicates: Iterable[Predicate | str], schema: TableSchema) -> list[Question]:
    """What is asked, with how often."""
    found: dict[str, Question] = {}
    for given in predicates:
        bound = bound_predicate(given, schema.columns)
        names = tested_names(bound)
        sql = repr(bound)
        if not names:
            raise PredicateError(f"{given}: is {sql} for every row, so it tests no column")
        before = found.get(sql)
        weight = 1 if before is None else before.weight + 1
        found[sql] = Question(bound, sql, None, weight, names)
    if not found:
        raise PredicateError("no predicates are given: give at least one")
    return list(found.values())


def _some(questions: Sequence[Question]) -> Iterator[Question]:
    """As many questions as are tried, evenly among all that are asked; a weight then counts how
    often one was hit."""
    ends = list(itertools.accumulate(question.weight for question in questions))
    steps = ((step + 0.5) / _PREDICATES * ends[-1] for step in range(_PREDICATES))
    for at, hits in Counter(bisect_right(ends, step) for step in steps).items():
        yield replace(questions[at], weight=hits)


def _typical(summary: Summary, schema: TableSchema) -> Iterator[Question]:
    for what, predicate in typical(summary):
        sql = repr(predicate)
        # As a user would write it: what is printed can be asked.
        bound = bound_predicate(sql, schema.columns)
        yield Question(bound, sql, what, 1, (summary.name,), counts=what != ABSENT)


def _unfit(name: str, schema: TableSchema) -> str | None:
    """Why a column takes no index at all; None if it can."""
    column, key = schema.columns.split(name)
    data_type = schema.columns[name]
    if column.name in schema.partition_keys:
        return "a partition column: partition pruning already skips its files"
    if data_type.root == "MAP":
        return "a MAP: indexes are built on its keys, if a predicate names them"
    if data_type.fields or data_type.root in ("VARIANT", "BLOB"):
        return f"no index supports {data_type.root}"
    if "," in name or name != name.strip() or (key is None and re.search(r"\[.*\]$", name)):
        return "table options cannot contain its name"
    return None


def _loses_rows(kind: str, data_type: DataType) -> bool:
    """Whether the Java library loses rows by such an index: it cuts nanoseconds off, for one."""
    is_cut = data_type.root.startswith("TIMESTAMP") and (data_type.precision or 0) > _MICROSECONDS
    return is_cut and kind in ("bitmap", "bsi")


def _in_file(spec: IndexSpec, table: TableSchema, file: TableSchema) -> IndexSpec | None:
    """The index in terms of a file's schema; None if it cannot be built there."""
    found = file_options(FileIndexOptions((spec,)), table, file).indexes
    return found[0] if found else None


def values_of_size(size: int, fpp: float) -> int:
    """For about how many values a bloom filter of so many bytes is made: see `filter_size`."""
    return int(8 * size * math.log(2) ** 2 / -math.log(fpp))


def _round_up(count: int) -> int:
    """A round number that is a tenth larger, or more."""
    wanted = max(1, -(-count * 11 // 10))
    digits = max(0, len(str(wanted)) - 2)
    return int(-(-wanted // 10**digits) * 10**digits)


def _together(groups: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """The names in groups, so that names which are in a group are."""
    of: dict[str, list[str]] = {}
    for names in groups:
        joined = list(dict.fromkeys(n for name in names for n in of.get(name, [name])))
        of |= dict.fromkeys(joined, joined)
    return list({id(names): tuple(names) for names in of.values()}.values())


def _parts(groups: Sequence[tuple[str, ...]], rows: int) -> list[tuple[str, ...]]:
    """The groups, small ones together, so that a task has enough to do."""
    parts: list[tuple[str, ...]] = []
    for names in groups:
        if parts and (len(parts[-1]) + len(names)) * rows <= _TASK_VALUES:
            parts[-1] += names
        else:
            parts.append(names)
    return parts


def _ways(names: Sequence[str], candidates: Mapping[Key, IndexSpec]) -> tuple[frozenset[Key], ...]:
    """With which indexes to answer a question: all ways, or no more than two at a time."""
    of_name = [[key for key in candidates if key[0] == name] for name in names]
    count = 1
    for keys in of_name:
        count *= 1 + len(keys)
    if count <= _COMBINATIONS:
        ways = itertools.product(*([None, *keys] for keys in of_name))
        return tuple(frozenset(key for key in way if key is not None) for way in ways)
    keys = [key for own in of_name for key in own]
    pairs = itertools.islice(itertools.combinations(keys, 2), _COMBINATIONS)
    few: list[tuple[Key, ...]] = [(), *((key,) for key in keys), *pairs]
    return tuple(map(frozenset, few))


def _light(file: DataFile) -> DataFile:
    """The file without what workers do not need."""
    return replace(file, statistics=NO_STATISTICS, key_range=((), ()), deletion_vector=None)


def _told(
    engine: Engine,
    function: Callable[[Task], Result],
    tasks: Sequence[tuple[int, Task]],
    what: str,
    progress: Progress | None,
) -> Iterator[tuple[int, Result]]:
    """The numbers that the tasks have, and their results."""
    numbers = {id(task): number for number, task in tasks}
    found = engine.map(function, [task for _, task in tasks])
    for done, (task, result) in enumerate(found, 1):
        if progress is not None:
            progress(what, done, len(tasks))
        yield numbers[id(task)], result
