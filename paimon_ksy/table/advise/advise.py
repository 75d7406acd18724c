"""Recommend file indexes for a table, measured on a sample of its data files.

The steps, each in a module of its own:

1. choose the data files of the sample (`files`), 2. profile their columns (`profile`), and sum up
each column (`summary`), 3. use the given predicates, or generate typical ones (`questions`),
4. choose the indexes to try (`candidates`), and on which file (`trials`), 5. build them, and
measure what they would skip (`measure`), 6. choose the indexes that are worth their bytes
(`choose`), 7. explain the choice (`reasons`), and list the changes (`changes`).

The workers of an engine read the files, and return only figures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from paimon_ksy.errors import OptionError
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.messages.commands import table_command
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.advise.candidates import candidate_indexes, untried_indexes, why_unfit
from paimon_ksy.table.advise.changes import (
    THRESHOLD,
    are_missing,
    have_others,
    index_options,
    missing_statistics,
)
from paimon_ksy.table.advise.choose import IndexChoice, QuestionTotals, SampleResults
from paimon_ksy.table.advise.files import Sample, sample_files
from paimon_ksy.table.advise.layout import ReadSize
from paimon_ksy.table.advise.measure import FileMeasurement, measure
from paimon_ksy.table.advise.profile import FileProfile, profile
from paimon_ksy.table.advise.questions import Question, given_questions, typical_questions
from paimon_ksy.table.advise.reasons import column_advice, predicate_advice
from paimon_ksy.table.advise.report import Advice, rewrite_command
from paimon_ksy.table.advise.sample import SampleJob
from paimon_ksy.table.advise.summary import ColumnSummary
from paimon_ksy.table.advise.trials import profile_tasks, trials
from paimon_ksy.table.engine import Engine, job_engine
from paimon_ksy.table.index.options import usable_options
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.model.statements import alter_table, sql_name
from paimon_ksy.table.query.prune import MatchingPartitions, partition_filter
from paimon_ksy.table.query.run import time_zone_of
from paimon_ksy.table.store import Table, TableOrPath

_NAMED = 10  # maximum columns that a note names
_STATISTICS = "metadata.stats-mode"

AdviseProgress = Callable[[str, int, int], None]
"""A function that is called with a step's name, the number of finished parts, and the total."""

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


def advise(
    table: TableOrPath,
    *,
    sample: int | None = None,
    predicates: Iterable[Predicate | str] | None = None,
    partitions: Predicate | str | None = None,
    columns: Sequence[str] | None = None,
    engine: Engine | None = None,
    spark: Any = None,
    progress: AdviseProgress | None = None,
) -> Advice:
    """Recommend file indexes for a table, measured on a sample of its data files.

    Nothing is written to the table.

    Args:
        table: The table, or its folder.
        sample: The number of data files to read; by default, 2 to 32 with eight million values.
        predicates: Typical predicates; repeat one to weight it. The default is a generated set
            for each column.
        partitions: A predicate on partition columns that selects files.
        columns: The columns to consider.
        engine: The engine to run on; the default is this machine.
        spark: A SparkSession to run on, instead of `engine`.
        progress: Called with the progress of each step that reads files.

    Raises:
        PredicateError, SchemaError, OptionError: An argument does not fit the table.
        CorruptFileError: A file is malformed.
        PaimonKsyError: Indexes cannot help queries of the table.
    """
    started = time.perf_counter()
    if not isinstance(table, Table):
        table = Table.at(table)
    if sample is not None and sample < 1:
        raise OptionError(f"cannot sample {sample} files: the sample must have at least 1")
    schema = table.schema
    wanted, _ = usable_options(schema)
    given, notes = None, list[str]()
    engine = job_engine(engine, spark, "advise", table.location)
    zone = time_zone_of(table, engine)
    if predicates is not None:
        given, notes = given_questions(predicates, schema, zone)
    names = _names(schema, columns, given or (), wanted)
    unfit = {name: why for name in names if (why := why_unfit(name, schema)) is not None}
    selected = partition_filter(schema, partitions, zone)
    snapshot: Any = table.snapshot()
    sampled = sample_files(table, snapshot, selected, sample, max(1, len(names) - len(unfit)))
    schemas = {file.schema_id: table.schema_at(file.schema_id) for file in sampled.files}
    job = SampleJob(table.storage, schema, schemas, sampled.most_rows)
    results = _measured(job, sampled, names, unfit, wanted, given, engine, progress)
    advice = _advice(table, snapshot, sampled, IndexChoice(results), selected)
    return replace(
        advice,
        notes=(*notes, *sampled.notes, *advice.notes),
        seconds=time.perf_counter() - started,
    )


def _names(
    schema: TableSchema,
    columns: Sequence[str] | None,
    given: Sequence[Question],
    wanted: FileIndexOptions,
) -> tuple[str, ...]:
    """Return the columns to advise on, and keys of maps that predicates or options name."""
    known = schema.columns
    if columns is not None:
        return tuple(dict.fromkeys(known.column(name, ignore_case=True).name for name in columns))
    names = list(known.names)
    for question in given:
        names += question.names
    names += [spec.name for spec in wanted.indexes]
    return tuple(dict.fromkeys(names))


# Measuring --------------------------------------------------------------------------------------


def _measured(
    job: SampleJob,
    sample: Sample,
    names: tuple[str, ...],
    unfit: Mapping[str, str],
    wanted: FileIndexOptions,
    given: Sequence[Question] | None,
    engine: Engine,
    progress: AdviseProgress | None,
) -> SampleResults:
    """Profile the sample, then try indexes on it."""
    schema = job.table
    fit = [name for name in names if name not in unfit]
    profiles = _profiles(job, sample, fit, engine, progress)
    summaries = _summaries(names, schema, profiles)
    questions = given
    if questions is None:
        questions = list(typical_questions(summaries.values(), schema))
    existing = {key for found in profiles for key in found.existing}
    candidates = candidate_indexes(
        schema, wanted, summaries, questions, existing, is_typical=given is None
    )
    totals = [QuestionTotals() for _ in questions]
    measurements: list[list[FileMeasurement]] = [[] for _ in sample.files]
    tasks = list(trials(job, sample.files, questions, candidates))
    for number, measured in _run(engine, partial(measure, job), tasks, "measuring", progress):
        measurements[number].append(measured)
        _add(measured, totals)
    return SampleResults(
        schema=schema,
        size=sample.size,
        files=sample.files,
        names=names,
        unfit=unfit,
        is_typical=given is None,
        wanted=wanted,
        summaries=summaries,
        questions=questions,
        totals=totals,
        candidates=candidates,
        untried=untried_indexes(schema, candidates, profiles),
        profiles=profiles,
        measurements=measurements,
    )


def _profiles(
    job: SampleJob,
    sample: Sample,
    names: Sequence[str],
    engine: Engine,
    progress: AdviseProgress | None,
) -> list[FileProfile]:
    """Return the profile of each file, whose columns several tasks may share."""
    profiles: dict[int, FileProfile] = {}
    tasks = profile_tasks(sample.files, names)
    for number, found in _run(engine, partial(profile, job), tasks, "looking", progress):
        before = profiles.get(number)
        if before is not None:
            found = replace(
                found,
                columns={**before.columns, **found.columns},
                existing={**before.existing, **found.existing},
            )
        profiles[number] = found
    return [profiles[number] for number in range(len(sample.files))]


def _summaries(
    names: Iterable[str], schema: TableSchema, profiles: Sequence[FileProfile]
) -> dict[str, ColumnSummary]:
    """Return the summary of each column that occurs in a file."""
    summaries = {}
    for name in names:
        of_column = [found.columns[name] for found in profiles if name in found.columns]
        if of_column:
            summaries[name] = ColumnSummary.of(name, schema.columns[name], of_column)
    return summaries


def _add(measured: FileMeasurement, totals: Sequence[QuestionTotals]) -> None:
    """Add the answers of a file to the totals of the questions."""
    for answer in measured.answers:
        total = totals[answer.number]
        total.rows += answer.rows
        total.now = total.now.plus(answer.now)
        total.bounds = total.bounds.plus(answer.bounds)
        for used, (alone, with_bounds) in answer.found.items():
            total.found[used] = total.found.get(used, ReadSize()).plus(alone)
            cost = with_bounds.page_bytes + with_bounds.index_bytes
            total.cost[used] = total.cost.get(used, 0) + cost


def _run(
    engine: Engine,
    function: Callable[[_Task], _Result],
    tasks: Sequence[tuple[int, _Task]],
    what: str,
    progress: AdviseProgress | None,
) -> Iterator[tuple[int, _Result]]:
    """Run tasks on an engine, and yield the number of each and its result."""
    numbers = {id(task): number for number, task in tasks}
    found = engine.map(function, [task for _, task in tasks])
    for done, (task, result) in enumerate(found, 1):
        if progress is not None:
            progress(what, done, len(tasks))
        yield numbers[id(task)], result


# Advice -----------------------------------------------------------------------------------------


def _advice(
    table: Table,
    snapshot: Any,
    sample: Sample,
    choice: IndexChoice,
    selected: MatchingPartitions | None,
) -> Advice:
    """Return the advice, without its duration."""
    results = choice.results
    changed = index_options(choice)
    without_statistics = missing_statistics(choice)
    options = dict(changed)
    if without_statistics and _statistics_mode(results.schema.options) == "none":
        options[_STATISTICS] = "full"
    chosen = None if selected is None else repr(selected.predicate)
    needs_work = bool(changed) or (choice.advised and are_missing(choice))
    sizes = (choice.of_table(key, choice.sizes.get(key, 0)) for key in choice.advised)
    return Advice(
        table=table.location,
        snapshot=None if snapshot is None else snapshot.id,
        files=sample.size.files,
        rows=sample.size.rows,
        bytes=sample.size.bytes,
        sample=tuple(file.path for file in sample.files),
        sample_rows=choice.whole.rows,
        sample_bytes=choice.whole.bytes,
        in_part=choice.whole.rows < sum(file.num_rows for file in sample.files),
        is_typical=results.is_typical,
        columns=tuple(column_advice(choice, name) for name in results.names),
        predicates=tuple(predicate_advice(choice, at) for at in range(len(results.questions))),
        options=options,
        index_bytes=round(sum(sizes)),
        sql=alter_table(sql_name(table.location), options) if options else None,
        command=rewrite_command(table.words, changed, chosen) if needs_work else None,
        notes=tuple(
            _notes(table, choice, changed, without_statistics, in_part=selected is not None)
        ),
        seconds=0.0,
    )


def _notes(
    table: Table,
    choice: IndexChoice,
    changed: Mapping[str, str | None],
    without_statistics: Sequence[str],
    *,
    in_part: bool,
) -> Iterator[str]:
    """Yield notes that a reader of the advice needs.

    Args:
        table: The table.
        choice: The indexes that the table should have.
        changed: The index options to change.
        without_statistics: Columns whose minimum and maximum are unknown.
        in_part: Whether only some partitions were measured.
    """
    if without_statistics:
        named = ", ".join(without_statistics[:_NAMED])
        if len(without_statistics) > _NAMED:
            named += f" and {len(without_statistics) - _NAMED:,} more"
        yield (
            f"{named}: minimum and maximum would exclude files, but the manifests lack "
            f"them. Later writers store them if {_STATISTICS} is 'full' or "
            "'truncate(16)', Java's default"
        )
    if in_part and changed:
        yield "the options apply to the whole table, but only these partitions were measured"
    if have_others(choice):
        drop = table_command("rewrite-index", "--drop-unlisted", table=table.words)
        then = "once the options are saved, " if changed else ""
        yield (
            f"rewrites keep the indexes that the options do not list; {then}`{drop}` drops all "
            "of them"
        )
    if THRESHOLD in changed:
        yield "the indexes are small: stored in the manifests, they need no files of their own"


def _statistics_mode(options: Mapping[str, str]) -> str:
    """Return the statistics that writers store; `none` if the options do not set any."""
    return options.get(_STATISTICS, "none").strip().lower()
