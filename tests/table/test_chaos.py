"""Writers, deleters, rewriters and auditors at once, killed at random: no committed row is lost."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.table.audit import orphans
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.store import vector_commit
from tests.support import chaos_faults
from tools.tables import make_table

SEED = 6
SECONDS = 10

pytestmark = [pytest.mark.slow, pytest.mark.posix]


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Any]:
    """The folder of a run, and what was found."""
    from tools import chaos

    folder = tmp_path_factory.mktemp("chaos")
    return folder, chaos.run(folder, SEED, SECONDS)


def test_rows_are_what_committed_operations_imply(finished: tuple[Path, Any]) -> None:
    """More of it: `make chaos ARGS="--seconds 600"`."""
    from tools import chaos

    _, report = finished
    print(f"seed {SEED}: {report}")
    assert report.problems == []
    assert report.kills >= chaos.LEAST_KILLS
    assert report.commits["write"] >= chaos.LEAST_WRITES
    assert report.rows > 0


def test_the_command_prints_figures_and_problems(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from tools import chaos

    report = chaos.Report(Counter(write=4), kills=12, rows=345)
    monkeypatch.setattr(chaos, "run", lambda folder, seed, seconds: report)
    monkeypatch.setattr("sys.argv", ["chaos", "--seed", "5"])
    assert chaos.main() == 0
    printed = capsys.readouterr().out
    assert "seed 5, 120 s" in printed and "done: write 4\n" in printed
    assert "kills: 12; rows: 345; orphans cleaned: 0" in printed
    report.check(False, "a row is lost")
    assert chaos.main() == 1
    assert "PROBLEM a row is lost" in capsys.readouterr().out


@pytest.mark.parametrize(
    "fault",
    [
        chaos_faults.snapshots_are_replaced,
        chaos_faults.vectors_are_not_merged,
        chaos_faults.old_data_files_are_indexed,
    ],
)
def test_commits_that_do_not_look_are_noticed(fault: Callable[[], None], tmp_path: Path) -> None:
    from tools import chaos

    for seed in range(5):  # it is left to chance whether anything comes in between
        folder = tmp_path / str(seed)
        folder.mkdir()
        report = chaos.run(folder, seed, 3, fault)
        if report.problems:
            print(f"seed {seed}: {report}")
            return
    pytest.fail("nothing was noticed")


@pytest.mark.parametrize("looks", [True, False])
def test_a_delete_that_does_not_look_for_other_vectors_is_noticed(
    looks: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another delete of the same data file always comes in between."""
    from tools import chaos

    path = make_table(
        tmp_path, "t", [chaos.rows_of(range(10))], chaos.OPTIONS, partition_keys=["part"]
    )
    monkeypatch.setattr(vector_commit, "_same_vectors", vector_commit._same_vectors)
    if not looks:
        chaos_faults.vectors_of_others_are_not_seen()
    plain, engine = vector_commit.commit, local_engine(1)  # type: ignore[attr-defined]

    def other_first(*given: Any, **more: Any) -> int:
        monkeypatch.setattr(vector_commit, "commit", plain)
        delete(path, "id = 1", engine=engine)
        return int(plain(*given, **more))

    monkeypatch.setattr(vector_commit, "commit", other_first)
    delete(path, "id = 2", engine=engine)
    report = chaos.Report()
    chaos._same_rows(report, path, frozenset(range(10)) - {1, 2}, "in the end")
    assert bool(report.problems) != looks


def _only_latest(roots: Callable[..., Iterator[Any]]) -> Callable[..., Iterator[Any]]:
    return lambda *arguments: iter(
        sorted(roots(*arguments), key=lambda found: found[1].id, reverse=True)[:1]
    )


def _without(*roles: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return lambda needed: (
        lambda table, kind, snapshot: tuple(
            role for role in needed(table, kind, snapshot) if role not in roles
        )
    )


CLEANERS: dict[str, tuple[Any, str, Callable[[Any], Any]]] = {
    "older snapshots": (orphans, "_roots", _only_latest),
    "deletion vectors": (orphans, "_needed", _without("index")),
    "indexes": (orphans, "_needed", _without("delta", "base")),
}
"""By what is forgotten: a function and where it is, and how it is broken."""


@pytest.mark.parametrize("forgotten", CLEANERS)
def test_cleaners_that_delete_what_is_needed_are_noticed(
    forgotten: str, finished: tuple[Path, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tools import chaos

    folder, _ = finished
    shutil.copytree(folder, tmp_path / "copy")
    place, name, breaks = CLEANERS[forgotten]
    monkeypatch.setattr(place, name, breaks(getattr(place, name)))
    report = chaos.Report()
    chaos.look(report, tmp_path / "copy")
    print(report.problems[:3])
    assert report.problems
