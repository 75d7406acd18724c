"""Mask passwords and other secrets in all output."""

from __future__ import annotations

import re

from paimon_ksy.display import MASK, hidden, remember

_SECRET = re.compile(
    r"secret|passw|pwd|credential|token(?!i|[-_.]?provider)|jaas|signature|^sig$|"
    r"(?:access|account|private|api|encryption|sas)[-_.]?key",
    re.IGNORECASE,
)
_OF_COLUMNS = ("file-index.", "fields.")  # in such keys, words such as `token` are column names

# A password may contain @, and also / if what follows the colon is not a port.
_IN_URL = re.compile(
    r"(?P<before>\b[A-Za-z][A-Za-z0-9+.\-]*://[^\s/?#@:]*:)"
    r"(?:[^\s/?#]*|(?!\d+(?:[/?#]|$))[^\s@]*)(?=@)"
)
_IN_QUERY = re.compile(r"(?P<before>[?&;](?P<key>[\w.\-]+)=)[^&;\s'\"]+")


def is_secret(key: str) -> bool:
    """Return whether the value of an option with this name is a secret."""
    return not key.startswith(_OF_COLUMNS) and _SECRET.search(key) is not None


def remember_url(text: str) -> None:
    """Remember the passwords in a URL."""
    for pattern in (_IN_URL, _IN_QUERY):
        for match in pattern.finditer(text):
            if pattern is _IN_URL or is_secret(match["key"]):
                remember(match[0].removeprefix(match["before"]))


def masked(text: str) -> str:
    """Return the text with remembered secrets and passwords in URLs masked."""
    text = hidden(text)
    if "://" not in text:
        return text
    text = _IN_URL.sub(rf"\g<before>{MASK}", text)
    return _IN_QUERY.sub(_mask_query, text)


def _mask_query(match: re.Match[str]) -> str:
    return f"{match['before']}{MASK}" if is_secret(match["key"]) else match[0]


def masked_option(key: str, value: str) -> str:
    """Return the value of an option for output: masked if it is a secret."""
    return MASK if is_secret(key) else masked(value)
