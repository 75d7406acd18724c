"""Checksums of bytes."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import cache

_CASTAGNOLI = 0x82F63B78


def crc32(parts: Iterable[bytes]) -> int:
    """Return CRC-32, that of zlib, of bytes that follow one another."""
    found = 0
    for part in parts:
        found = zlib.crc32(part, found)
    return found


def crc32c(parts: Iterable[bytes]) -> int:
    """Return CRC-32C, that of Castagnoli's polynomial, of bytes that follow one another."""
    table, found = _table(), 0xFFFFFFFF
    for part in parts:
        for byte in part:
            found = found >> 8 ^ table[(found ^ byte) & 255]
    return found ^ 0xFFFFFFFF


@cache
def _table() -> tuple[int, ...]:
    rows = []
    for row in range(256):
        for _ in range(8):
            row = row >> 1 ^ (_CASTAGNOLI if row & 1 else 0)
        rows.append(row)
    return tuple(rows)
