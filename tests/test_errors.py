"""Errors: codes, messages, and the same in each process."""

import pickle
import re
from pathlib import Path

import pytest

import paimon_ksy
from paimon_ksy.errors import CorruptFileError, first_line
from tests import ROOT


def test_every_public_error_has_a_code_of_its_own() -> None:
    kinds = [getattr(paimon_ksy, name) for name in paimon_ksy.__all__ if name.endswith("Error")]
    codes = [kind.code for kind in kinds if "code" in vars(kind)]
    assert len(codes) > 8
    assert len(set(codes)) == len(codes)
    general = {kind.__name__ for kind in kinds if "code" not in vars(kind)}
    assert general == {"OrphansLeftError", "WrongVectorError"}


def test_an_error_is_the_same_in_another_process() -> None:
    error = CorruptFileError("cut", path=Path("a b"), column="s", offset=0, remedy="copy it")
    copied = pickle.loads(pickle.dumps(error))
    assert str(copied) == str(error) == "a b: column 's', byte 0: cut; copy it"
    assert copied.to_json() == error.to_json()


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (ValueError("\n too long\n at 3"), "too long"),
        (ValueError(" \n"), "ValueError"),
        (NotImplementedError(), "NotImplementedError"),
    ],
)
def test_the_first_line_of_an_error(error: Exception, line: str) -> None:
    assert first_line(error) == line


def test_no_other_code_takes_the_first_line_of_an_error() -> None:
    """An error without a message has none, and `[0]` would fail."""
    found = [
        path.name
        for path in (ROOT / "paimon_ksy").rglob("*.py")
        if re.search(r"str\(error\)\.splitlines\(\)", path.read_text(encoding="utf-8"))
    ]
    assert found == []
