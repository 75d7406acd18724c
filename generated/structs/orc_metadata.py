# Generated from orc_metadata.ksy by `ksykit generate`. Do not edit.
"""Objects of orc_metadata: Metadata of an ORC file."""

from __future__ import annotations

from typing import Any, ClassVar

from ksykit.runtime.json_values import U1, U2LE
from ksykit.runtime.rows import Bytes, Many, Number, Object, One, Repeat, Value
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure


class OrcMetadata(Struct, of="orc_metadata"):
    """The chunks that contain the footer of a compressed ORC file, or the footers of its
    stripes.

    Attributes:
        chunks: The parts of the messages, in order.
        epoch: 2015-01-01 in seconds since 1970, from which the stream DATA of timestamps counts.
    """

    chunks: Many[OrcChunk] = Repeat(Object("orc_chunk"))
    epoch = Value(1420070400)


class OrcChunk(Struct, of="orc_chunk"):
    """A `orc_chunk`.

    Attributes:
        low: The lowest bit is 1 if the body is not compressed.
        high: The upper bits of the length.
        body: A part of the messages, which may be compressed.
        is_original: The body is not compressed, because compression would have made it longer.
    """

    low: One[int] = Number(
        U1, inverse={"len_body": lambda s: s._value("len_body") % 128 * 2 + 1}, small=True,
    )  # fmt: skip
    high: One[int] = Number(
        U2LE, inverse={"len_body": lambda s: s._value("len_body") // 128}, small=True,
    )  # fmt: skip
    body: One[bytes] = Bytes(size="len_body", measured=True)
    len_body: One[Any] = Value(lambda s: s.high * 128 + s.low // 2, given=True)
    is_original = Value(lambda s: s.low & 1 == 1)
    _derived: ClassVar = {"high": Measure("length", "body", lambda s, n: (n - s.low // 2) // 128)}


class OrcEnd(Struct, of="orc_end"):
    """The last byte of a file."""

    len_postscript: One[int] = Number(U1)


make_orc_metadata = OrcMetadata
make_orc_chunk = OrcChunk
make_orc_end = OrcEnd


def low_of_len_body(len_body: Any) -> Any:
    """Return the `low` that stands for a `len_body`: an int, or an array of int64."""
    return len_body % 128 * 2 + 1


def high_of_len_body(len_body: Any) -> Any:
    """Return the `high` that stands for a `len_body`: an int, or an array of int64."""
    return len_body // 128
