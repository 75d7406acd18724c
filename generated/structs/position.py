# Generated from specs/position.ksy by `ksykit generate`. Do not edit.
"""The types of position: their objects are read, made, changed and written.

Position in a file, remembered while parsing.
"""

from __future__ import annotations

from ksykit.runtime.rows import (
    One,
    Param,
)
from ksykit.runtime.structs import Struct


class Position(Struct, of="position"):
    """A field without bytes that remembers its own position."""

    at: One[int] = Param((0,))


make_position = Position
