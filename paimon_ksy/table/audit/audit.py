"""Whether a table is sound: what it refers to, its file indexes, vectors and bucket indexes.

What names other files (snapshots, manifests) is read here, as `history` says; the files that are
named are looked at by an engine's workers, as `audit_files` says, and nothing but findings comes
back. With `deep`, indexes and buckets are made up again from the data.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from paimon_ksy.errors import CorruptFileError, OutsideError, PaimonKsyError
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding, corrupt
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.audit.data_files import (
    LACKS,
    REMEDY_DATA,
    REMEDY_INDEX,
    Buckets,
    Checks,
    Hashed,
    Job,
    Named,
    Task,
    Wrong,
    seconds_of,
    told,
)
from paimon_ksy.table.audit.metadata import REMEDY_SCHEMA, History
from paimon_ksy.table.audit.orphans import orphans
from paimon_ksy.table.audit.read_ahead import ReadAhead
from paimon_ksy.table.engine import Engine, is_done_by_caller, spark_engine
from paimon_ksy.table.index.rewrite import (
    NO_STATISTICS,
    Outcome,
    RewriteSummary,
    file_options,
    listed_columns,
    partitions_where,
    rewrite_index,
    usable_command,
    usable_options,
)
from paimon_ksy.table.model.documents import has_record_counts
from paimon_ksy.table.model.files import DataFile, VectorPlace
from paimon_ksy.table.query.buckets import bucket_key
from paimon_ksy.table.store import Table, TableOrPath
from paimon_ksy.table_index.deletion_vector import DeletionVector, read_vector

__all__ = [
    "ERROR",
    "NOTE",
    "WARNING",
    "Finding",
    "Progress",
    "Repaired",
    "audit",
    "repair",
    "to_dataframe",
]

_READ_AHEAD = 64  # small files, at most
_NAMED_AT_ONCE = 64  # files that have to be there, looked at in one task
_REPAIRED = {"index", "index-options"}


Progress = Callable[[str, int], None]
"""Is told of what so many more are done: of `data files`, of `other files` that are named, and in a
repair of `indexes` that are built again."""


@dataclass(frozen=True)
class Repaired:
    """What a repair found, and the rewrite of the indexes that it could build again, if any.

    `left` are the findings that are as they were; in a dry run those that would be.
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
    progress: Progress | None = None,
) -> Iterator[Finding]:
    """Yield the problems found in a table: its latest snapshot, and all that refers to files.

    Args:
        where: A predicate on partition columns that selects data files.
        deep: Also compare indexes with the data row by row, and buckets with the keys.
        engine, spark: Where to run, like `rewrite_index`.
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
    progress: Progress | None = None,
) -> Repaired:
    """Audit a table, and rebuild file indexes that are corrupt, missing or differ from the options.

    It builds those that the options list, and those that the head of a broken index lists beside
    them. `summary.lost` contains those that cannot be rebuilt. One commit of `rewrite_index`
    contains all of them. Nothing else is changed: rows that a corrupt deletion vector deletes are
    never guessed, and a data file that cannot be read is reported.

    Raises:
        The same errors as `rewrite_index`.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    engine = engine or spark_engine(spark)
    run = _Audit(table, where, deep)
    findings = tuple(run.run(engine, progress))
    summary = None

    def done(file: DataFile, outcome: Outcome) -> None:
        if outcome.refused:
            run.refusing.add(file.key)
        if progress is not None:
            progress("indexes", 1)

    while run.repairable and summary is None:
        try:
            summary = rewrite_index(
                table,
                where,
                force=True,
                dry_run=dry_run,
                engine=engine,
                only=lambda file: file.key in run.repairable,
                progress=done,
            )
        except CorruptFileError as error:
            findings = (*findings, run.give_up(error))
    left = tuple(found for found in findings if found not in run.mended)
    return Repaired(findings, left, summary)


def to_dataframe(findings: Iterable[Finding], spark: Any) -> Any:
    """Findings as a DataFrame of a SparkSession, with the fields of Finding as its columns."""
    return spark.createDataFrame(
        [tuple(asdict(finding).values()) for finding in findings],
        "severity STRING, check STRING, file STRING, column STRING, byte BIGINT, "
        "message STRING, remedy STRING",
    )


# One audit --------------------------------------------------------------------------------------


class _Audit:
    """One audit: the findings that are made here, and the tasks for the workers."""

    def __init__(self, table: Table, where: Predicate | str | None, deep: bool) -> None:
        self._table, self._deep = table, deep
        self._storage = table.storage
        self._keep = partitions_where(table.schema, where)
        self._whole = where is None
        self._history = History(table)
        self._told: set[Finding] = set()
        self._is_whole = True  # the latest snapshot: all that it names is known
        self.repairable: dict[tuple[Any, ...], str] = {}
        """Keys and paths of data files whose indexes can be built again."""
        self.refusing: set[tuple[Any, ...]] = set()
        """Keys of those that refuse an index which the options list: they still lack it."""
        self._mends: defaultdict[tuple[Any, ...], set[Finding]] = defaultdict(set)
        self._wrong: defaultdict[tuple[Any, ...], list[Wrong]] = defaultdict(list)

    def run(self, engine: Engine, progress: Progress | None = None) -> Iterator[Finding]:
        """All findings, each once."""
        self._history.read()
        latest: Any = self._history.snapshots.get(max(self._history.snapshots, default=0))
        number = None if latest is None else latest.id
        job = self._job(number)
        tasks: Iterable[Named | DataFile | Buckets] = self._tasks(latest)
        if self._deep and pa.cpu_count() > 1 and is_done_by_caller(engine, 0):
            job = replace(job, ahead=(ahead := ReadAhead()))
            tasks = _read_ahead(tasks, ahead, partial(_is_small, job, engine))

        def done(task: Task) -> None:
            if progress is None:
                return
            if isinstance(task, DataFile):
                progress("data files", 1)
            else:
                progress("other files", len(task if isinstance(task, tuple) else task.indexes))

        made = engine.map(
            Checks(job), _grouped(tasks), progress=done, seconds=partial(seconds_of, job)
        )
        for task, found in made:
            yield from self._new(self._history.drain())
            findings = [one for one in found if isinstance(one, Finding)]
            for one in found:
                if isinstance(one, Wrong):
                    self._wrong[one.file].append(one)
            if findings and not self._history.is_needed(number):
                continue
            if isinstance(task, DataFile):
                self._note_repair(task, found)
                findings = [self._with_older(task, finding) for finding in findings]
            yield from self._new(findings)
        yield from self._new(self._named_wrongly())
        self._add_without_schema()
        if self._whole:
            self._unreferenced()
        yield from self._new(self._history.drain())

    def _named_wrongly(self) -> Iterator[Finding]:
        """Of each file that is not as it is named one finding, whoever names it."""
        needed: dict[int | None, bool] = {}
        for wrong in self._wrong.values():
            for number in {one.named.snapshot for one in wrong} - needed.keys():
                needed[number] = self._history.is_needed(number)
            still = [one for one in wrong if needed[one.named.snapshot]]
            if still:
                yield told(still).on(self._table.words)

    def _new(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        for finding in findings:
            if finding not in self._told:
                self._told.add(finding)
                yield finding

    def _note_repair(self, file: DataFile, found: Sequence[Finding | Wrong]) -> None:
        """Note what can be built again."""
        broken = any(
            (one.check if isinstance(one, Finding) else one.named.check) == "data-file"
            for one in found
        )
        mended = [one for one in found if isinstance(one, Finding) and one.check in _REPAIRED]
        if mended and not broken:
            self._can_repair(file, *mended)

    def _can_repair(self, file: DataFile, *mended: Finding) -> None:
        self.repairable[file.key] = file.path
        self._mends[file.key].update(mended)

    @property
    def mended(self) -> set[Finding]:
        """The findings that building indexes again does away with."""
        return {
            found
            for key in self.repairable
            for found in self._mends[key]
            if not (key in self.refusing and found.message in LACKS)
        }

    def give_up(self, error: CorruptFileError) -> Finding:
        """Repair all but a data file that turned out to be broken itself. Raises what is none."""
        keys = [key for key, path in self.repairable.items() if path == error.path]
        if not keys:
            raise error
        for key in keys:
            del self.repairable[key]
        return corrupt("data-file", error.path or "", error, remedy=REMEDY_DATA)

    @cached_property
    def _wanted(self) -> FileIndexOptions:
        options, wrong = usable_options(self._table.schema)
        path = f"{self._history.folder}/schema/schema-{self._table.schema.id}"
        remedy = "change the table's option: Java cannot write to the table as it is"
        if command := usable_command(self._table.schema, self._table.words):
            remedy += f"; run: {command}"
        for message in dict.fromkeys(wrong):
            self._history.add("index-options", path, message, remedy, WARNING)
        return options

    def _job(self, snapshot: int | None) -> Job:
        table, now, options = self._table, self._table.schema, self._wanted
        schemas = {}
        by_id = {i: name for name, i in now.ids.items()}
        for number, schema in self._history.schemas.items():
            schemas[number] = (
                schema.columns,
                file_options(options, now, schema),
                bucket_key(schema, table.options),
            )
        fixed = (
            table.bucket_mode == "HASH_FIXED"
            and table.options.get("bucket-function.type", "default") == "default"
        )
        names = {
            number: {name: by_id[i] for name, i in schema.ids.items() if i in by_id}
            for number, schema in self._history.schemas.items()
        }
        return Job(
            self._storage,
            schemas,
            snapshot,
            self._deep,
            fixed,
            table=table.words,
            listed=listed_columns(options),
            names=names,
        )

    def _tasks(self, latest: Any | None) -> Iterator[Named | DataFile | Buckets]:
        # What takes longest comes first, and the rest is found out meanwhile.
        if latest is not None:
            yield from self._live(latest)
        if self._whole:
            yield from self._history.named()

    def _live(self, latest: Any) -> Iterator[DataFile | Buckets]:
        vectors = self._vectors(latest)
        manifests = [
            manifest
            for role in ("base", "delta")
            for manifest in self._history.manifest_list(
                getattr(latest, f"{role}_manifest_list"), latest.id
            )
        ]
        unread = self._history.unread
        records = 0
        partial_rows = False
        indexes: dict[str, str] = {}
        buckets: defaultdict[tuple[Any, ...], list[DataFile]] = defaultdict(list)
        dynamic = self._table.bucket_mode == "HASH_DYNAMIC"
        with_files: defaultdict[tuple[Any, ...], set[int]] = defaultdict(set)
        for entry in self._history.live_entries(manifests):
            records += entry.file.row_count
            partial_rows = partial_rows or entry.file.write_cols is not None
            file = self._history.data_file(entry)
            if file is None:
                key = self._table.partition_of(entry), entry.bucket, entry.file.file_name
                vectors.pop(key, None)
                continue
            place = vectors.pop((file.partition, file.bucket, file.name), None)
            if self._keep is not None and not self._keep(file.partition, file.bucket):
                continue
            for path in file.index_files:
                if path in indexes:
                    message = f"both {indexes[path]} and {file.name} have it as their index"
                    double = Finding(ERROR, "index", path, None, None, message, REMEDY_INDEX)
                    double = double.on(self._table.words)
                    self._history.found.append(double)
                    self._can_repair(file, double)
                indexes[path] = file.name
            slim = replace(file, statistics=NO_STATISTICS, key_range=((), ()))
            if dynamic:
                with_files[file.partition].add(file.bucket)
                if self._deep:
                    buckets[file.partition].append(replace(slim, embedded_index=None))
            yield replace(slim, deletion_vector=place)
        if self._table.schema.primary_keys:
            vectors.clear()  # Java's full compactions leave those of files that they replace
        for (partition, _, name), place in vectors.items():
            if self._keep is None or self._keep(partition, 0):
                message = (
                    f"the vector at byte {place.offset} belongs to {name}, which is not a live file"
                )
                remedy = "it deletes no row; the next compaction of its bucket drops it"
                self._history.found.append(
                    Finding(
                        ERROR, "deletion-vector", place.path, None, place.offset, message, remedy
                    )
                )
        self._is_whole = self._history.unread == unread
        complete = self._is_whole and not partial_rows
        counted = complete and has_record_counts(latest)
        if counted and records != latest.total_record_count:
            self._history.add(
                "record-count",
                f"{self._history.folder}/snapshot/snapshot-{latest.id}",
                f"it counts {latest.total_record_count} records, but its data files contain "
                f"{records}",
            )
        if dynamic:
            yield from self._buckets(latest, buckets, with_files)

    def _buckets(
        self,
        latest: Any,
        files: Mapping[tuple[Any, ...], list[DataFile]],
        with_files: Mapping[tuple[Any, ...], set[int]],
    ) -> Iterator[Buckets]:
        hashed: defaultdict[tuple[Any, ...], list[Hashed]] = defaultdict(list)
        for entry in self._history.index_entries(latest, latest.id):
            meta = entry.index_file
            if meta.index_type == "HASH":
                partition = self._table.partition_of(entry)
                if (path := self._history.index_path(entry)) is None:
                    continue
                hashed[partition].append(Hashed(entry.bucket, path, meta.file_size, meta.row_count))
        for partition in {*hashed, *with_files}:
            if self._keep is None or self._keep(partition, 0):
                yield Buckets(
                    tuple(hashed.get(partition, ())),
                    tuple(files.get(partition, ())),
                    frozenset(with_files.get(partition, ())),
                    f"{self._table.location}/manifest/{latest.index_manifest}",
                )

    def _vectors(self, latest: Any) -> dict[tuple[Any, ...], VectorPlace]:
        places: dict[tuple[Any, ...], VectorPlace] = {}
        entries = self._history.index_entries(latest, latest.id)
        for entry in entries:
            meta = entry.index_file
            path = f"{self._table.location}/manifest/{latest.index_manifest}"
            # Java writes a file of its version alone where a compaction leaves no vector.
            hides = meta.row_count or meta.file_size > 1
            if meta.index_type == "DELETION_VECTORS" and not meta.dv_ranges and hides:
                self._history.add("manifest", path, f"it lists no vectors of {meta.file_name}")
            known = meta.index_type in ("DELETION_VECTORS", "HASH")
            if not known and meta.global_index_meta is None:
                message = f"{meta.file_name} has the unknown index type {meta.index_type!r}"
                self._history.add("manifest", path, message)
        for key, place in _vector_places(self._table, self._history, entries):
            if key in places:
                other = places[key]
                message = (
                    f"it is a second vector of {key[2]}; the first is at byte {other.offset} "
                    f"of {other.path}"
                )
                remedy = f"the deleted rows of {key[2]} are unknown; roll back to a "
                self._history.found.append(
                    Finding(
                        ERROR,
                        "deletion-vector",
                        place.path,
                        None,
                        place.offset,
                        message,
                        remedy + "sound snapshot",
                    )
                )
            places[key] = place
        return places

    # After the work --

    def _with_older(self, file: DataFile, found: Finding) -> Finding:
        """A broken vector with what older snapshots still hold for its data file."""
        place = file.deletion_vector
        if found.check != "deletion-vector" or place is None:
            return found
        for number in sorted(self._history.snapshots, reverse=True):
            entries = self._history.index_entries(self._history.snapshots[number], number)
            for key, older in _vector_places(self._table, self._history, entries):
                if key != (file.partition, file.bucket, file.name) or older == place:
                    continue
                vector = self._read_vector(older)
                if vector is not None and (vector.max or 0) < file.num_rows:
                    text = f"snapshot {number} has a sound one that deletes {len(vector)} rows"
                    return replace(
                        found, remedy=f"{found.remedy}; {text}, but may lack later deletions"
                    )
        return replace(found, remedy=f"{found.remedy}; no older snapshot has a sound one")

    def _read_vector(self, place: VectorPlace) -> DeletionVector | None:
        try:
            with self._storage.open(place.path) as source:
                return read_vector(source, place.offset, place.length, place.cardinality)
        except PaimonKsyError:
            return None

    def _add_without_schema(self) -> None:
        """Data files that cannot be looked at. A rewrite could not plan with them either."""
        for number, names in self._history.without_schema.items():
            files = "data file uses" if len(names) == 1 else "data files use"
            message = f"{len(names)} {files} it, such as {min(names)}, and could not be checked"
            path = f"{self._history.folder}/schema/schema-{number}"
            with suppress(OutsideError):  # of which there is a finding
                if not self._storage.exists(path):
                    message = f"it does not exist; {message}"
            self._history.add("schema", path, message, REMEDY_SCHEMA)
        history = self._history
        if history.without_schema or history.elsewhere or not self._is_whole:
            self.repairable.clear()

    def _unreferenced(self) -> None:
        self._look_at_folders()
        try:
            found = orphans(self._table, outside=self._history.outside)
        except OutsideError as error:
            self._history.outside(error)
            return
        except PaimonKsyError:
            return  # what cannot be read is told already, and of it nothing can be said
        for orphan in found:
            self._history.add(
                "orphan",
                orphan.path,
                "no snapshot, tag, branch or changelog refers to it",
                "to list the files that can be deleted, run: paimon-ksy table clean-orphans TABLE",
                NOTE,
            )

    def _look_at_folders(self) -> None:
        """Report the folders of the metadata, and those of branches, that are elsewhere."""
        location = self._table.location
        places = [f"{location}/manifest", f"{location}/index", f"{location}/statistics"]
        try:
            branches = self._storage.names(f"{location}/branch")
        except OutsideError as error:
            self._history.outside(error)
            branches = []
        folders = ("", "/schema", "/snapshot", "/tag", "/changelog")
        for branch in (f"{location}/branch/{name}" for name in branches):
            places += [f"{branch}{folder}" for folder in folders]
        for place in places:
            if place.rpartition("/")[0] in self._history.elsewhere:
                continue
            try:
                self._storage.check_folder(place)
            except OutsideError as error:
                self._history.outside(error)


def _is_small(job: Job, engine: Engine, file: DataFile) -> bool:
    """Whether the thread that takes the results looks at a file, of those that are read ahead."""
    is_near = job.storage.is_local and file.path.startswith("/")
    fits = is_near and file.format == "parquet" and not Path(file.path).is_symlink()
    return fits and is_done_by_caller(engine, seconds_of(job, file))


def _read_ahead(
    tasks: Iterable[Named | DataFile | Buckets],
    ahead: ReadAhead,
    is_small: Callable[[DataFile], bool],
) -> Iterator[Named | DataFile | Buckets]:
    """The tasks. Small files that one thread looks at one after the other are read ahead of it."""
    small: list[DataFile] = []
    for task in tasks:
        file = task if isinstance(task, DataFile) and is_small(task) else None
        alike = small and file is not None and file.schema_id == small[0].schema_id
        if not alike or len(small) == _READ_AHEAD:
            ahead.expect(other.path for other in small)
            yield from small
            small = []
        if file is None:
            yield task
        else:
            small.append(file)
    ahead.expect(other.path for other in small)
    yield from small


def _grouped(tasks: Iterable[Named | DataFile | Buckets]) -> Iterator[Task]:
    """The tasks, some of the files that have to be there in one."""
    named: list[Named] = []
    for task in tasks:
        if not isinstance(task, Named):
            yield task
            continue
        named.append(task)
        if len(named) == _NAMED_AT_ONCE:
            yield tuple(named)
            named.clear()
    if named:
        yield tuple(named)


def _vector_places(
    table: Table, history: History, entries: Iterable[Any]
) -> Iterator[tuple[tuple[Any, ...], VectorPlace]]:
    """Partition, bucket and name of the data file, and where its vector is."""
    for entry in entries:
        if entry.index_file.index_type == "DELETION_VECTORS":
            partition, path = table.partition_of(entry), history.index_path(entry)
            if path is None:
                continue
            for name, meta in (entry.index_file.dv_ranges or {}).items():
                place = VectorPlace(path, meta.offset, meta.length, meta.cardinality)
                yield (partition, entry.bucket, name), place
