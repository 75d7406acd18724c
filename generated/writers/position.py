# Generated from specs/position.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of position.

Position in a file, remembered while parsing.
"""

from __future__ import annotations

from ksykit.runtime.fields import Type

from ..parsers.position import Position

POSITION_TYPE = Type(
    Position,
    "position",
    params={"at": (0,)},
)

make_position = POSITION_TYPE.make
