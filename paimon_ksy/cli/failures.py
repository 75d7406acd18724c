"""What goes wrong becomes one line on stderr and an exit code."""

from __future__ import annotations

import errno
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import typer

from paimon_ksy.cli.output import printable
from paimon_ksy.errors import (
    CorruptFileError,
    OptionError,
    PaimonKsyError,
    PredicateError,
    SchemaError,
    UnsupportedError,
    with_remedy,
)

OK, FAILED, USAGE = 0, 1, 2
FOUND = 3  # an audit found an error
INTERRUPTED = 130  # 128 + SIGINT, as shells report it
BROKEN_PIPE = 141  # 128 + SIGPIPE

EXIT_CODES = """\
Exit codes: 0 done; 1 a file is broken, or cannot be opened or written; 2 wrong usage: options, \
schema, predicate, column, type; 3 an audit found an error; 130 interrupted."""


_REMEDY = "the file is damaged, or of another kind: `paimon-ksy inspect` tells what it is"
"""What to do about a file, where the place that looked at it does not know better."""


class UsageError(PaimonKsyError):
    """The command was called in a way that cannot work."""


# What the caller wrote is wrong, not the file.
_USAGE_ERRORS = (UsageError, SchemaError, PredicateError, OptionError, UnsupportedError)


def complain(message: str) -> None:
    """One line on stderr."""
    line = " ".join(part.strip() for part in message.splitlines() if part.strip())
    print(f"paimon-ksy: {printable(line)}", file=sys.stderr)


@contextmanager
def failures(debug: bool) -> Iterator[None]:
    """Turn exceptions into a line on stderr and `typer.Exit`; with `debug` show the traceback."""
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            yield
    except (typer.Exit, typer.Abort):
        raise
    except BrokenPipeError:
        raise typer.Exit(BROKEN_PIPE) from None
    except KeyboardInterrupt:
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        if debug:
            import traceback

            traceback.print_exc()
        else:
            complain(_describe(error))
        raise typer.Exit(USAGE if isinstance(error, _USAGE_ERRORS) else FAILED) from None


def _warn(message: Warning | str, *_: Any, **__: Any) -> None:
    complain(f"warning: {message}")


def _describe(error: Exception) -> str:
    if isinstance(error, CorruptFileError) and error.remedy is None:
        return f"{error}; {_REMEDY}"
    if isinstance(error, PaimonKsyError):
        return with_remedy(error)
    if isinstance(error, ModuleNotFoundError) and not (error.name or "").startswith("paimon_ksy"):
        return f"the Python package {error.name!r} is missing: pip install paimon-ksy brings it"
    if isinstance(error, MemoryError):
        return "not enough memory"
    if isinstance(error, OSError) and error.strerror:
        name = f"{os.fsdecode(error.filename)}: " if error.filename is not None else ""
        if error.errno == errno.ENOSPC:
            return (
                f"{name or 'cannot write: '}{error.strerror.lower()}; free some, or write elsewhere"
            )
        return f"{name}{error.strerror.lower()}"
    return (
        f"{type(error).__name__}: {error} (this is a bug in paimon-ksy: "
        "run again with --debug and report what it prints)"
    )


def silence_stdout() -> None:
    """Keep Python from complaining, when it ends, that nobody reads stdout any more."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # stdout is no real file, as in tests
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
