# Generated from specs/position.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of position.

Position in a file, remembered while parsing.
"""

from __future__ import annotations

from typing import Any

from paimon_ksy.runtime.fields import (
    Type,
)

from ..parsers.position import Position

POSITION_TYPE = Type(
    Position,
    "position",
    params={"at": (0,)},
)


def make_position(
    *,
    at: int | None = None,
) -> Any:
    """Return a new `position`; what is None is computed when it is written.

    A field without bytes that remembers its own position. Offsets in Paimon's
    formats count from places such as "the end of the dictionary".
    """
    return POSITION_TYPE.new(locals())
