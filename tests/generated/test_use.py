"""No form of a type is generated that nothing uses."""

import ast
from collections.abc import Iterator
from functools import cache

import pytest
from ksykit.generator.load import load_specs
from ksykit.generator.spec import Primitive, Type, UserType
from ksykit.generator.world import camel

from paimon_ksy.inspection.registry import FORMATS
from tests import ROOT

SPECS = load_specs(ROOT / "specs")
TYPES = [type_ for spec in SPECS.values() for type_ in spec.types]


def names(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Yield generated names as (module, name): imported ones, and attributes of modules."""
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and ".generated." in f"{node.module}.":
            module = str(node.module).partition(".generated.")[2]
            for alias in node.names:
                yield module, alias.name
                modules[alias.asname or alias.name] = f"{module}.{alias.name}"
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(value=ast.Name(id=name)) if name in modules:
                yield modules[name], node.attr


@cache
def used() -> set[tuple[str, str]]:
    return {
        name
        for folder in ("paimon_ksy", "tools")
        for path in (ROOT / folder).rglob("*.py")
        for name in names(ast.parse(path.read_text(encoding="utf-8")))
    }


@pytest.mark.parametrize("spec", SPECS)
def test_each_spec_is_used(spec: str) -> None:
    """By an import, by a spec, or by the record of a format of files."""
    if spec in {each.spec for each in FORMATS.values()}:
        return
    wanted = {spec, *(name for name, other in SPECS.items() if spec in other.imports)}
    assert wanted & {part for module, name in used() for part in (module.rpartition(".")[2], name)}


def layouts(type_: Type) -> Iterator[str]:
    """Yield the names of the layouts of what a type repeats."""
    for a in type_.seq:
        if a.repeat and isinstance(a.type, Primitive):
            yield f"{type_.name}_{a.id}".upper()
        elif a.repeat and isinstance(a.type, UserType):
            yield a.type.name.upper()


@pytest.mark.parametrize("type_", [t for t in TYPES if t.view], ids=lambda type_: type_.name)
def test_each_view_is_used(type_: Type) -> None:
    """By its class, or by the layout of what it repeats."""
    wanted = {camel(type_.name), *layouts(type_)}
    assert wanted & {name for module, name in used() if module == f"views.{type_.spec}"}


@pytest.mark.parametrize("type_", [t for t in TYPES if t.places], ids=lambda type_: type_.name)
def test_each_function_of_places_is_used(type_: Type) -> None:
    assert (f"views.{type_.spec}", f"places_{type_.name}") in used()
