"""The changes that the advised indexes need, and commands that make them."""

from __future__ import annotations

import shlex
from pathlib import Path

import numpy as np
import pyarrow as pa
import sqlglot

from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.changes import alter_table, rewrite_command, sql_name
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.index.rewrite import rewrite_index
from tests.support.advice import FILES, LOCAL, ROWS, copy, follow, index_sizes, part, verdicts
from tools.tables import make_table


def test_missing_statistics(typical: Advice) -> None:
    assert typical.options["metadata.stats-mode"] == "full"
    assert any(note.startswith("id") and "manifests lack them" in note for note in typical.notes)
    # The command cannot make statistics, so it does not set the option.
    assert "stats-mode" not in str(typical.command)


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
    assert advice.sql is not None
    unset, changed = sqlglot.parse(advice.sql, dialect="spark")
    assert unset is not None and changed is not None
    removed = "UNSET TBLPROPERTIES ('file-index.bitmap.region.version', 'file-index.bsi.columns')"
    assert removed in advice.sql
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
    assert (advice.options, advice.sql) == ({}, None)
    assert advice.command == f"paimon-ksy table rewrite-index {path}"
    follow(advice)
    done = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert (done.sql, done.command) == (None, None)


def test_small_indexes_are_embedded(tmp_path: Path) -> None:
    """If the indexes of each file are small, manifests store them."""

    def kinds(at: int) -> pa.Table:
        numbers = at * 1000 + np.arange(ROWS) // 100
        numbers[-2:] = 9999, 0
        return part(at).select(["note"]).append_column("kind", pa.array(numbers, pa.int32()))

    path = make_table(tmp_path, "t", map(kinds, range(FILES)))
    advice = advise(path, predicates=["kind = 1000", "kind = 2000"], engine=LOCAL)
    assert verdicts(advice)["kind"].startswith("add")
    threshold = advice.options["file-index.in-manifest-threshold"]
    assert threshold is not None and threshold.endswith("kb")
    assert follow(advice).embedded == FILES


def test_names_in_commands() -> None:
    options = {"file-index.bitmap.columns": "a b,it's"}
    assert shlex.split(rewrite_command("t", options))[-2] == "file-index.bitmap.columns=a b,it's"
    sql = alter_table(sql_name("s3://x/y.db/t`1"), options)
    assert sql == (
        "ALTER TABLE `y`.`t``1` SET TBLPROPERTIES (\n"
        "  'file-index.bitmap.columns' = 'a b,it\\'s'\n);"
    )
    assert sqlglot.parse_one(sql, dialect="spark")
