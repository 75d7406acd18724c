"""Whether a server can be reached, asked before those are that try it for minutes."""

from __future__ import annotations

import socket
from urllib.request import getproxies, proxy_bypass

SECONDS = 5.0
"""To wait for a connection, unless told otherwise."""


def unreachable(scheme: str, host: str, port: int, seconds: float = SECONDS) -> str | None:
    """Why a server takes no connection; None if it does, or if a proxy would have to tell."""
    if scheme in getproxies() and not proxy_bypass(host):
        return None
    try:
        socket.create_connection((host, port), seconds).close()
    except TimeoutError:
        return f"no answer within {seconds:g} s"
    except OSError as error:
        return error.strerror or str(error)
    return None
