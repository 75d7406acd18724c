"""A commit: a snapshot of changes, or an error that shows whether the snapshot was made."""

from __future__ import annotations

import errno
import json
import time
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain as joined
from pathlib import Path
from typing import Any, TypeVar

from paimon_ksy import __version__
from paimon_ksy.errors import ConflictError, OptionError, PaimonKsyError, UncertainError, first_line
from paimon_ksy.io.whole_file import whole_file
from paimon_ksy.messages.causes import chain
from paimon_ksy.messages.commands import command
from paimon_ksy.messages.log import LOG
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store.errors import not_written, pypaimon_module
from paimon_ksy.table.store.manifest_writer import ManifestWriter, Record, codec_of, records_of
from paimon_ksy.table.store.snapshots import BATCH_COMMIT
from paimon_ksy.table.store.table import Table

_Result = TypeVar("_Result")


_ATTEMPTS = 20


def until_committed(
    attempt: Callable[[int], _Result], attempts: Attempts, clean_up: Callable[[], None]
) -> _Result:
    """Return the result of an attempt to plan and commit; after a conflict, try again.

    `attempt` makes one, given its number from 1 on. `clean_up` is called if the job fails, also by
    Ctrl+C, unless a snapshot may need its files.

    Raises:
        ConflictError: In each attempt, another process committed first.
    """
    try:
        for number in range(1, _ATTEMPTS):
            try:
                return attempt(number)
            except ConflictError as error:
                LOG.info("%s: attempt %d: planned again", error, number)
                time.sleep(0.05 * number)
        return attempt(_ATTEMPTS)
    except BaseException:
        if not attempts.may_be_made:
            clean_up()
        raise


def sweep(
    storage: Storage, folders: Iterable[str], is_own: Callable[[str], bool], kept: Set[str]
) -> None:
    """Delete the files of a job except for those kept, such as files of lost tasks.

    A file that cannot be deleted stays, because the result of the job, or its error, matters more.
    `is_own` returns whether a file of this name is one of the job; names `kept` stay.
    """

    def clean(folder: str) -> None:
        with suppress(PaimonKsyError):
            for name in storage.names(folder):
                if is_own(name) and name not in kept:
                    storage.delete(f"{folder}/{name}")

    with ThreadPoolExecutor() as pool:
        for _ in pool.map(clean, folders):
            pass


def check_committable(table: Table) -> None:
    """Check that the options and snapshots of a table allow commits, before any work for one.

    Raises:
        UnsupportedError: An option forbids commits.
        OptionError: An option that commits need is malformed.
        PaimonKsyError: A snapshot or tag is missing (see `Snapshots.check_complete`).
    """
    table.check_options("commit")
    codec_of(table)
    _Waits.of(table)
    table.snapshots.check_complete()


@dataclass(frozen=True)
class _Waits:
    """How often a commit is tried again after other processes committed first, and when."""

    most: int
    seconds: float
    most_seconds: float
    until: float

    @classmethod
    def of(cls, table: Table) -> _Waits:
        """Return the values of a table's options. Raises OptionError."""
        options = table.pypaimon.options
        values = []
        for name, read in (
            ("commit.max-retries", options.commit_max_retries),
            ("commit.min-retry-wait", options.commit_min_retry_wait),
            ("commit.max-retry-wait", options.commit_max_retry_wait),
            ("commit.timeout", options.commit_timeout),
        ):
            try:
                values.append(read())
            except Exception as error:  # pypaimon raises all kinds
                text = f"option {name!r}: {table.options.get(name)!r} is malformed"
                raise OptionError(f"{text}: {first_line(error)}", path=table.location) from error
        most, least, greatest, timeout = values
        return cls(most, least / 1000, greatest / 1000, time.monotonic() + timeout / 1000)

    def wait(self, number: int) -> bool:
        """Wait before attempt `number`, from 1 on; return whether it may be made."""
        if number > self.most or time.monotonic() > self.until:
            return False
        time.sleep(min(self.seconds * 2 ** (number - 1), self.most_seconds))
        return True


class Attempts:
    """The outcome of the attempts to publish a snapshot, which a job shares with its commits.

    Attributes:
        number: The number of attempts that the last commit has made.
        may_be_made: Whether the snapshot exists, or may exist later: its files must stay.
        made: The id of the snapshot if an attempt succeeded.
        unknown: The error that leaves it unknown whether the snapshot was made.
        refused: The error that shows that the snapshot was not made, and will not be.
    """

    number = 0
    may_be_made = False
    made: int | None = None
    unknown: Exception | None = None
    refused: Exception | None = None

    def start(self) -> None:
        """Forget the attempts of an earlier commit, but not whether its snapshot may exist."""
        self.number, self.made, self.unknown, self.refused = 0, None, None, None

    def publish(self, publisher: Any, base: Any, snapshot: Any, statistics: list[Any]) -> bool:
        """Try to publish a snapshot by pypaimon's SnapshotCommit; return whether it is published.

        Raises:
            Exception: It is not, or that is unknown.
        """
        before, self.may_be_made = self.may_be_made, True
        try:
            is_published = bool(publisher.commit(base, snapshot, statistics))
        except Exception as error:  # file systems and servers raise all kinds
            if _is_refusal(error):
                self.refused, self.may_be_made = error, before
            else:
                self.unknown = self.unknown or error
            raise
        if is_published:
            self.made = int(snapshot.id)
        else:
            self.may_be_made = before
        return is_published


@dataclass(frozen=True)
class Changes:
    """The changes of a commit.

    Entries are `removed` if the rows of their data files are; others keep them. `gone` names index
    files to remove.
    """

    manifests: Sequence[Record] = ()
    removed: Sequence[Record] = ()
    index_files: Sequence[Record] = ()
    gone: Set[str] = frozenset()
    properties: Mapping[str, str] = field(default_factory=dict)


Plan = Callable[[Snapshot | None, ManifestWriter], Changes]
"""A function that returns the changes of the latest snapshot, or raises ConflictError."""


def commit(table: Table, kind: str, plan: Plan, attempts: Attempts | None = None) -> int:
    """Commit changes as one snapshot, and return its id.

    Files that the commit wrote, and that the snapshot does not name, are deleted. `plan` is called
    in each attempt. `attempts` receives the outcome, which the caller also needs after Ctrl+C.

    Raises:
        ConflictError: Nothing was committed.
        UncertainError: It is unknown whether the snapshot was made.
        PaimonKsyError: Nothing was committed: the table forbids it (see `check_committable`), or
            a write failed or was refused.
    """
    check_committable(table)
    attempts = attempts or Attempts()
    writer = ManifestWriter(table)
    prefix = table.options.get("commit.user-prefix", "")
    user = f"{prefix}_{uuid.uuid4()}" if prefix else str(uuid.uuid4())
    try:
        latest = table.snapshot()
        after = 0 if latest is None else latest.id
        snapshot_id = _outcome(_Commit(table, kind, plan, writer, user, after), attempts)
    except BaseException as error:  # including Ctrl+C
        if not attempts.may_be_made:
            for path in writer.written:
                table.storage.delete(path)
        elif not isinstance(error, Exception):
            raise _uncertain(table, error) from error
        raise
    if attempts.number > 1 and attempts.unknown is None:
        with suppress(PaimonKsyError):
            snapshot = table.snapshots.of_id(snapshot_id)
            named = {*snapshot.manifest_lists.values(), snapshot.index_manifest}
            named |= {manifest.file_name for manifest in table.manifests.of(snapshot)}
            for path in writer.written:
                if path.rpartition("/")[2] not in named:
                    table.storage.delete(path)
    LOG.info("%s: committed snapshot %d (%s)", table.location, snapshot_id, kind)
    return snapshot_id


@dataclass(frozen=True)
class _Commit:
    """A commit by a user of its own, after the snapshot with an id."""

    table: Table
    kind: str
    plan: Plan
    writer: ManifestWriter
    user: str
    after: int

    def run(self, attempts: Attempts) -> None:
        """Make attempts until a snapshot is published, or nothing is to be changed.

        Raises:
            Exception: No attempt succeeded, as far as this process knows.
        """
        table, waits = self.table, _Waits.of(self.table)
        opened = replace(table.opened, files=local_links(table.opened.file_io))
        publisher = opened.pypaimon.new_snapshot_commit()
        attempts.start()
        number = 0
        while True:
            number += 1
            latest = table.snapshot()
            if attempts.unknown is not None and self.made(None) is not None:
                return
            attempts.number += 1
            changes = self.plan(latest, self.writer)
            if not (changes.manifests or changes.index_files or changes.gone):
                return
            snapshot = self._snapshot(latest, changes)
            base = None if latest is None else latest.uuid
            try:
                with publisher:
                    if attempts.publish(publisher, base, snapshot, self._statistics(changes)):
                        return
            except Exception:  # file systems and servers raise all kinds
                if attempts.refused is not None:
                    raise
            if not waits.wait(number):
                raise attempts.unknown or ConflictError(
                    f"conflict: others committed first in each of {number} attempts",
                    path=table.location,
                )

    def _snapshot(self, latest: Snapshot | None, changes: Changes) -> Any:
        """Write the lists of a snapshot, and return it as pypaimon's.

        It takes from the latest one what Java's `FileStoreCommitImpl` takes.
        """
        table, writer, unique = self.table, self.writer, uuid.uuid4()
        base, delta = (f"manifest-list-{unique}-{number}" for number in range(2))
        lists = () if latest is None else (latest.base_manifest_list, latest.delta_manifest_list)
        manifests = joined.from_iterable(records_of(table, name) for name in lists)
        index_manifest = None if latest is None else latest.index_manifest
        if changes.index_files or changes.gone:
            files = () if index_manifest is None else records_of(table, index_manifest)
            kept = (file for file in files if file["_FILE_NAME"] not in changes.gone)
            index_manifest = writer.index_manifest(joined(kept, changes.index_files))
        delta_count = -sum(entry["_FILE"]["_ROW_COUNT"] for entry in changes.removed)
        total = 0 if latest is None else latest.total_record_count
        return pypaimon_module("snapshot.snapshot").Snapshot(
            version=3,
            id=1 if latest is None else latest.id + 1,
            base_manifest_list=base,
            base_manifest_list_size=writer.manifest_list(manifests, base),
            delta_manifest_list=delta,
            delta_manifest_list_size=writer.manifest_list(changes.manifests, delta),
            index_manifest=index_manifest,
            commit_user=self.user,
            writer_version=f"paimon-ksy-{__version__}",
            commit_identifier=BATCH_COMMIT,
            commit_kind=self.kind,
            time_millis=int(time.time() * 1000),
            total_record_count=total + delta_count,
            delta_record_count=delta_count,
            **_carried_over(table, latest, changes.properties),
        )

    def _statistics(self, changes: Changes) -> list[Any]:
        """Return pypaimon's statistics of the partitions of removed files, for catalogs."""
        by_row: dict[bytes, Any] = {}
        kind = pypaimon_module("snapshot.snapshot_commit").PartitionStatistics
        for entry in changes.removed:
            row, file = entry["_PARTITION"], entry["_FILE"]
            if row not in by_row:
                by_row[row] = kind(self.table.paths.partition(row), last_file_creation_time=0)
                by_row[row].total_buckets = entry["_TOTAL_BUCKETS"]
            by_row[row].record_count -= file["_ROW_COUNT"]
            by_row[row].file_size_in_bytes -= file["_FILE_SIZE"]
            by_row[row].file_count -= 1
        return [*by_row.values()]

    def made(self, number: int | None) -> int | None:
        """Return the id of the snapshot, which may have this number; None if there is none.

        Raises:
            PaimonKsyError: A snapshot that may be this one cannot be read: a store may list new
                files late, or the snapshot has expired.
        """
        latest = self.table.snapshot()
        newest = self.after if latest is None else latest.id
        for snapshot_id in range(max(newest, number or 0), self.after, -1):
            is_newest = latest is not None and snapshot_id == newest
            snapshot = latest if is_newest else self.table.snapshots.of_id(snapshot_id)
            if snapshot is not None and snapshot.commit_user == self.user:
                return snapshot.id
        return None


def _outcome(job: _Commit, attempts: Attempts) -> int:
    """Run a commit, and return the id of its snapshot."""
    table = job.table
    failed: Exception | None = None
    try:
        job.run(attempts)
    except Exception as error:  # file systems and callbacks raise all kinds
        failed = error
    # Whatever was raised, the snapshots show what happened.
    try:
        snapshot_id = job.made(attempts.made)
    except Exception as error:  # as above
        if attempts.may_be_made:
            raise _uncertain(table, attempts.unknown or error) from error
        if failed is None:
            raise
        snapshot_id = None
    if snapshot_id is not None:
        return snapshot_id
    if failed is None:
        attempts.may_be_made = False
        raise ConflictError("another snapshot was written over this commit's", path=table.location)
    if attempts.unknown is not None:
        raise _uncertain(table, attempts.unknown) from failed
    raise _not_made(table, attempts.refused or failed) from failed


_SEQUENCE = "sequence.generation.max-sequence-number"
"""The property from which Java's writers continue (`SequenceSnapshotProperties`)."""


def _carried_over(
    table: Table, latest: Snapshot | None, properties: Mapping[str, str]
) -> dict[str, Any]:
    """Return the fields of a snapshot that it has from the latest one, and its properties."""
    schema_id = table.schema.id
    if latest is None:
        return {"schema_id": schema_id, "properties": {**properties} or None}
    schema_id = max(schema_id, latest.schema_id)
    old = latest.properties or {}
    properties = {**properties, **({_SEQUENCE: old[_SEQUENCE]} if _SEQUENCE in old else {})}
    statistics = latest.statistics
    if statistics and not _may_have_schema(table, statistics, schema_id):
        statistics = None
    return {
        "schema_id": schema_id,
        "watermark": latest.watermark,
        "statistics": statistics,
        "next_row_id": latest.next_row_id,
        "properties": properties or None,
    }


def _may_have_schema(table: Table, statistics: str, schema_id: int) -> bool:
    """Return whether a file of statistics may be of a schema: Java drops those of other ones."""
    try:
        document = json.loads(table.storage.read_json(f"{table.location}/statistics/{statistics}"))
        return bool(document.get("schemaId", schema_id) == schema_id)
    except (PaimonKsyError, ValueError, AttributeError, RecursionError):
        return True  # the file was unreadable before


_REFUSALS = {
    *("BadRequestException", "NotAuthorizedException", "ForbiddenException"),
    *("NoSuchResourceException", "AlreadyExistsException", "NotImplementedException"),
}
"""pypaimon's errors for responses of a REST catalog that refuse a request."""


def _is_refusal(error: BaseException) -> bool:
    """Return whether an error shows that a snapshot was not made, and will not be."""
    return any(
        isinstance(each, NotMadeError) or type(each).__name__ in _REFUSALS
        for each in chain(error, handled=True)
    )


def _uncertain(table: Table, error: BaseException) -> UncertainError:
    return UncertainError(
        f"the commit may or may not have been made: {_began_with(error)}",
        path=table.location,
        remedy="before you run it again, check with "
        f"{command('table', 'inspect', table.location)} whether there is a new snapshot",
    )


def _began_with(error: BaseException) -> str:
    """Return the first lines of an error and of its root cause."""
    lines = [first_line(error), first_line([*chain(error, handled=True)][-1])]
    return lines[0] if lines[1] in lines[0] else ": ".join(lines)


def _not_made(table: Table, failed: Exception) -> PaimonKsyError:
    """Return the error of a commit that was certainly not made."""
    if isinstance(failed, PaimonKsyError):  # raised by `entries`
        return failed
    causes = [*chain(failed, handled=True)]
    # Files of the latest snapshot are missing if it expired in the meantime.
    expired = any(isinstance(each, FileNotFoundError) for each in causes)
    exists = any(type(each).__name__ == "AlreadyExistsException" for each in causes)
    conflict = len(causes) == 1 and "conflict" in str(failed).lower()
    if conflict or expired or exists:
        return ConflictError(_began_with(failed), path=table.location)
    return not_written(failed, table.location)


def same_files(one: Snapshot, other: Snapshot) -> bool:
    """Return whether two snapshots have the same data files; their deletion vectors may differ.

    Files with these names never change, but an id may be used again after a rollback.
    """
    same_base = one.base_manifest_list == other.base_manifest_list
    return same_base and one.delta_manifest_list == other.delta_manifest_list


# Files on this machine -----------------------------------------------------------------------

_NO_LINKS = frozenset((errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK))
"""Error codes of file systems without hard links."""


class NotMadeError(Exception):
    """An attempt to commit that ended before any effect was visible; the cause is attached."""


def local_links(file_io: Any) -> Any:
    """Return a FileIO whose `try_to_write_atomic` never replaces a local file."""
    return LocalLinks(file_io) if type(file_io).__name__ == "LocalFileIO" else file_io


class LocalLinks:
    """A local FileIO whose `try_to_write_atomic` never replaces a file, unlike `write_file`.

    pypaimon's own method checks whether the file exists, and then renames over it. In between,
    another process may write the same snapshot, which would be lost. And two processes that write
    the hint LATEST at once would leave a mixture of two numbers.
    """

    def __init__(self, file_io: Any) -> None:
        self._file_io = file_io

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file_io, name)

    def try_to_write_atomic(self, path: str, content: str) -> bool:
        """Write the file if it does not exist yet, and return whether it was written."""
        target = Path(self._file_io.to_filesystem_path(path))
        temporary = target.with_name(f".{target.name}.{uuid.uuid4()}.tmp")
        try:
            try:
                temporary.write_text(content, encoding="utf-8")
            except OSError as error:
                raise NotMadeError(error) from error
            target.hardlink_to(temporary)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            return bool(self._file_io.try_to_write_atomic(path, content))
        finally:
            with suppress(OSError):  # the file is hidden, and the commit unaffected
                temporary.unlink(missing_ok=True)
        return True

    def write_file(self, path: str, content: str, *, overwrite: bool) -> None:
        """Replace a hint by a complete file."""
        with whole_file(Path(self._file_io.to_filesystem_path(path)), "w") as file:
            file.write(content)
