"""Processes that commands start: none imports a module of the current folder."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kit_support.planted import RAN, plant_modules, starts
from paimon_ksy.cli.app import commands
from tests import ROOT

STARTS = {
    "table/engine/local.py": {"ProcessPoolExecutor": "safe_path", "ensure_running": "safe_path"},
    "table/engine/processes.py": {"super().start": "safe_path"},
    "table/engine/session.py": {"builder.master(master).getOrCreate": "safe_path"},
}
"""Calls that start processes, and what keeps the current folder off their path."""
REMOTE = "SparkSession.builder.remote(master).getOrCreate"
"""Connects to a server, and starts no process."""


def test_the_table_has_all_starts() -> None:
    found: dict[str, set[str]] = {}
    for path in (ROOT / "paimon_ksy").rglob("*.py"):
        if calls := {*starts(path.read_text(encoding="utf-8"))} - {REMOTE}:
            found[path.relative_to(ROOT / "paimon_ksy").as_posix()] = calls
    assert found == {name: {*calls} for name, calls in STARTS.items()}


@pytest.mark.parametrize("call", ["os.execv(x)", "subprocess.Popen(x)", "os.system(x)", "Pool()"])
def test_starts_are_found(call: str) -> None:
    assert [*starts(call)]


def test_python_is_started_with_its_safe_path() -> None:
    """Each command line of Python has `-P`."""
    for name in STARTS:
        for node in ast.walk(ast.parse((ROOT / "paimon_ksy" / name).read_text(encoding="utf-8"))):
            if isinstance(node, ast.List) and node.elts:
                words = [ast.unparse(each) for each in node.elts]
                assert words[0] != "sys.executable" or words[1] == "'-P'", (name, words)


KIT = ROOT / "conformance"
BUCKETS = KIT / "bucket_index/limits/file.hash"
VECTORS = KIT / "deletion_vectors/one_row_32/file.dv"
TYPED = ("-s", "status STRING")
EXAMPLES: dict[str, list[object]] = {
    "inspect": ["x.index", "--hex"],
    "eval": ["x.index", *TYPED, "-w", "status = 'NEW'"],
    "verify": ["x.index", *TYPED, "--data", "x.parquet"],
    "diff": ["x.index", "x.index", *TYPED],
    "build": ["x.parquet", "-i", "bitmap:status", "-o", "new.index"],
    "dump": ["x.index", "-o", "x.json"],
    "assemble": ["x.json", "-o", "again.index"],
    "webide": ["x.index", *TYPED],
    "report": ["x.index", *TYPED, "-o", "x.html"],
    "dv show": [VECTORS],
    "dv apply": [VECTORS, "x.parquet", "-o", "live.parquet"],
    "bucket-index show": [BUCKETS],
    "bucket-index lookup": [BUCKETS, "-s", "id BIGINT", "--key", "id = 5"],
    "table inspect": ["t"],
    "table explain": ["t", "-w", "status = 'NEW'"],
    "table query": ["t", "-w", "upper(status) = 'NEW'", "-o", "rows.parquet"],
    "table count": ["t", "-w", "user_id > 3 AND date(order_date) > current_date()"],
    "table set": ["t", "deletion-vectors.enabled=true"],
    "table rewrite-index": ["t", "--set", "file-index.bsi.columns=user_id", "--yes"],
    "table delete": ["t", "-w", "order_id = 1", "--yes"],
    "table advise": ["t"],
    "table schema": ["t"],
    "table list": ["."],
    "table drop-index": ["t", "--column", "status", "--index-type", "btree"],
    "table audit": ["t", "--deep"],
    "table clean-orphans": ["t"],
}
"""What each command does in a folder of an attacker, in an order that works."""
EACH_COMMAND = """
import json, os, sys
from paimon_ksy.cli.app import run

if __name__ == "__main__":
    for words in json.load(open(sys.argv[1])):
        print(run(words), *words, file=sys.stderr)
        for folder in sys.path:
            assert os.path.abspath(folder) != os.getcwd(), words
"""


def test_no_command_imports_from_the_current_folder(tmp_path: Path) -> None:
    """Neither it nor a process that it starts; a module of each name is there."""
    assert EXAMPLES.keys() == {words for words, _ in commands()}
    every = [[*name.split(), *map(str, words)] for name, words in EXAMPLES.items()]
    (tmp_path / "all.json").write_text(json.dumps(every))
    (tmp_path / "each.py").write_text(EACH_COMMAND)
    current = tmp_path / "current"
    shutil.copytree(ROOT / "examples/warehouse/default.db/orders", current / "t")
    shutil.copy(ROOT / "examples/worked/orders.parquet", current / "x.parquet")
    shutil.copy(ROOT / "examples/worked/orders.parquet.index", current / "x.index")
    (current / "x.ksy").write_text("meta: {id: x}\nseq: [{id: x, type: u1}]\n")
    planted = plant_modules(current)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "each.py"), str(tmp_path / "all.json")],
        cwd=current,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    codes = re.findall(r"^(\d+) (.*)", done.stderr, re.MULTILINE)
    assert [text.split() for _, text in codes] == [text.split() for text in map(" ".join, every)]
    failed = [text for code, text in codes if code != "0"]
    assert failed == [text for _, text in codes if "drop-index" in text], done.stderr
    assert "ruff" in planted and not (current / RAN).exists(), (current / RAN).read_text()
