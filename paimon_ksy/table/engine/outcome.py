"""The outcome of a task: its result, its error, or the loss of its process."""

from __future__ import annotations

import pickle
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.causes import unexpected

LOST = "the worker process crashed: the data file is corrupt, or memory ran out"


@dataclass(frozen=True)
class Failure:
    """An error that a task raised, as its result."""

    error: PaimonKsyError


def attempt(function: Callable[[Any], Any], task: Any) -> Any:
    """Return the function's result, or the Failure."""
    try:
        return function(task)
    except Exception as error:  # every error is the task's result
        return Failure(own(error))


def own(error: Exception) -> PaimonKsyError:
    """Return the error as a picklable PaimonKsyError, with a note of where it was raised."""
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, PaimonKsyError):
        with suppress(Exception):  # its constructor may take other arguments than it stores
            copied: PaimonKsyError = pickle.loads(pickle.dumps(error))
            if str(copied) == str(error):
                copied.add_note(trace)
                return copied
        made = PaimonKsyError(str(error))
        made.remedy = error.remedy
    else:
        made = unexpected(error)
    made.add_note(trace)
    return made


def lost(function: Callable[[Any], Any], task: Any) -> Any:
    """Return a substitute for the result of a task whose process ended.

    It is the result of `function.lost`, or a Failure that names the task's data file.
    """
    if hasattr(function, "lost"):
        return function.lost(task)
    path = getattr(getattr(task, "file", task), "path", None)
    where = "" if path is None else f"{path}: "
    return Failure(PaimonKsyError(f"{where}{LOST}"))


def result_of(found: Any) -> Any:
    """Return the result. Raises the error of a Failure."""
    if isinstance(found, Failure):
        raise found.error
    return found


def checked(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return the batch after checking its schema.

    Raises:
        PaimonKsyError: The batch has another schema.
    """
    if not batch.schema.equals(schema):
        raise PaimonKsyError(
            f"internal error: a batch has the schema ({batch.schema}), not ({schema})"
        )
    return batch
