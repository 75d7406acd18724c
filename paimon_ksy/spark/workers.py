"""What Spark sends to its Python workers, and how their errors reach the user."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.commands import text_of

_HIDE = "SPARK_HIDE_TRACEBACK"
"""The variable that workers look up when they report an error, after which they end."""


def by_value(sent: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that Spark sends by value, and that calls `sent`, sent by its name.

    It imports nothing of this package, because workers that lack it run it, too.
    """
    pickled, python, hide = pickle.dumps(sent), sys.executable, _HIDE

    def call(*arguments: Any, **named: Any) -> Any:
        import os
        import pickle
        import sys

        try:
            loaded = pickle.loads(pickled)
        except ImportError as error:
            os.environ[hide] = "1"
            raise ImportError(
                f"Spark's Python worker {sys.executable} lacks a package ({error}): set "
                f"PYSPARK_PYTHON to the driver's Python {python} before Spark starts, or send the "
                "package with --py-files (Spark Connect: spark.addArtifacts)"
            ) from None
        return loaded(*arguments, **named)

    return call


class Sent:
    """An object that Spark sends to workers by `by_value`."""

    def __reduce__(self) -> tuple[Any, ...]:
        return by_value(partial(object.__new__, type(self))), (), vars(self)


@contextmanager
def in_one_line() -> Iterator[None]:
    """Make a worker report a PaimonKsyError with its remedy, and without a traceback."""
    try:
        yield
    except PaimonKsyError as error:
        os.environ[_HIDE] = "1"
        vars(error).update(message=text_of(error), path=None, column=None, offset=None, remedy=None)
        raise
