"""Templates of Markdown, and texts of the code in its tables."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def cell(text: str) -> str:
    """Return a doc of a spec or a docstring, which are Markdown, as a cell of a table."""
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", text.strip()))
    return "<br>".join(paragraphs).replace("|", "\\|")


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of texts as lines with columns."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    pairs = (zip(row, widths, strict=True) for row in rows)
    return ["  ".join(text.ljust(width) for text, width in pair).rstrip() for pair in pairs]


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["cell"] = cell
    return environment


def render(template: str, **values: Any) -> str:
    """Fill a template with values."""
    return _environment().get_template(template).render(**values)
