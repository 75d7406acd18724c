"""`table audit` and `table clean-orphans`: what they print."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.support.audits import index_path, indexed
from tests.support.commands import run_command
from tests.support.tables import files, ids


def test_command_audit(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    clean = run_command("table", "audit", path, "--engine", "local", "--deep")
    assert clean.exit_code == 0
    assert re.fullmatch(
        rf"{path}: no problems in \d+ data files? and \d+ other files\n", clean.output
    )
    place = index_path(files(path)[0])
    place.write_bytes(b"garbage")
    broken = run_command("table", "audit", path, "--engine", "local")
    assert broken.exit_code == 3
    assert "1 error" in broken.output
    # All seven bytes were wanted, and an eighth.
    assert f"error index: bucket-0/{place.name}: byte 7: the file ends too early" in broken.output
    lines = run_command("table", "audit", path, "--engine", "local", "--format", "json")
    assert lines.exit_code == 3
    head, document = map(json.loads, lines.output.splitlines())
    assert head == {"schema_version": 3, "table": path}
    assert document.keys() == {
        *("severity", "check", "file", "column", "byte", "message", "remedy")
    }
    assert (document["severity"], document["file"], document["byte"]) == ("error", str(place), 7)
    tried = run_command("table", "audit", path, "--engine", "local", "--repair")
    assert tried.exit_code == 3
    assert "left: plan only: would rebuild the indexes of 1 file" in tried.output
    mended = run_command(
        "table", "audit", path, "--engine", "local", "--repair", "--yes", "--format", "json"
    )
    assert mended.exit_code == 0
    assert json.loads(mended.output.splitlines()[-1])["repair"]["rewritten"] == 1
    assert run_command("table", "audit", path, "--engine", "local", "--deep").exit_code == 0
    assert run_command("table", "audit", path, "--engine", "local", "--yes").exit_code == 2
    assert ids(path) == sorted([*range(12), *range(7, 19)])


def test_command_clean_orphans(tmp_path: Path) -> None:
    path = indexed(tmp_path)
    assert run_command("table", "clean-orphans", path).output == f"{path}: no orphans\n"
    stray = index_path(files(path)[0]).with_name("data-x.parquet.index")
    stray.write_bytes(b"123")
    assert (
        "plan only: would delete 1 orphan, 3 bytes"
        in run_command("table", "clean-orphans", path, "--older-than", "0s").output
    )
    assert stray.exists()
    result = run_command(
        "table", "clean-orphans", path, "--older-than", "0s", "--yes", "--format", "json"
    )
    assert json.loads(result.output)["files"][0]["file"] == str(stray)
    assert not stray.exists()
    for text in ("soon", "9" * 20 + "d", "9" * 5000 + "s"):
        result = run_command("table", "clean-orphans", path, "--older-than", text)
        assert result.exit_code == 2
        assert len(result.output) < 120
