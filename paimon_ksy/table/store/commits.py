"""A commit: a snapshot of changes, or an error that shows whether the snapshot was made."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from paimon_ksy.errors import (
    ConflictError,
    MissingFileError,
    PaimonKsyError,
    UncertainError,
    first_line,
)
from paimon_ksy.messages.causes import chain
from paimon_ksy.messages.commands import command
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store.errors import not_written
from paimon_ksy.table.store.from_pypaimon import snapshot_of
from paimon_ksy.table.store.links import NotMadeError, local_links
from paimon_ksy.table.store.snapshots import BATCH_COMMIT
from paimon_ksy.table.store.table import Table

_Result = TypeVar("_Result")


def until_committed(attempt: Callable[[int], _Result], most: int) -> _Result:
    """Return the result of an attempt to plan and commit; after a conflict, try again.

    Args:
        attempt: Makes an attempt, given its number from 1 on.
        most: The maximum number of attempts.

    Raises:
        ConflictError: In each attempt, another process committed first.
    """
    for number in range(1, most):
        try:
            return attempt(number)
        except ConflictError:
            time.sleep(0.05 * number)
    return attempt(most)


def commit(
    table: Table,
    kind: str,
    entries: list[Any] | Callable[[Snapshot | None], Iterable[Any]],
    index_adds: Iterable[Any] = (),
    index_deletes: list[Any] | None = None,
    join: Callable[[Any], None] | None = None,
) -> int:
    """Commit changes as one snapshot, and return its id.

    Args:
        table: The table.
        kind: The kind of the commit, such as `COMPACT`.
        entries: pypaimon's entries of data files, or a function that returns them for the latest
            snapshot. It is called in each attempt, raises ConflictError on a conflict, and may
            change the list `index_deletes`.
        index_adds: pypaimon's entries of new index files.
        index_deletes: pypaimon's entries of index files to remove.
        join: Called with pypaimon's FileStoreCommit.

    Raises:
        ConflictError: Nothing was committed.
        UncertainError: It is unknown whether the snapshot was made.
        PaimonKsyError: Nothing was committed, because a write failed or was refused.
        UnsupportedError: The table's options forbid commits.
        CorruptFileError: The newest snapshot is corrupt; nothing was attempted.
    """
    table.check_options("commit")
    before = table.snapshot()
    _check_newest(table)
    store_commit = table.pypaimon.new_batch_write_builder().new_commit().file_store_commit
    if hasattr(store_commit.snapshot_commit, "file_io"):
        store_commit.snapshot_commit.file_io = local_links(store_commit.snapshot_commit.file_io)
    if join is not None:
        join(store_commit)

    def planned(latest: Any) -> Iterable[Any]:
        attempts.stop_if_refused()
        attempts.latest = latest
        # pypaimon reads its manifests, too.
        found = None if latest is None else table.snapshots.checked(snapshot_of(latest))
        return entries(found) if callable(entries) else entries

    attempts = _Attempts(table, store_commit)
    failed: Exception | None = None
    try:
        store_commit._try_commit(
            commit_kind=kind,
            commit_identifier=BATCH_COMMIT,
            commit_entries_plan=planned,
            detect_conflicts=not callable(entries),
            index_adds=list(index_adds),
            index_deletes=[] if index_deletes is None else index_deletes,
        )
    except Exception as error:  # file systems and callbacks raise all kinds
        failed = error
    finally:
        store_commit.close()
    # Whatever was raised, for example by a callback, the snapshots show what happened.
    try:
        after = 0 if before is None else before.id
        found = _snapshot_of(table, store_commit.commit_user, after, attempts.made)
    except Exception as error:  # as above
        if attempts.may_be_made:
            raise _uncertain(table, attempts.unknown or error) from error
        if failed is None:
            raise
        found = None
    if found is not None:
        return found
    if failed is None:
        raise ConflictError("another snapshot was written over this commit's", path=table.location)
    if attempts.unknown is not None:
        raise _uncertain(table, attempts.unknown) from failed
    if attempts.refused is not None:
        failed = attempts.refused
    raise _not_made(table, failed) from failed


class _Attempts:
    """The outcome of a FileStoreCommit's attempts to publish a snapshot.

    Attributes:
        latest: The snapshot that the attempt replaces, as pypaimon's object; None if none exists.
        made: The id of the snapshot if an attempt succeeded.
        unknown: The error that leaves it unknown whether the snapshot was made.
        refused: The error that shows that the snapshot was not made, and will not be.
    """

    def __init__(self, table: Table, store_commit: Any) -> None:
        """Observe a FileStoreCommit from now on."""
        self.latest: Any = None
        self.made: int | None = None
        self.unknown: Exception | None = None
        self.refused: Exception | None = None
        publisher = store_commit.snapshot_commit
        plain = publisher.commit

        def publish(base: Any, snapshot: Any, *more: Any) -> Any:
            if self.latest is not None:
                _carry_over(table, self.latest, snapshot)
            try:
                done = plain(base, snapshot, *more)
            except Exception as error:  # file systems and servers raise all kinds
                if _is_refusal(error):
                    self.refused = error
                else:
                    self.unknown = self.unknown or error
                raise
            if done:
                self.made = int(snapshot.id)
            return done

        publisher.commit = publish

    @property
    def may_be_made(self) -> bool:
        """Whether the snapshot exists, or may exist later."""
        return self.made is not None or self.unknown is not None

    def stop_if_refused(self) -> None:
        """Raise the error that refused the last attempt: pypaimon would retry ten times."""
        if self.refused is not None:
            raise self.refused


_SEQUENCE = "sequence.generation.max-sequence-number"
"""The property from which Java's writers continue (`SequenceSnapshotProperties`)."""


def _carry_over(table: Table, latest: Any, snapshot: Any) -> None:
    """Copy to a snapshot what Java's `FileStoreCommitImpl` copies, and pypaimon does not."""
    snapshot.schema_id = max(snapshot.schema_id, latest.schema_id)
    if snapshot.next_row_id is None:
        snapshot.next_row_id = latest.next_row_id
    if (number := (latest.properties or {}).get(_SEQUENCE)) is not None:
        snapshot.properties = {**(snapshot.properties or {}), _SEQUENCE: number}
    if latest.statistics and _may_have_schema(table, latest.statistics, snapshot.schema_id):
        snapshot.statistics = latest.statistics


def _may_have_schema(table: Table, statistics: str, schema_id: int) -> bool:
    """Return whether a file of statistics may be of a schema: Java drops those of other ones."""
    try:
        document = json.loads(table.storage.read(f"{table.location}/statistics/{statistics}"))
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


def _uncertain(table: Table, error: Exception) -> UncertainError:
    return UncertainError(
        f"the commit may or may not have been made: {_began_with(error)}",
        path=table.location,
        remedy="before you run it again, check with "
        f"{command('table', 'inspect', table.location)} whether there is a new snapshot",
    )


def _began_with(error: Exception) -> str:
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


def _check_newest(table: Table) -> None:
    """Raise CorruptFileError if the newest snapshot contains the id of another one.

    Otherwise each commit would wait and then fail, because the snapshot after that id exists.
    """
    names = table.storage.file_names(f"{table.metadata_path}/snapshot")
    numbers = [name.removeprefix("snapshot-") for name in names]
    if newest := max((int(number) for number in numbers if number.isdecimal()), default=0):
        try:
            table.snapshot(newest)
        except PaimonKsyError:
            if table.storage.exists(f"{table.metadata_path}/snapshot/snapshot-{newest}"):
                raise  # otherwise it was rolled back in the meantime


def _snapshot_of(table: Table, commit_user: str, after: int, made: int | None) -> int | None:
    """Return the id of a commit user's only snapshot that is later than `after`.

    Raises:
        MissingFileError: A snapshot that may be this one cannot be found: a store may list new
            files late, or the snapshot has expired.
    """
    latest = table.snapshot()
    newest = after if latest is None else latest.id
    manager = table.pypaimon.snapshot_manager()
    for snapshot_id in range(max(newest, made or 0), after, -1):
        snapshot = latest if snapshot_id == newest else manager.get_snapshot_by_id(snapshot_id)
        if snapshot is None:
            raise MissingFileError.of(manager.get_snapshot_path(snapshot_id))
        if snapshot.commit_user == commit_user:
            return int(snapshot.id)
    return None


def same_files(one: Snapshot, other: Snapshot) -> bool:
    """Return whether two snapshots have the same data files; their deletion vectors may differ.

    Files with these names never change, but an id may be used again after a rollback.
    """
    lists = [(of.base_manifest_list, of.delta_manifest_list) for of in (one, other)]
    return lists[0] == lists[1]
