"""The page of pypaimon's private names lists what the code uses, and the installed version has."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import pypaimon
import pytest

import paimon_ksy

PACKAGE = Path(str(paimon_ksy.__file__)).parent
PAGE = PACKAGE.parent / "docs" / "project" / "pypaimon.md"
FILES = [path for path in PACKAGE.rglob("*.py") if "generated" not in path.parts]


class PrivateName(NamedTuple):
    """A private name of pypaimon: `module` below `pypaimon`, and `name` in it."""

    module: str
    name: str
    why: str
    end: str


ROWS = re.findall(
    r"^\| `pypaimon\.(.+)` \| `(.+)` \| (.+) \| (.+) \|$", PAGE.read_text("utf-8"), re.MULTILINE
)
PRIVATE_NAMES = [PrivateName(*row) for row in ROWS]
LISTED = {(known.module, known.name) for known in PRIVATE_NAMES}
NAMED_TUPLES = {"_asdict", "_fields", "_make", "_replace"}  # which are public
ENDS = {known.name.rpartition(".")[2] for known in PRIVATE_NAMES}


@pytest.mark.parametrize("known", PRIVATE_NAMES, ids=lambda known: f"{known.module}:{known.name}")
def test_the_installed_pypaimon_has_it(known: PrivateName) -> None:
    *outer, last = known.name.split(".")
    found: Any = import_module(f"pypaimon.{known.module}")
    for part in outer:
        found = getattr(found, part)
    is_set = re.compile(rf"self\.{last}\b[^=\n]*=[^=]")
    assert hasattr(found, last) or is_set.search(inspect.getsource(found)), known.why


def test_each_use_has_an_end_and_there_are_few() -> None:
    assert all(re.search(r" or 20\d\d-\d\d-\d\d$", known.end) for known in PRIVATE_NAMES)
    assert len(PRIVATE_NAMES) < 30


def test_none_is_listed_twice() -> None:
    assert len(LISTED) == len(PRIVATE_NAMES)


def test_what_the_code_uses_is_listed() -> None:
    assert {found for path in FILES for found in unlisted(path)} == set()


def test_what_is_listed_is_used() -> None:
    used = {name for path in FILES for name in names_in(ast.parse(path.read_text()))}
    assert {name for _, name in LISTED if name.rpartition(".")[2] not in used} == set()


def test_the_page_counts_them() -> None:
    assert f"{len(PRIVATE_NAMES)} names" in PAGE.read_text("utf-8")


def unlisted(path: Path) -> Iterator[str]:
    """Yield where a file uses a name of pypaimon that is neither public nor listed."""
    tree = ast.parse(path.read_text())
    for line, module, name in (*imports(tree), *library_names(tree)):
        if not is_listed(module, name):
            yield f"{path.relative_to(PACKAGE)}:{line}: pypaimon.{module}: {name}"
    if PACKAGE / "table" not in path.parents:
        return
    # In `store` attributes may be pypaimon's.
    own = own_names() if path.parent.name != "store" else set()
    for line, name in others_attributes(tree):
        if name not in ENDS | own | NAMED_TUPLES:
            yield f"{path.relative_to(PACKAGE)}:{line}: {name}"


def is_listed(module: str, name: str) -> bool:
    """Return whether a name is public, or listed, or part of one or has one as part."""
    if not module:
        return name in pypaimon.__all__
    return any(
        known_module == module
        and (known == name or known.startswith(f"{name}.") or name.startswith(f"{known}."))
        for known_module, known in LISTED
    )


def imports(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Yield names that are imported from pypaimon: line, module below it, name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "pypaimon":
            module = str(node.module).partition(".")[2]
            yield from ((node.lineno, module, alias.name) for alias in node.names)
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("pypaimon."):
                    yield node.lineno, alias.name.partition(".")[2], ""


def library_names(tree: ast.AST) -> Iterator[tuple[int, str, str]]:
    """Yield the names of modules that `pypaimon_module` returns, also by way of a variable."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef):
            continue
        modules = {
            target.id: library_module(node.value)
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        inner: set[int] = set()
        for node in ast.walk(function):  # the outermost attribute comes first
            if not isinstance(node, ast.Attribute) or id(node) in inner:
                continue
            parts: list[str] = []
            value: ast.expr = node
            while isinstance(value, ast.Attribute):
                inner.add(id(value))
                parts.insert(0, value.attr)
                value = value.value
            known = modules.get(value.id) if isinstance(value, ast.Name) else library_module(value)
            if known:
                yield node.lineno, known, ".".join(parts)


def library_module(value: ast.expr) -> str | None:
    """Return the module below pypaimon that a call of `pypaimon_module` returns."""
    if not isinstance(value, ast.Call) or not isinstance(value.func, ast.Name):
        return None
    if value.func.id != "pypaimon_module" or not isinstance(value.args[0], ast.Constant):
        return None
    return str(value.args[0].value)


def others_attributes(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Yield the private attributes that are used of other objects than `self` and `cls`."""
    for node in ast.walk(tree):
        name, value = "", None
        if not isinstance(node, ast.expr):
            continue
        if isinstance(node, ast.Attribute):
            name, value = node.attr, node.value
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("getattr", "hasattr"):
            value, constant = node.args[:2]
            name = str(constant.value) if isinstance(constant, ast.Constant) else ""
        is_own = isinstance(value, ast.Name) and value.id in ("self", "cls")
        if name.startswith("_") and not name.startswith("__") and not is_own:
            yield node.lineno, name


def names_in(tree: ast.AST) -> Iterator[str]:
    """Yield all names that code uses or imports."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            yield node.attr
        elif isinstance(node, ast.alias):
            yield node.name
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


@cache
def own_names() -> set[str]:
    """Return the private names that this package defines itself."""
    found = set()
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                found.add(node.name)
            elif isinstance(node, ast.Attribute | ast.Name) and isinstance(node.ctx, ast.Store):
                found.add(node.attr if isinstance(node, ast.Attribute) else node.id)
    return found
