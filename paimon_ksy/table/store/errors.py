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
    UnsupportedError,
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
    "leave the column out; or compact the table with Java, so that pypaimon need not merge files"
)
"""The remedy for rows that pypaimon cannot merge."""

REMEDY_FORMAT = (
    "query it with Java; or set the table's file.format to parquet, orc or avro, and have Java "
    "compact it fully"
)
"""The remedy for data files in a format that pypaimon does not read."""


@contextmanager
def translated_errors(path: str, remedy: str = REMEDY) -> Iterator[None]:
    """Turn errors of pypaimon into PaimonKsyErrors that name a file and a remedy.

    A NotImplementedError, or an error over an unknown data type, becomes an UnsupportedError.
    """
    try:
        yield
    except PaimonKsyError as error:
        error.path = error.path or path
        error.remedy = error.remedy or remedy
        raise
    except BaseException as error:
        # Polars, with which pypaimon merges, panics over dates after the year 9999.
        if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
            raise
        # Sums that overflow raise an ArithmeticError.
        unsupported = isinstance(error, NotImplementedError | ArithmeticError)
        if unsupported or str(error).startswith("Unsupported data type"):
            what = first_line(error).partition(". ")[0]
            otherwise = REMEDY_FORMAT if " format is " in what else REMEDY_UNSUPPORTED
            message = f"pypaimon cannot read it: {what}"
            raise UnsupportedError(message, path=path, remedy=otherwise) from error
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
