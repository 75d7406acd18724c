"""Parts of pages from the code, the metadata of the package, and the lists of tests."""

from __future__ import annotations

import ast
import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from inspect import getsource
from itertools import pairwise
from pathlib import Path
from typing import Any

import paimon_ksy
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.io.file_kind import KINDS
from paimon_ksy.predicates.casts import CASTS
from paimon_ksy.predicates.functions import FUNCTIONS, Parameter
from paimon_ksy.types.parse import parse_type
from tools.docs.text import render

ROOT = Path(__file__).parents[2]
GROUPS = {
    "Single files": ("file_index", "evaluation", "inspection", "table_index"),
    "Schemas and predicates": ("types", "predicates"),
    "Whole tables": ("table",),
    "Findings and errors": ("messages", "errors"),
}
"""The parts of the page, by the packages whose public names they have."""

_OWN_DECORATOR = r"^ *@(?!dataclass|property|cached_property|classmethod|staticmethod).*\n"

TYPES = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(18, 2)",
    "DECIMAL(38, 2)", "CHAR(10)", "VARCHAR(10)", "STRING", "BINARY(10)", "BYTES", "DATE", "TIME(3)",
    "TIMESTAMP(3)", "TIMESTAMP(6)", "TIMESTAMP(9)", "TIMESTAMP(6) WITH LOCAL TIME ZONE",
    "ARRAY<INT>", "MAP<STRING, INT>", "ROW<a INT>", "VARIANT",
)  # fmt: skip
"""Column types that differ for some index."""


def column_types(_: str) -> str:
    """Return a table of the column types that each index type supports."""
    rows = {name: [kind.takes(parse_type(name)) for kind in INDEX_TYPES.values()] for name in TYPES}
    return render("column_types.md", kinds=list(INDEX_TYPES), rows=rows)


def kinds(_: str) -> str:
    """Return a table of the kinds of files."""
    return render("kinds.md", kinds=KINDS)


def functions(group: str) -> str:
    """Return a table of a group of the functions that conditions accept."""
    named: dict[int, list[str]] = {}
    for name, function in FUNCTIONS.items():
        if function.group == group:
            named.setdefault(id(function), []).append(f"`{name}`")
    rows = []
    for names in named.values():
        function = FUNCTIONS[names[0].strip("`")]
        arguments = ", ".join(map(_argument, function.parameters))
        rows.append({"names": ", ".join(names), "arguments": arguments, "source": function.source})
    return render("functions.md", rows=rows)


def _argument(parameter: Parameter) -> str:
    """Return an argument with the kinds of types that it accepts."""
    kinds = ", ".join(map(str.upper, parameter.kinds))
    literal = "a literal " if parameter.literal else ""
    shown = f"{parameter.name} ({literal}{kinds})" + (" .." if parameter.many else "")
    return shown if parameter.default is None else f"[{shown}]"


def casts(_: str) -> str:
    """Return a table of the casts that conditions accept."""
    rows: dict[str, list[str]] = {}
    for source, target in CASTS:
        if source not in ("null", target):
            rows.setdefault(source.upper(), []).append(target.upper())
    return render("casts.md", rows={source: ", ".join(kinds) for source, kinds in rows.items()})


def versions(_: str) -> str:
    """Return a table of the versions that the package supports, and that tests use."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lock = (ROOT / "tools" / "java" / "releases.lock").read_text("utf-8")
    releases = re.findall(r":paimon-bundle:([\d.]+)", lock)
    return render(
        "versions.md",
        python=project["requires-python"],
        releases=releases,
        extras=project["optional-dependencies"],
    )


def differences(_: str) -> str:
    """Return a table of the known differences from Java, with the cases that prove each."""
    kit = ROOT / "conformance"
    reasons = json.loads((kit / "deviations.json").read_text("utf-8"))
    checks: dict[str, Counter[str]] = {name: Counter() for name in reasons}
    for path in sorted(kit.rglob("case.json")):
        for name in _reasons(json.loads(path.read_text("utf-8"))):
            checks[name][str(path.parent.relative_to(ROOT))] += 1
    return render("differences.md", reasons=reasons, checks=checks)


def _reasons(document: Any) -> Iterator[str]:
    """Yield what explains each check of a case that Java does not pass."""
    if isinstance(document, dict):
        yield from document.get("because", ())
    inner = document.values() if isinstance(document, dict) else document
    for value in inner if isinstance(document, dict | list) else ():
        yield from _reasons(value)


def api(_: str) -> str:
    """Return the declarations of all public names, with their docstrings."""
    groups: dict[str, list[str]] = {title: [] for title in GROUPS}
    for name in sorted(paimon_ksy.__all__, key=str.lower):
        package = paimon_ksy._MODULES[name].partition(".")[0]
        title = next(title for title, packages in GROUPS.items() if package in packages)
        lines = getsource(getattr(paimon_ksy, name)).splitlines()
        [node] = ast.parse("\n".join(lines)).body
        declared = re.sub(_OWN_DECORATOR, "", "\n".join(_declared(node, lines)), flags=re.MULTILINE)
        groups[title].append(f"### {name}\n\n```py\n{declared}\n```\n")
    return "\n".join(f"## {title}\n\n" + "\n".join(names) for title, names in groups.items())


def _declared(node: ast.AST, lines: list[str]) -> Iterator[str]:
    """Yield the lines of a class or function up to the end of its docstring, then its members."""
    assert isinstance(node, ast.ClassDef | ast.FunctionDef)
    start = min(one.lineno for one in (node, *node.decorator_list)) - 1
    documented = ast.get_docstring(node) is not None
    yield from lines[start : node.body[0].end_lineno if documented else node.body[0].lineno - 1]
    for before, one in pairwise(node.body) if isinstance(node, ast.ClassDef) else ():
        if isinstance(one, ast.AnnAssign) and not ast.unparse(one.target).startswith("_"):
            yield from lines[before.end_lineno : one.end_lineno]
        elif isinstance(one, ast.FunctionDef) and re.match("(?!_)|__init__$", one.name):
            yield ""
            yield from _declared(one, lines)


def layers(name: str) -> str:
    """Return the layers of a contract in pyproject.toml, high to low."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    contract = next(one for one in tools["importlinter"]["contracts"] if one["name"] == name)
    rows = [layer.replace("paimon_ksy.", "").split(" | ") for layer in contract["layers"]]
    return render("layers.md", rows=rows)
