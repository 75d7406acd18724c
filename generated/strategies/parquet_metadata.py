# Generated from specs/parquet_metadata.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of parquet_metadata are drawn.

Metadata of a Parquet file, as a separate file.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.parquet_metadata import (
    PARQUET_METADATA_TYPE,
    PARQUET_TIMESTAMP_TYPE,
    PARQUET_TIMESTAMPS_TYPE,
)

Drawing(
    PARQUET_METADATA_TYPE,
    params={},
    rules={
        "magic": Rule(equal=lambda s: 827474256, role="constant", computed=True),
        "len_footer": Rule(role="length", computed=True),
        "magic_end": Rule(equal=lambda s: 827474256, role="constant", computed=True),
    },
)
Drawing(
    PARQUET_TIMESTAMPS_TYPE,
    params={},
    rules={},
)
Drawing(
    PARQUET_TIMESTAMP_TYPE,
    params={},
    rules={},
)
