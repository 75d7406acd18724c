"""Integers of any width (`-kit-encoding: integer-be`): two's complement, as short as possible."""

from __future__ import annotations

from typing import Literal

from .errors import FormatError

_ORDERS: dict[str, Literal["big", "little"]] = {"integer-be": "big", "integer-le": "little"}


def is_integer(encoding: str) -> bool:
    """Return whether an encoding is of integers."""
    return encoding in _ORDERS


def encode_integer(number: int, encoding: str) -> bytes:
    """Return the bytes of an integer, at least one."""
    width = (number if number >= 0 else ~number).bit_length() // 8 + 1
    return number.to_bytes(width, _ORDERS[encoding], signed=True)


def decode_integer(
    data: bytes | bytearray | memoryview, encoding: str, offset: int | None = None
) -> int:
    """Return the integer of these bytes. Raises FormatError if there are none, as Java does."""
    if not len(data):
        raise FormatError("an integer without bytes", offset)
    return int.from_bytes(data, _ORDERS[encoding], signed=True)
