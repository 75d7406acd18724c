"""`make demo` checks its answers."""

from pathlib import Path

import pytest

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.table.query.read import QueryStats
from tools import demo, jvm


@pytest.mark.slow
def test_the_demo(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(jvm, "find_java", no_java)
    folder = tmp_path / "my demo"
    demo.main(["--folder", str(folder)])
    out = capfd.readouterr().out
    assert out.count("✓ a scan selects the same") == 3 and "✓ byte for byte" in out
    assert "rows: 14 rows of 20,000 match" in out
    assert "1 of 8 data files opened" in out and "8 of 8 data files opened" in out
    assert "1 error" in out and "0 findings left" in out


def no_java() -> str:
    raise jvm.MissingToolError("no Java")


def test_an_answer_that_differs_from_the_scan_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "matching", lambda rows: rows.slice(0, 14))
    with pytest.raises(SystemExit, match="the answer and a scan of the data differ"):
        demo.one_file(tmp_path)


def test_the_demo_says_when_indexes_do_not_win() -> None:
    def cost(size: int, seconds: float) -> QueryStats:
        return QueryStats(seconds=seconds, effort=ReadStats(size))

    assert "read 4.0 times less, 2.0 times as fast" in demo.verdict(cost(5, 1), cost(20, 2))
    assert "do not win here:[/] they are no faster" in demo.verdict(cost(5, 2), cost(20, 1))
    assert "read no less and are no faster" in demo.verdict(cost(20, 2), cost(5, 1))


def test_a_command_that_fails_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"nothing\.index` exited with 1"):
        demo.command(tmp_path, "inspect", "nothing.index")
