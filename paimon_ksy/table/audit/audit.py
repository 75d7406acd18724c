"""Audit a table: the files in its metadata, file indexes, deletion vectors and bucket indexes.

The driver reads the files that refer to others, such as snapshots and manifests. The workers of an
engine check the other files, and return only findings (see `tasks`). A deep audit also compares
indexes and buckets with the data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import chain, filterfalse, islice
from typing import Any

import numpy as np

from paimon_ksy.errors import Call, CorruptFileError, OutsideError, PaimonKsyError, Remedy
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.audit.findings import FindingCollector, Repairs
from paimon_ksy.table.audit.job import AuditJob, TaskResult
from paimon_ksy.table.audit.latest import LatestSnapshot
from paimon_ksy.table.audit.manifests import EntryBatch, ManifestPass, ToRead
from paimon_ksy.table.audit.metadata import History
from paimon_ksy.table.audit.orphans import orphans
from paimon_ksy.table.audit.references import FileReference, Referrer, named
from paimon_ksy.table.audit.tasks import (
    AuditTask,
    DataFilesTask,
    IndexManifestTask,
    ReferencesTask,
    results,
)
from paimon_ksy.table.engine import Engine, in_threads, job_engine
from paimon_ksy.table.index.build import IndexResult
from paimon_ksy.table.index.global_indexes import DroppedIndexes, drop_global_indexes
from paimon_ksy.table.index.options import WantedIndexes, usable_command, usable_options
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.index.summary import RewriteSummary
from paimon_ksy.table.manifests.scan import are_many
from paimon_ksy.table.manifests.sidecars import sidecar_findings
from paimon_ksy.table.model.files import DataFile, VectorPlace
from paimon_ksy.table.query.prune import PartitionFilter, partition_filter
from paimon_ksy.table.query.run import time_zone_of
from paimon_ksy.table.store import Table, TableOrPath
from paimon_ksy.table.store.errors import REMEDY_SCHEMA
from paimon_ksy.table.store.java_rules import is_later, java_problems
from paimon_ksy.table.store.options import known_option
from paimon_ksy.types.arrays import Mask, Numbers, taken

_TO_SET = "change or remove the option, or read the table with a later release"
_REFERENCES_IN_TASK = 64
_NEAR, _AFAR, _DEEP = (50, 2048), (1, 64), (2, 16)
"""Minimum and maximum manifest entries in a task: on this machine, on a remote one, and if data
files are read. Fewer take less time than the start of a task, and more take some seconds."""
_DEEP_ROWS = 500_000
"""Minimum rows that a task compares. `audit --deep, 20 files, on Spark` of `make bench-tables`
takes 250 ms; with two of its small files in a task, 490."""
_LEAST_TASKS = 64

_REPAIRED_CHECKS = {"index", "index-options"}


AuditProgress = Callable[[str, int], None]
"""A function that is called with a kind and the number just done: `data files`, `other files`
that metadata names, and in a repair, rebuilt `indexes`."""


@dataclass(frozen=True)
class Repaired:
    """The findings of a repair, and its work.

    Attributes:
        findings: All findings; those that are resolved have another remedy.
        left: The findings that remain; in a dry run, those that would remain.
        summary: The rewrite of the indexes that could be rebuilt; None if there were none.
        dropped: The files of global indexes that were dropped; None if there were none.
    """

    findings: tuple[Finding, ...]
    left: tuple[Finding, ...]
    summary: RewriteSummary | None
    dropped: DroppedIndexes | None


def audit(
    table: TableOrPath,
    partitions: Predicate | str | None = None,
    *,
    deep: bool = False,
    engine: Engine | None = None,
    spark: Any = None,
    progress: AuditProgress | None = None,
) -> Iterator[Finding]:
    """Yield the problems found in a table: in its latest snapshot, and in all of its metadata.

    Args:
        table: The table, or its folder.
        partitions: A predicate on partition columns that selects data files.
        deep: Also compare indexes with the data row by row, and keys with their buckets.
        engine: The engine to run on; the default is this machine.
        spark: A SparkSession to run on, instead of `engine`.
        progress: Called with the kind and number of files that are done.

    Raises:
        PredicateError: The predicate does not fit the table.
    """
    table = Table.of(table)
    engine = job_engine(engine, spark, "audit", table.location)
    selected = partition_filter(table.schema, partitions, time_zone_of(table, engine))
    return _Audit(table, selected, deep).run(engine, progress)


def repair(
    table: TableOrPath,
    partitions: Predicate | str | None = None,
    *,
    deep: bool = False,
    dry_run: bool = False,
    engine: Engine | None = None,
    spark: Any = None,
    progress: AuditProgress | None = None,
) -> Repaired:
    """Audit a table, rebuild wrong file indexes, and drop wrong global indexes.

    Wrong file indexes are corrupt, missing, or differ from the options. It builds the indexes that
    the options list, and those in the head of a corrupt index. Indexes that cannot be rebuilt are
    in `summary.lost`. One commit of `rewrite_index` contains all of them. Another commit drops the
    files of global indexes that are corrupt, stale or dead: other tools build these again, and
    queries need none. Nothing else changes: the rows of a corrupt deletion vector are never
    guessed, and a data file that cannot be read is only reported.

    Args:
        table: The table, or its folder.
        partitions: A predicate on partition columns that selects data files.
        deep: Also compare indexes with the data row by row, and keys with their buckets.
        dry_run: Change nothing, and return what would be done.
        engine: The engine to run on; the default is this machine.
        spark: A SparkSession to run on, instead of `engine`.
        progress: Called with the kind and number of files that are done.

    Raises:
        PaimonKsyError: Like `rewrite_index`.
    """
    table = Table.of(table)
    table.check_options("commit")
    engine = job_engine(engine, spark, "repair", table.location)
    selected = partition_filter(table.schema, partitions, time_zone_of(table, engine))
    run = _Audit(table, selected, deep)
    findings = tuple(run.run(engine, progress))
    repairs = run.repairs
    summary = None

    def done(file: DataFile, result: IndexResult) -> None:
        if result.refused:
            repairs.refusing.add(file.key)
        if progress is not None:
            progress("indexes", 1)

    while repairs.paths and summary is None:
        try:
            summary = rewrite_index(
                table,
                partitions,
                rebuild=True,
                dry_run=dry_run,
                engine=engine,
                only=lambda file: file.key in repairs.paths,
                progress=done,
            )
        except CorruptFileError as error:
            findings = (*findings, repairs.give_up(error))
    left, resolved = findings, repairs.resolved
    if summary is not None:
        now = "the repair resolves it" if dry_run else f"repaired in snapshot {summary.snapshot}"
        findings, left = _resolved(findings, left, resolved, now)
    dropped = None
    if repairs.dropped:
        dropped = drop_global_indexes(table, files=repairs.dropped, dry_run=dry_run)
        now = "the repair drops it" if dry_run else f"dropped in snapshot {dropped.snapshot}"
        gone = set[Finding]().union(*repairs.dropped.values())
        findings, left = _resolved(findings, left, gone, now)
    return Repaired(findings, left, summary, dropped)


def _resolved(
    findings: tuple[Finding, ...], left: tuple[Finding, ...], resolved: Set[Finding], now: str
) -> tuple[tuple[Finding, ...], tuple[Finding, ...]]:
    """Return findings with the remedy `now` of those that are resolved, and those that are left."""
    changed = tuple(replace(f, remedy=now) if f in resolved else f for f in findings)
    return changed, tuple(finding for finding in left if finding not in resolved)


class _Audit:
    """One audit: it reads the metadata, runs tasks on an engine, and collects findings."""

    def __init__(self, table: Table, partitions: PartitionFilter | None, deep: bool) -> None:
        self._table, self._partitions, self._deep = table, partitions, deep
        self._storage = table.storage
        self._findings = FindingCollector(table.words)
        self._history = History(table, self._findings)
        self.repairs = Repairs()
        # By problem, so that each file has one finding, however many references it has.
        self._broken: dict[Finding, Referrer] = {}
        self._drops: dict[Finding, str] = {}  # names of files of global indexes

    def run(self, engine: Engine, progress: AuditProgress | None = None) -> Iterator[Finding]:
        """Yield all findings, each once."""
        self._history.read()
        newest = self._history.newest
        read = self._history.to_read(newest, whole=self._partitions is None)
        latest = None
        if newest is not None:
            sinks = self._history, self._findings, self.repairs
            latest = LatestSnapshot(self._table, newest, *sinks, self._partitions)
        if not self._deep and read.num_entries <= self._files_in_task(read):
            engine = in_threads(engine)  # 4 files take 0.6 s, and 1.1 s with processes
        job = self._job(None if newest is None else newest.id)
        yield from self._check(engine, progress or (lambda *_: None), job, read, latest)
        self._add_broken_references()
        self._add_missing_schemas()
        is_whole = all(self._history.are_readable(view.manifests) for view in read.views[:1])
        lacks = self._history.without_schema or self._history.missing
        if lacks or self._findings.outside_folders or not is_whole:
            self.repairs.clear()  # a rewrite cannot plan with such files
        if self._partitions is None:
            self._check_folders()
            is_large = any(are_many(view.manifests) for view in read.views[:1])
            self._add_orphans(engine if is_large else None)
        yield from self._findings.take()

    def _check(
        self,
        engine: Engine,
        progress: AuditProgress,
        job: AuditJob,
        read: ToRead,
        latest: LatestSnapshot | None,
    ) -> Iterator[Finding]:
        """Check all referenced files, and yield the findings that concern a single file."""
        entries = ManifestPass(self._table, read)

        def check(tasks: Iterable[AuditTask]) -> Iterator[Finding]:
            for result in results(engine, job, tasks):
                if result.num_data_files:
                    progress("data files", result.num_data_files)
                if result.num_others:
                    progress("other files", result.num_others)
                self._collect(result, job.snapshot)
                if latest is not None:
                    latest.add_keyed(result.keyed)
                yield from self._findings.take()

        yield from check(self._tasks(read, entries, latest))
        for name, (error, snapshots) in entries.errors.items():
            self._history.add_unreadable(name, error, snapshots)
        self._history.check_counts(read)
        entries.report(self._history.add_contradiction)
        if latest is not None:
            latest.check(is_whole=self._history.are_readable(read.views[0].manifests))
            indexes = latest.global_index_files(deep=self._deep)
            yield from check(chain(latest.buckets(), latest.unmerged(), indexes))
            path_of, storage = self._table.manifests.path, self._table.storage
            for manifest in read.views[0].manifests:
                for finding in sidecar_findings(manifest, path_of, storage.read):
                    self._findings.add(finding)
        yield from self._findings.take()

    # Before the work --

    @cached_property
    def _options(self) -> FileIndexOptions:
        """The indexes that the table's options list."""
        options, wrong = usable_options(self._table.schema)
        path = f"{self._history.folder}/schema/schema-{self._table.schema.id}"
        remedy = "change the table's option: Java cannot write to the table as it is"
        if command := usable_command(self._table.schema, self._table.words):
            remedy += f"; run: {command}"
        for message in dict.fromkeys(wrong):
            self._findings.add_problem("index-options", path, message, remedy, WARNING)
        schema = self._table.schema
        for message in java_problems(schema, schema.options):
            text = f"Java 1.4 cannot open the table: {message}"
            severity = NOTE if is_later(schema, schema.options, message) else WARNING
            self._findings.add_problem("options", path, text, _TO_SET, severity)
        for name in filterfalse(known_option, sorted(self._table.options)):
            message = f"no version of Paimon is known to have the option {name!r}"
            remedy = "if a later version has it, other readers may read other rows"
            self._findings.add_problem("options", path, message, remedy, NOTE)
        return options

    def _job(self, snapshot: int | None) -> AuditJob:
        table = self._table
        wanted = WantedIndexes(table.schema, self._options)
        schemas = {number: wanted.at(schema) for number, schema in self._history.schemas.items()}
        return AuditJob(table, schemas, snapshot, self._deep)

    def _tasks(
        self, read: ToRead, entries: ManifestPass, latest: LatestSnapshot | None
    ) -> Iterator[AuditTask]:
        # The longest tasks come first, while the others are prepared.
        most = self._files_in_task(read)
        for batch in entries.batches():
            yield from self._file_tasks(batch, entries, latest, most)
        for snapshot, named_by in read.index_manifests.values():
            yield IndexManifestTask(snapshot, named_by)
        folder = f"{self._table.location}/manifest"
        references = (
            FileReference(f"{folder}/{name}", size, "manifest", named_by)
            for (name, size), named_by in read.named.items()
        )
        while some := tuple(islice(references, _REFERENCES_IN_TASK)):
            yield ReferencesTask(some)

    def _file_tasks(
        self, batch: EntryBatch, entries: ManifestPass, latest: LatestSnapshot | None, most: int
    ) -> Iterator[DataFilesTask]:
        """Yield tasks with the files that some entries name."""
        is_needed = self._history.add_entries(batch) & (batch.named_by > 0)
        if self._partitions is not None:
            is_needed &= self._selected(batch.numbered.numbers)
        vectors: dict[int, VectorPlace] = {}
        if latest is not None:
            is_live = entries.are_live(batch)
            places = latest.add(batch.numbered.some(is_live))
            positions = np.flatnonzero(is_live).tolist()
            vectors = {positions[number]: place for number, place in places.items()}
        at = np.flatnonzero(is_needed)
        for start in range(0, len(at), most):
            some = at[start : start + most]
            yield DataFilesTask(
                taken(batch.numbered.entries, some),
                tuple(entries.referrers[number] for number in batch.named_by[some].tolist()),
                {n: vectors[p] for n, p in enumerate(some.tolist()) if p in vectors},
            )

    def _selected(self, numbers: Numbers) -> Mask:
        """Return which partitions, given by their numbers, are selected."""
        assert self._partitions is not None
        values = self._table.manifests.partitions.values
        distinct, at = np.unique(numbers, return_inverse=True)
        are_selected = [self._partitions(values[number], 0) for number in distinct.tolist()]
        selected: Mask = np.array(are_selected, np.bool_)[at]
        return selected

    def _files_in_task(self, read: ToRead) -> int:
        """Return the maximum number of data files in a task."""
        least, most = _DEEP if self._deep else _NEAR if self._storage.is_local else _AFAR
        if self._deep and (newest := self._history.newest) is not None:
            rows = newest.total_record_count
            least = max(least, min(most, _DEEP_ROWS * read.num_entries // max(1, rows)))
        return max(least, min(most, read.num_entries // _LEAST_TASKS))

    # Results --

    def _collect(self, result: TaskResult, latest: int | None) -> None:
        """Collect findings, unless the snapshot has expired since it was checked."""
        if result.error is not None:
            self._history.add_unreadable(*result.error)
        for name, error in result.problems:
            self._history.add_unnamed(name, error)
        for finding, named_by in result.broken:
            self._broken[finding] = max(
                named_by, self._broken.get(finding, named_by), key=lambda one: one.rank
            )
        self._drops |= result.drops
        if (result.findings or result.files) and self._history.is_needed(latest):
            for finding in result.findings:
                self._add_droppable(finding, finding)
            for checked in result.files:
                self._collect_of(*checked)

    def _add_droppable(self, problem: Finding, finding: Finding) -> None:
        """Add a finding about a problem, which a repair may resolve by dropping the file."""
        added = self._findings.add(finding)
        if problem in self._drops:
            self.repairs.dropped[self._drops[problem]].add(added)

    def _collect_of(self, file: DataFile, findings: Sequence[Finding], is_readable: bool) -> None:
        """Collect the findings about a data file of the latest snapshot."""
        added = [*map(self._findings.add, findings)]
        resolved = [finding for finding in added if finding.check in _REPAIRED_CHECKS]
        if resolved and is_readable:
            self.repairs.add(file, *resolved)

    def _add_broken_references(self) -> None:
        is_needed = cache(self._history.is_needed)
        broken = {one.file for one in self._broken if one.severity == ERROR}
        for finding, named_by in self._broken.items():
            has_error = finding.severity != ERROR and finding.file in broken
            if is_needed(named_by.snapshot) and not has_error:
                self._add_droppable(finding, named(finding, named_by))

    def _add_missing_schemas(self) -> None:
        """Add findings about schemas that data files use, but that cannot be read."""
        for number, least in self._history.without_schema.items():
            message = f"data files that use it, such as {least}, could not be checked"
            path = f"{self._history.folder}/schema/schema-{number}"
            with suppress(OutsideError):  # another finding reports it
                if not self._storage.exists(path):
                    message = f"it does not exist; {message}"
            self._findings.add_problem("schema", path, message, REMEDY_SCHEMA)

    def _add_orphans(self, engine: Engine | None) -> None:
        try:
            orphaned = orphans(self._table, engine=engine)
        except OutsideError as error:
            self._findings.add_problem("path", "", error)
            return
        except PaimonKsyError:
            return  # other findings report what cannot be read, and orphans are unknown
        for orphan in orphaned:
            self._findings.add_problem(
                "orphan",
                orphan.path,
                "no snapshot, tag, branch or changelog refers to it",
                Remedy("to list the files that can be deleted, run ", Call("table clean-orphans")),
                NOTE,
            )

    def _check_folders(self) -> None:
        """Check that the folders in the table, and those of its branches, are inside the table."""
        location = self._table.location
        places: list[str] = []
        try:
            inside = self._storage.items(location)
            places += [f"{location}/{item.name}" for item in inside if item.is_folder]
            for branch in self._table.branches():
                kinds = ("schema", "snapshot", "tag", "changelog")
                places += [f"{branch.metadata_path}/{kind}" for kind in kinds]
        except PaimonKsyError as error:
            self._findings.add_problem("branch", error.path or f"{location}/branch", error)
        for place in places:
            try:
                self._storage.roots.check_folder(place)
            except OutsideError as error:
                self._findings.add_problem("path", "", error)
