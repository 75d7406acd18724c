# Generated from position.ksy by `ksykit generate`. Do not edit.
"""Objects of position: Position in a file, remembered while parsing."""

from __future__ import annotations

from ksykit.runtime.rows import One, Param
from ksykit.runtime.structs import Struct


class Position(Struct, of="position"):
    """A field without bytes that remembers its own position.

    Attributes:
        at: Offset of this field in the stream.
    """

    at: One[int] = Param((0,))


make_position = Position
