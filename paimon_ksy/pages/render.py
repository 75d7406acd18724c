"""Fill templates: whole pages, and fragments for notebooks.

Templates mask secrets in all values, replace characters that are not printable, such as control
characters and marks that change the direction of a text, with their escapes, and escape markup.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from math import ceil
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from jinja2.ext import Extension
from markupsafe import Markup, escape

from paimon_ksy.display import display
from paimon_ksy.errors import amount, counted
from paimon_ksy.pages.section import Section

_LEVELS = 5
"""Number of shades of a strip."""
_LONGEST = 500
"""Maximum characters of a text unless a template shows it whole: files may have names of 64 kB."""
_ATTRIBUTE, _EXPRESSION = re.compile('="[^"]*"'), re.compile(r"\{\{(.*?)\}\}")


class _WholeAttributes(Extension):
    """Show each expression in an attribute whole: a part of an SVG path would be another path."""

    def preprocess(self, source: str, name: str | None, filename: str | None = None) -> str:
        """Add the filter `whole` to the expressions in attributes of a template."""
        return _ATTRIBUTE.sub(lambda part: _EXPRESSION.sub(r"{{ (\1) | whole }}", part[0]), source)


@dataclass(frozen=True)
class Report:
    """What a page shows: what is wrong, and then sections.

    Attributes:
        name: The name of the file or table.
        kind: What it is.
        place: Its path.
        findings: The first findings.
        findings_left: The number of others.
        verdict: What was checked, if nothing is wrong.
        sections: What it contains.
    """

    name: str
    kind: str
    place: str
    findings: Sequence[Any] = ()
    findings_left: int = 0
    verdict: str = ""
    sections: Sequence[Section] = ()


def page(report: Report) -> str:
    """Return a whole page, which needs no network, no scripts and no other files."""
    return _filled("report.html", report=report)


def fragment(section: Section, findings: Sequence[Any] | None = None, left: int = 0) -> str:
    """Return a section with its style, to show in a notebook, and before it some findings."""
    return _filled("fragment.html", section=section, findings=findings, findings_left=left)


def _filled(template: str, **values: Any) -> str:
    return str(_templates().get_template(template).render(values))


@cache
def _templates() -> Any:
    environment: Any = Environment(
        loader=PackageLoader("paimon_ksy.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
        extensions=[_WholeAttributes],
    )
    environment.filters |= {
        "number": "{:,}".format,
        "bytes": amount,
        "largest": _largest,
        "layers": _layers,
        "whole": _whole,
        "counted": counted,
        "source": lambda name: Markup(environment.loader.get_source(environment, name)[0]),
    }
    return environment


# Functions for templates ------------------------------------------------------------------------


def _shown(value: Any) -> Any:
    """Return the text that a template writes for a value. Markup is already escaped."""
    if value is None:
        return ""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        value = display(value)
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    return value


def _whole(value: Any) -> Markup:
    """Return a value that must not be truncated, such as a command or an attribute."""
    return escape(display(str(value)))


def _largest(rows: Sequence[Sequence[Any]]) -> list[int | None]:
    """Return the largest number in each column of a table; None in a column without numbers."""
    columns = zip(*rows, strict=True)
    return [max((c for c in cells if isinstance(c, int)), default=None) for cells in columns]


def _layers(shares: Sequence[float]) -> list[tuple[int, str]]:
    """Return the SVG path of each shade of a strip; parts are one unit wide.

    The shade is the share of a part, and its height is relative to the fullest one, so that rows
    which are scattered over a whole file show where they are dense.
    """
    most = max(shares, default=0)
    parts = [
        (0, 0)
        if share <= 0
        else (min(_LEVELS, 1 + int(share * _LEVELS)), max(4, ceil(share / most * 20)))
        for share in shares
    ]
    paths: dict[int, str] = defaultdict(str)
    for (level, height), cells in groupby(range(len(parts)), key=parts.__getitem__):
        first, *others = cells
        paths[level] += f"M{first} {1 - height / 20:g}h{1 + len(others)}V1H{first}z"
    paths.pop(0, None)
    return sorted(paths.items())
