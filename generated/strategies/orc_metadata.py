# Generated from specs/orc_metadata.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of orc_metadata are drawn.

Metadata of an ORC file.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.orc_metadata import ORC_CHUNK_TYPE, ORC_END_TYPE, ORC_METADATA_TYPE, ORC_SECONDS_TYPE

Drawing(
    ORC_METADATA_TYPE,
    params={},
    rules={},
)
Drawing(
    ORC_CHUNK_TYPE,
    params={},
    rules={
        "low": Rule(small=True),
        "high": Rule(small=True),
    },
)
Drawing(
    ORC_END_TYPE,
    params={},
    rules={},
)
Drawing(
    ORC_SECONDS_TYPE,
    params={},
    rules={},
)
