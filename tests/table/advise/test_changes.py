"""What has to change in the options for a table to have the advised indexes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import sqlglot

from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.index.rewrite import rewrite_index
from tests.support.advice import LOCAL, ROWS, copy, follow, index_sizes, part, verdicts
from tools.tables import make_table


def test_statistics_that_are_missing(typical: Advice) -> None:
    assert typical.options["metadata.stats-mode"] == "full"
    assert any(note.startswith("id") and "manifests lack them" in note for note in typical.notes)
    # It is no option of the command, which cannot make any.
    assert "stats-mode" not in str(typical.command)


def test_indexes_of_no_use_are_dropped(indexed: str, tmp_path: Path) -> None:
    path = copy(indexed, tmp_path)
    given = ["status = 'PENDING'", "region = 'region-1'"]
    advice = advise(path, predicates=given, engine=LOCAL, sample=4)
    found = verdicts(advice)
    assert (found["id"], found["region"], found["status"]) == ("drop", "drop", "keep bitmap")
    assert advice.options == {
        "file-index.bitmap.columns": "status",
        "file-index.bitmap.region.version": None,
        "file-index.bsi.columns": None,
    }
    assert advice.sql is not None and advice.command is not None
    unset, changed = sqlglot.parse(advice.sql, dialect="spark")
    assert "UNSET TBLPROPERTIES ('file-index.bitmap.region.version', 'file-index.bsi.columns')" in (
        advice.sql
    )
    assert unset is not None and changed is not None
    before = index_sizes(path)
    assert follow(advice).rewritten == 0
    assert index_sizes(path) == before
    drop = f"once the options are saved, `paimon-ksy table rewrite-index {path} --drop-unlisted`"
    assert drop in advice.notes[-1]
    rewrite_index(path, drop_unlisted=True, engine=LOCAL)
    assert index_sizes(path).keys() == {("status", "bitmap")}
    again = advise(path, predicates=given, engine=LOCAL, sample=4)
    assert verdicts(again)["status"] == "keep bitmap"
    assert again.options == {}  # the command saved them
    assert again.command is None


def test_options_are_there_and_indexes_are_not(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", map(part, range(4)), {"file-index.bitmap.columns": "status"})
    advice = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert (advice.options, advice.sql) == ({}, None)
    assert advice.command == f"paimon-ksy table rewrite-index {path}"
    rewrite_index(path, engine=LOCAL)
    done = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert (done.sql, done.command) == (None, None)


def test_small_indexes_are_embedded(tmp_path: Path) -> None:
    """Where all files' indexes are small they are put into the manifests."""

    def few(at: int) -> pa.Table:
        kinds = np.where(np.arange(ROWS) < ROWS // 2, 10 + at, 0)
        kinds[-1] = 50
        return part(at).select(["note"]).append_column("kind", pa.array(kinds, pa.int32()))

    path = make_table(tmp_path, "t", map(few, range(4)))
    given = [f"kind = {at}" for at in (11, 12)]
    advice = advise(path, predicates=given, engine=LOCAL)
    wide = replace_kind(few)
    assert verdicts(advice)["kind"] == "add bitmap"
    assert "file-index.in-manifest-threshold" not in advice.options  # it is below as it is

    path = make_table(tmp_path, "u", map(wide, range(4)))
    advice = advise(path, predicates=["kind = 1000", "kind = 2000"], engine=LOCAL)
    assert verdicts(advice)["kind"].startswith("add")
    threshold = advice.options["file-index.in-manifest-threshold"]
    assert threshold is not None and threshold.endswith("kb")
    assert follow(advice).embedded == 4


def replace_kind(make: Any) -> Any:
    """The same with 200 kinds a file, in runs."""

    def made(at: int) -> pa.Table:
        kinds = at * 1000 + np.arange(ROWS) // 100
        kinds[-1] = 0
        kinds[-2] = 9999
        data = make(at)
        return data.set_column(1, "kind", pa.array(kinds, pa.int32()))

    return made
