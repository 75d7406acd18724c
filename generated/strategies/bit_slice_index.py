# Generated from specs/bit_slice_index.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of bit_slice_index are drawn.

Bit-slice index of a range bitmap.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.bit_slice_index import BIT_SLICE_INDEX_TYPE, BIT_SLICE_TYPE

Drawing(
    BIT_SLICE_INDEX_TYPE,
    params={},
    rules={
        "len_head": Rule(least=lambda s: 10, role="length", computed=True),
        "version": Rule(equal=lambda s: 1, role="constant", computed=True),
        "num_slices": Rule(most=lambda s: 64, small=True, role="count", source="slices"),
        "len_rows": Rule(least=lambda s: 0, role="length", computed=True),
        "len_slices": Rule(equal=lambda s: s.num_slices * 8, role="length", computed=True),
    },
)
Drawing(
    BIT_SLICE_TYPE,
    params={},
    rules={
        "ofs_bitmap": Rule(least=lambda s: 0, role="offset", source="bitmap", places="bitmap"),
        "len_bitmap": Rule(least=lambda s: 0, role="length", computed=True),
        "bitmap": Rule(needs_parent=True),
    },
)
