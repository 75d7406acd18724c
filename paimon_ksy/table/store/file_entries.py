"""The entries of some data files, for commits: found by columns, read one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby
from operator import attrgetter
from typing import Any, TypeVar

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
from paimon_ksy.table.store.manifest_writer import Record, records_of
from paimon_ksy.table.store.table import Table
from paimon_ksy.types.arrays import Numbers

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
    columns = (entries.column(name).to_pylist() for name in _STATE)
    states = ((tuple(extra or ()), embedded) for extra, embedded in zip(*columns, strict=True))
    return list(map(digest_of, keys(entries, numbers, partitions), states))


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


def take_entries(
    table: Table,
    manifest: ManifestFile,
    selected: Iterable[bytes],
    take: Callable[[tuple[Any, ...], Record], None],
) -> None:
    """Pass the entries that add some data files to `take`, in the order of the manifest.

    `selected` has `DataFile.digest` of each file. A file that was added, deleted and added again
    has equal entries, of which one is passed. `take` receives `DataFile.key` and the entry of each
    file.
    """
    rest = set(selected)
    if not rest:
        return
    partitions = table.data_files.partitions
    for record in records_of(table, manifest.file_name):
        if record["_KIND"] != ADD:
            continue
        file = {**_LATER_FIELDS, **record["_FILE"]}
        entry = {**record, "_FILE": file}
        number = partitions.number(record["_PARTITION"])
        values = (record["_BUCKET"] if name == "_BUCKET" else file[name] for name in _KEY)
        key = (partitions.values[number], *values)
        if (digest := digest_of(key, state_of(entry))) in rest:
            rest.remove(digest)
            take(key, entry)


_LATER_FIELDS = dict.fromkeys(("_EMBEDDED_FILE_INDEX", "_EXTERNAL_PATH", "_FIRST_ROW_ID"))
"""Fields that older versions of Paimon did not write, and that commits read."""


def state_of(entry: Record) -> tuple[Any, ...]:
    """Return `DataFile.state` of the file in an entry."""
    file = entry["_FILE"]
    return tuple(file["_EXTRA_FILES"] or ()), file["_EMBEDDED_FILE_INDEX"]
