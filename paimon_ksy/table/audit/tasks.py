"""The tasks of an audit's workers: each one checks some files, and returns problems."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np

from paimon_ksy.errors import Call, PaimonKsyError, Remedy
from paimon_ksy.messages.findings import ERROR, Finding
from paimon_ksy.table.audit.buckets import (
    PartitionBuckets,
    UnmergedFiles,
    check_buckets,
    check_live_keys,
)
from paimon_ksy.table.audit.manifests import Found, IndexManifest, ReadJob, Slice, Slices
from paimon_ksy.table.audit.references import FileReference, check_reference, size_of
from paimon_ksy.table.engine import LOST, Engine
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.manifests.live import Hashes
from paimon_ksy.table.manifests.scan import Entries, Group

REMEDY_LOST = Remedy(
    "restore the file from a backup; if memory was short, run ",
    Call("table audit", "--master 'local[1]'"),
)

AuditPart = tuple[FileReference, ...] | Slice | IndexManifest | PartitionBuckets | UnmergedFiles
"""Named files, some entries of a manifest, an index manifest, the dynamic buckets of a partition,
or data files that readers do not merge."""

AuditTask = tuple[AuditPart, ...]
"""Slices that are read together, or a single part."""

_ROWS_A_SECOND = 12_000_000
_NEAR_SECONDS, _AFAR_SECONDS = 0.001, 0.1  # to open a file on this machine, or a remote one


@dataclass(frozen=True)
class ReadDeletes:
    """Reader of the identities of DELETE entries, by the name of their manifest.

    Unreadable manifests have none.
    """

    reading: ReadJob

    def __call__(self, manifests: Group) -> dict[str, Hashes]:
        """Return 128 bits for each entry: shape (n, 2)."""
        read = Entries(self.reading.reader)
        found = {manifest.file_name: [np.empty((0, 2), np.uint64)] for manifest in manifests}
        try:
            for each in read(manifests):
                deletes = each.some(~each.adds)
                identities = read.keys(deletes).identities
                for number in np.unique(deletes.of).tolist():
                    name = manifests[number].file_name
                    found[name].append(identities[deletes.of == number])
        except PaimonKsyError:  # the result of its slice contains the error
            if len(manifests) == 1:
                return {}
            alone = [self((manifest,)) for manifest in manifests]
            return {name: every for one in alone for name, every in one.items()}
        return {name: np.concatenate(every) for name, every in found.items()}


@dataclass(frozen=True)
class CheckTask:
    """The function that an engine calls with each task."""

    reading: ReadJob

    def __call__(self, task: AuditTask) -> list[Found]:
        """Return the results of each part of a task."""
        slices = _slices(task)
        return self.reading.reader.check(slices) if slices else [*map(self._part, task)]

    def _part(self, part: AuditPart) -> Found:
        if isinstance(part, IndexManifest):
            return self.reading.reader.check_index_files(part)
        if isinstance(part, PartitionBuckets):
            findings = list(check_buckets(self.reading.job, part))
            return Found(findings=findings, checked=len(part.indexes))
        if isinstance(part, UnmergedFiles):
            return Found(findings=list(check_live_keys(self.reading.job, part)))
        assert isinstance(part, tuple)
        # Several snapshots name the same file.
        size = cache(partial(size_of, self.reading.job.storage))
        broken = [broken for named in part for broken in check_reference(named, size)]
        return Found(broken=broken, checked=len(part))

    def lost(self, task: AuditTask) -> list[Found]:
        """Return the results for a task whose process crashed."""
        return [*map(self._lost_part, task)]

    def _lost_part(self, part: AuditPart) -> Found:
        if isinstance(part, Slice):
            return Found(is_lost=True)
        if isinstance(part, PartitionBuckets):
            kind, path = "bucket-index", part.manifest
        elif isinstance(part, IndexManifest):
            kind, path = "manifest", part.snapshot.index_manifest or ""
        elif isinstance(part, UnmergedFiles):
            kind, path = "data-file", part.files[0].path
        else:
            kind, path = "data-file", part[0].path
        return Found(findings=[_lost(kind, path)])


def _slices(task: AuditTask) -> Slices:
    return tuple(part for part in task if isinstance(part, Slice))


def alone(parts: Iterable[AuditPart]) -> Iterator[AuditTask]:
    """Yield each part as a task."""
    return ((part,) for part in parts)


def results(
    engine: Engine, reading: ReadJob, tasks: Iterable[AuditTask]
) -> Iterator[tuple[AuditPart, Found]]:
    """Yield the parts of tasks with their results.

    If a data file crashes the process that checks it, its slice is checked again entry by entry.

    Args:
        engine: The engine to run on.
        reading: The parameters of the workers.
        tasks: The tasks.
    """
    check = CheckTask(reading)
    lost: list[Slice] = []
    for task, found in engine.map(check, tasks):
        for part, of_part in zip(task, found, strict=True):
            if of_part.is_lost and isinstance(part, Slice):
                lost += reading.reader.singles(part)
            else:
                yield part, of_part
    # An engine may run a single task in this process. A single lost entry ran alone already.
    every: dict[Slice, Found] = {}
    if len(lost) > 1:
        for (single,), [of_single] in engine.map(check, [(single,) for single in lost]):
            every[single] = of_single
    for single in lost:
        of_single = every.get(single, Found(is_lost=True))
        if of_single.is_lost:
            [of_single] = reading.reader.check((replace(single, is_checked=False),))
            of_single.latest.files = [
                (file, [_lost("data-file", file.path)]) for file, _ in of_single.latest.files
            ]
        yield single, of_single


def _lost(kind: str, path: str) -> Finding:
    return Finding(ERROR, kind, path, None, None, LOST, REMEDY_LOST)


def seconds_per_file(storage: Storage, rows: float) -> float:
    """Return the approximate seconds to open a file, and to read a number of rows."""
    return (_NEAR_SECONDS if storage.is_local else _AFAR_SECONDS) + rows / _ROWS_A_SECOND
