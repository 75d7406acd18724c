"""The pages as the site generator reads them.

A link to a file outside of docs/ becomes one to the repository.
"""

from __future__ import annotations

import os
import re
import shutil
import tomllib
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
KIT = ROOT / "ksykit"
OF_KSYKIT = ("README.md", "CHANGELOG.md", "docs/tutorial.md", "docs/reference.md")
OF_THE_PROJECT = ("CHANGELOG", "CONTRIBUTING", "SECURITY")
"""Pages at the top of the repository, which the site has in its folder `project`."""

_LINK = re.compile(r"(?<=\]\()([^)#\s]+)(#[^)\s]*)?(?=\))")
_FENCE = re.compile(r"^( *)```")
_ITEM = re.compile(r"( *)([-*]|\d+\.) ")


def stage(out: Path) -> None:
    """Write all pages, pictures and files for download into a folder."""
    places = {path: path.relative_to(DOCS) for path in DOCS.rglob("*") if path.is_file()}
    places |= {
        ROOT / f"{name}.md": Path("project", f"{name.lower()}.md") for name in OF_THE_PROJECT
    }
    places |= {KIT / name: Path("ksykit", Path(name).name.lower()) for name in OF_KSYKIT}
    for path, place in places.items():
        to = out / place
        to.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text = page(path.read_text("utf-8"), path, places)
            to.write_text(text, encoding="utf-8")
        else:
            shutil.copy(path, to)
    for name in ("site.css", "site.js"):
        shutil.copy(Path(__file__).with_name(name), out / name)


def page(text: str, path: Path, places: Mapping[Path, Path]) -> str:
    """Return a page of the repository as a page of the site.

    Args:
        text: Markdown.
        path: Where it stands in the repository.
        places: Where pages of the repository stand in the site.
    """
    text = python_markdown(text)
    pieces = re.split(r"(^ *```.*?^ *```$)", text, flags=re.MULTILINE | re.DOTALL)
    pieces[::2] = [_LINK.sub(lambda m: _link(m, path, places), piece) for piece in pieces[::2]]
    return "".join(pieces)


def _link(match: re.Match[str], path: Path, places: Mapping[Path, Path]) -> str:
    target, anchor = match[1], match[2] or ""
    if re.match(r"[a-z]+:", target):
        return match[0]
    there = Path(os.path.normpath(path.parent / target))
    if there in places:
        return os.path.relpath(places[there], places[path].parent) + anchor
    if there.exists():
        return f"{homepage()}/blob/main/{there.relative_to(ROOT)}{anchor}"
    return match[0]  # which the site generator reports


def homepage() -> str:
    """Return the address of the repository."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["urls"]["Homepage"])


def python_markdown(text: str) -> str:
    """Return GitHub's Markdown as Python-Markdown reads it.

    It wants an empty line before a list, and four blanks before what belongs to an item.
    """
    lines: list[str] = []
    widths: list[int] = []  # of the items around this line, in blanks
    fence = in_list = False  # in a fenced block; in a block of lines that begins with an item
    for line in text.splitlines():
        indent = len(line) - len(line.lstrip())
        item = None if fence else _ITEM.match(line)
        if not fence and line.strip():
            while widths and indent < widths[-1]:
                widths.pop()
            if item and not in_list and lines and lines[-1]:
                lines.append("")
            if item or not (lines and lines[-1]):
                in_list = item is not None
        inner = min(indent, widths[-1]) if widths else 0
        lines.append(" " * 4 * len(widths) + line[inner:] if line.strip() else "")
        if item:
            widths.append(len(item[0]))
        if _FENCE.match(line):
            fence = not fence
    return "\n".join(lines) + "\n"
