"""Streams of append tables: the rows that snapshots add, in the order of their ids.

An offset is the id of the last snapshot that was read. A stream of all rows begins with `whole`:
then nothing of that snapshot was read yet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceStreamReader, InputPartition

from paimon_ksy.errors import MissingFileError, OptionError, PaimonKsyError, UnsupportedError
from paimon_ksy.spark.reader import PaimonReader
from paimon_ksy.spark.workers import Sent, in_one_line
from paimon_ksy.table.query.plan import State
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.options import is_on

if TYPE_CHECKING:
    import pyarrow as pa

    from paimon_ksy.table.model.files import ManifestFile, Snapshot
    from paimon_ksy.table.query.tasks import Task

try:
    from pyspark.sql.streaming.datasource import ReadMaxFiles, SupportsTriggerAvailableNow
except ImportError:  # before Spark 4.2, where a trigger reads all that is available as one batch
    SupportsTriggerAvailableNow = object  # type: ignore[assignment,misc]

Offset = dict[str, Any]

_ID, _WHOLE = "snapshot-id", "whole"


@dataclass
class PaimonStreamReader(Sent, DataSourceStreamReader, SupportsTriggerAvailableNow):
    """A reader of the rows that snapshots add; it plans and reads each batch like `batch`."""

    batch: PaimonReader
    target: int | None = None
    last: Offset | None = None

    def __post_init__(self) -> None:
        options, table = self.batch.options, self.table
        for name in ("snapshot_id", "tag", "as_of", "between", "limit"):
            if getattr(options, name) is not None:
                raise OptionError(
                    f"option {name.replace('_', '-')} is of spark.read: a stream has from-snapshot "
                    "and snapshots-per-trigger"
                )
        if table.schema.primary_keys:
            raise UnsupportedError(
                "the table has a primary key, and its changes are not read: use spark.read, or a "
                "stream of Paimon's connector",
                path=table.location,
            )
        if is_on(table.options, "data-evolution.enabled"):
            raise UnsupportedError(
                "streams do not read tables with data evolution: use spark.read",
                path=table.location,
            )

    @cached_property
    def table(self) -> Table:
        """The table, in the schema that it had when the stream began."""
        return self.batch.options.open()

    @in_one_line()
    def initialOffset(self) -> Offset:
        """Return where a new stream begins.

        Raises:
            OptionError: The option `from-snapshot` names a snapshot that does not exist yet.
            PaimonKsyError: It has expired, or the table cannot be read.
        """
        begin, newest = self.batch.options.from_snapshot, self._newest()
        if begin is None and newest:
            return self._at({_ID: newest, _WHOLE: True})
        if begin is None or begin == "latest":
            return self._at({_ID: newest})
        number = int(begin)
        if not 0 < number <= newest + 1:
            raise OptionError(f"from-snapshot is {number}, but the latest snapshot is {newest}")
        if number <= newest:
            self.table.snapshot(number)
        return self._at({_ID: number - 1})

    def prepareForTriggerAvailableNow(self) -> None:
        """Ignore later snapshots. Raises PaimonKsyError."""
        self.target = self._newest()

    def getDefaultReadLimit(self) -> Any:
        """Return the limit of `latestOffset`, which counts files of snapshots."""
        most = self.batch.options.snapshots_per_trigger
        return super().getDefaultReadLimit() if most is None else ReadMaxFiles(most)

    @in_one_line()
    def latestOffset(self, start: Offset | None = None, limit: Any = None) -> Offset:
        """Return the last snapshot of the next batch, of `limit.max_files` snapshots at most.

        Spark passes the offset before it from 4.2 on. Raises PaimonKsyError if the table was rolled
        back, or cannot be read.
        """
        newest = self._newest() if self.target is None else self.target
        most = getattr(limit, "max_files", None)
        if start is None:
            start, most = self.last, self.batch.options.snapshots_per_trigger
        if start is None:  # after a restart, before Spark 4.2
            return self._at({_ID: newest})
        first, is_whole = start[_ID], bool(start.get(_WHOLE))
        if newest < first:
            raise PaimonKsyError(
                f"the stream has read up to snapshot {first}, but the latest one is {newest}: the "
                "table was rolled back",
                path=self.table.location,
                remedy="begin a new stream with another checkpoint",
            )
        if most is not None:
            newest = min(newest, first + most - is_whole)
        return start if newest == first and not is_whole else self._at({_ID: newest})

    @in_one_line()
    def partitions(self, start: Offset, end: Offset) -> Sequence[InputPartition]:
        """Return the files of the rows between two offsets, in groups.

        Raises:
            UnsupportedError: A snapshot deletes or replaces rows.
            MissingFileError: A snapshot has expired.
            PaimonKsyError: The table cannot be read.
        """
        self._at(end)
        tasks: list[Iterator[Task]] = []
        if start.get(_WHOLE):
            whole = self._snapshot(start[_ID])
            tasks.append(iter(self.batch.tasks(State(self.table, whole, self.table.schema))))
        added: list[ManifestFile] = []
        snapshot = None
        for number in range(start[_ID] + 1, end[_ID] + 1):
            snapshot = self._snapshot(number)
            added += self._added(snapshot)
        if added:
            state = State(self.table, snapshot, self.table.schema, tuple(added))
            tasks.append(iter(self.batch.tasks(state)))
        return self.batch.groups(self.table, chain.from_iterable(tasks))

    def read(self, partition: InputPartition) -> Iterator[pa.RecordBatch]:
        """Yield the rows of a group of files. Raises PaimonKsyError."""
        return self.batch.read(partition)

    def commit(self, end: Offset) -> None:
        """Do nothing, since Spark stores offsets in its checkpoint."""

    def stop(self) -> None:
        """Do nothing."""

    def _at(self, offset: Offset) -> Offset:
        """Return the offset, which Spark before 4.2 does not pass again."""
        self.last = offset
        return offset

    def _newest(self) -> int:
        latest = self.table.snapshot()
        return 0 if latest is None else latest.id

    def _snapshot(self, number: int) -> Snapshot:
        try:
            return self.table.snapshots.of_id(number)
        except MissingFileError:
            raise MissingFileError(
                f"snapshot {number} expired before the stream read it",
                path=self.table.location,
                remedy="begin a new stream with another checkpoint, and keep snapshots for longer "
                "(option snapshot.time-retained)",
            ) from None

    def _added(self, snapshot: Snapshot) -> Sequence[ManifestFile]:
        """Return the manifests of the files whose rows a snapshot adds. Raises UnsupportedError."""
        if snapshot.commit_kind not in ("APPEND", "OVERWRITE"):
            return ()  # the rows stay the same
        manifests = self.table.manifests.of_list(snapshot.delta_manifest_list)
        changes = snapshot.commit_kind == "OVERWRITE" or any(m.num_deleted_files for m in manifests)
        if not changes and not self._has_new_vectors(snapshot):
            return manifests
        if self.batch.options.skip_changes:
            return ()
        raise UnsupportedError(
            f"snapshot {snapshot.id} ({snapshot.commit_kind}) deletes or replaces rows, and a "
            "stream has only rows that are added",
            path=self.table.location,
            remedy="set the option skip-changes to true to leave out such snapshots, or begin a "
            "new stream with another checkpoint",
        )

    def _has_new_vectors(self, snapshot: Snapshot) -> bool:
        """Return whether a snapshot may have other deletion vectors than the one before it."""
        with_vectors = self.table.index_manifests.with_vectors
        try:
            before = self.table.snapshots.of_id(snapshot.id - 1)
        except MissingFileError:  # it has expired, so any vector may be new
            return snapshot.id > 1 and any(True for _ in with_vectors(snapshot))
        if before.index_manifest == snapshot.index_manifest:
            return False
        old, new = ({file.file_name for file in with_vectors(each)} for each in (before, snapshot))
        return old != new
