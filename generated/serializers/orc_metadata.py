# Generated from specs/orc_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
"""Makes and writes the types of orc_metadata.

Metadata of an ORC file, as the file has it.
"""

from __future__ import annotations

from typing import Any

from ..parsers.orc_metadata import OrcMetadata
from ..runtime import U1, U2LE, Item, RecordArray, Scope, Type, new


def make_orc_metadata(
    *,
    chunks: list[OrcMetadata.OrcChunk] | RecordArray | None = None,
) -> Any:
    """A new `orc_metadata`; what is None is computed when it is written.

    The chunks that contain the footer of a compressed ORC file, and the footers
    of its stripes. Their messages, and the postscript, which is never compressed,
    are Protocol Buffers (`protobuf`). The numbers of the fields with positions
    are listed here. Libraries read the rest of the file.

    An ORC file ends with the stripes, their statistics, the footer, the
    postscript, and a byte with the length of the postscript.
    """
    return new(
        OrcMetadata,
        {},
        {
            "chunks": chunks,
        },
        {},
        {},
    )


def write_orc_metadata(s: Scope) -> None:
    """Writes the fields of a `orc_metadata`."""
    s.objects("chunks", "orc_chunk", {}, None)


def make_orc_chunk(
    *,
    low: int | None = None,
    high: int | None = None,
    body: bytes | None = None,
) -> Any:
    """A new `orc_chunk`; what is None is computed when it is written."""
    return new(
        OrcMetadata.OrcChunk,
        {},
        {
            "low": low,
            "high": high,
            "body": body,
        },
        {},
        {},
    )


def write_orc_chunk(s: Scope) -> None:
    """Writes the fields of a `orc_chunk`."""
    s.number("low", U1)
    s.number("high", U2LE)
    s.bytes("body", lambda: s.len_body)


def make_orc_end(
    *,
    len_postscript: int | None = None,
) -> Any:
    """A new `orc_end`; what is None is computed when it is written.

    The last byte of a file.
    """
    return new(
        OrcMetadata.OrcEnd,
        {},
        {
            "len_postscript": len_postscript,
        },
        {},
        {},
    )


def write_orc_end(s: Scope) -> None:
    """Writes the fields of a `orc_end`."""
    s.number("len_postscript", U1)


TYPES = {
    "orc_metadata": Type(
        name="orc_metadata",
        spec="orc_metadata",
        cls=OrcMetadata,
        params=(),
        items=(Item("chunks", "objects", type="orc_chunk"),),
        write=write_orc_metadata,
        values={},
        unset={},
    ),
    "orc_chunk": Type(
        name="orc_chunk",
        spec="orc_metadata",
        cls=OrcMetadata.OrcChunk,
        params=(),
        items=(
            Item("low", "number", number=U1),
            Item("high", "number", number=U2LE),
            Item("body", "bytes"),
        ),
        write=write_orc_chunk,
        values={
            "is_original": lambda s: s.low & 1 == 1,
            "len_body": lambda s: s.high * 128 + s.low // 2,
        },
        unset={},
    ),
    "orc_end": Type(
        name="orc_end",
        spec="orc_metadata",
        cls=OrcMetadata.OrcEnd,
        params=(),
        items=(Item("len_postscript", "number", number=U1),),
        write=write_orc_end,
        values={},
        unset={},
    ),
}
