"""`make matrix`: what it names exists."""

import tomllib

import pytest
from packaging.requirements import Requirement

from tests import ROOT
from tools import matrix

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("folder", {*matrix.PACKAGES[1:], *matrix.FILES[1:], *matrix.SPARK[1:]})
def test_there_are_tests_in_each_folder(folder: str) -> None:
    assert list((ROOT / "tests" / folder).glob("test_*.py"))


OF_USERS = {
    extra: names
    for extra, names in {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}.items()
    if extra != "dev"
}


@pytest.mark.parametrize("extra", OF_USERS)
def test_each_dependency_of_users_has_both_bounds(extra: str) -> None:
    for requirement in map(Requirement, OF_USERS[extra]):
        operators = {part.operator for part in requirement.specifier}
        assert operators in ({">=", "<"}, {"=="}), requirement


def test_the_lowest_versions_of_extras_are_tried() -> None:
    """Those that tests of packages import; the others have matrices or pages of their own."""
    assert {*OF_USERS} - {"", "docs", "spark", "testing"} == {*matrix.EXTRAS}
