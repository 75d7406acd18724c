"""What `import paimon_ksy` gives, and what it costs."""

import ast
import builtins
import inspect
import re
import subprocess
import sys
import typing
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from pyroaring import BitMap, BitMap64

import paimon_ksy as pk

NO_LISTED_METHODS = {"Table"}
"""Classes that callers pass on: what their methods take and return is for this library."""


@pytest.mark.parametrize("name", pk.__all__)
def test_each_public_name_is_there(name: str) -> None:
    assert getattr(pk, name).__name__ == name
    assert name in dir(pk)


def test_no_module_has_a_public_name() -> None:
    # Importing it would put it in place of what the name stands for.
    package = Path(pk.__file__).parent
    assert not {path.stem for path in package.iterdir()} & set(pk.__all__)


def test_other_names_are_not() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nope'"):
        _ = pk.nope


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(pk.__file__).read_text("utf-8"))
    [block] = [node for node in tree.body if isinstance(node, ast.If)]
    imported = {
        alias.asname: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert imported == {name: f"paimon_ksy.{module}" for name, module in pk._MODULES.items()}


@pytest.mark.parametrize("name", pk.__all__)
def test_what_a_public_name_takes_returns_and_raises_is_public(name: str) -> None:
    missing = {
        f"{where}: {other}"
        for where, item in _with_methods(name, getattr(pk, name))
        for other in (*_annotated(item), *_raised(item))
        if other not in pk.__all__
    }
    assert not missing


def _with_methods(name: str, item: Any) -> Iterator[tuple[str, Any]]:
    yield name, item
    if not isinstance(item, type) or name in NO_LISTED_METHODS:
        return
    for method_name, method in vars(item).items():
        if not method_name.startswith("_"):
            function = getattr(method, "__func__", None) or getattr(method, "fget", None)
            function = function or getattr(method, "func", method)
            if inspect.isfunction(function):
                yield f"{name}.{method_name}", function


def _annotated(item: Callable[..., Any] | type) -> Iterator[str]:
    """Names of this library's classes that a function takes or returns, but for callbacks."""
    if isinstance(item, type):
        return
    late = {name: getattr(pk, name) for name in pk.__all__}  # imported for type checkers only
    late |= {"pa": pa, "pc": pc, "pl": pl, "BitMap": BitMap, "BitMap64": BitMap64}
    for hint in typing.get_type_hints(item, localns=late).values():
        yield from _classes(hint)


def _classes(hint: Any) -> Iterator[str]:
    if isinstance(hint, type) and hint.__module__.startswith("paimon_ksy."):
        yield hint.__name__
    for part in typing.get_args(hint):
        if not isinstance(part, list):  # the parameters of a callback
            yield from _classes(part)


def _raised(item: Any) -> Iterator[str]:
    """Names of the exceptions that the docstring mentions, but for Python's."""
    for name in re.findall(r"\b[A-Z]\w*(?:Error|Warning)\b", item.__doc__ or ""):
        if not hasattr(builtins, name):
            yield name


def test_importing_imports_nothing_else() -> None:
    program = "import paimon_ksy, sys; print(*(m for m in sys.modules if 'paimon_ksy.' in m))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == []
