"""Check the links of a built site: each internal one leads to a file, and to an anchor in it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LINKS = {"a": "href", "img": "src", "link": "href", "script": "src"}


class _Page(HTMLParser):
    """The anchors of a page, its links, and text that looks like Markdown that was not read."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.unread: list[str] = []
        self._in_paragraph = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if given.get("id"):
            self.anchors.add(str(given["id"]))
        link = given.get(_LINKS.get(tag, ""))
        if link is not None and (link or "md-logo" not in str(given.get("class"))):
            self.links.append(link)  # the theme's logo may lead to its own page
        if tag in ("p", "ul", "ol", "table", "pre"):
            self._in_paragraph = tag == "p"

    def handle_data(self, data: str) -> None:
        if self._in_paragraph and any(
            line.startswith(("- ", "| ", "```", "1. ")) for line in data.split("\n")[1:]
        ):
            self.unread.append(data.strip().partition("\n")[2])

    def handle_comment(self, data: str) -> None:
        if data.strip().startswith("generated:"):
            self.unread.append(data)


@cache
def _read(path: Path) -> _Page:
    return _Page(path.read_text("utf-8"))


def check(site: Path) -> tuple[list[str], list[str]]:
    """Return the problems of all pages below a folder, and the addresses of other sites.

    A problem is a link that leads nowhere, or Markdown that is shown as text.
    """
    _read.cache_clear()
    problems: list[str] = []
    external: set[str] = set()
    for page in sorted(site.rglob("*.html")):
        name = page.relative_to(site)
        if name.name == "404.html":  # its links are absolute
            continue
        for link in _read(page).links:
            if urlsplit(link).scheme or link.startswith("//"):
                external.add(link)
            else:
                problems += [f"{name}: {link}: {what}" for what in _wrong(page, link)]
        problems += [f"{name}: not read as Markdown: {text}" for text in _read(page).unread]
    return problems, sorted(external)


def _wrong(page: Path, link: str) -> Iterator[str]:
    if not link:
        yield "leads nowhere"
        return
    parts = urlsplit(link)
    there = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    if there.is_dir():
        there /= "index.html"
    if not there.is_file():
        yield "no such file"
    elif parts.fragment and there.suffix == ".html":
        anchor = unquote(parts.fragment)
        if anchor not in _read(there).anchors and not anchor.startswith("__"):
            yield "no such anchor"
