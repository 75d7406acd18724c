# Generated from specs/binary_row.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of binary_row are drawn.

Binary row of Paimon.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import LARGE, Drawing, Rule

from ..writers.binary_row import (
    BINARY_ROW_FIELD_TYPE,
    BINARY_ROW_TYPE,
    SERIALIZED_ROW_TYPE,
    SHORT_STRING_TYPE,
    SHORT_STRINGS_TYPE,
    UNSCALED_VALUE_TYPE,
    WHOLE_FIELDS_TYPE,
)

Drawing(
    BINARY_ROW_TYPE,
    params={
        "num_fields": range(LARGE),
    },
    rules={
        "values": Rule(to_end=True),
    },
)
Drawing(
    SERIALIZED_ROW_TYPE,
    params={},
    rules={
        "num_fields": Rule(least=lambda s: 0, small=True, role="count", source="row"),
    },
)
Drawing(
    BINARY_ROW_FIELD_TYPE,
    params={},
    rules={},
)
Drawing(
    WHOLE_FIELDS_TYPE,
    params={},
    rules={},
)
Drawing(
    SHORT_STRINGS_TYPE,
    params={},
    rules={},
)
Drawing(
    SHORT_STRING_TYPE,
    params={},
    rules={
        "mark": Rule(least=lambda s: 128, most=lambda s: 135),
    },
)
Drawing(
    UNSCALED_VALUE_TYPE,
    params={},
    rules={},
)
