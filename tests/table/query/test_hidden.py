"""What options hide from readers is one line in each answer."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.read import count
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.alter import set_options
from tests.support.commands import Cli
from tests.support.query_tables import LOCAL, versions
from tools.tables import append, make_table

VECTORS = {"bucket": "1", "deletion-vectors.enabled": "true"}
WAIT = "2 files (50 rows) {} wait for a compaction, before which queries do not return them"
HIDING = {
    "vectors": (VECTORS, "on level 0"),
    "first row": ({"bucket": "1", "merge-engine": "first-row"}, "on level 0"),
    "postponed": ({"bucket": "-2"}, "in bucket -2"),
}


def said(path: str, cli: Cli) -> list[list[str]]:
    """Return the lines about hidden rows of each command."""
    texts = []
    for words in ("query", "count", "explain", "inspect", "audit"):
        code, out, err = cli("table", words, path)
        assert code == 0
        texts.append(sorted({line for line in (out + err).splitlines() if " queries " in line}))
    return texts


@pytest.mark.parametrize("name", HIDING)
def test_files_that_wait_for_a_compaction(name: str, tmp_path: Path, cli: Cli) -> None:
    options, place = HIDING[name]
    commits = [versions(1, 30, 20), versions(2, 50, 30)]
    path = make_table(tmp_path, "t", commits, options, primary_keys=["k"])
    line = WAIT.format(place)
    for lines in said(path, cli):
        assert len(lines) in (1, 2) and all(line in each for each in lines)
    assert (count(path, engine=LOCAL).count, count(path, engine=LOCAL).notes) == (0, (line,))
    assert line in str(explain(path, engine=LOCAL)) and line in str(inspect_table(path))
    assert [(f.severity, f.message) for f in audit(path) if f.check == "hidden"] == [("note", line)]
    assert json.loads(cli("table", "count", path, "-f", "json")[1])["notes"] == [line]


def test_snapshots_after_the_one_that_an_option_selects(tmp_path: Path, cli: Cli) -> None:
    path = make_table(tmp_path, "t", [versions(1, 30, 20)], {"bucket": "1"}, primary_keys=["k"])
    assert said(path, cli) == [[]] * 5
    set_options(Table.at(path), {"scan.snapshot-id": "1"})
    assert said(path, cli) == [[]] * 5
    append(Table.at(path).pypaimon, versions(2, 50, 30))
    line = "option scan.snapshot-id = 1: queries return no rows of snapshots after 1, up to 2"
    for lines in said(path, cli):
        assert len(lines) in (1, 2) and all(line in each for each in lines)
    assert count(path, engine=LOCAL).count == 20
    assert count(path, engine=LOCAL, snapshot_id=2).notes == ()
