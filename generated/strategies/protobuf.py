# Generated from specs/protobuf.ksy by `paimon-ksy generate`. Do not edit.
"""How the types of protobuf are drawn.

Protocol Buffers message.
"""

from __future__ import annotations

from paimon_ksy.runtime.drawing import Drawing, Rule

from ..writers.protobuf import PROTOBUF_FIELD_TYPE, PROTOBUF_TYPE

Drawing(
    PROTOBUF_TYPE,
    params={},
    rules={},
)
Drawing(
    PROTOBUF_FIELD_TYPE,
    params={},
    rules={
        "len_body": Rule(
            inner=(
                "b0",
                "b1",
                "b2",
                "b3",
                "more.b4",
                "more.b5",
                "more.b6",
                "more.b7",
                "more.b8",
                "more.b9",
            ),
            role="length",
        ),
    },
)
