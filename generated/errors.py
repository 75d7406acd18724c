# Generated from tools/ksy/library/errors.py.in by `python -m tools.ksy generate`. Do not edit.
"""The error of the generated readers and writers."""

from __future__ import annotations

import struct


class FormatError(ValueError):
    """Bytes that are not what the spec says, or an object that cannot be written.

    `offset` is the position in the stream, None if there is none.
    """

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message if offset is None else f"byte {offset}: {message}")
        self.message, self.offset = message, offset


class Unusual(Exception):
    """Something that the quick functions leave to those that know every case."""


UNUSUAL = Unusual, struct.error
"""What flat readers raise."""

MANY = 1024
"""More numbers than this are quicker as arrays: flat readers leave them to the codecs."""
