# Generated from specs/bucket_index.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of bucket_index are drawn.

Dynamic bucket index of a Paimon table.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.bucket_index import BUCKET_INDEX_TYPE

Drawing(
    BUCKET_INDEX_TYPE,
    params={},
    rules={
        "trailing": Rule(max_size=3, to_end=True),
    },
)
