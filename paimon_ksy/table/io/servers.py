"""Quick checks of whether a server can be reached, before libraries retry for minutes."""

from __future__ import annotations

import socket
from urllib.request import getproxies, proxy_bypass

SECONDS = 5.0
"""The default time to wait for a connection."""


def unreachable(scheme: str, host: str, port: int, seconds: float = SECONDS) -> str | None:
    """Return why a server accepts no connection; None if it accepts one, or is behind a proxy."""
    if scheme in getproxies() and not proxy_bypass(host):
        return None
    try:
        socket.create_connection((host, port), seconds).close()
    except TimeoutError:
        return f"no answer within {seconds:g} s"
    except OSError as error:
        return error.strerror or str(error)
    return None
