"""Templates, and texts of the code as HTML."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

_CODE = re.compile(r"``(.+?)``|`([^`]+)`")


def paragraphs(text: str) -> Markup:
    """Return a doc of a spec or a docstring as HTML: paragraphs, lists and `code`."""
    blocks: list[str] = []
    for block in re.split(r"\n\s*\n", text.strip()):
        if re.match(r"\s*[*-] ", block):
            items = re.split(r"(?:^|\n)\s*[*-] ", block)[1:]
            blocks.append("<ul>" + "".join(f"<li>{inline(item)}</li>" for item in items) + "</ul>")
        elif re.match(r" {4}", block) or "\n====" in block or block.startswith("===="):
            blocks.append(f"<pre><code>{escape(_dedented(block))}</code></pre>")
        elif block:
            blocks.append(f"<p>{inline(block)}</p>")
    return Markup("".join(blocks))


def inline(text: str) -> Markup:
    """Return one paragraph as HTML."""
    flat = escape(" ".join(text.split()), quote=False)
    return Markup(_CODE.sub(lambda m: f"<code>{m[1] or m[2]}</code>", flat))


def _dedented(text: str) -> str:
    lines = text.splitlines()
    indent = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return "\n".join(line[indent:] for line in lines)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).with_name("templates")),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=True,
    )
    environment.filters |= {"paragraphs": paragraphs, "inline": inline}
    return environment


def render(template: str, **values: Any) -> str:
    """Fill a template with values, of which HTML is escaped."""
    return _environment().get_template(template).render(**values)
