"""What a test needs and this machine lacks: a skip, or a failure where it is required."""

import re

import pytest

from tests import ROOT
from tests.conftest import NEEDS, skip_or_fail


@pytest.mark.parametrize("need", NEEDS)
def test_what_is_missing_fails_where_it_is_required(
    need: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAIMON_KSY_REQUIRE", " ".join(other for other in NEEDS if other != need))
    with pytest.raises(pytest.skip.Exception, match="not there"):
        skip_or_fail(need, "not there")
    monkeypatch.setenv("PAIMON_KSY_REQUIRE", " ".join(NEEDS))
    with pytest.raises(pytest.fail.Exception, match="not there"):
        skip_or_fail(need, "not there")


def test_no_test_is_skipped_for_want_of_a_package() -> None:
    """`make setup` installs all that tests import: a failed import is a failure."""
    found = [
        path.name
        for path in (ROOT / "tests").rglob("*.py")
        if re.search(r"\bimportor" + "skip", path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_no_test_imports_from_another() -> None:
    """What tests share is in tests/support, where it is looked for."""
    found = [
        f"{path.relative_to(ROOT)}: {line}"
        for path in (ROOT / "tests").rglob("*.py")
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r"\b(from|import) tests\.[\w.]*\b" + "test_", line)
        or re.search(r"\bfrom tests[\w.]* import .*\b" + "test_", line)
    ]
    assert found == []
