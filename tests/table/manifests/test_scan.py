"""All manifests of a snapshot: which entries are live, in order, and what contradicts."""

import pickle
import threading
from collections.abc import Generator, Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.engine import Engine, local_engine
from paimon_ksy.table.manifests.entries import ManifestEntries, read_entries
from paimon_ksy.table.manifests.lists import read_list
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.manifests.scan import (
    _GROUP_BYTES,
    _GROUP_ENTRIES,
    Group,
    executor,
    grouped,
    in_order,
    scan,
)
from paimon_ksy.table.model.files import ManifestFile
from paimon_ksy.types.schema import Schema
from tests.support.engines import Elsewhere
from tests.support.live_files import CHANGES, Change, check_live, given_changes
from tests.support.manifests import ENTRIES, LISTS, avro, entry, listed

MOST = (_GROUP_BYTES, _GROUP_ENTRIES)


def table_of(
    changes: Sequence[Sequence[Change]],
) -> tuple[list[ManifestFile], dict[str, bytes]]:
    """The manifests of these entries, and their bytes by name."""
    data = {
        f"m{number}": avro(
            ENTRIES,
            [
                entry(kind, bucket=bucket, _FILE_NAME=name, _LEVEL=level)
                for kind, name, level, bucket in part
            ],
        )
        for number, part in enumerate(changes)
    }
    records = []
    for number, part in enumerate(changes):
        deleted = sum(kind for kind, *_ in part)
        counts = {"_NUM_ADDED_FILES": len(part) - deleted, "_NUM_DELETED_FILES": deleted}
        records.append(listed(f"m{number}", **counts))
    return read_list(avro(LISTS, records), "list"), data


class Read:
    """A reader of manifests in memory, which remembers nothing where it was pickled."""

    def __init__(self, data: dict[str, bytes]) -> None:
        self.data = data
        self.partitions = Partitions(Schema.parse(""))

    def __call__(self, manifests: Sequence[ManifestFile]) -> Iterable[ManifestEntries]:
        return read_entries((self.data[each.file_name], each.file_name) for each in manifests)

    def __reduce__(self) -> Any:
        return Read, (self.data,)


def itself(entries: pa.RecordBatch, numbers: Any, partitions: Partitions) -> pa.RecordBatch:
    assert len(numbers) == len(entries) > 0
    return entries


class OfLevels:
    """Counts the entries of some levels."""

    def __init__(self, levels: Iterable[int]) -> None:
        self.levels = list(levels)

    def __call__(self, entries: pa.RecordBatch, numbers: Any, partitions: Partitions) -> Any:
        return np.isin(entries.column("_LEVEL").to_numpy(), self.levels)


def scanned(
    changes: Sequence[Sequence[Change]],
    levels: Iterable[int] | None = None,
    engine: Engine | None = None,
) -> tuple[list[tuple[str, int, int]], list[tuple[str, str]]]:
    """The live files of these levels, and what is reported."""
    manifests, data = table_of(changes)
    wrong: list[tuple[str, str]] = []
    found = []
    for *_, entries in scan(
        manifests,
        Read(data),
        itself,
        lambda *report: wrong.append(report),
        counts=None if levels is None else OfLevels(levels),
        engine=engine,
    ):
        found += [
            (each["_FILE_NAME"], each["_LEVEL"], each["_BUCKET"]) for each in entries.to_pylist()
        ]
    return found, wrong


@given_changes
def test_each_delete_takes_one_add_back(changes: list[list[Change]]) -> None:
    live, wrong = scanned(changes)
    check_live(changes, live, wrong)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", -1)
        assert (live, wrong) == scanned(changes, engine=Elsewhere())


@given(st.lists(st.lists(CHANGES, max_size=4), max_size=3))
def test_entries_that_do_not_count(changes: list[list[Change]]) -> None:
    """They are as if they were not there: neither live nor wrong."""
    kept = [[change for change in part if change[2] == 1] for part in changes]
    live, wrong = scanned(changes, [1])
    wanted, also_wrong = scanned(kept)
    assert live == wanted
    assert sorted(text for _, text in wrong) == sorted(text for _, text in also_wrong)


def test_reports_name_the_manifests() -> None:
    a, b = (0, "a", 0, 0), (1, "b", 0, 0)
    assert scanned([[a], [a, a], [b, b]])[1] == [
        (
            "m2",
            "it deletes data file b, but no manifest of the snapshot adds it with the same "
            "partition, bucket, level and index",
        ),
        ("m1", "it adds data file a, which m0 also adds: its rows would be read twice"),
        ("m1", "it adds data file a, which m0 also adds: its rows would be read twice"),
    ]
    [(_, text)] = scanned([[a, a]])[1]
    assert "which this manifest also adds" in text


def test_deletes_that_the_list_does_not_count() -> None:
    manifests, data = table_of([[(0, "a", 0, 0)], [(1, "a", 0, 0)]])
    uncounted = [ManifestFile(f"m{n}", 1, 1, 0, 0, (), b"", b"", ()) for n in range(2)]
    wrong: list[tuple[str, str]] = []
    list(
        scan(
            uncounted,
            Read(data),
            itself,
            lambda *report: wrong.append(report),
        )
    )
    assert wrong == [("m1", "it deletes data files, but its manifest list counts none")]
    assert len(manifests) == 2


def test_an_error_in_a_thread_comes_out() -> None:
    manifests, data = table_of([[(0, "a", 0, 0)]] * 5)
    data["m3"] = data["m3"][:-1]
    found = scan(
        manifests,
        Read(data),
        itself,
        lambda *report: None,
    )
    with pytest.raises(CorruptFileError, match=r"^m3: "):
        list(found)


@given(st.lists(st.tuples(*(st.sampled_from((0, 1, most // 3, most, 2 * most)) for most in MOST))))
def test_groups_are_small_in_bytes_and_entries(sizes: list[tuple[int, int]]) -> None:
    """A few bytes may hold very many entries that are alike."""
    manifests = [
        ManifestFile(f"m{number}", size, entries // 2, entries - entries // 2, 0, (), b"", b"", ())
        for number, (size, entries) in enumerate(sizes)
    ]
    groups = [*grouped(manifests)]
    assert [manifest for group in groups for manifest in group] == manifests

    def fits(group: Sequence[ManifestFile]) -> bool:
        entries = sum(each.num_added_files + each.num_deleted_files for each in group)
        return sum(each.file_size for each in group) <= MOST[0] and entries <= MOST[1]

    assert all(len(group) == 1 or fits(group) for group in groups)
    assert not any(fits((*group, after[0])) for group, after in pairwise(groups))


def test_results_come_in_order_and_few_wait() -> None:
    manifests, _ = table_of([[]] * 40)
    running = []
    lock = threading.Lock()

    def work(group: Group) -> str:
        with lock:
            running.append(group)
        return group[0].file_name

    groups = [(manifest,) for manifest in manifests]
    for number, ((manifest,), name) in enumerate(in_order(work, groups)):
        assert name == manifest.file_name == f"m{number}"
        assert len(running) <= number + 20


def test_what_nobody_reads_to_its_end_ends_in_any_thread() -> None:
    """Garbage is collected wherever something is allocated, also where a manifest is read."""
    manifests, _ = table_of([[]] * 40)
    given, ended = threading.Event(), threading.Event()

    def work(group: Group) -> str:
        if group[0] == manifests[1]:
            given.wait(10)
            held.clear()
            ended.set()
        return group[0].file_name

    held = [in_order(work, [(manifest,) for manifest in manifests])]
    next(held[0])
    given.set()
    assert ended.wait(10)


def test_what_is_returned_is_small_where_little_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of files that are deleted elsewhere, what tells them apart; of others, what is looked at."""
    manifests, data = table_of([[(0, f"f{n}", 0, 0) for n in range(1000)], [(1, "f7", 0, 0)]])
    sizes: list[int] = []

    class Watched(Elsewhere):
        def map(self, *given: Any, **more: Any) -> Generator[Any]:
            for task, result in super().map(*given, **more):
                sizes.append(len(pickle.dumps(result)))
                yield task, result

    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", 0)
    found = scan(manifests, Read(data), counted, lambda *_: None, engine=Watched())
    assert [looked for *_, looked in found] == [999]
    assert len(sizes) == 2 and max(sizes) < 2 * 8 * 1000 + 5000


def counted(entries: pa.RecordBatch, numbers: Any, partitions: Partitions) -> int:
    return len(entries)


def test_only_many_entries_are_read_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    manifests, _ = table_of([[(0, "a", 0, 0), (0, "b", 0, 0)], [(1, "a", 0, 0)]])
    engine = Elsewhere()
    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", 3)
    assert executor(engine, manifests) == in_order
    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", 2)
    assert executor(local_engine(1), manifests) == executor(None, manifests) == in_order
    assert executor(engine, manifests) == engine.map
