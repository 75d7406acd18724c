"""Passwords and other secrets, which are masked before anything is printed."""

from __future__ import annotations

import json
import re

MASK = "***"

_SECRET = re.compile(
    r"secret|passw|pwd|credential|token(?!i|[-_.]?provider)|jaas|signature|^sig$|"
    r"(?:access|account|private|api|encryption|sas)[-_.]?key",
    re.IGNORECASE,
)
_OF_COLUMNS = ("file-index.", "fields.")  # the rest of such a key names a column
_LEAST = 4  # characters of a secret that is looked for in other text

# A password may contain an @, and where it is not a port also a slash.
_IN_URL = re.compile(
    r"(?P<before>\b[A-Za-z][A-Za-z0-9+.\-]*://[^\s/?#@:]*:)"
    r"(?:[^\s/?#]*|(?!\d+(?:[/?#]|$))[^\s@]*)(?=@)"
)
_IN_QUERY = re.compile(r"(?P<before>[?&;](?P<key>[\w.\-]+)=)[^&;\s'\"]+")

_known: set[str] = set()


def is_secret(key: str) -> bool:
    """Return whether the value of an option with this name is a secret."""
    return not key.startswith(_OF_COLUMNS) and _SECRET.search(key) is not None


def forget() -> None:
    """Forget the secrets of an earlier command."""
    _known.clear()


def remember(secret: str) -> None:
    """Have a secret masked in all that is printed from now on, except for the rows of a query."""
    if len(secret) >= _LEAST:
        _known.add(secret)


def remember_url(text: str) -> None:
    """Remember the passwords in a URL."""
    for pattern in (_IN_URL, _IN_QUERY):
        for found in pattern.finditer(text):
            if pattern is _IN_URL or is_secret(found["key"]):
                remember(found[0].removeprefix(found["before"]))


def hidden(text: str) -> str:
    """Return the text with the secrets that are remembered masked."""
    for secret in sorted(_known, key=len, reverse=True):
        text = text.replace(secret, MASK).replace(json.dumps(secret)[1:-1], MASK)
    return text


def masked(text: str) -> str:
    """Return the text with passwords in URLs, and remembered secrets, masked."""
    text = hidden(text)
    if "://" not in text:
        return text
    text = _IN_URL.sub(rf"\g<before>{MASK}", text)
    return _IN_QUERY.sub(_mask_query, text)


def _mask_query(found: re.Match[str]) -> str:
    return f"{found['before']}{MASK}" if is_secret(found["key"]) else found[0]


def masked_option(key: str, value: str) -> str:
    """Return the value of an option as it is printed."""
    return MASK if is_secret(key) else masked(value)
