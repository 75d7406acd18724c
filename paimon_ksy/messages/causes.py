"""Turn any exception into a PaimonKsyError that names the cause.

A file that cannot be read is not always corrupt. It may be missing, unreachable or protected,
memory may have run out, or the code may have a bug.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from traceback import walk_tb

from paimon_ksy.errors import (
    AccessError,
    InternalError,
    MissingFileError,
    OutOfMemoryError,
    PaimonKsyError,
    UnreachableError,
    first_line,
)
from paimon_ksy.messages.install import how_to_install

_NETWORK = frozenset(
    getattr(errno, name)
    for name in (
        *("ECONNREFUSED", "ECONNRESET", "ECONNABORTED", "ETIMEDOUT", "EHOSTUNREACH", "EHOSTDOWN"),
        *("ENETUNREACH", "ENETDOWN", "ENETRESET", "ENOTCONN", "EPIPE", "EREMOTEIO", "ESTALE"),
    )
    if hasattr(errno, name)
)

_NETWORK_TEXT = re.compile(
    r"NETWORK_CONNECTION|curlCode|SLOW_DOWN|SERVICE_UNAVAILABLE|REQUEST_TIMEOUT|timed? ?out|"
    r"connection (was )?(refused|reset|aborted|closed|lost|error)|"
    r"could(n't| not) (resolve|connect)|"
    r"network is unreachable|no route to host|name resolution|name or service not known|"
    r"failed to establish|max retries exceeded|service unavailable|bad gateway",
    re.IGNORECASE,
)
"""Texts of an OSError by which Arrow's file systems report a lost connection; nothing else does."""

_CLIENTS = frozenset(
    ("aiohttp", "botocore", "aiobotocore", "urllib3", "requests", "httpx", "http", "ssl", "socket")
)
"""Packages whose exceptions all concern a connection, or the response of a server."""

_BUGS = (TypeError, AttributeError, NameError, AssertionError, LookupError, ZeroDivisionError)


_FULL = frozenset(
    getattr(errno, name) for name in ("ENOSPC", "EDQUOT", "EFBIG") if hasattr(errno, name)
)
"""A disk is full, a quota is used up, or a file has reached its largest size."""

_DESCRIPTORS = (errno.EMFILE, errno.ENFILE)


def cause_of(
    error: BaseException, path: str | None, otherwise: PaimonKsyError, doing: str = "read"
) -> PaimonKsyError:
    """Return the error that explains why reading or writing a file failed, and names the file.

    By default, an unknown exception means `otherwise`, usually that the file is corrupt. The caller
    raises the result from `error`.
    """
    for cause in chain(error):
        if isinstance(cause, PaimonKsyError):
            return cause
        if isinstance(cause, MemoryError):
            return OutOfMemoryError.of(path, cause)
        if _is_network(cause):
            return UnreachableError(f"the connection failed: {_reason(cause)}", path=path)
        if isinstance(cause, FileNotFoundError | NotADirectoryError):
            return MissingFileError("no such file", path=path)
    if is_denied(error):
        return AccessError.of(path, doing)
    if is_bug(error):
        return InternalError.of(error, path)
    if isinstance(error, OSError) and error.errno is not None:
        what = "cannot be written: " if doing == "write" else ""
        return PaimonKsyError(what + _reason(error), path=path, remedy=_remedy(error, doing))
    return otherwise


def _remedy(error: OSError, doing: str) -> str:
    """Return the remedy for an error of the operating system."""
    if error.errno in _FULL:
        return "free some space, or raise the limit, then run the command again"
    if error.errno in _DESCRIPTORS:
        return "raise the limit of open files: `ulimit -n 4096`; the file may be sound"
    sound = "" if doing == "write" else "; the file may be sound"
    return f"see what the system reports{sound}"


def unexpected(error: Exception) -> PaimonKsyError:
    """Return an error for an unexpected exception, usually a bug in this library."""
    if isinstance(error, PaimonKsyError):
        return error
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith(
        ("ksykit", "paimon_ksy")
    ):
        return PaimonKsyError(
            f"the Python package {error.name!r} is missing", remedy=how_to_install()
        )
    bug = InternalError.of(error)
    if not isinstance(error, MemoryError | OSError):
        return bug
    name = getattr(error, "filename", None)
    return cause_of(error, None if name is None else os.fsdecode(name), bug)


def is_denied(error: BaseException) -> bool:
    """Return whether an error means missing permission, on this machine or in an object store."""
    return any(
        isinstance(each, PermissionError) or "ACCESS_DENIED" in str(each)
        for each in chain(error, handled=True)
    )


def is_bug(error: BaseException) -> bool:
    """Return whether an error is a bug of this library, not a result of its input."""
    if not isinstance(error, _BUGS):
        return False
    module = ""
    for frame, _ in walk_tb(error.__traceback__):
        module = str(frame.f_globals.get("__name__"))
    return module.partition(".")[0] in ("ksykit", "paimon_ksy")


def chain(error: BaseException, *, handled: bool = False) -> Iterator[BaseException]:
    """Yield an exception, then its cause, and so on; or else, if `handled`, its context."""
    cause: BaseException | None = error
    seen: set[int] = set()
    while cause is not None and id(cause) not in seen:
        seen.add(id(cause))
        yield cause
        cause = cause.__cause__ or (cause.__context__ if handled else None)


def _is_network(error: BaseException) -> bool:
    if isinstance(error, ConnectionError | TimeoutError):
        return True
    if any(base.__module__.partition(".")[0] in _CLIENTS for base in type(error).__mro__):
        return not isinstance(error, FileNotFoundError)
    if not isinstance(error, OSError):
        return False
    if error.errno is not None and not isinstance(error, FileNotFoundError):
        return error.errno in _NETWORK
    return type(error) is OSError and _NETWORK_TEXT.search(str(error)) is not None


def _reason(error: BaseException) -> str:
    text = getattr(error, "strerror", None)
    return text.lower() if isinstance(text, str) and text else first_line(error).rstrip(".")
