"""Checksums of bytes."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from functools import cache

_CASTAGNOLI = 0x82F63B78


def crc32(parts: Iterable[bytes]) -> int:
    """Return CRC-32, that of zlib, of bytes that follow one another."""
    crc = 0
    for part in parts:
        crc = zlib.crc32(part, crc)
    return crc


def crc32c(parts: Iterable[bytes]) -> int:
    """Return CRC-32C, that of Castagnoli's polynomial, of bytes that follow one another."""
    table, crc = _table(), 0xFFFFFFFF
    for part in parts:
        for byte in part:
            crc = crc >> 8 ^ table[(crc ^ byte) & 255]
    return crc ^ 0xFFFFFFFF


@cache
def _table() -> tuple[int, ...]:
    rows = []
    for row in range(256):
        for _ in range(8):
            row = row >> 1 ^ (_CASTAGNOLI if row & 1 else 0)
        rows.append(row)
    return tuple(rows)
