# Generated from specs/position.ksy by `python -m tools.ksy generate`. Do not edit.
"""Reads and writes the repeats of position as arrays.

A position in the file, remembered while parsing.
"""

from __future__ import annotations

from typing import Any

from ..arrays import Reader


def parse_position(x: Any, r: Reader) -> None:
    """Reads a `position` into `x`, repeats as arrays. Raises FormatError."""
    del x, r
