"""`table rewrite-index` and `table drop-index`: what they print, and how not to call them."""

from __future__ import annotations

import json
import re
from inspect import signature
from pathlib import Path

from paimon_ksy.cli.table_rewrite import run
from paimon_ksy.table.index import build, existing
from paimon_ksy.table.index.rewrite import BATCH_FILES
from paimon_ksy.table.index.summary import REASONS, RewriteSummary
from tests.support.commands import run_command
from tests.support.newer_tables import newer_table
from tests.support.tables import STATUS, indexes, make, rows, sum_of


def test_command(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8, "a"), rows(8, 4, "b")], STATUS, ["day"])
    command = ("table", "rewrite-index", path, "--engine", "local")
    ran = run_command(*command, "--dry-run", "--partitions", "day = 'a'", "--format", "json")
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    assert (found["files"], found["rewritten"], found["snapshot"]) == (1, 1, None)
    assert found["dry_run"] is True
    ran = run_command(*command, "--set", "file-index.bsi.columns=amount", "--format", "json")
    found = json.loads(ran.stdout)
    assert found.keys() == {"schema_version", "table", *RewriteSummary.__dataclass_fields__}
    assert (found["snapshot"], found["rewritten"], found["reasons"]) == (3, 2, {"new": 2})
    no_bitmap = (*command, "--set", "file-index.bitmap.columns=")
    assert "nothing to commit" in run_command(*no_bitmap).stdout
    ran = run_command(*no_bitmap, "--drop-unlisted", "--yes")
    assert "snapshot 4" in ran.stdout
    assert "2 of 2 files indexed; each had other indexes" in ran.stdout
    assert indexes(path) == [{}, {}]


def test_command_tells_what_it_built_of_each_type(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8), rows(8, 4)], STATUS)
    asked = [path, "--engine", "local", "--set", "file-index.bsi.columns=amount,id"]
    dry = run_command("table", "rewrite-index", *asked, "--dry-run").stdout.splitlines()[-4:-1]
    assert [line.split() for line in dry] == [
        ["indexes", "files", "bytes"],
        ["bitmap", "2", "0"],
        ["bsi", "2", "0"],
    ]
    *told, advice = run_command("table", "rewrite-index", *asked).stdout.splitlines()[-4:]
    assert advice == (
        "to make later writers build these indexes, run: paimon-ksy table rewrite-index "
        f"{path} --set file-index.bsi.columns=amount,id --save-options"
    )
    assert told[0].split() == ["indexes", "files", "bytes"]
    assert told[2].split() == ["bsi", "2", str(sum_of(path, "bsi"))]
    found = json.loads(
        run_command("table", "rewrite-index", *asked, "--rebuild", "--format", "json").stdout
    )["indexes"]
    assert found["bsi"] == {"files": 2, "bytes": sum_of(path, "bsi")}


def test_batches_are_as_large_as_in_python() -> None:
    assert signature(run).parameters["batch_files"].default == BATCH_FILES


def test_batches(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 8, "a"), rows(8, 4, "b")], STATUS, ["day"])
    command = ("table", "rewrite-index", path, "--engine", "local")
    ran = run_command(*command, "--batch-files", "0")
    assert (ran.exit_code, indexes(path)) == (2, [{}, {}])
    ran = run_command(*command, "--batch-files", "1")
    assert ran.exit_code == 0, ran.output
    assert "snapshot 4" in ran.stdout
    assert "batches 2" in ran.stdout
    assert indexes(path) == 2 * [{"status": {"bitmap"}}]


def test_dropping_a_global_index(tmp_path: Path) -> None:
    path = newer_table(tmp_path, "composite")
    command = ("table", "drop-index", path, "--column", "id, name", "--index-type", "btree")
    planned = run_command(*command)
    assert "plan only: would drop 1 file of global indexes" in planned.stdout
    assert planned.stdout.splitlines()[-1] == "to apply this plan, add --yes"
    assert "index_column => 'id,name'" in planned.stdout
    ran = json.loads(run_command(*command, "--yes", "--format", "json").stdout)
    assert (ran["dry_run"], ran["snapshot"], len(ran["files"])) == (False, 4, 1)
    again = run_command(*command, "--yes")
    assert (again.exit_code, "the table has none" in again.output) == (1, True)


def test_each_reason_has_its_words() -> None:
    """The reasons are those that the code returns."""
    sources = [Path(module.__file__ or "").read_text("utf-8") for module in (existing, build)]
    returned = {
        reason
        for source in sources
        for reason in re.findall(r'(?:return|reason =|reason or) "(\w+)"', source)
    }
    assert returned == REASONS.keys()
