"""`table inspect`: what it prints."""

import json
from pathlib import Path

import pytest

from paimon_ksy.cli.app import run
from tests.support.golden_tables import expected, golden_table, golden_table_names


@pytest.mark.parametrize("name", golden_table_names()[::4])
def test_each_table_is_printed_and_is_json(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = golden_table(name, tmp_path)
    assert run(["table", "inspect", path]) == 0
    text = capsys.readouterr().out
    for file in expected(name).made["dataFiles"]:
        assert file["fileName"] in text
    assert run(["table", "inspect", path, "--format", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["errors"] == []
    assert document["content"]["totals"]["files"] == len(expected(name).made["dataFiles"])
