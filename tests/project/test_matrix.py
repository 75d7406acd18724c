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


def test_the_lowest_versions_are_those_of_what_users_install() -> None:
    assert set(matrix.EXTRAS) < set(PROJECT["optional-dependencies"])


@pytest.mark.parametrize("spark", matrix.SPARKS.values())
def test_each_minor_spark_is_allowed(spark: str) -> None:
    [allowed] = [
        requirement.specifier
        for text in PROJECT["optional-dependencies"]["spark"]
        if (requirement := Requirement(text)).name == "pyspark"
    ]
    [wanted] = Requirement(spark).specifier
    assert allowed.contains(wanted.version.replace("*", "0"))


def test_a_name_that_is_not_in_the_matrix_is_refused() -> None:
    with pytest.raises(SystemExit, match=r"no 'spark-3\.5' in the matrix: there are lowest"):
        matrix.run("spark-3.5")
