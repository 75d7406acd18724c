# Generated from specs/typed_value.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of typed_value are drawn.

Value of a column, as stored in an index.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.typed_value import TYPED_VALUE_TYPE

Drawing(
    TYPED_VALUE_TYPE,
    params={
        "column_type": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    },
    rules={
        "bool8": Rule(
            any_of=lambda s: (
                0,
                1,
            )
        ),
        "len_text": Rule(least=lambda s: 0, small=True, role="length", source="text"),
    },
)
