"""`make matrix`: what it names exists."""

import tomllib

import pytest
from packaging.requirements import Requirement

from tests import ROOT
from tools import matrix

PROJECTS = [
    tomllib.loads((ROOT / folder / "pyproject.toml").read_text())["project"]
    for folder in (".", "ksykit")
]


OF_USERS = [
    (extra, requirement)
    for project in PROJECTS
    for extra, names in {"": project["dependencies"], **project["optional-dependencies"]}.items()
    for requirement in names
    if extra != "dev"
]


@pytest.mark.parametrize("text", {text for _, text in OF_USERS})
def test_each_dependency_of_users_has_both_bounds(text: str) -> None:
    operators = {part.operator for part in Requirement(text).specifier}
    assert operators in ({">=", "<"}, {"=="})


def test_the_lowest_versions_of_extras_are_tried() -> None:
    """Those that tests of packages import; the others have matrices or pages of their own."""
    others = {"", "arrow", "docs", "spark", "testing"}
    assert {extra for extra, _ in OF_USERS} - others == {*matrix.EXTRAS}
