"""Circles among the modules: none that a reader has to follow around."""

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from tests import ROOT


def _name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT / "paimon_ksy").with_suffix("").parts)


def _imported(tree: ast.AST) -> Iterator[str]:
    """Yield what a module imports, also for type checkers alone and in functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("paimon_ksy."):
            module = str(node.module).removeprefix("paimon_ksy.")
            yield from (module, *(f"{module}.{alias.name}" for alias in node.names))


def _circle(graph: dict[str, set[str]]) -> list[str]:
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def test_no_modules_import_each_other_in_a_circle() -> None:
    paths = {_name(path): path for path in (ROOT / "paimon_ksy").rglob("*.py")}
    graph = {
        name: {*_imported(ast.parse(path.read_text("utf-8")))} & paths.keys()
        for name, path in paths.items()
    }
    assert not (circle := _circle(graph)), " imports ".join(circle[::-1])
