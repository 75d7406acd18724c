# Generated from specs/varint.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of varint are drawn.

Variable-length integer.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.varint import VARINT_END_TYPE, VARINT_TYPE

Drawing(
    VARINT_TYPE,
    params={},
    rules={},
)
Drawing(
    VARINT_END_TYPE,
    params={},
    rules={
        "b9": Rule(most=lambda s: 1),
    },
)
