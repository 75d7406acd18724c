"""Find the live files of the latest snapshot and of tags, from workers' results.

Workers find the live files that no DELETE entry can refer to. For other files, the order of all
ADD entries decides; only the driver has that order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from paimon_ksy.table.audit.manifests import Found, Positions, Slice, Slices, Use
from paimon_ksy.table.manifests.live import Deleted, Hashes, Mask, again
from paimon_ksy.table.manifests.scan import Entries, Wrong, report_left, report_twice
from paimon_ksy.table.model.files import ManifestFile

Readable = Callable[[Sequence[ManifestFile]], bool]


@dataclass(frozen=True)
class View:
    """A snapshot, or the snapshot of a tag, with its manifests in order.

    Attributes:
        use: The user of its live files.
        manifests: The manifests of the base, then those of the delta.
    """

    use: Use
    manifests: tuple[ManifestFile, ...]

    @property
    def with_deletes(self) -> list[ManifestFile]:
        """Return the manifests that have DELETE entries."""
        return [manifest for manifest in self.manifests if manifest.num_deleted_files]


@dataclass
class _Part:
    """The state of a slice: for each entry, a place, and a bit for each view."""

    task: Slice
    num_entries: int
    places: Hashes
    masks: dict[int, NDArray[np.uint8]]
    unsure: dict[int, tuple[Positions, Hashes]]


class Views:
    """The live files of some snapshots."""

    def __init__(self, views: Sequence[View], deletes: Mapping[str, Hashes]) -> None:
        """Initialise without results.

        Args:
            views: The snapshots.
            deletes: The identities of DELETE entries, by the name of a manifest.
        """
        self._views = [(view, _deletes_of(view, deletes)) for view in views]
        self._parts: defaultdict[str, list[_Part]] = defaultdict(list)

    @property
    def deleted(self) -> dict[int, Hashes]:
        """Return the first 64 bits of the DELETE entries' identities, by the number of a view."""
        return {_number(view): np.unique(deletes[:, 0]) for view, deletes in self._views}

    def add(self, task: Slice, found: Found) -> None:
        """Add the results of a slice."""
        if not found.live:
            return
        self._parts[task.manifest.file_name].append(
            _Part(
                task,
                found.num_entries,
                found.places,
                {view: live.mask for view, live in found.live.items()},
                {
                    view: (live.unsure, live.identities)
                    for view, live in found.live.items()
                    if len(live.unsure)
                },
            )
        )

    def returned(self) -> Iterator[Slice]:
        """Yield slices of the files that are live although a DELETE has their identity.

        These files were deleted, and then added again.
        """
        for parts in self._parts.values():
            parts.sort(key=lambda part: part.task.start)
        for view, deletes in self._views:
            number = _number(view)
            deleted = Deleted(deletes)
            for part in self._of(view):
                if number not in part.unsure:
                    continue
                positions, identities = part.unsure[number]
                live = positions[~deleted.take_back(identities)]
                if len(live):
                    mask = _mask(part, number)
                    mask[live] = True
                    part.masks[number] = np.packbits(mask)
                    yield replace(part.task, uses=(view.use,), only=live)

    def report(self, entries_of: Entries, wrong: Wrong, *, readable: Readable) -> None:
        """Report manifests that contradict each other, after `returned`.

        Args:
            entries_of: Reads manifests again if they contradict each other.
            wrong: Called with the name of a manifest and its contradiction.
            readable: Returns whether all of these manifests could be read. Otherwise, a corrupt
                one may contain entries that another one lacks.
        """
        for view, deletes in self._views:
            if not readable(view.manifests):
                continue
            number = _number(view)
            deleted = Deleted(deletes)
            places = [np.empty(0, np.uint64)]
            for part in self._of(view):
                if number in part.unsure:
                    deleted.take_back(part.unsure[number][1])
                places.append(part.places[_mask(part, number)])
            if deleted.left:
                report_left(entries_of, view.with_deletes, deleted, wrong)
            if twice := again(np.concatenate(places)):
                report_twice(entries_of, view.manifests, Deleted(deletes), twice, wrong)

    def _of(self, view: View) -> Iterator[_Part]:
        number = _number(view)
        for manifest in view.manifests:
            for part in self._parts.get(manifest.file_name, ()):
                if number in part.masks:
                    yield part


def _mask(part: _Part, view: int) -> Mask:
    return np.unpackbits(part.masks[view], count=part.num_entries).astype(np.bool_)


def _number(view: View) -> int:
    assert view.use.view is not None
    return view.use.view


def _deletes_of(view: View, deletes: Mapping[str, Hashes]) -> Hashes:
    found = [deletes[m.file_name] for m in view.with_deletes if m.file_name in deletes]
    return np.concatenate([np.empty((0, 2), np.uint64), *found])


def together(
    manifests: Iterable[tuple[ManifestFile, Iterable[Use]]], most: int
) -> Iterator[Slices]:
    """Yield the slices of manifests, in groups with at most `most` entries.

    The numbers of entries are those in the manifest lists.
    """
    found: list[Slice] = []
    count = 0
    for manifest, uses in manifests:
        every = Slice(manifest, tuple(uses))
        if found and (count + every.num_entries > most or len(found) == most):
            yield tuple(found)
            found, count = [], 0
        if every.num_entries > most:
            yield from ((part,) for part in _parts(every, most))
        else:
            found.append(every)
            count += every.num_entries
    if found:
        yield tuple(found)


def _parts(whole: Slice, most: int) -> Iterator[Slice]:
    """Yield the parts of a slice that consists of a whole manifest."""
    starts = range(0, whole.num_entries, most)
    for start in starts:
        yield replace(whole, start=start, stop=None if start == starts[-1] else start + most)
