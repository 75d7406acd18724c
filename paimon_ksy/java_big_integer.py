"""Java's `BigInteger.toByteArray`: big-endian, in two's complement, as few bytes as hold the sign.

So Java keeps the unscaled value of a long DECIMAL, wherever its bytes stand.
"""

from __future__ import annotations


def encode(number: int) -> bytes:
    """The bytes of a number; at least one."""
    length = (number if number >= 0 else ~number).bit_length() // 8 + 1
    return number.to_bytes(length, "big", signed=True)


def decode(data: bytes | memoryview) -> int:
    """The number of these bytes. Raises ValueError if there is none; Java does too."""
    if not len(data):
        raise ValueError("a number without bytes")
    return int.from_bytes(data, "big", signed=True)
