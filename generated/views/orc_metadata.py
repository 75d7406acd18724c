# Generated from specs/orc_metadata.ksy by `paimon-ksy generate`. Do not edit.
"""Views of orc_metadata: its types, read at once from bytes at hand.

Metadata of an ORC file.
"""

from __future__ import annotations

from paimon_ksy.runtime.records import (
    Buffer,
)


class OrcSeconds:
    """A `orc_seconds` at place `p` of `d`, whose first byte is byte `start` of the file.

    It ends before byte `end`. Raises FormatError.
    """

    __slots__ = ("end",)

    epoch = 1420070400
    """2015-01-01 in seconds since 1970. The integers are seconds since then."""

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.end = start + p
