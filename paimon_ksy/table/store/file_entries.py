"""The entries of some data files, for commits: found by columns, read one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

import numpy as np
import pyarrow as pa

from paimon_ksy.table.engine import Engine
from paimon_ksy.table.manifests.entries import ADD
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.manifests.scan import (
    Group,
    ManifestReader,
    Visitor,
    executor,
    grouped,
    numbered_entries,
)
from paimon_ksy.table.model.files import ManifestFile, digest_of
from paimon_ksy.table.store.manifest_writer import batches_of, field_of
from paimon_ksy.table.store.table import Table
from paimon_ksy.types.arrays import Numbers, to_arrow_array, to_numpy

T = TypeVar("T")

_KEY = ("_BUCKET", "_LEVEL", "_FILE_NAME", "_EXTERNAL_PATH")
_STATE = ("_EXTRA_FILES", "_EMBEDDED_FILE_INDEX")


def keys(
    entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions
) -> list[tuple[Any, ...]]:
    """Return `DataFile.key` of each entry's file."""
    columns = (entries.column(name).to_pylist() for name in _KEY)
    return [
        (partitions.values[number], *values)
        for number, *values in zip(numbers.tolist(), *columns, strict=True)
    ]


def digests(entries: pa.RecordBatch, numbers: Numbers, partitions: Partitions) -> list[bytes]:
    """Return `DataFile.digest` of each entry's file (see `keys`)."""
    return list(map(digest_of, keys(entries, numbers, partitions), states(entries)))


def deleted_digests(
    table: Table, manifests: Sequence[ManifestFile], engine: Engine | None = None
) -> Iterator[list[bytes]]:
    """Yield `DataFile.digest` of the files that entries delete, group by group."""
    some = [manifest for manifest in manifests if manifest.num_deleted_files]
    deleted_in = partial(_deleted_in, table.manifests)
    yield from (deleted for _, deleted in executor(engine, some)(deleted_in, grouped(some)))


def _deleted_in(read: ManifestReader, manifests: Group) -> list[bytes]:
    """Return `DataFile.digest` of the files that entries of manifests delete."""
    deleted: list[bytes] = []
    for batch in numbered_entries(read, manifests):
        deleted += digests(*batch.some(~batch.adds).visited)
    return deleted


def of_live(
    table: Table,
    manifests: Sequence[ManifestFile],
    visit: Visitor[list[tuple[int, T]]],
    engine: Engine | None,
) -> Iterator[tuple[ManifestFile, list[T]]]:
    """Yield each manifest with the results of `visit` for the live files that it adds.

    `visit` returns results for some of the files, each with the number of its entry. It must be
    picklable.

    Raises:
        PaimonKsyError: A manifest cannot be read, or one contradicts another.
    """
    scan = table.data_files.scan(manifests, visit, engine=engine, bare=True)
    for group, scanned in groupby(scan, attrgetter("group")):
        by_manifest: dict[int, list[T]] = {number: [] for number in range(len(group))}
        for _, of, results in scanned:
            for at, one in results:
                by_manifest[int(of[at])].append(one)
        yield from zip(group, by_manifest.values(), strict=True)


class Entries(NamedTuple):
    """Entries that add data files, with `DataFile.key`, `state` and `digest` of each file.

    `records` has the fields that the manifest has.
    """

    records: pa.RecordBatch
    keys: list[tuple[Any, ...]]
    states: list[tuple[Any, ...]]
    digests: list[bytes]


def entries_of(
    table: Table, manifest: ManifestFile, selected: Iterable[bytes]
) -> Iterator[Entries]:
    """Yield the entries that add some data files, in the order of the manifest.

    `selected` has `DataFile.digest` of each file. A file that was added, deleted and added again
    has equal entries, of which the first one counts.
    """
    rest = set(selected)
    if not rest:
        return
    partitions = table.data_files.partitions
    for records in batches_of(table, manifest.file_name):
        columns = {name: field_of(records, name) for name in ("_PARTITION", *_KEY, *_STATE)}
        entries = pa.RecordBatch.from_pydict(columns)
        numbers = partitions.numbers(entries.column("_PARTITION"))
        every = digests(entries, numbers, partitions)
        at = []
        for row in np.flatnonzero(to_numpy(records.column("_KIND")) == ADD).tolist():
            if every[row] in rest:
                rest.remove(every[row])
                at.append(row)
        if at:
            rows = np.array(at)
            some = entries.take(pa.array(rows))
            yield Entries(
                records.take(pa.array(rows)),
                keys(some, numbers[rows], partitions),
                states(some),
                [every[row] for row in at],
            )


def changed(records: pa.RecordBatch, kind: int, **fields: pa.Array) -> pa.RecordBatch:
    """Return entries of another kind, with other fields of their files."""
    files = records.column("_FILE")
    fields = dict(zip(files.type.names, files.flatten(), strict=True)) | fields
    columns = dict(zip(records.schema.names, records.columns, strict=True))
    columns["_FILE"] = pa.StructArray.from_arrays([*fields.values()], [*fields])
    columns["_KIND"] = to_arrow_array(np.full(len(records), kind, np.int32))
    return pa.RecordBatch.from_pydict(columns)


def states(entries: pa.RecordBatch) -> list[tuple[Any, ...]]:
    """Return `DataFile.state` of each entry's file."""
    columns = (entries.column(name).to_pylist() for name in _STATE)
    return [(tuple(extra or ()), embedded) for extra, embedded in zip(*columns, strict=True)]
