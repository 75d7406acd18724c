"""Modules that take long to import, imported at their first use.

numpy takes 0.1 s, and small heads need none of it.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["Late", "np"]


class Late:
    """A module that is imported when one of its attributes is used."""

    def __init__(self, module: str) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        attribute = self.__dict__[name] = getattr(import_module(self._module), name)
        return attribute


if TYPE_CHECKING:
    import numpy as np
else:
    np = Late("numpy")
