"""How messages and the page of installation name what to install."""

from __future__ import annotations

import re
import sys
import tomllib

import pytest
from packaging.requirements import Requirement

from paimon_ksy.messages import install
from paimon_ksy.messages.install import NEWEST_FOR_TABLES, how_to_install
from tests import ROOT


def test_a_message_has_a_command_that_can_be_pasted() -> None:
    assert "`pip install '.[table]'` in a checkout" in how_to_install("table")
    assert "`pip install .`" in how_to_install()


@pytest.mark.parametrize("extra", ["table", "spark"])
def test_a_python_that_is_too_new_for_an_extra_is_named(
    extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a newer Python, pip skips pypaimon, so installing the extra again would not help."""
    needs = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ][extra]
    [pypaimon] = [need for need in map(Requirement, needs) if need.name == "pypaimon"]
    assert pypaimon.marker is not None
    newest = ".".join(map(str, NEWEST_FOR_TABLES))
    after = f"{NEWEST_FOR_TABLES[0]}.{NEWEST_FOR_TABLES[1] + 1}"
    for version, installed in ((newest, True), (after, False)):
        assert pypaimon.marker.evaluate({"python_version": version}) == installed
        monkeypatch.setattr(sys, "version_info", (*map(int, version.split(".")), 0))
        assert (f"with Python {newest} or older" in how_to_install(extra)) == (not installed)
        assert "with Python" not in how_to_install("avro")


def test_the_package_page_says_whether_it_is_on_pypi() -> None:
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    assert ("is not on PyPI yet" in page) == (install.PACKAGE == ".")


def test_the_table_of_extras_is_that_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+) \|", page, re.MULTILINE))
    extras = {
        extra: ", ".join(sorted(Requirement(text).name for text in listed))
        for extra, listed in project["optional-dependencies"].items()
    }
    assert rows == extras | {"dev": "all that tests and tools need"}
