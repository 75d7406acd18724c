"""Modules that take long to import, imported at their first use.

numpy takes 0.1 s, and small heads need none of it.
"""

from __future__ import annotations

from functools import cached_property
from importlib import import_module
from operator import attrgetter
from typing import TYPE_CHECKING, Any

__all__ = ["Late", "LateFunction", "np"]


class Late:
    """A module that is imported when one of its attributes is used."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        attribute = self.__dict__[name] = getattr(import_module(self._module), name)
        return attribute


class LateFunction:
    """A function that imports `module.name` of a package at its first call, and calls it.

    It passes only the first `count` arguments, or all by default.
    """

    def __init__(self, package: str, path: str, count: int | None = None) -> None:
        self._package = package
        self._path = path
        self._count = count

    @cached_property
    def function(self) -> Any:
        """The function."""
        module, _, name = self._path.partition(".")
        return attrgetter(name)(import_module(f"{self._package}.{module}"))

    def __call__(self, *arguments: Any) -> Any:
        """Call the function."""
        return self.function(*arguments[: self._count])


if TYPE_CHECKING:
    import numpy as np
else:
    np = Late("numpy")
