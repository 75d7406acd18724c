"""A registry: the records of several packages, each imported when it is needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any, TypeVar

_Key = TypeVar("_Key")
_Record = TypeVar("_Record")


class Registry(Mapping[_Key, _Record]):
    """Records by their keys. The first use of a record imports its module."""

    def __init__(self, modules: Mapping[_Key, str], record: Callable[[Any, _Key], _Record]) -> None:
        """Create a registry.

        Args:
            modules: The module of each record, without the prefix `paimon_ksy.`.
            record: Returns the record with this key in an imported module.
        """
        self._modules, self._record = modules, record
        self._known: dict[_Key, _Record] = {}

    def __getitem__(self, key: _Key) -> _Record:
        if key not in self._known:
            module = import_module(f"paimon_ksy.{self._modules[key]}")
            self._known[key] = self._record(module, key)
        return self._known[key]

    def __contains__(self, key: object) -> bool:
        return key in self._modules

    def __iter__(self) -> Iterator[_Key]:
        return iter(self._modules)

    def __len__(self) -> int:
        return len(self._modules)
