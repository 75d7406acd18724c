# Generated from specs/position.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of position.

A position in the file, remembered while parsing.
"""

from __future__ import annotations

from typing import Any

from ..fields import Type
from ..parsers.position import Position

POSITION_TYPE = Type(
    Position,
    "position",
    params=("at",),
)


def make_position(
    *,
    at: int | None = None,
) -> Any:
    """Return a new `position`; what is None is computed when it is written.

    A field without bytes that keeps its own position. Paimon's formats count
    offsets from a point that follows from the fields before it, such as "the end
    of the dictionary". Instances are placed relative to a field of this type.
    """
    return POSITION_TYPE.new(locals())
