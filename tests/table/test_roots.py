"""Whatever is done to a table, each root reads the rows that it had: the latest snapshot, and each
other snapshot, tag and branch."""

from __future__ import annotations

import shutil
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from kit_support.examples import examples
from paimon_ksy import delete, query
from paimon_ksy.messages.findings import ERROR
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.audit.orphans import clean_orphans
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.store import Table
from tools.tables import append, make_table, merge_manifests

ENGINE = local_engine(1)
ANY_AGE = timedelta(seconds=-60)
OPTIONS = {
    "deletion-vectors.enabled": "true",
    "file-index.bitmap.columns": "status",
    "file-index.in-manifest-threshold": "1 b",
}
STATUSES = ["new", "paid", "sent"]
Root = tuple[str, str]
"""A branch, and a number of a snapshot or the name of a tag in it."""

BRANCHES = st.integers(0, 3)
ROWS = st.integers(0, 99)


def status_of(row: int) -> str:
    return STATUSES[row * 7 % 11 % 3]


def data(ids: Any) -> pa.Table:
    return pa.table({"id": pa.array(ids, pa.int64()), "status": [status_of(i) for i in ids]})


class Roots(RuleBasedStateMachine):
    """A table, and the ids that each of its roots has."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.snapshots: dict[Root, frozenset[int]] = {}
        self.tags: dict[Root, frozenset[int]] = {}
        self.latest: dict[str, int] = {}
        self.next = 4
        self.names = 0

    @initialize()
    def create(self) -> None:
        """With one root of each kind from the start."""
        self.path = make_table(self.folder, "t", [data(range(4))], OPTIONS)
        self.latest["main"] = 1
        self.snapshots["main", "1"] = frozenset(range(4))
        self.rewrite(0, rebuild=False)
        self.delete_rows(0, 1, 1)
        self.tag(0)
        self.make_branch()

    # What is done --

    def opened(self, name: str) -> Table:
        table = Table.at(self.path)
        return table if name == "main" else table.branch(name)

    def branch(self, number: int) -> str:
        names = sorted(self.latest)
        return names[number % len(names)]

    def ids(self, branch: str) -> frozenset[int]:
        return self.snapshots[branch, str(self.latest[branch])]

    def committed(self, branch: str, ids: frozenset[int], snapshot: int | None) -> None:
        if snapshot is not None:
            self.latest[branch] = snapshot
            self.snapshots[branch, str(snapshot)] = ids

    @rule(number=BRANCHES, count=st.integers(1, 4))
    def write(self, number: int, count: int) -> None:
        branch = self.branch(number)
        table = self.opened(branch)
        new = range(self.next, self.next + count)
        self.next += count
        append(table.pypaimon, data(new))
        self.committed(branch, self.ids(branch) | {*new}, self.latest[branch] + 1)

    @rule(number=BRANCHES, row=ROWS, count=st.integers(1, 5))
    def delete_rows(self, number: int, row: int, count: int) -> None:
        branch = self.branch(number)
        ids = sorted(self.ids(branch))
        gone = {ids[(row + at) % len(ids)] for at in range(min(count, len(ids)))}
        where = " OR ".join(f"id = {one}" for one in gone) or "id < 0"
        done = delete(self.opened(branch), where, engine=ENGINE)
        assert done.rows == len(gone)
        self.committed(branch, self.ids(branch) - gone, done.snapshot)

    @rule(number=BRANCHES, rebuild=st.booleans())
    def rewrite(self, number: int, rebuild: bool) -> None:
        branch = self.branch(number)
        done = rewrite_index(self.opened(branch), rebuild=rebuild, engine=ENGINE)
        self.committed(branch, self.ids(branch), done.snapshot)

    @rule(number=BRANCHES)
    def merge(self, number: int) -> None:
        """Deleted files, and earlier indexes, are no longer named by the latest snapshot."""
        merge_manifests(self.opened(self.branch(number)))

    @rule(number=BRANCHES)
    def tag(self, number: int) -> None:
        branch = self.branch(number)
        name = f"tag{self.names}"
        self.names += 1
        self.opened(branch).pypaimon.create_tag(name, snapshot_id=self.latest[branch])
        self.tags[branch, name] = self.ids(branch)

    @precondition(lambda self: self.tags)
    @rule(number=ROWS)
    def untag(self, number: int) -> None:
        branch, name = root = sorted(self.tags)[number % len(self.tags)]
        self.opened(branch).pypaimon.tag_manager().delete_tag(name)
        del self.tags[root]

    @precondition(lambda self: len(self.latest) < 3)
    @rule()
    def make_branch(self) -> None:
        """A branch of the latest snapshot, by a tag that is then gone from main."""
        name, tag = f"b{self.names}", f"of-b{self.names}"
        self.names += 1
        main = self.opened("main")
        main.pypaimon.create_tag(tag, snapshot_id=self.latest["main"])
        main.pypaimon.branch_manager().create_branch(name, tag)
        main.pypaimon.delete_tag(tag)
        self.latest[name] = self.latest["main"]
        self.snapshots[name, str(self.latest[name])] = self.ids("main")
        self.tags[name, tag] = self.ids("main")

    @precondition(lambda self: len(self.latest) > 1)
    @rule(number=BRANCHES)
    def drop_branch(self, number: int) -> None:
        names = sorted({*self.latest} - {"main"})
        name = names[number % len(names)]
        shutil.rmtree(Path(self.path, "branch", f"branch-{name}"))
        del self.latest[name]
        for roots in (self.snapshots, self.tags):
            for root in [root for root in roots if root[0] == name]:
                del roots[root]

    @rule(number=BRANCHES, keep=st.integers(1, 3))
    def expire(self, number: int, keep: int) -> None:
        branch = self.branch(number)
        folder = Path(self.opened(branch).metadata_path, "snapshot")
        first = max(self.latest[branch] - keep + 1, 1)
        for root in [root for root in self.snapshots if root[0] == branch]:
            if int(root[1]) < first:
                (folder / f"snapshot-{root[1]}").unlink()
                del self.snapshots[root]
        kept = [int(name) for of, name in self.snapshots if of == branch]
        (folder / "EARLIEST").write_text(str(min(kept)))

    # What must hold --

    @rule()
    def clean(self) -> None:
        """Nothing that is needed goes, and nothing stays that is not."""
        clean_orphans(self.path, ANY_AGE, dry_run=False)
        assert clean_orphans(self.path, ANY_AGE) == []
        self.every_root_reads()

    def every_root_reads(self) -> None:
        for (branch, number), ids in self.snapshots.items():
            self.reads(branch, ids, snapshot_id=int(number))
        for (branch, name), ids in self.tags.items():
            self.reads(branch, ids, tag=name)
        for branch in self.latest:
            self.reads(branch, self.ids(branch))

    def reads(self, branch: str, ids: frozenset[int], **root: Any) -> None:
        table = self.opened(branch)
        where = "status IN ('paid', 'sent')"  # so that indexes are read
        found = query(table, where, columns=["id"], engine=ENGINE, **root)
        assert sorted(found["id"].to_pylist()) == [
            row for row in sorted(ids) if status_of(row) != "new"
        ]

    def teardown(self) -> None:
        try:
            if self.latest:
                self.clean()
                for number in range(len(self.latest)):  # tags and branches need most then
                    self.merge(number)
                    self.expire(number, 1)
                self.clean()
                for branch in self.latest:
                    found = audit(self.opened(branch), deep=True, engine=ENGINE)
                    assert [one for one in found if one.severity == ERROR] == []
        finally:
            shutil.rmtree(self.folder)


@pytest.mark.slow
def test_every_root_reads_what_it_had() -> None:
    run_state_machine_as_test(Roots, settings=settings(examples(8), stateful_step_count=25))
