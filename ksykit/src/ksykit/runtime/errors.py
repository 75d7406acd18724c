"""The error of the generated readers and writers."""

from __future__ import annotations

from typing import Any


class FormatError(ValueError):
    """Bytes that do not fit the spec, or an object that cannot be written.

    Attributes:
        message: What is wrong.
        offset: The position in the stream, or None.
        field: The field that is not valid, as its spec and the path in it, or "".
        value: The field's value.
        path: The path of the field in the object that was read, or "".
    """

    path = ""

    def __init__(
        self, message: str, offset: int | None = None, *, field: str = "", value: Any = None
    ) -> None:
        super().__init__(message)
        self.message, self.offset, self.field, self.value = message, offset, field, value

    def __str__(self) -> str:
        return self.message if self.offset is None else f"byte {self.offset}: {self.message}"

    def move(self, start: int) -> None:
        """Count the position from the stream in which the error's stream starts at `start`."""
        if self.offset is not None:
            self.offset += start


def too_early(size: int, left: int) -> str:
    """Return the message about `size` bytes of which only `left` exist."""
    needed = "1 byte is" if size == 1 else f"{size} bytes are"
    there = "none" if left == 0 else f"only {left}"
    return f"{needed} needed, but {there} {'is' if left < 2 else 'are'} left"


class EndError(FormatError):
    """Bytes that end too early: of `size` bytes at `position` only `left` exist.

    The offset is where the bytes end.
    """

    def __init__(self, position: int, size: int, left: int) -> None:
        super().__init__(too_early(size, left), position + left)
        self.position, self.size, self.left = position, size, left

    def move(self, start: int) -> None:
        """Count both positions from that stream; the offset becomes where missing bytes start."""
        self.position += start
        self.offset = self.position


def undecided(value: object) -> bool:
    """Raise FormatError: the byte order does not follow from a value."""
    raise FormatError(f"{value!r:.60} decides no byte order", None)
