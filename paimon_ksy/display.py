"""Text for output: secrets are masked, and characters that are not printable are escaped.

All text that commands and pages print passes through `display`.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

from ksykit.display import printable as printable

MASK = "***"

_LEAST = 4  # characters; shorter secrets would mask ordinary words

_known: set[str] = set()


def forget() -> None:
    """Forget the secrets of an earlier command."""
    _known.clear()


def remember(secret: str) -> None:
    """Mask this secret in all output from now on, except in rows of a query."""
    if len(secret) >= _LEAST:
        _known.add(secret)


def display(text: str) -> str:
    """Return a text as it may be shown."""
    return printable(hidden(near(text)))


def near(text: str) -> str:
    """Return the text with local paths below the current folder relative to it."""
    try:
        folder = f"{Path.cwd()}/" if "/" in text else "//"
    except FileNotFoundError:
        return text
    if folder == "//" or folder not in text:
        return text
    return re.sub(rf"(?<![\w./:-]){re.escape(folder)}(?=[^\s/])", "", text)


def hidden(text: str) -> str:
    """Return the text with all remembered secrets masked, also where it has them in quotes."""
    for secret in sorted(_known, key=len, reverse=True):
        plain, pattern = _patterns(secret)
        if plain in text:
            text = pattern.sub(MASK, text)
    return text


@lru_cache(maxsize=64)
def _patterns(secret: str) -> tuple[str, re.Pattern[str]]:
    """Return a part of a secret that no quoting changes, and a pattern of the whole."""
    plain = max(re.findall(r"[A-Za-z0-9]*", secret), key=len)
    return plain, re.compile("".join(map(_forms, re.findall(r"\\+|[^\\]", secret))))


def _forms(part: str) -> str:
    """Return a pattern of a character, plain or quoted, or of several backslashes."""
    from html import escape
    from urllib.parse import quote

    if part.isascii() and part.isalnum():
        return part
    url = quote(part, safe="", errors="surrogatepass")
    if part[0] == "\\":
        return rf"(?:\\{{{len(part)},{8 * len(part)}}}+|{url}|{url.lower()})"
    code = f"&#(?:{ord(part)}|x{ord(part):x});"
    forms = {part, json.dumps(part)[1:-1], printable(part), escape(part), url, url.lower()}
    # The longest first: % is also the start of %25.
    longest = sorted((form.lstrip("\\") for form in forms), key=len, reverse=True)
    escaped = "|".join(map(re.escape, longest))
    # SQL and CSV double a quote, shells put it in others, and URLs may have + for a blank.
    also = {"'": r"'\"'\"'|''|", '"': '""|', " ": r"\+|"}.get(part, "")
    return rf"\\{{0,8}}+(?:{code}|{also}{escaped})"
