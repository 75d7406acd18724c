"""Decide which names of files and tables are local, and find their paths."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote_to_bytes

from paimon_ksy.errors import PaimonKsyError

_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+:(//|.*::)")  # a drive letter is not a scheme
_FILE = re.compile(r"file:(?://(?P<host>[^/]*)(?=/|$))?", re.IGNORECASE)


def local_path(name: str) -> str | None:
    """Return the local path that a path or `file:` URL names; None for other URLs.

    In `file:///a%20b`, `%20` is a space, as in any URL, but `#`, `?` and `+` are literal. With one
    slash, as Java and Spark write it, nothing is decoded: `file:/a%20b` is a folder named `a%20b`.

    Raises:
        PaimonKsyError: The URL names another host.
    """
    match = _FILE.match(name)
    if match is None:
        return None if _REMOTE.match(name) else name
    path, host = name[match.end() :], match["host"]
    if host is None:
        return path
    if host.lower() not in ("", "localhost"):
        raise PaimonKsyError(
            f"names the host {host!r}; write a local file with three slashes, such as "
            f"file:///{host}{path}",
            path=name,
        )
    return os.fsdecode(unquote_to_bytes(path))


def is_local(name: str) -> bool:
    """Return whether a path or URL names something on this machine."""
    return _FILE.match(name) is not None or _REMOTE.match(name) is None
