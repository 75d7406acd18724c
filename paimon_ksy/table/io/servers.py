"""Quick checks of whether a server can be reached, before libraries retry for minutes.

pypaimon's file systems have no option to shorten that.
"""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from paimon_ksy.errors import OptionError, PaimonKsyError

SECONDS = 5.0
"""The default time to wait for a connection."""


def unreachable(scheme: str, host: str, port: int, seconds: float = SECONDS) -> str | None:
    """Return why a server accepts no connection; None if it accepts one, or is behind a proxy."""
    from urllib import request

    if scheme in request.getproxies() and not request.proxy_bypass(host):
        return None
    try:
        socket.create_connection((host, port), seconds).close()
    except TimeoutError:
        return f"no answer within {seconds:g} s"
    except OSError as error:
        return error.strerror or str(error)
    return None


CONNECT_TIMEOUT = "paimon-ksy.connect-timeout"
"""The option for the seconds to wait until a server accepts a connection; 0 disables the check."""

_PORTS = {"http": 80, "https": 443}


_AWS = "s3.amazonaws.com"
_AWS_ENDPOINTS = ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
"""Environment variables that name a store other than AWS."""


def check_endpoints(options: Mapping[str, str], location: str = "") -> None:
    """Check that an object store's endpoint, and a catalog's server, accept connections.

    AWS needs no endpoint, so its name is resolved instead.

    Args:
        options: The options of a catalog or file system.
        location: The URL of the table or warehouse.

    Raises:
        PaimonKsyError: A server does not accept connections.
        OptionError: An option is not a URL, or not a number of seconds.
    """
    text = options.get(CONNECT_TIMEOUT, str(SECONDS))
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1
    if not 0 <= seconds < 86_400:
        raise OptionError(f"{CONNECT_TIMEOUT} must be a number of seconds, not {text!r}")
    for key, value in options.items() if seconds else ():
        if key.lower().endswith("endpoint") or key == "uri":
            _check(key, value, seconds)
    location = location or options.get("warehouse", "")
    named = any("endpoint" in key.lower() for key in options) or "uri" in options
    if seconds and not named and urlsplit(location).scheme in ("s3", "s3a", "s3n"):
        _check_aws(location, options)


def _check_aws(location: str, options: Mapping[str, str]) -> None:
    from urllib import request

    if "https" in request.getproxies() or any(name in os.environ for name in _AWS_ENDPOINTS):
        return
    regions = [value for key, value in options.items() if key.lower().endswith("region")]
    for host in (_AWS, *(f"s3.{region}.amazonaws.com" for region in regions)):
        try:
            socket.getaddrinfo(host, 443)
        except OSError as error:
            reason = error.strerror or str(error)
        else:
            return
    raise PaimonKsyError(
        f"cannot connect to {host}: {reason}. Check the network, or name another store, such "
        f"as s3.endpoint=URL; {CONNECT_TIMEOUT}=0 skips this check",
        path=location,
    )


def _check(key: str, endpoint: str, seconds: float) -> None:
    try:
        parts = urlsplit(endpoint if "://" in endpoint else f"https://{endpoint}")
        host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError as error:
        raise OptionError(f"{key} is not a URL: {endpoint!r}: {error}") from None
    if host is None or port is None:
        return  # thrift:// for example, or a name that other libraries resolve
    if (reason := unreachable(parts.scheme, host, port, seconds)) is not None:
        raise PaimonKsyError(
            f"cannot connect to {host}, port {port}, of {key}={endpoint}: {reason}. Correct "
            f"the option, or make sure that the server runs; {CONNECT_TIMEOUT}=SECONDS waits "
            "longer"
        )
