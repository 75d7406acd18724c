"""Report on the content of a table, from its hints down to the indexes of single files.

A corrupt part has an `error` at its place in the report, which contains everything that is still
readable. Counts include everything, but lists stop after `limit` items.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import filterfalse
from typing import Any, TypeVar

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.masking import masked_option
from paimon_ksy.table.inspect.content import ContentReader, snapshot_report
from paimon_ksy.table.inspect.files import FileReporter
from paimon_ksy.table.inspect.report import (
    ColumnReport,
    Hint,
    Listing,
    NamedSnapshot,
    SchemaReport,
    SnapshotReport,
    TableReport,
)
from paimon_ksy.table.inspect.schema_changes import schema_changes
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.store import Table, TableOrPath
from paimon_ksy.table.store.options import known_option

_MOST_GAPS = 1000  # maximum missing snapshots that the report lists

T = TypeVar("T")


def inspect_table(
    table: TableOrPath, snapshot_id: int | None = None, *, limit: int = 20
) -> TableReport:
    """Return a report on a table and the content of one snapshot, by default the latest.

    Args:
        table: The table, or its folder.
        snapshot_id: The snapshot; the default is the latest.
        limit: The maximum number of items in each list.

    Raises:
        PaimonKsyError: The table has no snapshot with this id.
    """
    if not isinstance(table, Table):
        table = Table.at(table)
    return _Inspection(table, limit).report(snapshot_id)


class _Inspection:
    """Reader of a table for a report."""

    def __init__(self, table: Table, limit: int) -> None:
        self.table = table
        self.storage = table.storage
        self.folder = table.metadata_path
        self.limit = limit
        self.message = FileReporter(table).message

    def report(self, snapshot_id: int | None) -> TableReport:
        table = self.table
        ids, no_snapshots = self._listed(self.table.snapshots.ids)
        tags = self._tags()
        error, content = None, None
        try:
            snapshot = table.snapshot(snapshot_id)
        except PaimonKsyError as raised:
            if snapshot_id is not None and snapshot_id not in ids:
                raise
            error = self.message(raised)
        else:
            reader = ContentReader(table, self.limit)
            content = None if snapshot is None else reader.report(snapshot, tags)
        branches, no_branches = self._listed(
            partial(self.storage.names, f"{table.location}/branch", "branch-")
        )
        return TableReport(
            table=table.location,
            schema_id=table.schema.id,
            partition_keys=table.schema.partition_keys,
            primary_keys=table.schema.primary_keys,
            bucket_mode=table.bucket_mode,
            bucket=table.options.get("bucket", "-1"),
            unknown_options=tuple(filterfalse(known_option, sorted(table.options))),
            earliest=self._hint("EARLIEST", min(ids, default=None)),
            latest=self._hint("LATEST", max(ids, default=None)),
            schemas=self._schemas(),
            snapshots=self._snapshots(ids, tags, no_snapshots),
            tags=_listing(tags, self.limit),
            branches=_listing([NamedSnapshot(name) for name in branches], self.limit, no_branches),
            changelogs=self._changelogs(),
            consumers=self._consumers(),
            content=content,
            error=error,
        )

    # Names in folders ---------------------------------------------------------------------------

    def _listed(self, names: Callable[[], list[T]]) -> tuple[list[T], str | None]:
        """Return the names in a folder; none if it cannot be listed, and the error."""
        try:
            return names(), None
        except PaimonKsyError as error:
            return [], self.message(error)

    def _hint(self, name: str, actual: int | None) -> Hint:
        try:
            return Hint(self.table.snapshots.hint(name), actual)
        except PaimonKsyError as error:
            return Hint(None, actual, self.message(error))

    def _named(
        self, names: Iterable[str], snapshot_of: Callable[[str], int]
    ) -> list[NamedSnapshot]:
        """Return the names of snapshots, each with its id or an error."""
        named = []
        for name in names:
            try:
                named.append(NamedSnapshot(name, snapshot_of(name)))
            except PaimonKsyError as reason:
                named.append(NamedSnapshot(name, None, self.message(reason)))
        return named

    def _tags(self) -> list[NamedSnapshot]:
        def id_of(tag: str) -> int:
            snapshot: Any = self.table.snapshot(tag=tag)
            return int(snapshot.id)

        names, error = self._listed(self.table.snapshots.tags)
        broken = [] if error is None else [NamedSnapshot("", None, error)]
        return broken + self._named(names, id_of)

    def _consumers(self) -> Listing:
        names, error = self._listed(
            partial(self.storage.names, f"{self.folder}/consumer", "consumer-")
        )
        consumers = self._named(names[: self.limit], self.table.snapshots.consumer_position)
        return Listing(len(names), tuple(consumers), error)

    def _changelogs(self) -> Listing:
        ids, error = self._listed(self.table.snapshots.changelogs)
        return self._history(ids, self.table.snapshots.changelog, (), error)

    def _snapshots(
        self, ids: list[int], tags: Sequence[NamedSnapshot], error: str | None
    ) -> Listing:
        """Report on the last snapshots, and the gaps between them, which are errors."""
        every: Sequence[int] = range(ids[0], ids[-1] + 1) if ids else ()
        if len(every) > len(ids) + _MOST_GAPS:
            every = ids
        return self._history(every, self.table.snapshot, tags, error)

    def _history(
        self,
        ids: Sequence[int],
        read: Callable[[int], Any],
        tags: Sequence[NamedSnapshot],
        error: str | None,
    ) -> Listing:
        snapshots = []
        for number in ids[max(0, len(ids) - self.limit) :]:
            try:
                snapshots.append(snapshot_report(read(number), tags))
            except PaimonKsyError as reason:
                snapshots.append(SnapshotReport(number, error=self.message(reason)))
        return Listing(len(ids), tuple(snapshots), error)

    # Schemas ------------------------------------------------------------------------------------

    def _schemas(self) -> Listing:
        ids, error = self._listed(self.table.schemas.ids)
        schemas: list[SchemaReport] = []
        before: TableSchema | None = None
        for number in ids[max(0, len(ids) - self.limit) :]:
            try:
                schema = self.table.schemas.read(number)
            except PaimonKsyError as reason:
                schemas.append(SchemaReport(number, error=self.message(reason)))
                continue
            schemas.append(
                SchemaReport(
                    id=number,
                    time_millis=schema.time_millis,
                    columns=tuple(
                        ColumnReport(schema.ids[column.name], column.name, str(column.type))
                        for column in schema.columns
                    ),
                    partition_keys=schema.partition_keys,
                    primary_keys=schema.primary_keys,
                    options={key: masked_option(key, v) for key, v in schema.options.items()},
                    changes=() if before is None else tuple(schema_changes(before, schema)),
                )
            )
            before = schema
        return Listing(len(ids), tuple(schemas), error)


def _listing(items: Sequence[Any], limit: int, error: str | None = None) -> Listing:
    return Listing(len(items), tuple(items[:limit]), error)
