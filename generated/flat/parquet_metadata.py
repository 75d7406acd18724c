# Generated from specs/parquet_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads types of parquet_metadata at once, from bytes that are there.

Metadata of a Parquet file, as a file of its own.
"""

from __future__ import annotations

from struct import Struct

from ..arrays import Buffer
from ..errors import Unusual

_U4LE_U4LE = Struct("<II")


class ParquetMetadataEnd:
    """A `parquet_metadata_end` at byte `p` of `d`, which stands at `start`; it ends before `end`.

    Raises what is in UNUSUAL.
    """

    __slots__ = (
        "end",
        "len_footer",
        "magic",
    )

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.len_footer, self.magic = _U4LE_U4LE.unpack_from(d, p)
        p += 8
        if self.magic != 827474256:
            raise Unusual
        self.end = start + p
