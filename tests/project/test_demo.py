"""`make demo` checks its answers, and README shows its files."""

import html
import re
import shutil
from pathlib import Path

import pytest

from tools import demo, jvm, pictures

SVG = pictures.PICTURE.read_text("utf-8")


def words(text: str) -> str:
    """The text without blanks and lines, and each number as #."""
    return re.sub(r"[\d.,]*\d", "#", re.sub(r"[\s─│├└]", "", text))


PICTURE = words("".join(re.findall(r"<text [^>]*>(.*?)</text>", html.unescape(SVG))))
"""What the picture in README.md shows: it has to be what the commands print today."""


@pytest.mark.slow
def test_the_demo_and_its_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """The picture can be made again: its commands run on the files of the demo."""
    monkeypatch.setattr(jvm, "find_java", no_java)
    folder = tmp_path / "my demo"
    demo.main(["--folder", str(folder)])
    out = capfd.readouterr().out
    assert out.count("✓ a scan selects the same") == 3 and "✓ byte for byte" in out
    assert "rows: 14 rows of 20,000 match" in out
    assert "1 error" in out and "0 findings left" in out
    monkeypatch.setattr(demo, "run", lambda to: shutil.copytree(folder, to, dirs_exist_ok=True))
    monkeypatch.setattr(pictures, "ROOT", tmp_path)
    monkeypatch.setattr(pictures, "PICTURE", tmp_path / "screenshot.svg")
    pictures.screenshot()
    assert capfd.readouterr().out == "screenshot.svg\n"
    svg = (tmp_path / "screenshot.svg").read_text("utf-8")
    texts = re.findall(r"<text [^>]*>(.*?)</text>", html.unescape(svg))
    assert words("".join(texts)) == PICTURE
    with pytest.raises(SystemExit, match=r"paimon-ksy inspect nowhere failed:\n.*nowhere"):
        pictures.printed(["inspect", "nowhere"], tmp_path)


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
