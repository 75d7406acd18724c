"""What became of a task: what its function gave or raised, or that its process ended."""

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
    """What a task raised, as its answer."""

    error: PaimonKsyError


def attempt(function: Callable[[Any], Any], task: Any) -> Any:
    """Return the function's result, or the Failure."""
    try:
        return function(task)
    except Exception as error:  # all of them are the task's answer
        return Failure(own(error))


def own(error: Exception) -> PaimonKsyError:
    """Return the error as a PaimonKsyError that can be pickled, with a note where it was raised."""
    trace = "".join(traceback.format_exception(error))
    if isinstance(error, PaimonKsyError):
        with suppress(Exception):  # one that takes other arguments than it keeps
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
    """Return what stands for the result of a task whose process ended.

    It is what `function.lost` returns, or a Failure that names the task's data file.
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
    """Return the batch if it is of this schema.

    Raises:
        PaimonKsyError: It is of another schema.
    """
    if not batch.schema.equals(schema):
        raise PaimonKsyError(
            f"internal error: a batch has the schema ({batch.schema}), not ({schema})"
        )
    return batch
