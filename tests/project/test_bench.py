"""The part of the benchmark that needs no Java: how fast processes start."""

import re

from tests import ROOT
from tools import bench


def test_each_start_is_measured() -> None:
    effort = bench.Effort(rows=1, rounds=1, seconds=0.01)
    rows = list(bench.measure_start_up(effort))
    assert [row.name for row in rows] == [f"start: {name}" for name in bench.STARTS]
    assert all(row.python > 1 for row in rows)
    assert rows[0].met is None and None not in [row.met for row in rows[1:]]


def test_only_the_starts_that_are_asked_for_are_measured() -> None:
    effort = bench.Effort(rows=1, rounds=1, seconds=0.01, only="start: Python")
    assert [row.name for row in bench.measure_start_up(effort)] == ["start: Python alone"]


def test_the_page_has_each_start() -> None:
    page = (ROOT / "docs" / "explanations" / "speed.md").read_text(encoding="utf-8")
    assert re.findall(r"^\| `?([^`|]+?)`? \| [\d,]+ ms \|", page, re.MULTILINE) == [*bench.STARTS]
