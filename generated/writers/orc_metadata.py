# Generated from specs/orc_metadata.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of orc_metadata.

Metadata of an ORC file.
"""

from __future__ import annotations

from typing import Any

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Type
from ksykit.runtime.json_values import U1, U2LE

from ..parsers.orc_metadata import OrcMetadata

ORC_METADATA_TYPE = Type(
    OrcMetadata,
    "orc_metadata",
    Repeat(Object("chunks", "orc_chunk")),
    values={
        "epoch": 1420070400,
    },
)

make_orc_metadata = ORC_METADATA_TYPE.make


ORC_CHUNK_TYPE = Type(
    OrcMetadata.OrcChunk,
    "orc_chunk",
    Number(
        "low", U1, inverse={"len_body": lambda s: s._asked("len_body") % 128 * 2 + 1}, small=True
    ),
    Number("high", U2LE, inverse={"len_body": lambda s: s._asked("len_body") // 128}, small=True),
    Bytes("body", size="len_body", measured=True),
    computed={
        "high": Measure("length", "body", lambda s, n: (n - s.low // 2) // 128),
    },
    given=("len_body",),
    values={
        "is_original": lambda s: s.low & 1 == 1,
        "len_body": lambda s: s.high * 128 + s.low // 2,
    },
)

make_orc_chunk = ORC_CHUNK_TYPE.make


def low_of_len_body(len_body: Any) -> Any:
    """Return the `low` that stands for a `len_body`: an int, or an array of int64."""
    return len_body % 128 * 2 + 1


def high_of_len_body(len_body: Any) -> Any:
    """Return the `high` that stands for a `len_body`: an int, or an array of int64."""
    return len_body // 128


ORC_END_TYPE = Type(
    OrcMetadata.OrcEnd,
    "orc_end",
    Number("len_postscript", U1),
)

make_orc_end = ORC_END_TYPE.make
