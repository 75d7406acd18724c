"""Whether a table is sound: what it refers to, its file indexes, vectors and bucket indexes.

What names other files (snapshots, manifests) is read here; the files that are named are looked at
by an engine's workers, as `audit_files` says, and nothing but findings comes back. With `deep`,
indexes and buckets are made up again from the data.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any

import pyarrow as pa

from paimon_ksy.deletion_vector import DeletionVector, read_vector
from paimon_ksy.errors import AccessError, CorruptFileError, PaimonKsyError
from paimon_ksy.options import FileIndexOptions
from paimon_ksy.predicate import Predicate
from paimon_ksy.table.audit_files import (
    ERROR,
    NOTE,
    REMEDY_ACCESS,
    REMEDY_DATA,
    REMEDY_INDEX,
    REMEDY_MANIFEST,
    REMEDY_OWN,
    WARNING,
    Buckets,
    Checks,
    Finding,
    Hashed,
    Job,
    Named,
    Task,
    Wrong,
    asked_of,
    corrupt,
    seconds_of,
    told,
)
from paimon_ksy.table.buckets import bucket_key
from paimon_ksy.table.engine import Engine, is_done_by_caller, spark_engine
from paimon_ksy.table.orphans import orphans
from paimon_ksy.table.read_ahead import ReadAhead
from paimon_ksy.table.rewrite import (
    NO_STATISTICS,
    RewriteSummary,
    file_options,
    partitions_where,
    rewrite_index,
    usable_options,
)
from paimon_ksy.table.store import DataFile, Table, TableOrPath, TableSchema, VectorPlace

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

OLD_INDEX = "queries of that snapshot may fail; the latest one does not need it"
_KEPT_ENTRIES = 10_000
_READ_AHEAD = 64  # small files, at most
_NAMED_AT_ONCE = 64  # files that have to be there, looked at in one task
_REMEDY_SCHEMA = "restore the file from a backup: data files of that schema cannot be read"
_REMEDY_OPTIONS = "change the table's option: Java cannot write to the table as it is"
_ID_DIGITS = 20  # more than a snapshot's number has
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
    """What is not as it should be in a table, in its latest snapshot and what others refer to.

    `where` is a predicate on partition columns: of which data files. `deep` compares indexes with
    the data, row by row, and buckets with the keys. `engine` and `spark` are as `rewrite_index`
    takes them, `progress` is told what is done. Findings come as they are made. Raises
    PredicateError.
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
    """`audit`, and build again the file indexes that are broken, missing or not as the options ask.

    Those that the options ask for are built. If they ask for none, what is broken gets the indexes
    again that its head names, or none if that cannot be read; what is sound stays as it is. All in
    one commit, as `rewrite_index` does, of data files that are there themselves. Nothing
    else is changed: rows that a broken deletion vector deletes are never guessed, and a data file
    that cannot be read is told. Raises what `rewrite_index` does.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    engine = engine or spark_engine(spark)
    run = _Audit(table, where, deep)
    findings = tuple(run.run(engine, progress))
    summary = None
    while run.repairable and summary is None:
        try:
            summary = rewrite_index(
                table,
                where,
                force=True,
                dry_run=dry_run,
                engine=engine,
                only=lambda file: file.key in run.repairable,
                keep_unasked=True,
                progress=None if progress is None else lambda *_: progress("indexes", 1),
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


# What names files -------------------------------------------------------------------------------


class _Audit:
    """One audit: the findings that are made here, and the tasks for the workers."""

    def __init__(self, table: Table, where: Predicate | str | None, deep: bool) -> None:
        self._table, self._deep = table, deep
        self._storage = table.storage
        self._keep = partitions_where(table.schema, where)
        self._whole = where is None
        self._found: list[Finding] = []
        self._told: set[Finding] = set()
        self._folder = table.metadata_path
        self._snapshots: dict[int, Any] = {}
        self._schemas: dict[int, TableSchema] = {}
        self._without_schema: defaultdict[int, set[str]] = defaultdict(set)
        self._unread = 0  # manifests: what they hold cannot be counted
        self._is_whole = True  # the latest snapshot: all that it names is known
        self._read: dict[str, list[Any]] = {}  # manifests that others may have, too
        self._num_read = 0  # entries in them
        self.repairable: dict[tuple[Any, ...], str] = {}
        """Keys and paths of data files whose indexes can be built again."""
        self._mends: defaultdict[tuple[Any, ...], set[Finding]] = defaultdict(set)
        self._wrong: defaultdict[tuple[Any, ...], list[Wrong]] = defaultdict(list)

    def run(self, engine: Engine, progress: Progress | None = None) -> Iterator[Finding]:
        """All findings, each once."""
        self._history()
        latest: Any = self._snapshots.get(max(self._snapshots, default=0))
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
            yield from self._new(self._drain())
            findings = [one for one in found if isinstance(one, Finding)]
            for one in found:
                if isinstance(one, Wrong):
                    self._wrong[one.file].append(one)
            if findings and not self._is_needed(number):
                continue
            if isinstance(task, DataFile):
                self._note_repair(task, found, bool(asked_of(job, task)[1].indexes))
                findings = [self._with_older(task, finding) for finding in findings]
            yield from self._new(findings)
        yield from self._new(self._named_wrongly())
        self._add_without_schema()
        if self._whole:
            self._unreferenced()
        yield from self._new(self._drain())

    def _named_wrongly(self) -> Iterator[Finding]:
        """Of each file that is not as it is named one finding, whoever names it."""
        needed: dict[int | None, bool] = {}
        for wrong in self._wrong.values():
            for number in {one.named.snapshot for one in wrong} - needed.keys():
                needed[number] = self._is_needed(number)
            still = [one for one in wrong if needed[one.named.snapshot]]
            if still:
                yield told(still)

    def _drain(self) -> list[Finding]:
        found, self._found = self._found, []
        return found

    def _new(self, findings: Iterable[Finding]) -> Iterator[Finding]:
        for finding in findings:
            if finding not in self._told:
                self._told.add(finding)
                yield finding

    def _add(
        self,
        check: str,
        path: str,
        what: str | PaimonKsyError,
        remedy: str = REMEDY_MANIFEST,
        severity: str = ERROR,
    ) -> None:
        if isinstance(what, AccessError):
            remedy = REMEDY_ACCESS
        text = str(what).removeprefix(f"{path}: ")
        self._found.append(Finding(severity, check, path, None, None, text, remedy))

    def _is_needed(self, snapshot: int | None) -> bool:
        """Whether the snapshot that names a file has not expired since."""
        if snapshot is None:
            return True
        return self._storage.exists(f"{self._folder}/snapshot/snapshot-{snapshot}")

    def _note_repair(self, file: DataFile, found: Sequence[Finding | Wrong], asked: bool) -> None:
        """Note what can be built again: if the options ask for no index, only what is broken."""
        broken = any(
            (one.check if isinstance(one, Finding) else one.named.check) == "data-file"
            for one in found
        )
        mended = [
            one
            for one in found
            if isinstance(one, Finding)
            and one.check in _REPAIRED
            and (asked or one.severity == ERROR)
        ]
        if mended and not broken:
            self._can_repair(file, *mended)

    def _can_repair(self, file: DataFile, *mended: Finding) -> None:
        self.repairable[file.key] = file.path
        self._mends[file.key].update(mended)

    @property
    def mended(self) -> set[Finding]:
        """The findings that building indexes again does away with."""
        return {found for key in self.repairable for found in self._mends[key]}

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
        path = f"{self._folder}/schema/schema-{self._table.schema.id}"
        for message in dict.fromkeys(wrong):
            self._add("index-options", path, message, _REMEDY_OPTIONS, WARNING)
        return options

    def _job(self, snapshot: int | None) -> Job:
        table, now, options = self._table, self._table.schema, self._wanted
        schemas = {}
        for number, schema in self._schemas.items():
            schemas[number] = (
                schema.columns,
                file_options(options, now, schema),
                bucket_key(schema, table.options),
            )
        fixed = (
            table.bucket_mode == "HASH_FIXED"
            and table.options.get("bucket-function.type", "default") == "default"
        )
        return Job(self._storage, schemas, snapshot, self._deep, fixed)

    # Snapshots, schemas, hints --

    def _history(self) -> None:
        schemas = self._ids("schema", "schema-")
        for number in schemas:
            path = f"{self._folder}/schema/schema-{number}"
            try:
                found = TableSchema.parse(self._storage.read(path))
                for name in (*found.partition_keys, *found.primary_keys):
                    found.columns.column(name)
                self._schemas[number] = self._table.schema_at(number)
            except PaimonKsyError as error:
                self._add("schema", path, error, _REMEDY_SCHEMA)
            else:
                if found.id != number:
                    self._add("schema", path, f"it is schema {found.id}, its name says {number}")
        ids = self._ids("snapshot", "snapshot-")
        for number in range(ids[0], ids[-1] + 1) if ids else ():
            path = f"{self._folder}/snapshot/snapshot-{number}"
            try:
                snapshot: Any = self._table.snapshot(number)
            except PaimonKsyError as error:
                missing = number not in ids
                gap = "it is not there, and later and earlier ones are"
                self._add("snapshot", path, gap if missing else error)
                continue
            self._snapshots[number] = snapshot
            if snapshot.id != number:
                self._add("snapshot", path, f"it is snapshot {snapshot.id}")
            if snapshot.schema_id not in schemas:
                self._add("schema", path, f"its schema {snapshot.schema_id} is not there")
            before = self._snapshots.get(number - 1)
            if before is not None:
                due = before.total_record_count + snapshot.delta_record_count
                if snapshot.total_record_count != due:
                    self._add(
                        "record-count",
                        path,
                        f"it has {snapshot.total_record_count} records, and {due} are due: "
                        f"{before.total_record_count} before and a change of "
                        f"{snapshot.delta_record_count}",
                    )
        self._hints(ids)

    def _hints(self, ids: list[int]) -> None:
        for name in ("EARLIEST", "LATEST"):
            path = f"{self._folder}/snapshot/{name}"
            if not self._storage.exists(path):
                continue
            try:
                text = self._storage.read(path).decode("ascii", "replace").strip()
            except PaimonKsyError as error:
                self._add("hint", path, error, "delete it: it is only a hint", WARNING)
                continue
            number = int(text) if text.isdecimal() and len(text) < _ID_DIGITS else None
            # One that was committed after `ids` were listed is there by now.
            if number not in ids and (
                number is None
                or not self._storage.exists(f"{self._folder}/snapshot/snapshot-{number}")
            ):
                there = f"{ids[0]} to {ids[-1]}" if ids else "none"
                if name == "LATEST" and number is not None and number > max(ids, default=0):
                    # Who takes snapshots back writes the hint first.
                    self._add(
                        "snapshot",
                        f"{self._folder}/snapshot/snapshot-{number}",
                        f"it is not there, and the hint LATEST names it; snapshots are {there}: "
                        "what was committed later is lost",
                        "restore the file from a backup; or delete the hint, if nothing is missed",
                    )
                    continue
                message = f"it says {text[:20]!r}, and snapshots are {there}"
                self._add("hint", path, message, "delete it: it is only a hint", WARNING)

    def _ids(self, folder: str, prefix: str) -> list[int]:
        names = self._storage.names(f"{self._folder}/{folder}")
        numbers = [name.removeprefix(prefix) for name in names if name.startswith(prefix)]
        return sorted(int(number) for number in numbers if number.isdecimal())

    # Files --

    def _tasks(self, latest: Any | None) -> Iterator[Named | DataFile | Buckets]:
        # What takes longest comes first, and the rest is found out meanwhile.
        if latest is not None:
            yield from self._live(latest)
        if self._whole:
            for number in sorted(self._snapshots):
                yield from self._history_files(
                    self._snapshots[number], number, f"snapshot {number}"
                )
            yield from self._tags()
            yield from self._changelogs()

    def _history_files(
        self, snapshot: Any, number: int | None, of: str, *, whole: bool = False
    ) -> Iterator[Named]:
        """The manifests of a snapshot, and the data files that the next one does not have.

        What the delta of a snapshot deletes was live in the one before. Tags have none after them:
        `whole`.
        """
        path = f"{self._table.location}/manifest"
        sizes = {
            "base": snapshot.base_manifest_list_size,
            "delta": snapshot.delta_manifest_list_size,
            "changelog": snapshot.changelog_manifest_list_size,
        }
        manifests: dict[str, list[Any]] = {}
        for role, size in sizes.items():
            name = getattr(snapshot, f"{role}_manifest_list")
            if not name or (whole and role == "changelog"):  # which Java keeps for no tag
                continue
            yield Named(f"{path}/{name}", size, "manifest", of, snapshot=number)
            manifests[role] = self._manifest_list(name, number)
            for manifest in manifests[role]:
                yield Named(
                    f"{path}/{manifest.file_name}",
                    manifest.file_size,
                    "manifest",
                    f"manifest list {name}",
                    snapshot=number,
                )
        for entry in self._entries_of(manifests.get("changelog", ())):
            yield from self._named(entry, of, number)
        delta = manifests.get("delta", [])
        if whole:
            live = self._table.live_entries([*manifests.get("base", ()), *delta], self._entries)
            for entry in live:
                yield from self._named(entry, of, number)
        elif number is not None:
            change, unread = 0, self._unread
            counted = True
            for entry in self._entries_of(delta):
                change += -entry.file.row_count if entry.kind else entry.file.row_count
                counted = counted and entry.file.write_cols is None
                if entry.kind and number - 1 in self._snapshots:
                    yield from self._named(entry, f"snapshot {number - 1}", number - 1)
            counted = counted and self._unread == unread
            if counted and change != snapshot.delta_record_count:
                self._add(
                    "record-count",
                    f"{self._folder}/snapshot/snapshot-{number}",
                    f"it changes the records by {snapshot.delta_record_count}, and its manifests "
                    f"by {change}",
                )
        if snapshot.index_manifest:
            yield Named(f"{path}/{snapshot.index_manifest}", None, "manifest", of, snapshot=number)
            for entry in self._index_entries(snapshot, number):
                yield Named(
                    self._table.index_file_path(entry),
                    entry.index_file.file_size,
                    "index-file",
                    of,
                    snapshot=number,
                )

    def _named(self, entry: Any, of: str, number: int | None) -> Iterator[Named]:
        file = self._data_file(entry)
        if file is None:
            return
        yield Named(file.path, file.size, "data-file", of, REMEDY_DATA, number)
        for name in file.extra_files:
            path = f"{file.path.rpartition('/')[0]}/{name}"
            if name.endswith(".index"):
                yield Named(path, None, "index", of, OLD_INDEX, number, WARNING)
            else:
                yield Named(path, None, "data-file", of, REMEDY_DATA, number)

    def _tags(self) -> Iterator[Named]:
        for name in self._storage.file_names(f"{self._folder}/tag"):
            if not name.startswith("tag-"):
                continue
            path = f"{self._folder}/tag/{name}"
            try:
                snapshot: Any = self._table.snapshot(tag=name.removeprefix("tag-"))
            except Exception as error:  # pypaimon's own, of each kind
                self._add("tag", path, _line(error))
                continue
            same = self._snapshots.get(snapshot.id)
            if same is None or _manifests_of(same) != _manifests_of(snapshot):
                tag = name.removeprefix("tag-")
                yield from self._history_files(snapshot, None, f"tag {tag}", whole=True)

    def _changelogs(self) -> Iterator[Named]:
        manager = self._table.pypaimon.changelog_manager()
        for number in self._ids("changelog", "changelog-"):
            path = f"{self._folder}/changelog/changelog-{number}"
            try:
                found = manager.long_lived_changelog(number)
            except Exception as error:  # as above
                self._add("changelog", path, _line(error))
                continue
            name = found.changelog_manifest_list
            if name:
                entries = self._entries_of(self._manifest_list(name, None))
                for entry in entries:
                    yield from self._named(entry, f"changelog {number}", None)

    def _live(self, latest: Any) -> Iterator[DataFile | Buckets]:
        vectors = self._vectors(latest)
        manifests = [
            manifest
            for role in ("base", "delta")
            for manifest in self._manifest_list(getattr(latest, f"{role}_manifest_list"), latest.id)
        ]
        unread = self._unread
        records = 0
        partial_rows = False
        indexes: dict[str, str] = {}
        buckets: defaultdict[tuple[Any, ...], list[DataFile]] = defaultdict(list)
        dynamic = self._table.bucket_mode == "HASH_DYNAMIC"
        with_files: defaultdict[tuple[Any, ...], set[int]] = defaultdict(set)
        for entry in self._table.live_entries(manifests, self._entries):
            records += entry.file.row_count
            partial_rows = partial_rows or entry.file.write_cols is not None
            file = self._data_file(entry)
            if file is None:
                continue
            place = vectors.pop((file.partition, file.bucket, file.name), None)
            if self._keep is not None and not self._keep(file.partition, file.bucket):
                continue
            for path in file.index_files:
                if path in indexes:
                    message = f"it is the index of {indexes[path]} and of {file.name}"
                    remedy = REMEDY_INDEX if self._wanted.indexes else REMEDY_OWN
                    double = Finding(ERROR, "index", path, None, None, message, remedy)
                    self._found.append(double)
                    self._can_repair(file, double)
                indexes[path] = file.name
            slim = replace(file, statistics=NO_STATISTICS, key_range=((), ()))
            if dynamic:
                with_files[file.partition].add(file.bucket)
                if self._deep:
                    buckets[file.partition].append(replace(slim, embedded_index=None))
            yield replace(slim, deletion_vector=place)
        for (partition, _, name), place in vectors.items():
            if self._keep is None or self._keep(partition, 0):
                message = f"the vector at byte {place.offset} is of {name}, which is no live file"
                remedy = "it deletes no row; the next compaction of its bucket drops it"
                # Java's own compactions of files with keys leave some.
                severity = WARNING if self._table.schema.primary_keys else ERROR
                self._found.append(
                    Finding(
                        severity, "deletion-vector", place.path, None, place.offset, message, remedy
                    )
                )
        self._is_whole = self._unread == unread
        complete = self._is_whole and not partial_rows
        if complete and records != latest.total_record_count:
            self._add(
                "record-count",
                f"{self._folder}/snapshot/snapshot-{latest.id}",
                f"it says {latest.total_record_count} records, and its data files have {records}",
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
        for entry in self._index_entries(latest, latest.id):
            meta = entry.index_file
            if meta.index_type == "HASH":
                partition = self._table.partition_of(entry)
                path = self._table.index_file_path(entry)
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
        entries = self._index_entries(latest, latest.id)
        for entry in entries:
            meta = entry.index_file
            path = f"{self._table.location}/manifest/{latest.index_manifest}"
            # Java writes a file of its version alone where a compaction leaves no vector.
            hides = meta.row_count or meta.file_size > 1
            if meta.index_type == "DELETION_VECTORS" and not meta.dv_ranges and hides:
                self._add("manifest", path, f"it tells no place of a vector in {meta.file_name}")
            known = meta.index_type in ("DELETION_VECTORS", "HASH")
            if not known and meta.global_index_meta is None:
                message = f"{meta.file_name} is an index of unknown type {meta.index_type!r}"
                self._add("manifest", path, message)
        for key, place in _vector_places(self._table, entries):
            if key in places:
                other = places[key]
                message = (
                    f"a second vector of {key[2]}; the first is at byte {other.offset} of "
                    f"{other.path}"
                )
                remedy = f"which rows of {key[2]} are deleted cannot be known; roll back to a "
                self._found.append(
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

    def _index_entries(self, snapshot: Any, number: int | None) -> list[Any]:
        try:
            return self._table.index_entries(snapshot)
        except PaimonKsyError as error:
            path = f"{self._table.location}/manifest/{snapshot.index_manifest}"
            if self._is_needed(number):
                self._add("manifest", path, error)
            return []

    def _manifest_list(self, name: str, number: int | None) -> list[Any]:
        try:
            return self._table.manifest_list(name)
        except PaimonKsyError as error:
            path = f"{self._table.location}/manifest/{name}"
            if self._is_needed(number):
                self._add("manifest", path, error)
            self._unread += 1
            return []

    def _entries_of(self, manifests: Iterable[Any]) -> Iterator[Any]:
        for manifest in manifests:
            yield from self._entries(manifest)

    def _entries(self, manifest: Any) -> list[Any]:
        found = self._read.get(manifest.file_name)
        if found is None:
            found = self._entries_read(manifest)
            if found is None:
                self._unread += 1
                return []
            self._read[manifest.file_name] = found
            self._num_read += len(found)
            while self._num_read > _KEPT_ENTRIES:
                self._num_read -= len(self._read.pop(next(iter(self._read))))
        return found

    def _entries_read(self, manifest: Any) -> list[Any] | None:
        path = f"{self._table.location}/manifest/{manifest.file_name}"
        try:
            entries = self._table.entries(manifest)
        except PaimonKsyError as error:
            if not str(error).startswith(f"{self._folder}/schema/"):  # which is told already
                self._add("manifest", path, error)
            return None
        deleted = sum(1 for entry in entries if entry.kind)
        added = len(entries) - deleted
        if (added, deleted) != (manifest.num_added_files, manifest.num_deleted_files):
            self._add(
                "manifest",
                path,
                f"it adds {added} and deletes {deleted} files, and its list says "
                f"{manifest.num_added_files} and {manifest.num_deleted_files}",
            )
        return entries

    def _data_file(self, entry: Any) -> DataFile | None:
        if entry.file.schema_id not in self._schemas:
            self._without_schema[entry.file.schema_id].add(entry.file.file_name)
            return None
        try:
            return self._table.data_file(entry)
        except PaimonKsyError as error:
            self._add("manifest", entry.file.file_name, error)
            return None

    # After the work --

    def _with_older(self, file: DataFile, found: Finding) -> Finding:
        """A broken vector with what older snapshots still hold for its data file."""
        place = file.deletion_vector
        if found.check != "deletion-vector" or place is None:
            return found
        for number in sorted(self._snapshots, reverse=True):
            for key, older in _vector_places(
                self._table, self._index_entries(self._snapshots[number], number)
            ):
                if key != (file.partition, file.bucket, file.name) or older == place:
                    continue
                vector = self._read_vector(older)
                if vector is not None and (vector.max or 0) < file.num_rows:
                    text = f"snapshot {number} holds a sound one that deletes {len(vector)} rows"
                    return replace(found, remedy=f"{found.remedy}; {text}, maybe not all")
        return replace(found, remedy=f"{found.remedy}; no older snapshot holds a sound one")

    def _read_vector(self, place: VectorPlace) -> DeletionVector | None:
        try:
            with self._storage.open(place.path) as source:
                return read_vector(source, place.offset, place.length, place.cardinality)
        except PaimonKsyError:
            return None

    def _add_without_schema(self) -> None:
        """Data files that cannot be looked at. A rewrite could not plan with them either."""
        for number, names in self._without_schema.items():
            files = "data file is" if len(names) == 1 else "data files are"
            message = f"{len(names)} {files} of it, as {min(names)}: not looked at"
            path = f"{self._folder}/schema/schema-{number}"
            if not self._storage.exists(path):
                message = f"it is not there, and {message}"
            self._add("schema", path, message, _REMEDY_SCHEMA)
        if self._without_schema or not self._is_whole:
            self.repairable.clear()

    def _unreferenced(self) -> None:
        try:
            found = orphans(self._table)
        except PaimonKsyError:
            return  # what cannot be read is told already, and of it nothing can be said
        for orphan in found:
            self._add(
                "orphan",
                orphan.path,
                "no snapshot, tag, branch or changelog refers to it",
                "delete it: clean-orphans",
                NOTE,
            )


def _is_small(job: Job, engine: Engine, file: DataFile) -> bool:
    """Whether the thread that takes the results looks at a file, of those that are read ahead."""
    is_near = job.storage.is_local and file.path.startswith("/")
    fits = is_near and file.format == "parquet"
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


def _manifests_of(snapshot: Any) -> tuple[str | None, ...]:
    """The names of all that a snapshot, or a tag, names itself."""
    lists = snapshot.base_manifest_list, snapshot.delta_manifest_list
    return *lists, snapshot.changelog_manifest_list, snapshot.index_manifest


def _vector_places(
    table: Table, entries: Iterable[Any]
) -> Iterator[tuple[tuple[Any, ...], VectorPlace]]:
    """Partition, bucket and name of the data file, and where its vector is."""
    for entry in entries:
        if entry.index_file.index_type == "DELETION_VECTORS":
            partition, path = table.partition_of(entry), table.index_file_path(entry)
            for name, meta in (entry.index_file.dv_ranges or {}).items():
                place = VectorPlace(path, meta.offset, meta.length, meta.cardinality)
                yield (partition, entry.bucket, name), place


def _line(error: BaseException) -> str:
    text = str(error)
    return text.splitlines()[0] if text else type(error).__name__
