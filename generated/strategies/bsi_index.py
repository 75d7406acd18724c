# Generated from specs/bsi_index.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of bsi_index are drawn.

Bit-slice index (bsi) of a Paimon file index.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.bsi_index import (
    BSI_HEAD_TYPE,
    BSI_INDEX_TYPE,
    BSI_PART_HEAD_TYPE,
    BSI_PART_TYPE,
    BSI_SLICES_TYPE,
)

Drawing(
    BSI_INDEX_TYPE,
    params={},
    rules={},
)
Drawing(
    BSI_HEAD_TYPE,
    params={},
    rules={
        "version": Rule(equal=lambda s: 1, role="constant", computed=True),
        "num_rows": Rule(least=lambda s: 0),
    },
)
Drawing(
    BSI_PART_TYPE,
    params={},
    rules={},
)
Drawing(
    BSI_PART_HEAD_TYPE,
    params={},
    rules={
        "has_rows": Rule(
            any_of=lambda s: (
                0,
                1,
            )
        ),
        "version": Rule(equal=lambda s: 1, role="constant", computed=True),
        "min": Rule(least=lambda s: 0),
        "max": Rule(least=lambda s: s.min),
    },
)
Drawing(
    BSI_SLICES_TYPE,
    params={},
    rules={
        "num_bitmaps": Rule(
            least=lambda s: 0, most=lambda s: 63, small=True, role="count", source="bitmaps"
        ),
    },
)
