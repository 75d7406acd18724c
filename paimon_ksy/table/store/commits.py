"""A commit: a snapshot of changes, or an error that shows whether the snapshot was made."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from paimon_ksy.errors import (
    ConflictError,
    OptionError,
    PaimonKsyError,
    UncertainError,
    first_line,
)
from paimon_ksy.messages.causes import chain
from paimon_ksy.messages.commands import command
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.store.errors import not_written, pypaimon_module
from paimon_ksy.table.store.links import NotMadeError, RecordedFiles, local_links
from paimon_ksy.table.store.snapshots import BATCH_COMMIT
from paimon_ksy.table.store.table import Table

_OF_COMMITS = ("commit.", "manifest.", "row-tracking.", "data-evolution.")
"""Options that pypaimon reads for a commit begin with these."""

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


def check_committable(table: Table) -> None:
    """Check that the options and snapshots of a table allow commits, before any work for one.

    Raises:
        UnsupportedError: An option forbids commits.
        OptionError: An option that commits need is malformed.
        PaimonKsyError: A snapshot or tag is missing (see `Snapshots.check_complete`).
    """
    table.check_options("commit")
    library = pypaimon_module("common.options")
    options = library.Options(dict(table.options))
    try:
        for option in vars(library.CoreOptions).values():
            if hasattr(option, "key") and (name := option.key()).startswith(_OF_COMMITS):
                options.get(option)
        name = "manifest.compression"
        pypaimon_module("manifest").avro_codec(table.options.get(name, "zstd"))
    except Exception as error:  # pypaimon raises all kinds
        text = f"option {name!r}: {table.options[name]!r} is malformed: {first_line(error)}"
        raise OptionError(text, path=table.location) from error
    table.snapshots.check_complete()


class Attempts:
    """The outcome of the attempts to publish a snapshot, which a job shares with its commits.

    Attributes:
        number: The number of attempts that the last commit has made.
        latest: The snapshot that the attempt replaces, as pypaimon's object; None if none exists.
        may_be_made: Whether the snapshot exists, or may exist later: its files must stay.
        made: The id of the snapshot if an attempt succeeded.
        unknown: The error that leaves it unknown whether the snapshot was made.
        refused: The error that shows that the snapshot was not made, and will not be.
    """

    number = 0
    latest: Any = None
    may_be_made = False
    made: int | None = None
    unknown: Exception | None = None
    refused: Exception | None = None

    def observe(self, publisher: Any, table: Table) -> None:
        """Observe pypaimon's SnapshotCommit, and complete the snapshots that it writes."""
        if hasattr(publisher, "file_io"):
            publisher.file_io = local_links(table.opened.file_io)
        self.number, self.made, self.unknown, self.refused = 0, None, None, None

        def publish(base: Any, snapshot: Any, *more: Any) -> Any:
            if self.latest is not None:
                _carry_over(table, self.latest, snapshot)
            before, self.may_be_made = self.may_be_made, True
            try:
                done = type(publisher).commit(publisher, base, snapshot, *more)
            except Exception as error:  # file systems and servers raise all kinds
                if _is_refusal(error):
                    self.refused, self.may_be_made = error, before
                else:
                    self.unknown = self.unknown or error
                raise
            if done:
                self.made = int(snapshot.id)
            else:
                self.may_be_made = before
            return done

        publisher.commit = publish


def commit(
    table: Table,
    kind: str,
    entries: Callable[[Snapshot | None], Iterable[Any]],
    index_adds: Sequence[Any] = (),
    index_deletes: Sequence[Any] = (),
    join: Callable[[Any], None] | None = None,
    attempts: Attempts | None = None,
) -> int:
    """Commit changes as one snapshot, and return its id.

    Files that the commit wrote, and that the snapshot does not name, are deleted.

    Args:
        table: The table.
        kind: The kind of the commit, such as `COMPACT`.
        entries: Returns pypaimon's entries of data files for the latest snapshot. It is called in
            each attempt, raises ConflictError on a conflict, and may change `index_deletes`.
        index_adds: pypaimon's entries of new index files.
        index_deletes: pypaimon's entries of index files to remove.
        join: Called with pypaimon's FileStoreCommit.
        attempts: Receives the outcome, which the caller also needs after Ctrl+C.

    Raises:
        ConflictError: Nothing was committed.
        UncertainError: It is unknown whether the snapshot was made.
        PaimonKsyError: Nothing was committed: the table forbids it (see `check_committable`), or
            a write failed or was refused.
    """
    check_committable(table)
    attempts = attempts or Attempts()
    files = RecordedFiles(table.opened.file_io)

    def planned(latest: Any) -> Iterable[Any]:
        if attempts.refused is not None:  # pypaimon would retry ten times
            raise attempts.refused
        attempts.number += 1
        attempts.latest = latest
        # pypaimon reads its manifests, too.
        return entries(None if latest is None else table.snapshots.checked(Snapshot.of(latest)))

    try:
        before = table.snapshot()
        pypaimon = replace(table.opened, file_io=files).pypaimon
        store_commit = pypaimon.new_batch_write_builder().new_commit().file_store_commit
        attempts.observe(store_commit.snapshot_commit, table)
        if join is not None:
            join(store_commit)
        run = partial(
            store_commit._try_commit,
            commit_kind=kind,
            commit_identifier=BATCH_COMMIT,
            commit_entries_plan=planned,
            index_adds=index_adds,
            index_deletes=index_deletes,
        )
        made = _outcome(table, store_commit, attempts, 0 if before is None else before.id, run)
    except BaseException as error:  # including Ctrl+C
        if not attempts.may_be_made:
            for path in files.written:
                table.storage.delete(path)
        elif not isinstance(error, Exception):
            raise _uncertain(table, error) from error
        raise
    if attempts.number > 1 and attempts.unknown is None:
        with suppress(PaimonKsyError):
            snapshot = table.snapshots.of_id(made)
            named = {*snapshot.manifest_lists.values(), snapshot.index_manifest}
            named |= {manifest.file_name for manifest in table.manifests.of(snapshot)}
            for path in files.written:
                if path.rpartition("/")[2] not in named:
                    table.storage.delete(path)
    return made


def _outcome(
    table: Table, store_commit: Any, attempts: Attempts, after: int, run: Callable[[], None]
) -> int:
    """Run pypaimon's commit, and return the id of its snapshot, which is later than `after`."""
    failed: Exception | None = None
    try:
        run()
    except Exception as error:  # file systems and callbacks raise all kinds
        failed = error
    finally:
        store_commit.close()
    # Whatever was raised, for example by a callback, the snapshots show what happened.
    try:
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
        attempts.may_be_made = False
        raise ConflictError("another snapshot was written over this commit's", path=table.location)
    if attempts.unknown is not None:
        raise _uncertain(table, attempts.unknown) from failed
    raise _not_made(table, attempts.refused or failed) from failed


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


def _snapshot_of(table: Table, commit_user: str, after: int, made: int | None) -> int | None:
    """Return the id of a commit user's only snapshot that is later than `after`.

    Raises:
        PaimonKsyError: A snapshot that may be this one cannot be read: a store may list new files
            late, or the snapshot has expired.
    """
    latest = table.snapshot()
    newest = after if latest is None else latest.id
    for snapshot_id in range(max(newest, made or 0), after, -1):
        is_newest = latest is not None and snapshot_id == newest
        snapshot = latest if is_newest else table.snapshots.of_id(snapshot_id)
        if snapshot is not None and snapshot.commit_user == commit_user:
            return snapshot.id
    return None


def same_files(one: Snapshot, other: Snapshot) -> bool:
    """Return whether two snapshots have the same data files; their deletion vectors may differ.

    Files with these names never change, but an id may be used again after a rollback.
    """
    lists = [(of.base_manifest_list, of.delta_manifest_list) for of in (one, other)]
    return lists[0] == lists[1]
