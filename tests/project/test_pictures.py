"""The picture of a report in README.md can be made again; tests/cli/test_demo.py has the other."""

from pathlib import Path

import pytest

from tools import pictures, screenshot


@pytest.mark.browser
def test_the_picture_of_a_report_is_of_its_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = pictures.ROOT / ".cache" / tmp_path.name / "report.png"
    monkeypatch.setattr(screenshot, "main", lambda: None)
    monkeypatch.setattr(pictures, "PAGE", page)
    page.parent.mkdir(parents=True)
    try:
        pictures.main()
        png = page.read_bytes()
    finally:
        page.unlink(missing_ok=True)
        page.parent.rmdir()
    assert capsys.readouterr().out == f"{page.relative_to(pictures.ROOT)}\n"
    assert png.startswith(b"\x89PNG")
    size = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    assert size == pictures.SIZE
    assert len(png) > 20_000, "an empty page is smaller"
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SystemExit, match="no `chromium` on PATH"):
        pictures.main()
