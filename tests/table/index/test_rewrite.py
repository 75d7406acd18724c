"""Indexes of whole tables: what is built, what is left, and that no row is ever lost."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys
import threading
import time
import tracemalloc
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from pyroaring import BitMap

from kit_support.planted import RAN, plant_modules
from paimon_ksy.errors import (
    ConflictError,
    CorruptFileError,
    OptionError,
    PaimonKsyError,
    PredicateError,
    UncertainError,
    with_remedy,
)
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.table.engine import Engine, local_engine, spark_engine
from paimon_ksy.table.engine.spark import SparkEngine
from paimon_ksy.table.index import rewrite
from paimon_ksy.table.index.summary import RewriteSummary
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import Table, index_commit
from paimon_ksy.table.store.commits import commit
from paimon_ksy.table.store.index_commit import NewIndex, commit_indexes
from tests import ROOT
from tests.support import tasks
from tests.support.engines import Elsewhere
from tests.support.golden_tables import expected, golden_table, golden_table_names, same_rows
from tests.support.killed_jobs import WHERE, run_killed
from tests.support.memory import peak_of
from tests.support.tables import (
    EMBEDDED,
    STATUS,
    TO_FILES,
    append,
    drop_partition,
    files,
    ids,
    index_files,
    indexes,
    make,
    referred,
    rows,
    run_rewrite,
    sum_of,
)
from tools.made_manifests import table_of_manifests
from tools.tables import by_pypaimon

# What is built ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", golden_table_names())
def test_golden_tables_get_the_bytes_that_java_wrote(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    table = Table.at(path)
    before = {file.name: _index(table, file) for file in files(path)}
    assert run_rewrite(path).snapshot is None  # they match the options
    summary = run_rewrite(path, rebuild=True)
    assert summary.rewritten == summary.files == len(before)
    after = files(path)
    assert {file.name: _index(table, file) for file in after} == before
    assert run_rewrite(path).snapshot is None
    if "64" not in name:  # of which pypaimon knows no deletion vectors
        assert same_rows(by_pypaimon(path), expected(name).rows)


def _index(table: Table, file: DataFile) -> bytes | None:
    return table.storage.read(file.index) if isinstance(file.index, str) else file.index


SPARK = pytest.param("spark", marks=pytest.mark.java)


@pytest.fixture
def engine(request: pytest.FixtureRequest) -> Engine:
    if request.param == "spark":
        return spark_engine(request.getfixturevalue("spark"))
    return local_engine(2, processes=request.param == "processes")


@pytest.mark.parametrize("engine", ["processes", SPARK], indirect=True)
def test_all_kinds_of_indexes_by_both_engines(tmp_path: Path, engine: Engine) -> None:
    options = {
        "file-index.bitmap.columns": "status,m[k]",
        "file-index.bitmap.status.version": "1",
        "file-index.bsi.columns": "amount",
        "file-index.range-bitmap.columns": "id",
        "file-index.bloom-filter.columns": "id",
        "file-index.bloom-filter.id.items": "100",
    }
    path = make(tmp_path, [rows(0, 40), rows(40, 60), rows(100, 5)], options)
    told: list[str] = []
    summary = run_rewrite(path, engine, progress=lambda file, _: told.append(file.name))
    assert indexes(path) == 3 * [
        {
            "status": {"bitmap"},
            "m[k]": {"bitmap"},
            "amount": {"bsi"},
            "id": {"range-bitmap", "bloom-filter"},
        }
    ]
    assert sorted(told) == sorted(file.name for file in files(path))
    assert (summary.files, summary.rewritten, summary.left) == (3, 3, 0)
    assert (summary.rows, summary.values) == (105, 525)
    assert summary.reasons == {"new": 3}
    assert summary.indexes.keys() == {"bitmap", "bsi", "range-bitmap", "bloom-filter"}
    for kind, built in summary.indexes.items():
        assert (built.files, built.bytes) == (3, sum_of(path, kind))
    assert summary.embedded + summary.index_files == 3
    assert summary.bytes_written > 0 < summary.bytes_read
    table = Table.at(path)
    latest = table.snapshot()
    assert latest is not None
    assert (latest.id, latest.commit_kind) == (summary.snapshot, "COMPACT")
    assert ids(path) == list(range(105))
    with FileIndex.open(files(path)[1].index, table.schema.columns) as opened:
        assert opened.evaluate("status = 'PENDING' AND m['k'] = 'v0'").rows == BitMap(
            row for row, i in enumerate(range(40, 100)) if i % 4 == 3 and i % 3 == 0
        )
    assert run_rewrite(path, engine).snapshot is None


def test_second_run_commits_nothing_and_later_files_alone_are_indexed(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8)], STATUS)
    assert run_rewrite(path).snapshot == 2
    assert run_rewrite(path).snapshot is None
    append(path, rows(8, 8))
    summary = run_rewrite(path)
    assert (summary.rewritten, summary.left, summary.reasons) == (1, 1, {"new": 1})
    assert indexes(path) == 2 * [{"status": {"bitmap"}}]
    assert ids(path) == list(range(16))


def test_earlier_state_never_comes_back(tmp_path: Path) -> None:
    """pypaimon would read no row of a file whose entry is deleted and added again."""
    path = make(tmp_path, [rows(0, 8), rows(8, 4)], STATUS)
    none = {"file-index.bitmap.columns": ""}
    for turn, options in enumerate([EMBEDDED, none, EMBEDDED, TO_FILES, none, none, EMBEDDED]):
        run_rewrite(path, set=options, rebuild=True, drop_unlisted=True)
        assert ids(path) == list(range(12)), turn
        wanted = {} if options == none else {"status": {"bitmap"}}
        assert indexes(path) == [wanted, wanted], turn
        assert run_rewrite(path, set=options).snapshot is None
    states = [file.state for file in files(path)]
    assert len(set(states)) == 2


def test_rust_reads_all_that_is_built(tmp_path: Path) -> None:
    """Also a container without a column, and one with redundant bytes."""
    path = make(tmp_path, [rows(0, 8), rows(8, 4)], STATUS)
    none = {"file-index.bitmap.columns": ""}
    for options in (EMBEDDED, none, EMBEDDED, TO_FILES):
        run_rewrite(path, set=options, drop_unlisted=True)
        table = Table.at(path).pypaimon.copy({"read.native.enabled": "true"})
        builder = table.new_read_builder()
        predicates = builder.new_predicate_builder()
        builder = builder.with_filter(predicates.equal("status", "PENDING"))
        found = builder.new_read().to_arrow(builder.new_scan().plan().splits())
        assert sorted(found["id"].to_pylist()) == [3, 7, 11]


def test_dry_run_writes_nothing(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8), rows(8, 4)], STATUS)
    before = sorted(Path(path).rglob("*"))
    summary = run_rewrite(path, dry_run=True)
    assert (summary.rewritten, summary.rows, summary.values) == (2, 12, 12)
    assert (summary.snapshot, summary.bytes_read, summary.bytes_written) == (None, 0, 0)
    assert sorted(Path(path).rglob("*")) == before


def test_dry_run_holds_no_file(tmp_path: Path) -> None:
    """Of four manifests, in the middle of the first and of the last, the same is held."""
    path = table_of_manifests(tmp_path, "made", partitions=4, files=1000, manifests=4)
    held: list[int] = []
    done = itertools.count(1)

    def progress(file: Any, outcome: Any) -> None:
        if next(done) in (500, 3500):
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])

    def run() -> None:
        wanted, engine = {"file-index.bitmap.columns": "c01"}, local_engine(1)
        summary = rewrite.rewrite_index(
            path, set=wanted, dry_run=True, engine=engine, progress=progress
        )
        assert (summary.files, summary.rewritten) == (4000, 4000)

    peak_of(run)
    assert held[1] - held[0] < 3000 * 50


def test_broken_doubled_and_missing_indexes_are_built_anew(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8), rows(8, 4), rows(12, 4)], {**STATUS, **TO_FILES})
    run_rewrite(path)
    first, second, third = files(path)
    assert first.embedded_index is None
    data = Path(first.index_files[0]).read_bytes()
    both = NewIndex(embedded=data, file_name=first.name + "-both.index")
    commit_indexes(Table.at(path), {first.digest: both})
    Path(second.index_files[0]).unlink()
    Path(third.index_files[0]).write_bytes(b"garbage")
    assert run_rewrite(path).reasons == {"several": 1, "broken": 2}
    assert indexes(path) == 3 * [{"status": {"bitmap"}}]
    assert all(len(file.extra_files) == 1 for file in files(path))
    assert all(file.embedded_index is None for file in files(path))
    assert ids(path) == list(range(16))


# Partitions -------------------------------------------------------------------------------------


def test_rows_keep_the_ids_that_a_table_tracks(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 9), rows(9, 3)], {**STATUS, "row-tracking.enabled": "true"})

    def tracked() -> tuple[Any, ...]:
        snapshot: Any = Table.at(path).snapshot()
        of_files = [
            (f.name, f.first_row_id, f.min_sequence_number, f.max_sequence_number)
            for f in files(path)
        ]
        return snapshot.next_row_id, of_files

    before = tracked()
    assert run_rewrite(path).rewritten == 2
    assert tracked() == before
    append(path, rows(12, 2))
    assert [file.first_row_id for file in files(path)] == [0, 9, 12]


def test_partitions_are_chosen_by_a_predicate(tmp_path: Path) -> None:
    data = [rows(0, 8, "a"), rows(8, 4, "b"), rows(12, 4, "c")]
    path = make(tmp_path, data, STATUS, ["day"])
    summary = run_rewrite(path, partitions="day IN ('a', 'c') AND day <> 'c'")
    assert (summary.files, summary.rewritten) == (1, 1)
    assert [bool(found) for found in indexes(path)] == [True, False, False]
    assert run_rewrite(path, partitions="day = 'z'").files == 0
    with pytest.raises(PredicateError, match=r"only partition columns \(day\).*'status'"):
        run_rewrite(path, partitions="day = 'a' OR status = 'PAID'")
    with pytest.raises(PredicateError, match="'nix'"):
        run_rewrite(path, partitions="nix = 1")
    assert ids(path) == list(range(16))


def test_predicate_on_a_table_without_partitions(tmp_path: Path) -> None:
    path = make(tmp_path, [], STATUS)
    with pytest.raises(PredicateError, match="not partitioned"):
        run_rewrite(path, partitions="day = 'a'")


def test_table_without_a_snapshot(tmp_path: Path) -> None:
    assert run_rewrite(make(tmp_path, [], STATUS)).files == 0


# What goes wrong --------------------------------------------------------------------------------


@pytest.mark.parametrize("engine", ["threads", SPARK], indirect=True)
def test_corrupt_data_file_commits_nothing(tmp_path: Path, engine: Engine) -> None:
    path = make(tmp_path, [rows(8 * n, 8) for n in range(6)], {**STATUS, **TO_FILES})
    broken = Path(files(path)[3].path)
    broken.write_bytes(broken.read_bytes()[:-20])
    with pytest.raises(CorruptFileError, match=broken.name) as caught:
        run_rewrite(path, engine)
    assert "\n" not in str(caught.value)
    latest = Table.at(path).snapshot()
    assert latest is not None
    assert latest.id == 6
    assert index_files(path) == set()


class Interrupted:
    """An engine that is interrupted after some results, as by Ctrl+C."""

    time_zone = None

    def __init__(self, after: int) -> None:
        self.after = after

    def map(self, function: Any, tasks: Iterable[Any], **_: Any) -> Any:
        for number, task in enumerate(tasks):
            result = function(task)
            if number == self.after:
                raise KeyboardInterrupt
            yield task, result

    batches = None


def test_interrupt_deletes_what_was_written(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(8 * n, 8) for n in range(4)], {**STATUS, **TO_FILES})
    with pytest.raises(KeyboardInterrupt):
        run_rewrite(path, Interrupted(2))  # type: ignore[arg-type]
    assert index_files(path) == set()
    assert run_rewrite(path).rewritten == 4


@pytest.mark.parametrize("made", [False, True])
def test_interrupt_while_committing_keeps_what_is_committed(
    made: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(0, 8)], {**STATUS, **TO_FILES})

    def interrupted(*given: Any, **more: Any) -> Any:
        if made:
            commit(*given, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(index_commit, "commit", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_rewrite(path)
    assert len(index_files(path)) == made
    assert indexes(path) == [{"status": {"bitmap"}} if made else {}]
    assert ids(path) == list(range(8))


@pytest.mark.parametrize("where", WHERE)
def test_killed_job_leaves_a_readable_table(where: str, tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8), rows(8, 4)], {**STATUS, **TO_FILES})
    run_killed(where, "rewrite", path)
    assert ids(path) == list(range(12))
    done = where == "after"
    assert indexes(path) == 2 * [{"status": {"bitmap"}} if done else {}]
    assert index_files(path) >= referred(path)
    summary = run_rewrite(path)
    assert summary.rewritten == (0 if done else 2)
    assert indexes(path) == 2 * [{"status": {"bitmap"}}]
    assert ids(path) == list(range(12))


RETRY = """
import os, sys
from functools import partial
from pathlib import Path
from paimon_ksy.table.engine.spark import SparkEngine
from paimon_ksy.table.index import rewrite
from paimon_ksy.table.engine import engine_named

def kill_once(flags, job, file):
    found = rewrite.index_file(job, file)  # its index file is written
    flag = Path(flags) / file.name
    if not flag.exists():
        flag.touch()
        os._exit(1)
    return found

class Killing:
    time_zone = None
    def __init__(self, engine, flags):
        self.engine, self.flags = engine, flags
    def map(self, function, tasks, **given):
        return self.engine.map(partial(kill_once, self.flags, function.args[0]), tasks, **given)

path, flags = sys.argv[1:]
summary = rewrite.rewrite_index(path, engine=Killing(engine_named("spark", "local[2]"), flags))
print(summary.rewritten, summary.snapshot)
"""


@pytest.mark.java
def test_killed_tasks_are_run_again_by_spark(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(8 * n, 8) for n in range(3)], {**STATUS, **TO_FILES})
    flags, current = tmp_path / "flags", tmp_path / "current"
    flags.mkdir()
    current.mkdir()
    plant_modules(current)
    (tmp_path / "retry.py").write_text(RETRY)
    ran = subprocess.run(
        [sys.executable, str(tmp_path / "retry.py"), path, str(flags)],
        cwd=current,
        check=False,
        capture_output=True,
        text=True,
    )
    assert ran.stdout.split() == ["3", "4"], ran.stderr[-2000:]
    assert len(list(flags.iterdir())) == 3
    assert not (current / RAN).exists()  # workers import nothing from the current folder
    assert indexes(path) == 3 * [{"status": {"bitmap"}}]
    assert index_files(path) == referred(path)
    assert ids(path) == list(range(24))


@pytest.mark.java
def test_cancelled_spark_jobs_leave_no_file(tmp_path: Path, spark: Any) -> None:
    """Their workers write files for seconds, until Spark ends them."""
    from pyspark import cloudpickle

    class Slow(SparkEngine):
        def map(self, function: Any, files: Any, **given: Any) -> Any:  # type: ignore[override]
            return super().map(partial(tasks.index_slowly, function.args[0]), files, **given)

    def cancel_when_it_writes() -> None:
        while not index_files(path):
            time.sleep(0.05)
        spark.sparkContext.cancelJobGroup("slow")

    cloudpickle.register_pickle_by_value(tasks)  # type: ignore[no-untyped-call]
    path = make(tmp_path, [rows(8 * n, 8) for n in range(16)], {**STATUS, **TO_FILES})
    other = threading.Thread(target=cancel_when_it_writes, daemon=True)
    other.start()
    spark.sparkContext.setJobGroup("slow", "a job of the user's")
    with pytest.raises(PaimonKsyError, match="the job was cancelled"):
        run_rewrite(path, Slow(spark))  # type: ignore[arg-type]
    spark.sparkContext.setLocalProperty("spark.jobGroup.id", None)
    other.join()
    time.sleep(2)
    assert index_files(path) == set()
    assert snapshots(path) == 16


# In batches -------------------------------------------------------------------------------------


def snapshots(path: str) -> int:
    latest = Table.at(path).snapshot()
    assert latest is not None
    return latest.id


def days(*names: str) -> list[Any]:
    return [rows(8 * at, 8, day) for at, day in enumerate(names)]


@pytest.mark.parametrize("options", [EMBEDDED, TO_FILES])
def test_batches_do_what_one_commit_does(options: dict[str, str], tmp_path: Path) -> None:
    data = days("b", "a", "a", "c", "b", "d")
    found: list[tuple[RewriteSummary, Any]] = []
    for folder, most in (("one", 6), ("more", 2)):
        (tmp_path / folder).mkdir()
        path = make(tmp_path / folder, data, {**STATUS, **options}, ["day"])
        summary = run_rewrite(path, batch_files=most)
        found.append((summary, indexes(path)))
        assert ids(path) == list(range(48))
        assert index_files(path) == referred(path)
        assert run_rewrite(path, batch_files=most).snapshot is None
    (one, same), (more, also_same) = found
    assert same == also_same == 6 * [{"status": {"bitmap"}}]
    assert (one.batches, one.snapshot, one.attempts) == (1, 7, 1)
    assert (more.batches, more.snapshot, more.attempts) == (3, 9, 3)
    differ = {"batches", "snapshot", "attempts", "seconds", "steps", "indexes", "bytes_read"}
    parts = [{k: v for k, v in s.to_json().items() if k not in differ} for s in (one, more)]
    assert parts[0] == parts[1]
    built = [b.files for s in (one, more) for b in s.indexes.values()]
    assert built == [6, 6]


def test_batches_of_a_table_without_partitions(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(8 * n, 8) for n in range(6)], STATUS)
    assert run_rewrite(path, batch_files=2, dry_run=True).batches == 1
    only = {file.name for file in files(path)[:5]}
    summary = run_rewrite(path, batch_files=2, only=lambda file: file.name in only)
    assert (summary.batches, summary.files, summary.rewritten) == (3, 5, 5)
    assert [bool(found) for found in indexes(path)] == [*5 * [True], False]
    assert ids(path) == list(range(48))
    with pytest.raises(OptionError, match="at least 1"):
        run_rewrite(path, batch_files=0)


def test_corrupt_file_loses_its_batch_alone(tmp_path: Path) -> None:
    path = make(tmp_path, days("a", "b", "c", "d"), {**STATUS, **TO_FILES}, ["day"])
    broken = Path(files(path)[1].path)
    whole = broken.read_bytes()
    broken.write_bytes(whole[:-20])
    with pytest.raises(CorruptFileError, match=broken.name) as caught:
        run_rewrite(path, batch_files=1)
    assert with_remedy(caught.value).endswith(
        "3 of 4 batches are done, and the next run skips them"
    )
    assert [bool(found) for found in indexes(path)] == [True, False, True, True]
    assert index_files(path) == referred(path)
    broken.write_bytes(whole)
    summary = run_rewrite(path, batch_files=1)
    assert (summary.rewritten, summary.left) == (1, 3)
    assert indexes(path) == 4 * [{"status": {"bitmap"}}]


def test_conflict_in_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is planned again alone: no other batch is built twice, even by force."""
    path = make(tmp_path, days("a", "b", "c"), {**STATUS, **TO_FILES}, ["day"])
    commits: list[int] = []

    def meanwhile(table: Table, *job: Any) -> Any:
        commits.append(len(job[0]))
        if len(commits) == 2:
            drop_partition(path, "b")
        return commit_indexes(table, *job)

    monkeypatch.setattr(rewrite, "commit_indexes", meanwhile)
    summary = run_rewrite(path, batch_files=1, rebuild=True)
    assert commits == [1, 1, 0, 1]
    assert (summary.attempts, summary.files, summary.rewritten) == (4, 2, 2)
    assert index_files(path) == referred(path)
    assert ids(path) == [*range(8), *range(16, 24)]


def test_conflict_without_end_loses_its_batch_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, days("a", "b", "c"), {**STATUS, **TO_FILES}, ["day"])
    commits = iter([False, True, True, False])

    def sometimes(table: Table, *job: Any) -> Any:
        if next(commits):
            raise ConflictError("somebody was first")
        return commit_indexes(table, *job)

    monkeypatch.setattr(rewrite, "commit_indexes", sometimes)
    monkeypatch.setattr("paimon_ksy.table.store.commits._ATTEMPTS", 2)
    with pytest.raises(ConflictError) as caught:
        run_rewrite(path, batch_files=1, rebuild=True)
    assert with_remedy(caught.value).endswith("2 of 3 batches are done")
    assert [bool(found) for found in indexes(path)] == [True, False, True]
    assert index_files(path) == referred(path)


def test_error_that_is_not_of_a_batch_ends_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, days("a", "b", "c"), STATUS, ["day"])
    commits = iter([False, True])

    def gone(table: Table, *job: Any) -> Any:
        if next(commits):
            raise UncertainError("the store does not answer")
        return commit_indexes(table, *job)

    monkeypatch.setattr(rewrite, "commit_indexes", gone)
    with pytest.raises(UncertainError):
        run_rewrite(path, batch_files=1)
    assert [bool(found) for found in indexes(path)] == [True, False, False]


# Two at once ------------------------------------------------------------------------------------


def test_append_and_other_rewrite_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before each of the first commits somebody else is first; in the end all is indexed."""
    path = make(tmp_path, [rows(0, 8), rows(8, 4)], {**STATUS, **TO_FILES})
    others = iter(["append", "rewrite", None])

    def meanwhile(table: Table, *job: Any) -> Any:
        other = next(others, None)
        if other == "append":
            append(path, rows(12, 4))
        elif other == "rewrite":
            monkeypatch.setattr(rewrite, "commit_indexes", commit_indexes)
            run_rewrite(path, set={"file-index.bitmap.columns": "status,amount"})
            monkeypatch.setattr(rewrite, "commit_indexes", meanwhile)
            append(path, rows(16, 4))
        return commit_indexes(table, *job)

    monkeypatch.setattr(rewrite, "commit_indexes", meanwhile)
    first = run_rewrite(path)
    assert (first.attempts, first.files) == (1, 2)  # an append is no conflict
    append(path, rows(100, 4))
    second = run_rewrite(path)
    assert second.attempts == 2
    assert second.files == 5
    both = {"status": {"bitmap"}, "amount": {"bitmap"}}
    assert indexes(path) == [*4 * [both], {"status": {"bitmap"}}]
    assert ids(path) == [*range(20), *range(100, 104)]


def test_partition_dropped_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = [rows(0, 8, "a"), rows(8, 4, "b")]
    path = make(tmp_path, data, {**STATUS, **TO_FILES}, ["day"])

    def meanwhile(table: Table, *job: Any) -> Any:
        monkeypatch.setattr(rewrite, "commit_indexes", commit_indexes)
        builder = Table.at(path).pypaimon.new_batch_write_builder()
        drop = builder.new_commit()
        drop.truncate_partitions([{"day": "a"}])
        drop.close()
        return commit_indexes(table, *job)

    monkeypatch.setattr(rewrite, "commit_indexes", meanwhile)
    summary = run_rewrite(path)
    assert (summary.attempts, summary.files, summary.rewritten) == (2, 1, 1)
    assert index_files(path) == referred(path)
    assert len(referred(path)) == 1
    assert ids(path) == list(range(8, 12))


WRITER = """
import sys
from paimon_ksy.table.index import rewrite
from paimon_ksy.table.engine import local_engine
for turn in range(4):
    rewrite.rewrite_index(
        sys.argv[1], set={"file-index.bitmap.columns": "amount"}, rebuild=True,
        engine=local_engine(1),
    )
"""


def test_two_processes_and_appends_at_once(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(8 * n, 8) for n in range(4)], TO_FILES)
    other = subprocess.Popen([sys.executable, "-c", WRITER, path], cwd=ROOT)
    for number in range(4, 8):
        run_rewrite(path, set={"file-index.bitmap.columns": "status"}, rebuild=True)
        append(path, rows(8 * number, 8))
    assert other.wait() == 0
    assert ids(path) == list(range(64))
    assert referred(path) <= index_files(path)
    run_rewrite(path, set={"file-index.bitmap.columns": "status"}, drop_unlisted=True)
    assert indexes(path) == 8 * [{"status": {"bitmap"}}]
    assert ids(path) == list(range(64))


@pytest.mark.parametrize("options", [TO_FILES, EMBEDDED])
def test_an_engine_finds_the_data_files_of_a_commit(
    options: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make(tmp_path, [rows(number * 10, 10) for number in range(3)], {**STATUS, **options})
    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", 0)
    ran = []
    for column in ("status", "id", "status"):  # back to what was deleted
        engine, changed = Elsewhere(), {"file-index.bitmap.columns": column}
        done = run_rewrite(path, engine, set=changed, drop_unlisted=True)
        assert (done.snapshot is not None, done.attempts) == (True, 1)
        ran.append(engine.ran)
        assert all(file.index is not None for file in files(path))
    assert ran[-1] > 3  # more than the data files
    assert index_files(path) >= referred(path)
