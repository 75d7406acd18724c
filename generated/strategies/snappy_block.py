# Generated from specs/snappy_block.ksy by `python -m tools.ksy generate`. Do not edit.
"""How the types of snappy_block are drawn.

Block of an Avro file, compressed by snappy.
"""

from __future__ import annotations

from ..drawing import Drawing, Rule
from ..writers.snappy_block import SNAPPY_BLOCK_TYPE

Drawing(
    SNAPPY_BLOCK_TYPE,
    params={},
    rules={
        "len_decoded": Rule(overlay=True),
    },
)
