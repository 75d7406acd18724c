"""Which names of files and tables are on this machine, and where: the one rule for all of them."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote_to_bytes

from paimon_ksy.errors import PaimonKsyError

_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+:(//|.*::)")  # a drive letter is no scheme
_FILE = re.compile(r"file:(?://(?P<host>[^/]*)(?=/|$))?", re.IGNORECASE)


def local_path(name: str) -> str | None:
    """Return the local path that a path or `file:` URL names, None for a URL of another system.

    In `file:///a%20b`, `%20` is a space, as in any URL; `#`, `?` and `+` stand for themselves. Java
    and Spark write `file:/a%20b`, with one slash, for a folder that is called just that, and this
    function reads it so.

    Raises:
        PaimonKsyError: It is a URL of another host.
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
