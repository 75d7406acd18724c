"""Progress bars."""

from pathlib import Path

from tests.support.commands import Cli, as_on_terminal, on_terminal
from tests.support.examples import WORKED_DATA
from tests.support.golden_tables import golden_table


def test_terminals_get_a_progress_bar(tmp_path: Path) -> None:
    output = tmp_path / "x.index"
    shown = on_terminal("build", WORKED_DATA, "-i", "bitmap:status", "-o", output)
    assert "indexing values" in shown
    assert output.exists()


def test_tables_get_progress_bars(tmp_path: Path, cli: Cli) -> None:
    """On stderr while they work, also if what they print goes somewhere else."""
    path = golden_table("append_dv32", tmp_path)
    engine = ["--engine", "local"]
    assert "auditing" in as_on_terminal("table", "audit", path, *engine)
    assert "indexing" in as_on_terminal("table", "rewrite-index", path, "--rebuild", *engine)
    assert "reading" in as_on_terminal("table", "clean-orphans", path, "--older-than", "0s")
    assert "auditing" not in cli("table", "audit", path, *engine)[2]
