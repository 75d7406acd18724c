# Generated from specs/snappy_block.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of snappy_block are drawn.

Block of an Avro file, compressed by snappy.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.snappy_block import SNAPPY_BLOCK_TYPE

Drawing(
    SNAPPY_BLOCK_TYPE,
    params={},
    rules={
        "len_decoded": Rule(overlay=True),
    },
)
