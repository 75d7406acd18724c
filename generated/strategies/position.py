# Generated from specs/position.ksy by `python -m tools.ksy generate`. Do not edit.
"""How the types of position are drawn.

Position in a file, remembered while parsing.
"""

from __future__ import annotations

from ..drawing import Drawing
from ..writers.position import POSITION_TYPE

Drawing(
    POSITION_TYPE,
    params={
        "at": (0,),
    },
    rules={},
)
