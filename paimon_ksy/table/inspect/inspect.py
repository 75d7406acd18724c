"""Report on the content of a table, from its hints down to the indexes of single files.

A corrupt part has an `error` at its place in the report, which contains everything that is still
readable. Counts include everything, but lists stop after `limit` items.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from itertools import filterfalse
from typing import Any, TypeVar

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.inspect.content import ContentReader, snapshot_report
from paimon_ksy.table.inspect.files import FileReporter, schema_report
from paimon_ksy.table.inspect.report import (
    Hint,
    Listing,
    NamedSnapshot,
    SchemaReport,
    SnapshotReport,
    TableReport,
)
from paimon_ksy.table.io.storage import AT_ONCE
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
    table = Table.of(table)
    return _Inspection(table, limit).report(snapshot_id)


class _Inspection:
    """Reader of a table for a report."""

    def __init__(self, table: Table, limit: int) -> None:
        self.table, self.limit = table, limit
        self.reporter = FileReporter(table)
        self._schema_before: TableSchema | None = None

    def report(self, snapshot_id: int | None) -> TableReport:
        table, stored = self.table, self.table.snapshots
        ids = self.reporter.tried(stored.ids)[0] or []
        tags = self._listing(
            stored.tags,
            lambda name: NamedSnapshot(name, stored.of_tag(name).id),
            NamedSnapshot,
            most=sys.maxsize,
        )
        error, content = None, None
        try:
            snapshot = table.snapshot(snapshot_id)
        except PaimonKsyError as raised:
            if snapshot_id is not None and snapshot_id not in ids:
                raise
            error = self.reporter.message(raised)
        else:
            reader = ContentReader(table, self.limit)
            content = None if snapshot is None else reader.report(snapshot, tags.listed)
        names = table.storage.names
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
            # In order, because each is compared with the one before it.
            schemas=self._listing(
                table.schemas.ids, self._schema, SchemaReport, latest=True, at_once=False
            ),
            snapshots=self.snapshots(tags.listed),
            tags=replace(tags, listed=tags.listed[: self.limit]),
            branches=self._listing(
                partial(names, f"{table.location}/branch", "branch-"), NamedSnapshot, NamedSnapshot
            ),
            changelogs=self._listing(
                stored.changelogs,
                lambda number: snapshot_report(self.table, stored.changelog(number)),
                SnapshotReport,
                latest=True,
            ),
            consumers=self._listing(
                stored.consumers,
                lambda name: NamedSnapshot(name, stored.consumer_position(name)),
                NamedSnapshot,
            ),
            content=content,
            error=error,
        )

    def snapshots(self, tags: Sequence[NamedSnapshot]) -> Listing:
        """Report on the last snapshots, each with the names of its tags."""
        stored, error = self.reporter.tried(self.table.snapshots.ids)
        ids = stored or []
        every: Sequence[int] = range(ids[0], ids[-1] + 1) if ids else ()  # gaps are errors
        every = every if len(every) <= len(ids) + _MOST_GAPS else ids
        report = partial(snapshot_report, self.table, tags=tags)
        listing = self._listing(
            lambda: every,
            lambda number: report(self.table.snapshot(number)),
            SnapshotReport,
            latest=True,
        )
        return replace(listing, error=error)

    def _listing(
        self,
        names: Callable[[], Sequence[T]],
        read: Callable[[T], Any],
        broken: Callable[..., Any],
        *,
        latest: bool = False,
        most: int | None = None,
        at_once: bool = True,
    ) -> Listing:
        """Report on the first items of a list, or the last ones if `latest`; `limit` by default.

        `broken` returns the report on an item with an error. With `at_once`, threads read several.
        """
        listed, error = self.reporter.tried(names)
        every, most = listed or (), self.limit if most is None else most
        some = every[max(0, len(every) - most) :] if latest else every[:most]
        with ThreadPoolExecutor(AT_ONCE if at_once else 1) as pool:
            results = pool.map(lambda name: self.reporter.tried(partial(read, name)), some)
            items = [
                item if wrong is None else broken(name, error=wrong)
                for name, (item, wrong) in zip(some, results, strict=True)
            ]
        return Listing(len(every), tuple(items), error)

    def _hint(self, name: str, actual: int | None) -> Hint:
        named, error = self.reporter.tried(lambda: self.table.snapshots.hint(name))
        return Hint(named, actual, error)

    def _schema(self, number: int) -> SchemaReport:
        schema, before = self.table.schemas.read(number), self._schema_before
        self._schema_before = schema
        return schema_report(schema, before)
