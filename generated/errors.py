# Generated from tools/ksy/library/errors.py.in by `python -m tools.ksy generate`. Do not edit.
"""The error of the generated readers and writers."""

from __future__ import annotations


class FormatError(ValueError):
    """Bytes that are not what the spec says, or an object that cannot be written.

    `offset` is the position in the stream, None if there is none.
    """

    def __init__(self, message: str, offset: int | None = None) -> None:
        super().__init__(message if offset is None else f"byte {offset}: {message}")
        self.message, self.offset = message, offset
