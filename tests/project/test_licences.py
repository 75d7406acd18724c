"""The page of licences lists what pyproject.toml names; users install nothing of another kind."""

import pytest

from tools import licences


def test_the_page_has_each_package_and_its_licence() -> None:
    """Versions are not on it. If this fails: make licences."""
    assert licences.PAGE.read_text(encoding="utf-8") == licences.page()


def test_no_package_puts_conditions_on_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    assert licences.check() == ""
    monkeypatch.setattr(licences, "FREE", licences.FREE.replace("Apache;", ""))
    assert "Apache" in licences.check()
