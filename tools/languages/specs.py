"""The specs as YAML, and the names of their types and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from ksykit.generator.load import load_specs

from tools.jvm import ROOT


@cache
def raw_specs() -> Mapping[str, Any]:
    """Return the YAML of each spec by name."""
    return {spec.name: spec.raw for spec in load_specs(ROOT / "specs").values()}


def read_types() -> list[str]:
    """Return the types that read a case, such as `binary_row::serialized_row`."""
    return [*raw_specs(), "binary_row::serialized_row"]


def parameters(type_name: str) -> list[str]:
    """Return the names of the parameters of a type, such as `binary_row::binary_row_field`."""
    spec, *names = type_name.split("::")
    raw = raw_specs()[spec]
    for name in names:
        raw = raw["types"][name]
    return [param["id"] for param in raw.get("params", ())]


def camel(name: str) -> str:
    """Return a name in the style of Java: `num_rows` as `NumRows`."""
    return "".join(part.capitalize() for part in name.split("_"))
