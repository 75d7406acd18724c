# Generated from specs/orc_metadata.ksy by `paimon-ksy generate`. Do not edit.
"""Makes and writes the types of orc_metadata.

Metadata of an ORC file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from paimon_ksy.runtime.fields import (
    Bytes,
    Measure,
    Number,
    Objects,
    Type,
)
from paimon_ksy.runtime.json_values import U1, U2LE

from ..parsers.orc_metadata import OrcMetadata

ORC_METADATA_TYPE = Type(
    OrcMetadata,
    "orc_metadata",
    Objects("chunks", "orc_chunk"),
    values={
        "epoch": 1420070400,
    },
)


def make_orc_metadata(
    *,
    chunks: Sequence[OrcMetadata.OrcChunk | bytes] | None = None,
) -> Any:
    """Return a new `orc_metadata`; what is None is computed when it is written.

    The chunks that contain the footer of a compressed ORC file, or the footers
    of its stripes. The messages in them, and the postscript, which is never
    compressed, are Protocol Buffers (`protobuf`). The enums list the numbers of
    the fields that contain positions. Libraries read the rest of the file.

    An ORC file ends with the stripes, their statistics, the footer, the
    postscript, and a byte with the length of the postscript.
    """
    return ORC_METADATA_TYPE.new(locals())


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


def make_orc_chunk(
    *,
    low: int | None = None,
    high: int | None = None,
    body: bytes | None = None,
    len_body: int | None = None,
) -> Any:
    """Return a new `orc_chunk`; what is None is computed when it is written."""
    return ORC_CHUNK_TYPE.new(locals())


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


def make_orc_end(
    *,
    len_postscript: int | None = None,
) -> Any:
    """Return a new `orc_end`; what is None is computed when it is written.

    The last byte of a file.
    """
    return ORC_END_TYPE.new(locals())
