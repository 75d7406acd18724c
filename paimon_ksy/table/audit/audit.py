"""Audit a table: what its metadata names, its file indexes, deletion vectors and bucket indexes.

The driver reads what names other files, such as snapshots and manifests. The workers of an engine
check the files that are named, and return nothing but what is wrong (see `tasks`). A deep audit
also builds indexes and buckets again from the data and compares them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any

from paimon_ksy.errors import CorruptFileError, OutsideError, PaimonKsyError
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.audit.buckets import PartitionBuckets
from paimon_ksy.table.audit.findings import FindingCollector
from paimon_ksy.table.audit.job import AuditJob, FileSchema
from paimon_ksy.table.audit.latest import FileInBucket, LatestSnapshot, vector_places
from paimon_ksy.table.audit.metadata import REMEDY_SCHEMA, History
from paimon_ksy.table.audit.orphans import orphans
from paimon_ksy.table.audit.references import BrokenReference, FileReference, finding_of
from paimon_ksy.table.audit.repairs import Repairs
from paimon_ksy.table.audit.tasks import AuditTask, CheckTask, seconds_of
from paimon_ksy.table.engine import Engine, spark_engine
from paimon_ksy.table.index.build import IndexResult
from paimon_ksy.table.index.options import (
    file_options,
    listed_columns,
    usable_command,
    usable_options,
)
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.index.summary import RewriteSummary
from paimon_ksy.table.model.files import DataFile, VectorPlace
from paimon_ksy.table.query.buckets import bucket_key
from paimon_ksy.table.query.partition_filter import partition_filter
from paimon_ksy.table.store import Table, TableOrPath, check_committable
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import read_vector

__all__ = [
    "ERROR",
    "NOTE",
    "WARNING",
    "AuditProgress",
    "Finding",
    "Repaired",
    "audit",
    "repair",
    "to_dataframe",
]

_REFERENCES_IN_TASK = 64
_REPAIRED_CHECKS = {"index", "index-options"}


AuditProgress = Callable[[str, int], None]
"""Receives what is done, and how many more of it: `data files`, `other files` that are named, and
in a repair `indexes` that are built again."""


@dataclass(frozen=True)
class Repaired:
    """The findings of a repair, and its work.

    Attributes:
        findings: All findings.
        left: The findings that remain; in a dry run those that would remain.
        summary: The rewrite of the indexes that could be built again, if there were any.
    """

    findings: tuple[Finding, ...]
    left: tuple[Finding, ...]
    summary: RewriteSummary | None


def audit(
    table: TableOrPath,
    where: Predicate | str | None = None,
    *,
    deep: bool = False,
    engine: Engine | None = None,
    spark: Any = None,
    progress: AuditProgress | None = None,
) -> Iterator[Finding]:
    """Yield the problems found in a table: its latest snapshot, and all that refers to files.

    Args:
        table: The table, or its folder.
        where: A predicate on partition columns that selects data files.
        deep: Also compare indexes with the data row by row, and buckets with the keys.
        engine: Where to run; by default Spark.
        spark: The session; by default the active one, or a new local one.
        progress: Receives the number of files that are done.

    Raises:
        PredicateError: The predicate does not fit the table.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    return _Audit(table, where, deep).run(engine or spark_engine(spark), progress)


def repair(
    table: TableOrPath,
    where: Predicate | str | None = None,
    *,
    deep: bool = False,
    dry_run: bool = False,
    engine: Engine | None = None,
    spark: Any = None,
    progress: AuditProgress | None = None,
) -> Repaired:
    """Audit a table, and rebuild file indexes that are corrupt, missing or differ from the options.

    It builds those that the options list, and those that the head of a broken index lists beside
    them. `summary.lost` contains those that cannot be rebuilt. One commit of `rewrite_index`
    contains all of them. Nothing else is changed: rows that a corrupt deletion vector deletes are
    never guessed, and a data file that cannot be read is reported.

    Args:
        table: The table, or its folder.
        where: A predicate on partition columns that selects data files.
        deep: Also compare indexes with the data row by row, and buckets with the keys.
        dry_run: Change nothing, and return what would be done.
        engine: Where to run; by default Spark.
        spark: The session; by default the active one, or a new local one.
        progress: Receives the number of files that are done.

    Raises:
        PaimonKsyError: The same errors as `rewrite_index`.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    check_committable(table)
    engine = engine or spark_engine(spark)
    run = _Audit(table, where, deep)
    findings = tuple(run.run(engine, progress))
    repairs = run.repairs
    summary = None

    def done(file: DataFile, result: IndexResult) -> None:
        if result.refused:
            repairs.refuse(file)
        if progress is not None:
            progress("indexes", 1)

    while repairs.paths and summary is None:
        try:
            summary = rewrite_index(
                table,
                where,
                force=True,
                dry_run=dry_run,
                engine=engine,
                only=lambda file: file.key in repairs.paths,
                progress=done,
            )
        except CorruptFileError as error:
            findings = (*findings, repairs.give_up(error))
    resolved = repairs.resolved
    left = tuple(found for found in findings if found not in resolved)
    return Repaired(findings, left, summary)


def to_dataframe(findings: Iterable[Finding], spark: Any) -> Any:
    """Return findings as a DataFrame of a SparkSession, with the fields of Finding as columns."""
    return spark.createDataFrame(
        [tuple(asdict(finding).values()) for finding in findings],
        "severity STRING, check STRING, file STRING, column STRING, byte BIGINT, "
        "message STRING, remedy STRING",
    )


class _Audit:
    """One audit: it reads the metadata, gives the tasks to an engine, and collects findings."""

    def __init__(self, table: Table, where: Predicate | str | None, deep: bool) -> None:
        self._table, self._deep = table, deep
        self._storage = table.storage
        self._partitions = partition_filter(table.schema, where)
        self._findings = FindingCollector(table.words)
        self._history = History(table, self._findings)
        self.repairs = Repairs()
        # By problem, so that each file has one finding, whatever names it.
        self._broken: defaultdict[tuple[Any, ...], list[BrokenReference]] = defaultdict(list)
        self._broken_vectors: list[tuple[DataFile, Finding]] = []

    def run(self, engine: Engine, progress: AuditProgress | None = None) -> Iterator[Finding]:
        """Yield all findings, each once."""
        self._history.read()
        newest: Any = self._history.snapshots.get(max(self._history.snapshots, default=0))
        job = self._job(None if newest is None else newest.id)
        latest = None if newest is None else self._latest(newest)
        tasks = self._tasks(latest)

        def done(task: AuditTask) -> None:
            if progress is None:
                return
            if isinstance(task, DataFile):
                progress("data files", 1)
            else:
                progress("other files", len(task if isinstance(task, tuple) else task.indexes))

        results = engine.map(
            CheckTask(job), _grouped(tasks), progress=done, seconds=partial(seconds_of, job)
        )
        for task, found in results:
            self._collect(task, found, job.snapshot)
            yield from self._findings.take()
        self._add_broken_references()
        self._add_broken_vectors()
        self._add_missing_schemas()
        is_whole = latest is None or latest.is_whole
        if self._history.without_schema or self._findings.outside_folders or not is_whole:
            self.repairs.clear()  # a rewrite could not plan with such files
        if self._partitions is None:
            self._check_folders()
            self._add_orphans(engine)
        yield from self._findings.take()

    # Before the work --

    @cached_property
    def _options(self) -> FileIndexOptions:
        """The indexes that the table's options ask for."""
        options, wrong = usable_options(self._table.schema)
        path = f"{self._history.folder}/schema/schema-{self._table.schema.id}"
        remedy = "change the table's option: Java cannot write to the table as it is"
        if command := usable_command(self._table.schema, self._table.words):
            remedy += f"; run: {command}"
        for message in dict.fromkeys(wrong):
            self._findings.add_problem("index-options", path, message, remedy, WARNING)
        return options

    def _job(self, snapshot: int | None) -> AuditJob:
        table, latest, options = self._table, self._table.schema, self._options
        latest_names = {field_id: name for name, field_id in latest.ids.items()}
        schemas = {
            number: FileSchema(
                schema=schema,
                options=file_options(options, latest, schema)[0],
                bucket_key=bucket_key(schema, table.options),
                latest_names={
                    name: latest_names[field_id]
                    for name, field_id in schema.ids.items()
                    if field_id in latest_names
                },
            )
            for number, schema in self._history.schemas.items()
        }
        has_fixed_buckets = (
            table.bucket_mode == "HASH_FIXED"
            and table.options.get("bucket-function.type", "default") == "default"
        )
        return AuditJob(
            self._storage,
            schemas,
            snapshot,
            self._deep,
            has_fixed_buckets,
            table=table.words,
            listed=listed_columns(options),
        )

    def _latest(self, snapshot: Any) -> LatestSnapshot:
        return LatestSnapshot(
            self._table,
            snapshot,
            self._history,
            self._findings,
            self.repairs,
            partitions=self._partitions,
            deep=self._deep,
        )

    def _tasks(
        self, latest: LatestSnapshot | None
    ) -> Iterator[FileReference | DataFile | PartitionBuckets]:
        # What takes longest comes first, and the rest is found out meanwhile.
        if latest is not None:
            yield from latest.tasks()
        if self._partitions is None:
            yield from self._history.named()

    # Results --

    def _collect(
        self,
        task: AuditTask,
        found: Sequence[Finding | BrokenReference],
        snapshot: int | None,
    ) -> None:
        """Collect what a task found, unless the snapshot that was checked has expired since."""
        for one in found:
            if isinstance(one, BrokenReference):
                self._broken[one.problem].append(one)
        findings = [one for one in found if isinstance(one, Finding)]
        if findings and not self._history.is_needed(snapshot):
            return
        resolved = []
        for finding in findings:
            if finding.check == "deletion-vector" and isinstance(task, DataFile):
                self._broken_vectors.append((task, finding))
                continue
            finding = self._findings.add(finding)
            if finding.check in _REPAIRED_CHECKS:
                resolved.append(finding)
        is_readable = not any(
            (one.check if isinstance(one, Finding) else one.reference.check) == "data-file"
            for one in found
        )
        if isinstance(task, DataFile) and resolved and is_readable:
            self.repairs.add(task, *resolved)

    def _add_broken_references(self) -> None:
        needed: dict[int | None, bool] = {}
        for broken in self._broken.values():
            for number in {one.reference.snapshot for one in broken} - needed.keys():
                needed[number] = self._history.is_needed(number)
            still = [one for one in broken if needed[one.reference.snapshot]]
            if still:
                self._findings.add(finding_of(still))

    def _add_broken_vectors(self) -> None:
        """Add broken vectors, each with the newest sound one that an older snapshot has."""
        broken: dict[FileInBucket, VectorPlace | None] = {
            (file.partition, file.bucket, file.name): file.deletion_vector
            for file, _ in self._broken_vectors
        }
        older: defaultdict[FileInBucket, dict[VectorPlace, int]] = defaultdict(dict)
        for number in sorted(self._history.snapshots, reverse=True) if broken else ():
            files = self._history.index_files(self._history.snapshots[number], number)
            for key, place in vector_places(self._history, files):
                if key in broken and place != broken[key]:
                    older[key].setdefault(place, number)
        for file, finding in self._broken_vectors:
            text = "no older snapshot has a sound one"
            for place, number in older[file.partition, file.bucket, file.name].items():
                vector = self._read_vector(place)
                if vector is not None and (vector.max or 0) < file.num_rows:
                    text = (
                        f"snapshot {number} has a sound one that deletes {len(vector)} rows, but "
                        "may lack later deletions"
                    )
                    break
            self._findings.add(replace(finding, remedy=f"{finding.remedy}; {text}"))

    def _read_vector(self, place: VectorPlace) -> DeletionVector | None:
        try:
            with self._storage.open(place.path) as source:
                return read_vector(source, place.offset, place.length, place.cardinality)
        except PaimonKsyError:
            return None

    def _add_missing_schemas(self) -> None:
        """Add the schemas that cannot be read though data files use them."""
        for number, names in self._history.without_schema.items():
            files = "data file uses" if len(names) == 1 else "data files use"
            message = f"{len(names)} {files} it, such as {min(names)}, and could not be checked"
            path = f"{self._history.folder}/schema/schema-{number}"
            with suppress(OutsideError):  # of which there is a finding
                if not self._storage.exists(path):
                    message = f"it does not exist; {message}"
            self._findings.add_problem("schema", path, message, REMEDY_SCHEMA)

    def _add_orphans(self, engine: Engine) -> None:
        try:
            found = orphans(self._table, engine=engine, outside=self._findings.add_outside)
        except OutsideError as error:
            self._findings.add_outside(error)
            return
        except PaimonKsyError:
            return  # of what cannot be read there is a finding, and orphans are unknown
        for orphan in found:
            self._findings.add_problem(
                "orphan",
                orphan.path,
                "no snapshot, tag, branch or changelog refers to it",
                "to list the files that can be deleted, run: paimon-ksy table clean-orphans TABLE",
                NOTE,
            )

    def _check_folders(self) -> None:
        """Check that the folders of the metadata, and those of branches, are in the table."""
        location = self._table.location
        places = [f"{location}/manifest", f"{location}/index", f"{location}/statistics"]
        try:
            branches = self._storage.names(f"{location}/branch")
        except OutsideError as error:
            self._findings.add_outside(error)
            branches = []
        folders = ("", "/schema", "/snapshot", "/tag", "/changelog")
        for branch in (f"{location}/branch/{name}" for name in branches):
            places += [f"{branch}{folder}" for folder in folders]
        for place in places:
            if place.rpartition("/")[0] in self._findings.outside_folders:
                continue
            try:
                self._storage.check_folder(place)
            except OutsideError as error:
                self._findings.add_outside(error)


def _grouped(tasks: Iterable[FileReference | DataFile | PartitionBuckets]) -> Iterator[AuditTask]:
    """Yield the tasks, references to files several in one."""
    references: list[FileReference] = []
    for task in tasks:
        if not isinstance(task, FileReference):
            yield task
            continue
        references.append(task)
        if len(references) == _REFERENCES_IN_TASK:
            yield tuple(references)
            references.clear()
    if references:
        yield tuple(references)
