"""Print errors, as one line on stderr or as JSON with `--format json`, and set the exit code."""

from __future__ import annotations

import json
import logging
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import typer

from paimon_ksy.cli.options import SETTINGS, Settings
from paimon_ksy.cli.output import SCHEMA_VERSION
from paimon_ksy.display import near, printable
from paimon_ksy.errors import CorruptFileError, ExitCode, PaimonKsyError, Terminated
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.causes import unexpected
from paimon_ksy.messages.commands import command, remedy_of, tell_table, text_of
from paimon_ksy.messages.log import LOG
from paimon_ksy.messages.masking import masked

EXIT_CODES = f"Exit codes: {'; '.join(f'{code.value} {code.meaning}' for code in ExitCode)}."


class UsageError(PaimonKsyError):
    """The options and arguments of a command are wrong."""

    code = "usage"
    exit_code = ExitCode.USAGE


@dataclass(frozen=True)
class Problem(Answer):
    """An error: its kind, place and remedy."""

    code: str
    message: str
    file: str | None
    column: str | None
    byte: int | None
    remedy: str | None


@dataclass(frozen=True)
class Failure(Answer):
    """An error on stderr."""

    error: Problem


@dataclass(frozen=True)
class Notice(Answer):
    """A note or warning on stderr."""

    note: str


def complain(error: PaimonKsyError | str) -> None:
    """Print an error on stderr; commands in it name the table or file that it is about."""
    error = PaimonKsyError(error) if isinstance(error, str) else error
    if SETTINGS.get().json:
        place = error.path, error.column, error.offset
        _print_json(Failure(Problem(error.code, error.message, *place, remedy_of(error))))
    else:
        _print_line(text_of(error))


def note(message: str, settings: Settings | None = None) -> None:
    """Print a note on stderr, unless --quiet is set; a thread passes the settings."""
    settings = settings or SETTINGS.get()
    if settings.quiet:
        return
    if settings.json:
        _print_json(Notice(message))
    else:
        _print_line(message)


class _Notes(logging.Handler):
    """Prints each warning of the log once, as a note."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._printed = set[str]()
        self._settings = SETTINGS.get()  # another thread has none

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message not in self._printed:
            self._printed.add(message)
            note(message, self._settings)


def _print_line(message: str) -> None:
    line = " ".join(part.strip() for part in message.splitlines() if part.strip())
    print(f"paimon-ksy: {printable(masked(near(line)))}", file=sys.stderr)


def _print_json(answer: Answer) -> None:
    document = {"schema_version": SCHEMA_VERSION, **answer.to_json()}
    print(masked(json.dumps(document)), file=sys.stderr)


@contextmanager
def failures(exit_code: ExitCode | None = None) -> Iterator[None]:
    """Turn exceptions into a line on stderr and `typer.Exit`; with --debug, also a traceback.

    By default, the exit code is that of the error.
    """
    tell_table(None)
    notes, settings = _Notes(), SETTINGS.get()
    LOG.addHandler(notes)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = lambda message, *_, **__: note(f"warning: {message}", settings)
            yield
    except (typer.Exit, typer.Abort):
        raise
    except BrokenPipeError:
        raise typer.Exit(ExitCode.BROKEN_PIPE) from None
    except KeyboardInterrupt as error:
        raise typer.Exit(interrupted_by(error)) from None
    except Exception as error:
        if settings.debug:
            _print_traceback(error)
        explained = _explained(error)
        complain(explained)
        raise typer.Exit(explained.exit_code if exit_code is None else exit_code) from None
    finally:
        LOG.removeHandler(notes)


def interrupted_by(error: BaseException) -> ExitCode:
    """Return the exit code of an interrupted command: by Ctrl+C, or by SIGTERM."""
    terminated = isinstance(error, Terminated) or isinstance(error.__cause__, Terminated)
    return ExitCode.TERMINATED if terminated else ExitCode.INTERRUPTED


def _print_traceback(error: Exception) -> None:
    """Print the traceback, with control characters escaped and secrets masked."""
    import traceback

    for line in masked("".join(traceback.format_exception(error))).splitlines():
        print(printable(line), file=sys.stderr)


def _explained(error: Exception) -> PaimonKsyError:
    """Return the error as a PaimonKsyError, with a remedy if one is known."""
    if isinstance(error, CorruptFileError) and error.remedy is None:
        look = command("inspect", error.path or "FILE")
        error.remedy = f"the file is corrupt, or of another kind: {look} shows its kind"
    return unexpected(error)


def silence_stdout() -> None:
    """Keep Python from printing an error at exit because stdout is closed."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, ValueError):  # stdout is not a real file, for example in tests
        sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115
