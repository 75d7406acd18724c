"""Import modules of pypaimon on first use, and translate its errors into ours."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from paimon_ksy.errors import (
    Call,
    MissingFileError,
    PaimonKsyError,
    Remedy,
    SchemaError,
    first_line,
)
from paimon_ksy.messages.causes import cause_of, chain
from paimon_ksy.messages.install import how_to_install
from paimon_ksy.table.io.paths import REMEDY


def pypaimon_module(module: str) -> Any:
    """Import a module below `pypaimon`.

    Raises:
        PaimonKsyError: pypaimon is not installed.
    """
    try:
        return import_module(f"pypaimon.{module}")
    except ImportError as error:
        raise PaimonKsyError(
            f"whole tables need pypaimon 2.1 ({error}): {how_to_install('table')}"
        ) from None


REMEDY_LATEST = Remedy(
    "restore the file from a backup; until then, ",
    Call("table inspect"),
    " shows the snapshots before it, which --snapshot N reads",
)
"""The remedy for an unreadable latest snapshot, without which a rollback is impossible."""


REMEDY_UNSUPPORTED = (
    "leave the column out; or compact the table with Java, so that no files have to be merged"
)
"""The remedy for rows that cannot be merged."""


@contextmanager
def translated_errors(path: str, remedy: str = REMEDY) -> Iterator[None]:
    """Turn errors of pypaimon into PaimonKsyErrors that name a file and a remedy."""
    try:
        yield
    except PaimonKsyError as error:
        error.path = error.path or path
        error.remedy = error.remedy or remedy
        raise
    except Exception as error:
        damaged = PaimonKsyError(f"cannot be read: {first_line(error)}", path=path, remedy=remedy)
        raised = cause_of(error, path, damaged)
        if isinstance(raised, MissingFileError):
            raised.remedy = remedy
        raise raised from error


def not_written(error: Exception, path: str) -> PaimonKsyError:
    """Return an error for metadata in a folder that could not be written."""
    *_, root = chain(error, handled=True)
    otherwise = PaimonKsyError(f"cannot be written: {first_line(root)}", path=path)
    reason = cause_of(root, path, otherwise, "write")
    reason.path = reason.path or path
    return reason


REMEDY_SCHEMA = "restore the file from a backup: files of that schema need it"


@contextmanager
def reading_schema(path: str) -> Iterator[None]:
    """Turn errors over a schema file into PaimonKsyErrors that name it."""
    try:
        with translated_errors(path, REMEDY_SCHEMA):
            yield
    except SchemaError as error:
        text = f"cannot be read: {error.message}"
        raise PaimonKsyError(text, path=path, remedy=REMEDY_SCHEMA) from error
