"""Check the types of arguments of public functions, by the names of their parameters."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Set
from datetime import timedelta
from functools import wraps
from inspect import Parameter, signature, unwrap
from itertools import chain
from numbers import Integral
from typing import NamedTuple, ParamSpec, TypeVar

from paimon_ksy.errors import ArgumentError, none_of, with_article

_P = ParamSpec("_P")
_T = TypeVar("_T")


class _Expected(NamedTuple):
    """The types of a parameter: `words` for the message, and what identifies them.

    Names of classes stand for those of modules that are not imported for the check, and a method
    for a protocol.
    """

    words: str
    classes: tuple[type, ...] = ()
    names: tuple[str, ...] = ()
    method: str | None = None

    def accepts(self, value: object) -> bool:
        if isinstance(value, self.classes) and not (
            isinstance(value, bool) and Integral in self.classes
        ):
            return True
        if self.method is not None and hasattr(value, self.method):
            return True
        return any(each.__name__ in self.names for each in type(value).__mro__)


_TEXT = _Expected("a text", (str,))
_NUMBER = _Expected("a whole number", (Integral,))
_OPTIONS = _Expected("a dict of options", (Mapping,), ("FileIndexOptions",))
ARGUMENTS = {
    "table": _Expected("a path or a Table", (str, os.PathLike), ("Table", "RecordBatchReader")),
    "columns": _Expected("a list of names", (Iterable,)),
    "order_by": _Expected("a text such as 'amount DESC', or a TopN", (str,), ("TopN",)),
    "limit": _NUMBER,
    "snapshot_id": _NUMBER,
    "between": _Expected("a pair of snapshots", (tuple, list)),
    "batch_files": _NUMBER,
    "k": _NUMBER,
    "tag": _TEXT,
    "text": _TEXT,
    "sql": _TEXT,
    "name": _TEXT,
    "order": _TEXT,
    "time_zone": _TEXT,
    "identifier": _TEXT,
    "engine": _Expected("an Engine, such as local_engine(),", method="batches"),
    "set": _OPTIONS,
    "options": _OPTIONS,
    "older_than": _Expected("a timedelta", (timedelta,)),
    "stats": _Expected("a QueryStats", (), ("QueryStats",)),
    "path": _Expected("a path or URL", (str, os.PathLike)),
}
"""The types of parameters, which have one meaning in all public functions."""


def more_arguments(function: Callable[..., object]) -> Set[str] | None:
    """Return the names that `**name: Unpack[SomeTypedDict]` stands for; None if it takes any."""
    module = sys.modules[unwrap(function).__module__]
    for each in signature(function).parameters.values():
        if each.kind is Parameter.VAR_KEYWORD:
            if each.annotation == "Any":
                return None
            name = str(each.annotation).removeprefix("Unpack[").removesuffix("]")
            known: Mapping[str, object] = vars(module)[name].__annotations__
            return known.keys()
    return frozenset()


def checked(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Return a function that first checks the types of its arguments.

    Raises ArgumentError.
    """
    parameters = signature(function).parameters
    optional = {name for name, each in parameters.items() if each.default is None}
    more = more_arguments(function)
    own = [name for name in parameters if parameters[name].kind is not Parameter.VAR_KEYWORD]
    optional |= ARGUMENTS.keys() - parameters.keys()

    @wraps(function)
    def call(*arguments: _P.args, **options: _P.kwargs) -> _T:
        for name, value in chain(zip(parameters, arguments, strict=False), options.items()):
            if more is not None and name not in own and name not in more:
                hint = none_of(name, "it has", [*own, *more])
                raise ArgumentError(f"{function.__name__} has no argument {name!r}{hint}")
            expected = ARGUMENTS.get(name)
            if expected is None or (value is None and name in optional) or expected.accepts(value):
                continue
            kind = with_article(type(value))
            raise ArgumentError(
                f"argument {name!r} of {function.__name__}: {expected.words} is needed, not {kind}"
            )
        return function(*arguments, **options)

    return call
