"""Print sections of a report as a tree: facts on a line, and tables and subsections below it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from paimon_ksy.cli.options import Form
from paimon_ksy.cli.output import (
    PLAN,
    PLANNED,
    can_print,
    is_watched,
    print_answer,
    terminal_width,
)
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.sections import section_of
from paimon_ksy.pages import text
from paimon_ksy.pages.section import Section
from paimon_ksy.pages.text import BLOCKS, NOTHING, Line, Look, Node

_SHORT = 60  # characters of a value that a terminal shows


def show(
    answer: Answer,
    form: Form,
    title: str | None = None,
    *,
    more: str = "",
    others: Iterable[Line] = (),
) -> None:
    """Print an answer: as JSON, or as a tree, by default titled by the answer's title keys.

    `more` is how to list more items of a list that is cut, such as `--all shows all`. `others` are
    lines after the tree.
    """

    def lines() -> Iterator[Line]:
        yield from section_node(section_of(answer, title, more=more)).lines()
        yield from others

    print_answer(answer, form, lines())


def section_node(section: Section) -> Node:
    """Return a section as a node of a tree, as wide as the terminal."""
    width = terminal_width() if can_print(BLOCKS + NOTHING) else None
    return text.section_node(section, Look(width, _SHORT if is_watched() else None))


def summary_node(title: str, summary: Any, nothing: str = "nothing to commit") -> Node:
    """Return a node about a job that commits: its snapshot, `nothing` or its plan, and its work."""
    did = nothing if summary.snapshot is None else f"snapshot {summary.snapshot}"
    if hasattr(summary, "did"):
        did += f": {summary.did}"
    plan = f"{PLAN}: would {summary.would}"
    section = section_of(summary, f"{title}: {plan if summary.dry_run else did}")
    return section_node(replace(section, facts=tuple(fact for fact in section.facts if fact[1])))


def summary_lines(title: str, summary: Any, *, planned: bool) -> Iterator[Line]:
    """Yield lines about a job that commits, and how to apply what is only `planned`."""
    yield from summary_node(title, summary).lines()
    if planned:
        yield PLANNED
