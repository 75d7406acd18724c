"""Recommend file indexes for a table, measured on a sample of its data files.

The steps, each in a module of its own:

1. choose the data files of the sample (`sample`), 2. profile their columns (`profile`), 3. use the
given predicates, or generate typical ones (`questions`), 4. build indexes, and measure what they
would skip (`measure`, `layout`), 5. choose those that are worth their bytes (`choose`), 6. explain
the choice (`verdicts`), and list the changes (`changes`).

The workers of an engine read the files, and return only figures.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypedDict, TypeVar, Unpack

from paimon_ksy.errors import OptionError
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.advise.changes import (
    index_options,
    indexes_are_missing,
    notes,
    rewrite_command,
)
from paimon_ksy.table.advise.choose import Choice, candidate_indexes, why_unfit
from paimon_ksy.table.advise.measure import Trials, measure
from paimon_ksy.table.advise.profile import ColumnProfile, profile
from paimon_ksy.table.advise.questions import Question, given_questions, typical_questions
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.advise.sample import Sample, SampleJob, sample_files, sample_tasks
from paimon_ksy.table.advise.verdicts import column_advice, predicate_advice
from paimon_ksy.table.engine import Engine, job_engine
from paimon_ksy.table.index.options import usable_options
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.prune import partition_filter
from paimon_ksy.table.query.run import time_zone_of
from paimon_ksy.table.store import Table, TableOrPath

AdviseProgress = Callable[[str, int, int], None]
"""A function that is called with a step's name, the number of finished parts, and the total."""

_Task = TypeVar("_Task")
_Result = TypeVar("_Result")


class AdviseArguments(TypedDict, total=False):
    """Keyword arguments of advice.

    Attributes:
        sample: The number of data files to read; by default, 2 to 32 with eight million values.
        predicates: Typical predicates; repeat one to weight it. The default is a generated set
            for each column.
        partitions: A predicate on partition columns that selects files.
        columns: The columns to consider.
    """

    sample: int | None
    predicates: Iterable[Predicate | str] | None
    partitions: Predicate | str | None
    columns: Sequence[str] | None


def advise(
    table: TableOrPath,
    *,
    engine: Engine | None = None,
    spark: Any = None,
    progress: AdviseProgress | None = None,
    **asked: Unpack[AdviseArguments],
) -> Advice:
    """Recommend file indexes for a table, measured on a sample of its data files.

    Nothing is written to the table.

    Args:
        table: The table, or its folder.
        engine: The engine to run on; the default is this machine.
        spark: A SparkSession to run on, instead of `engine`.
        progress: Called with the progress of each step that reads files.
        asked: The columns and predicates to advise on, and the files to look at (see
            `AdviseArguments`).

    Raises:
        PredicateError, SchemaError, OptionError: An argument does not fit the table.
        CorruptFileError: A file is malformed.
        PaimonKsyError: Indexes cannot help queries of the table.
    """
    started = time.perf_counter()
    table = Table.of(table)
    sample, predicates = asked.get("sample"), asked.get("predicates")
    if sample is not None and sample < 1:
        raise OptionError(f"cannot sample {sample} files: the sample must have at least 1")
    schema = table.schema
    options, _ = usable_options(schema)
    given, given_notes = None, list[str]()
    engine = job_engine(engine, spark, "advise", table.location)
    zone = time_zone_of(table, engine)
    if predicates is not None:
        given, given_notes = given_questions(predicates, schema, zone)
    names = _names(schema, asked.get("columns"), given or (), options)
    snapshot: Any = table.snapshot()
    unfit = {name: why for name in names if (why := why_unfit(name, schema)) is not None}
    selected = partition_filter(schema, asked.get("partitions"), zone)
    files = sample_files(table, snapshot, selected, sample, max(1, len(names) - len(unfit)))
    run = partial(_run, engine, progress)
    choice = _measured(table, files, names, unfit, options, given, run)
    files = choice.sample
    changed = index_options(choice)
    command = None
    if changed or indexes_are_missing(choice):
        chosen = None if selected is None else repr(selected.predicate)
        command = rewrite_command(table.words, changed, chosen)
    more = notes(choice, changed, table.words, in_part=selected is not None)
    return Advice(
        table=table.location,
        snapshot=None if snapshot is None else snapshot.id,
        files=files.size.files,
        rows=files.size.rows,
        bytes=files.size.bytes,
        sample=tuple(file.path for file in files.all_files),
        sample_rows=choice.whole.rows,
        sample_bytes=choice.whole.bytes,
        in_part=choice.whole.rows < sum(file.num_rows for file in files.files),
        is_typical=choice.is_typical,
        columns=tuple(column_advice(choice, name) for name in names),
        predicates=tuple(predicate_advice(choice, at) for at in range(len(choice.questions))),
        options=changed,
        index_bytes=round(choice.of_table(sum(choice.sizes[key] for key in choice.advised))),
        command=command,
        notes=(*given_notes, *files.notes, *more),
        seconds=time.perf_counter() - started,
    )


def _names(
    schema: TableSchema,
    columns: Sequence[str] | None,
    given: Sequence[Question],
    options: FileIndexOptions,
) -> tuple[str, ...]:
    """Return the columns to advise on, and keys of maps that predicates or options name."""
    known = schema.columns
    if columns is not None:
        return tuple(dict.fromkeys(known.column(name, ignore_case=True).name for name in columns))
    names = list(known.names)
    for question in given:
        names += question.names
    names += [spec.name for spec in options.indexes]
    return tuple(dict.fromkeys(names))


def _measured(
    table: Table,
    sample: Sample,
    names: tuple[str, ...],
    unfit: Mapping[str, str],
    options: FileIndexOptions,
    given: Sequence[Question] | None,
    run: Callable[..., Iterator[Any]],
) -> Choice:
    """Profile the sample, then try indexes on it, each by `run` (see `_run`)."""
    schema = table.schema
    schemas = {file.schema_id: table.schema_at(file.schema_id) for file in sample.all_files}
    job = SampleJob(table.storage, schema, schemas, sample.most_rows)
    tasks = sample_tasks(sample, [(name,) for name in names if name not in unfit])
    profiles = list(run("looking", partial(profile, job), tasks))
    unread = {each.number: each.error for each in profiles if each.error is not None}
    sample = sample.without(unread)
    profiles = [each for each in profiles if each.number not in unread]
    of_names = {name: [p.columns[name] for p in profiles if name in p.columns] for name in names}
    columns = {name: ColumnProfile.sum(found) for name, found in of_names.items() if found}
    questions = list(typical_questions(columns, schema)) if given is None else given
    existing = {key for one in profiles for key in one.existing}
    candidates = candidate_indexes(schema, options, columns, questions, existing)
    # Columns that a predicate tests are tried together.
    groups = [*(question.names for question in questions), *((name,) for name, _ in candidates)]
    tasks = sample_tasks(sample, groups)
    trials = partial(measure, job, Trials(candidates, questions))
    measurements = list(run("measuring", trials, tasks))
    return Choice(
        schema=schema,
        sample=sample,
        names=names,
        unfit=unfit,
        is_typical=given is None,
        options=options,
        columns=columns,
        questions=questions,
        candidates=candidates,
        profiles=profiles,
        measurements=measurements,
    )


def _run(
    engine: Engine,
    progress: AdviseProgress | None,
    step: str,
    function: Callable[[_Task], _Result],
    tasks: Sequence[_Task],
) -> Iterator[_Result]:
    """Run tasks on an engine, and yield their results."""
    for done, (_, result) in enumerate(engine.map(function, tasks), 1):
        if progress is not None:
            progress(step, done, len(tasks))
        yield result
