"""The specs as nested types of a .ksy that needs no other file."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import NamedTuple

import paimon_ksy.generated


class InlinedType(NamedTuple):
    """A type as YAML, with the ids of its parameters and the names of the types that it needs."""

    params: tuple[str, ...]
    imports: tuple[str, ...]
    text: str


@cache
def inlined_types() -> dict[str, InlinedType]:
    """Return all types, by name: those of the specs, and those for the Web IDE alone."""
    [folder] = paimon_ksy.generated.__path__  # elsewhere in a checkout
    text = Path(folder, "inlined.json").read_text(encoding="utf-8")
    return {
        name: InlinedType(
            tuple(one["params"]), tuple(one["imports"]), "\n".join([*one["lines"], ""])
        )
        for name, one in json.loads(text).items()
    }
