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
