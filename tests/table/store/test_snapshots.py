"""Snapshots of a table: a damaged or missing one is named."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from paimon_ksy import delete, rewrite_index
from paimon_ksy.errors import PaimonKsyError, with_remedy
from paimon_ksy.io.source import Source
from paimon_ksy.table.audit.audit import audit, repair
from paimon_ksy.table.audit.orphans import clean_orphans
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.io.storage import FolderItem, Storage
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
from tests.support.golden_tables import golden_table
from tests.support.tables import STATUS, TO_FILES, make, rows, tree

ENGINE = local_engine(1)
ANY_AGE = timedelta(seconds=-60)


def test_a_damaged_latest_snapshot_is_named_and_can_be_given_up(tmp_path: Path) -> None:
    path = Path(golden_table("append_dv32", tmp_path))
    latest = int((path / "snapshot" / "LATEST").read_text())
    damaged = path / "snapshot" / f"snapshot-{latest}"
    before = count(path, engine=local_engine(1), snapshot_id=latest - 1).count
    damaged.write_bytes(damaged.read_bytes()[:100])
    with pytest.raises(PaimonKsyError, match=rf"/snapshot/snapshot-{latest}: ") as error:
        count(path, engine=local_engine(1))
    assert "`paimon-ksy table inspect TABLE` shows the snapshots before it" in with_remedy(
        error.value
    )
    damaged.rename(tmp_path / "away")
    (path / "snapshot" / "LATEST").write_text(str(latest - 1))
    assert count(path, engine=local_engine(1)).count == before


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of four snapshots with indexes and vectors, a tag and a branch."""
    options = {**STATUS, **TO_FILES, "deletion-vectors.enabled": "true"}
    path = make(tmp_path_factory.mktemp("made"), [rows(0, 8), rows(8, 8)], options)
    rewrite_index(path, engine=ENGINE)
    delete(path, "id < 3", engine=ENGINE)
    table = Table.at(path)
    table.pypaimon.create_tag("kept", snapshot_id=3)
    table.pypaimon.branch_manager().create_branch("b", "kept")
    Path(path, "changelog").mkdir()
    shutil.copy(f"{path}/snapshot/snapshot-1", f"{path}/changelog/changelog-1")
    return Path(path)


@pytest.fixture
def path(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "t"))


def _remove(place: Path) -> None:
    shutil.rmtree(place) if place.is_dir() else place.unlink(missing_ok=True)


def _folder(place: Path) -> None:
    _remove(place)
    place.mkdir()


def _file(place: Path) -> None:
    _remove(place)
    place.write_text("x")


def _empty(place: Path) -> None:
    place.write_text("")


def _pipe(place: Path) -> None:
    _remove(place)
    os.mkfifo(place)


def _dangling(place: Path) -> None:
    _remove(place)
    place.symlink_to(place.with_name("nowhere"))


def _hint(place: Path) -> None:
    place.write_text("9")


def _last(place: Path) -> None:
    for snapshot in place.iterdir():
        snapshot.unlink()
    (place / f"snapshot-{(1 << 63) - 1}").write_text("{}")


REWRITTEN = {
    "snapshot/LATEST": lambda table: table.snapshots.hint("LATEST"),
    "snapshot/EARLIEST": lambda table: table.snapshots.hint("EARLIEST"),
    "consumer/consumer-c": lambda table: table.snapshots.consumer_position("c"),
}
"""The files that Java and pypaimon rewrite in place, and how we read them."""


@pytest.mark.parametrize("name", REWRITTEN)
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_file_that_is_rewritten_while_it_is_read(
    name: str, when: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The writer empties it before or after we have opened it, and then writes it."""
    table = Table.at(golden_table("append_dv32", tmp_path))
    file, opened = Path(table.location, name), Storage.open
    file.parent.mkdir(exist_ok=True)
    whole = '{"nextSnapshot": 1}' if name.startswith("consumer") else "1"
    file.write_text(whole)
    times = 0

    def opening(storage: Storage, path: str) -> Source:
        nonlocal times
        if path != str(file):
            return opened(storage, path)
        times += 1
        file.write_text(whole if times == 3 or when == "after" else "")
        source = opened(storage, path)
        file.write_text(whole if times == 3 else "")
        return source

    monkeypatch.setattr(Storage, "open", opening)
    assert REWRITTEN[name](table) == 1
    assert times == 3
    file.write_text("")
    times = 3  # no attempt finds it whole
    with pytest.raises(PaimonKsyError, match=f"^{file}: "):
        REWRITTEN[name](table)
    if name == "snapshot/LATEST":
        latest = table.snapshots.latest()
        assert latest is not None
        assert latest.id == max(table.snapshots.ids())


Change = Callable[[Path], None]

SIGNS: list[tuple[Change, str, str]] = [
    *(
        (change, f"snapshot/snapshot-{number}", "")
        for change in (_remove, _folder, _pipe, _dangling)
        for number in (3, 4)
    ),
    *(
        (_empty, f"{name}", "")
        for name in (
            "snapshot/snapshot-1",
            "snapshot/snapshot-4",
            "tag/tag-kept",
            "changelog/changelog-1",
            "branch/branch-b/snapshot/snapshot-3",
        )
    ),
    *(
        (change, name, "")
        for change in (_folder, _pipe, _dangling)
        for name in ("tag/tag-kept", "changelog/changelog-1")
    ),
    *(
        (change, name, "")
        for change in (_file, _pipe, _dangling)
        for name in ("snapshot", "tag", "changelog", "branch", "branch/branch-b")
    ),
    (_remove, "branch/branch-b/schema", "branch/branch-b"),
    *((_hint, f"snapshot/{name}", "snapshot/snapshot-9") for name in ("LATEST", "EARLIEST")),
    *(
        (change, f"snapshot/{name}", "")
        for change in (_folder, _pipe)
        for name in ("LATEST", "EARLIEST")
    ),
    (_last, "snapshot", f"snapshot/snapshot-{(1 << 63) - 1}"),
]


@pytest.mark.parametrize(("change", "where", "named"), SIGNS)
def test_nothing_is_deleted_or_committed_if_a_root_is_missing(
    change: Change, where: str, named: str, path: Path
) -> None:
    """A snapshot, tag or branch, without which the files of others may seem to be orphans."""
    (path / "snapshot" / "EARLIEST").touch()
    change(path / where)
    before, place = tree(path), f"{path}/{named or where}"
    jobs: list[Callable[[], object]] = [
        lambda: clean_orphans(str(path), ANY_AGE, dry_run=False, engine=ENGINE),
        lambda: rewrite_index(str(path), rebuild=True, engine=ENGINE),
        lambda: delete(str(path), "id = 5", engine=ENGINE),
    ]
    for job in jobs[: 1 if where.startswith("branch") else 3]:  # commits to main need no branch
        with pytest.raises(PaimonKsyError) as raised:
            job()
        assert str(raised.value.path) == place
    errors = [one for one in audit(str(path), engine=ENGINE) if one.severity == "error"]
    if not where.startswith("branch/branch-b/snapshot"):  # an audit of the branch reports it
        assert [one.file for one in errors] == [place]
    repair(str(path), engine=ENGINE)
    inspect_table(str(path))
    assert tree(path) == before


def test_expired_snapshots_are_not_missing(path: Path) -> None:
    """Java deletes the oldest ones first, then writes EARLIEST; a delete may have failed."""
    (path / "snapshot" / "snapshot-2").unlink()
    (path / "snapshot" / "EARLIEST").write_text("3")
    (path / "tag" / "tag-success-file").mkdir()
    table = Table.at(path)
    assert table.snapshots.missing() == []
    clean_orphans(table, ANY_AGE, dry_run=False, engine=ENGINE)
    assert delete(table, "id = 5", engine=ENGINE).rows == 1
    assert count(table, engine=ENGINE).count == 12
    assert [one for one in audit(table, engine=ENGINE) if one.severity == "error"] == []


def test_snapshots_that_expire_while_they_are_listed_are_not_missing(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    items = Storage.items

    def expiring(self: Storage, folder: str) -> Iterator[FolderItem]:
        found = list(items(self, folder))
        if folder.endswith("/snapshot") and (path / "snapshot" / "snapshot-1").exists():
            for number in (1, 2, 3):
                (path / "snapshot" / f"snapshot-{number}").unlink()
            found = [item for item in found if item.name not in ("snapshot-2", "snapshot-3")]
        yield from found

    monkeypatch.setattr(Storage, "items", expiring)
    assert Table.at(path).snapshots.missing() == []
