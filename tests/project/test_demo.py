"""`make demo` checks its answers."""

from pathlib import Path

import pytest

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
    assert "1 error" in out and "0 findings left" in out


def no_java() -> str:
    raise jvm.MissingToolError("no Java")


def test_an_answer_that_differs_from_the_scan_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "matching", lambda rows: rows.slice(0, 14))
    with pytest.raises(SystemExit, match="the answer and a scan of the data differ"):
        demo.one_file(tmp_path)


def test_a_command_that_fails_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"nothing\.index` exited with 1"):
        demo.command(tmp_path, "inspect", "nothing.index")
