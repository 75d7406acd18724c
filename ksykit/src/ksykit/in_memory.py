"""Generated packages that are imported from memory."""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Mapping
from importlib.abc import InspectLoader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_loader
from typing import Any

_TEXTS: dict[str, str] = {}
"""By the names of modules; `.__init__` ends that of a package."""


class _Packages(MetaPathFinder, InspectLoader):
    """The packages that were installed."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Return the module of that name, if it is one of these."""
        return spec_from_loader(name, self) if name in _TEXTS or self.is_package(name) else None

    def get_source(self, name: str) -> str:
        """Return the text of a module."""
        return _TEXTS[f"{name}.__init__" if self.is_package(name) else name]

    def is_package(self, name: str) -> bool:
        """Return whether a module has others in it."""
        return f"{name}.__init__" in _TEXTS


def install(files: Mapping[str, str]) -> str:
    """Let a package be imported, and return its name, which follows from the text of its files."""
    digest = hashlib.sha256(json.dumps(files, sort_keys=True).encode()).hexdigest()
    package = f"_ksykit_{digest[:32]}"
    for path, text in files.items():
        _TEXTS[f"{package}/{path}".removesuffix(".py").replace("/", ".")] = text
    if not any(isinstance(finder, _Packages) for finder in sys.meta_path):
        sys.meta_path.append(_Packages())
    return package
