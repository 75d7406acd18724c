# Generated from specs/position.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of position are drawn.

Position in a file, remembered while parsing.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing

from ..writers.position import POSITION_TYPE

Drawing(
    POSITION_TYPE,
    params={
        "at": (0,),
    },
    rules={},
)
