"""Random input for each promise, with more examples in `make fuzz`; and what it found before."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from tests import ROOT
from tests.support.fuzz_targets import TARGETS

REGRESSIONS = sorted((ROOT / "tests" / "regressions").glob("*.json"))


@pytest.mark.parametrize("path", REGRESSIONS, ids=lambda path: path.stem)
def test_what_was_found_stays_mended(path: Path) -> None:
    finding = json.loads(path.read_text())
    TARGETS[finding["target"]].check(finding["case"])


@pytest.mark.parametrize("name", TARGETS)
@examples(25)
@given(st.data())
def test_a_short_run(name: str, data: st.DataObject) -> None:
    TARGETS[name].check(data.draw(TARGETS[name].cases))
