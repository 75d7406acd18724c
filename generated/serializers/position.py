# Generated from specs/position.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of position.

A position in the file, remembered while parsing.
"""

from __future__ import annotations

from typing import Any

from ..parsers.position import Position
from ..runtime import Scope, Type, new


def make_position(
    *,
    at: int | None = None,
) -> Any:
    """A new `position`; what is None is computed when it is written.

    A field without bytes that keeps its own position. Paimon's formats count
    offsets from a point that follows from the fields before it, such as "the end
    of the dictionary". Instances are placed relative to a field of this type.
    """
    return new(
        Position,
        {
            "at": at,
        },
        {},
        {},
        {},
    )


def write_position(s: Scope) -> None:
    """Writes the fields of a `position`."""
    del s


TYPES = {
    "position": Type(
        name="position",
        spec="position",
        cls=Position,
        params=("at",),
        items=(),
        write=write_position,
        values={},
        unset={},
    ),
}
