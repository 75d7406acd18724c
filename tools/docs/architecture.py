"""A picture of the packages in their layers, from the contracts that `make lint` checks."""

from __future__ import annotations

import tomllib
from pathlib import Path

from tools.docs.text import render

ROOT = Path(__file__).parents[2]


def layers(name: str) -> str:
    """Return the layers of a contract in pyproject.toml as boxes, high to low."""
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    found = next(one for one in tools["importlinter"]["contracts"] if one["name"] == name)
    rows = [layer.replace("paimon_ksy.", "").split(" | ") for layer in found["layers"]]
    return render("layers.md", rows=rows)
