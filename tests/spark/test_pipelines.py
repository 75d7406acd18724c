"""The page about pipelines: what it shows runs."""

from __future__ import annotations

import ast
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import ROOT
from tests.support.spark_jobs import run_stream
from tests.support.tables import append, indexes, make, rows


def block(title: str) -> str:
    page = (ROOT / "docs/howto/pipelines.md").read_text("utf-8")
    [text] = re.findall(rf'^```\w+ title="{re.escape(title)}"\n(.*?)^```', page, re.M | re.S)
    return str(text)


@pytest.mark.java
def test_the_job_and_the_stream(
    spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = make(tmp_path, [rows(0, 8)])
    monkeypatch.setattr(sys, "argv", ["index_new_files.py", path])
    for _ in range(2):
        exec(block("index_new_files.py"), {})
        append(path, rows(8, 8))
    assert [line[:19] for line in capsys.readouterr().out.splitlines()] == [
        "snapshot 2: 1 files",
        "snapshot 4: 1 files",
    ]
    assert indexes(path) == [{"status": {"bitmap"}}, {"status": {"bitmap"}}, {}]
    names = {"spark": spark, "path": path, "sink": str(tmp_path / "sink")}
    names["checkpoint"] = str(tmp_path / "checkpoint")
    run_stream(lambda: exec(block("stream.py"), {**names}))
    assert spark.read.parquet(names["sink"]).count() == 6


def test_the_dag_and_the_databricks_job_name_the_job_file() -> None:
    """Neither service is installed here."""
    calls = [node for node in ast.walk(ast.parse(block("dag.py"))) if isinstance(node, ast.Call)]
    given = {word.arg: word.value for call in calls for word in call.keywords}
    assert ast.literal_eval(given["application"]) == "index_new_files.py"
    assert ast.literal_eval(given["py_files"]) == "dist/paimon_ksy.zip"
    assert ast.literal_eval(given["max_active_runs"]) == 1
    [task] = json.loads(block("job.json"))["tasks"]
    assert task["spark_python_task"]["python_file"].endswith("/index_new_files.py")
