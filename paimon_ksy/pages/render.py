"""Fill templates: whole pages, and fragments for notebooks.

Templates mask secrets in all values, replace characters that are not printable, such as control
characters and marks that change the direction of a text, with their escapes, and escape markup.
"""

from __future__ import annotations

import hashlib
from base64 import b64encode
from collections.abc import Sequence
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape

from paimon_ksy.display import display

_LEVELS = 5
"""Number of shades of a strip."""
_LONGEST = 500
"""Maximum characters of a text unless a template shows it whole: files may have names of 64 kB."""


def page(template: str, **values: Any) -> str:
    """Return a whole page, which needs no network and no other files."""
    script = _source("page.js")
    digest = b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return _filled(
        template,
        script=Markup(script),
        script_digest=digest,
        page_style=Markup(_source("page.css")),
        **values,
    )


def fragment(macro: str, *arguments: Any) -> str:
    """Return the output of a macro of fragments.html with its style, to show in a notebook."""
    body = getattr(_templates().get_template("fragments.html").module, macro)(*arguments)
    return _filled("fragment.html", body=body)


def _filled(template: str, **values: Any) -> str:
    style = Markup(_source("style.css"))
    return _templates().get_template(template).render(style=style, **values)


@cache
def _templates() -> Environment:
    made = Environment(
        loader=PackageLoader("paimon_ksy.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_shown,
    )
    made.filters |= {
        "number": _number,
        "bytes": _bytes,
        "percent": _percent,
        "layers": _layers,
        "whole": _whole,
        "plural": _plural,
    }
    return made


def _source(name: str) -> str:
    environment = _templates()
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0]


# Functions for templates ------------------------------------------------------------------------


def _shown(value: Any) -> Any:
    """Return the text that a template writes for a value. Markup is already escaped."""
    if value is None:
        return ""
    if isinstance(value, str) and not hasattr(value, "__html__"):
        value = display(value)
        return value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    return value


def _whole(text: str) -> Markup:
    """Return a text that must not be truncated, such as a command."""
    return escape(display(text))


def _number(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


def _plural(value: int, noun: str, many: str | None = None) -> str:
    """Return a number with its noun, in singular or plural."""
    return f"{value:,} {noun if value == 1 else many or noun + 's'}"


def _bytes(value: float | None) -> str:
    """Return a size such as `950 bytes`, `12.1 kB` or `3.4 MB`."""
    if value is None:
        return "?"
    if value < 1000:
        return _plural(int(value), "byte")
    value, unit = value / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if value >= 999.5:
            value, unit = value / 1000, larger
    return f"{value:.1f} {unit}" if value < 99.95 else f"{value:,.0f} {unit}"


def _percent(share: float) -> str:
    """Return a share such as `12.5%`, `<0.1%` or `0%`."""
    if 0 < share < 0.001:
        return "<0.1%"
    if 0.999 < share < 1:
        return ">99.9%"
    return f"{share * 100:.1f}".removesuffix(".0") + "%"


def _layers(shares: Sequence[float]) -> list[tuple[int, str]]:
    """Return the SVG path of each shade of a strip; parts are one unit wide and high."""
    paths: dict[int, str] = {}
    begun, level = 0, 0
    for at, share in enumerate([*shares, 0.0]):
        now = 0 if share <= 0 else min(_LEVELS, 1 + int(share * _LEVELS))
        if now != level or at == len(shares):
            if level:
                paths[level] = paths.get(level, "") + f"M{begun} 0h{at - begun}v1H{begun}z"
            begun, level = at, now
    return sorted(paths.items())
