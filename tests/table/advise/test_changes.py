"""The changes that the advised indexes need, and commands that make them."""

from __future__ import annotations

import shlex
from pathlib import Path

from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.changes import rewrite_command
from paimon_ksy.table.index.rewrite import rewrite_index
from tests.support.advice import FILES, LOCAL, copy, follow, index_sizes, part, verdicts
from tools.tables import make_table


def test_useless_indexes_are_dropped(indexed: str, tmp_path: Path) -> None:
    path = copy(indexed, tmp_path)
    given = ["status = 'PENDING'", "region = 'region-1'"]
    advice = advise(path, predicates=given, engine=LOCAL)
    now = verdicts(advice)
    assert [now[name] for name in ("id", "region", "status")] == ["drop", "drop", "keep bitmap"]
    assert advice.options == {
        "file-index.bitmap.columns": "status",
        "file-index.bitmap.region.version": None,
        "file-index.bsi.columns": None,
    }
    before = index_sizes(path)
    assert follow(advice).rewritten == 0
    assert index_sizes(path) == before
    drop = f"once the options are saved, `paimon-ksy table rewrite-index {path} --drop-unlisted`"
    assert drop in advice.notes[-1]
    rewrite_index(path, drop_unlisted=True, engine=LOCAL)
    assert index_sizes(path).keys() == {("status", "bitmap")}
    again = advise(path, predicates=given, engine=LOCAL)
    assert (again.options, again.command) == ({}, None)


def test_listed_indexes_that_are_not_built(tmp_path: Path) -> None:
    options = {"file-index.bitmap.columns": "status"}
    path = make_table(tmp_path, "t", map(part, range(FILES)), options)
    advice = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert advice.options == {}
    assert advice.command == f"paimon-ksy table rewrite-index {path}"
    follow(advice)
    done = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert (done.options, done.command) == ({}, None)


def test_names_in_commands() -> None:
    options = {"file-index.bitmap.columns": "a b,it's"}
    assert shlex.split(rewrite_command("t", options))[-2] == "file-index.bitmap.columns=a b,it's"
