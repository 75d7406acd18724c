"""Assign indexes, and the predicates that test them, to the data files of the sample."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from paimon_ksy.file_index.options import IndexSpec
from paimon_ksy.predicates.statistics import may_match, of_one_file
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.advise.candidates import spec_in_file
from paimon_ksy.table.advise.measure import Trial, TrialPredicate
from paimon_ksy.table.advise.profile import ProfileTask
from paimon_ksy.table.advise.questions import Question
from paimon_ksy.table.advise.sample import Key, SampleJob
from paimon_ksy.table.model.evolve import to_file_schema
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.query.prune import bounds_of, folded

_TASK_VALUES = 500_000
_UNASKED = 2  # files for which indexes are built that no predicate tests
_COMBINATIONS = 64


def profile_tasks(files: Sequence[DataFile], names: Sequence[str]) -> list[tuple[int, ProfileTask]]:
    """Return the columns to profile in each file, with the number of the file."""
    groups = [(name,) for name in names]
    return [
        (number, ProfileTask(_light(file), columns, with_indexes=first == 0))
        for number, file in enumerate(files)
        for first, columns in enumerate(_joined_groups(groups, file.num_rows) or [()])
    ]


def trials(
    job: SampleJob,
    files: Sequence[DataFile],
    questions: Sequence[Question],
    candidates: Mapping[Key, IndexSpec],
) -> Iterator[tuple[int, Trial]]:
    """Yield the trials, each with the number of its file.

    Columns that a predicate tests together are tried together.
    """
    columns = [(name,) for name in dict.fromkeys(name for name, _ in candidates)]
    groups = _connected([*(question.names for question in questions), *columns])
    combinations = [_combinations(question.names, candidates) for question in questions]
    own_specs = {
        number: {
            key: own
            for key, spec in candidates.items()
            if (own := spec_in_file(spec, job.table, schema)) is not None
        }
        for number, schema in job.schemas.items()
    }
    known: dict[tuple[Any, ...], Predicate] = {}
    tested = {name for question in questions for name in question.names}
    for number, file in enumerate(files):
        predicates = []
        for at, question in enumerate(questions):
            key = at, file.partition, file.schema_id
            if key not in known:
                known[key] = _in_terms_of(job, file, question.predicate)
            bounds = bounds_of(file, job.schemas[file.schema_id])
            if may_match(known[key], of_one_file(bounds))[0]:
                predicates.append(TrialPredicate(at, known[key], combinations[at]))
        for names in _joined_groups(groups, file.num_rows):
            specs = {
                key: spec
                for key, spec in own_specs[file.schema_id].items()
                if key[0] in names and (key[0] in tested or number < _UNASKED)
            }
            of_these = tuple(p for p in predicates if questions[p.number].names[0] in names)
            if specs or of_these:
                yield number, Trial(_light(file), specs, of_these)


def _in_terms_of(job: SampleJob, file: DataFile, predicate: Predicate) -> Predicate:
    """Return a predicate in terms of a file, with the conditions its partition decides replaced."""
    found = folded(predicate, job.table, file.partition)
    return to_file_schema(found, job.table, job.schemas[file.schema_id])


def _connected(groups: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return disjoint groups of names that keep the names of each given group together."""
    group_of: dict[str, list[str]] = {}
    for names in groups:
        joined = list(dict.fromkeys(n for name in names for n in group_of.get(name, [name])))
        group_of |= dict.fromkeys(joined, joined)
    return list({id(names): tuple(names) for names in group_of.values()}.values())


def _joined_groups(groups: Sequence[tuple[str, ...]], rows: int) -> list[tuple[str, ...]]:
    """Return the groups, with small ones joined, so that each task has enough work."""
    joined: list[tuple[str, ...]] = []
    for names in groups:
        if joined and (len(joined[-1]) + len(names)) * rows <= _TASK_VALUES:
            joined[-1] += names
        else:
            joined.append(names)
    return joined


def _combinations(
    names: Sequence[str], candidates: Mapping[Key, IndexSpec]
) -> tuple[frozenset[Key], ...]:
    """Return the combinations of indexes to try for a question: all, or at most two at a time."""
    of_name = [[key for key in candidates if key[0] == name] for name in names]
    count = 1
    for keys in of_name:
        count *= 1 + len(keys)
    if count <= _COMBINATIONS:
        choices = itertools.product(*([None, *keys] for keys in of_name))
        return tuple(frozenset(key for key in choice if key is not None) for choice in choices)
    keys = [key for own in of_name for key in own]
    pairs = itertools.islice(itertools.combinations(keys, 2), _COMBINATIONS)
    few: list[tuple[Key, ...]] = [(), *((key,) for key in keys), *pairs]
    return tuple(map(frozenset, few))


def _light(file: DataFile) -> DataFile:
    """Return the file without the parts that workers do not need."""
    return replace(file.without_statistics(), deletion_vector=None)
