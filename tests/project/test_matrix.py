"""`make matrix`: what it names exists."""

import tomllib

import pytest

from tests import ROOT
from tools import matrix

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


@pytest.mark.parametrize("folder", {*matrix.PACKAGES[1:], *matrix.FILES[1:], *matrix.SPARK[1:]})
def test_there_are_tests_in_each_folder(folder: str) -> None:
    assert list((ROOT / "tests" / folder).glob("test_*.py"))
