"""Text, padding, and encoded bytes (`process`), which are decoded into bounded memory."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from importlib import import_module
from typing import Any

from kaitaistruct import KaitaiStream

from .arrays import Buffer
from .errors import EndError, FormatError

MOST = 1 << 28
"""Bytes that encoded bytes may become, unless a spec has `-kit-max-size`."""


def text(data: Buffer, charset: str, offset: int) -> str:
    """Return the text that stands at byte `offset`. Raises FormatError."""
    try:
        return str(data, charset)
    except UnicodeError as error:
        raise FormatError(f"bytes are not {charset}: {error}", offset) from error


def ends(
    d: Buffer, start: int, p: int, byte: int, include: bool, consume: bool, eos_error: bool
) -> tuple[int, int]:
    """Return where bytes at place `p` end that a byte terminates, and where the field ends."""
    if p < 0:
        raise FormatError("a place before the first byte", start + p)
    q, step = p, 256
    while q < len(d):
        at = bytes(d[q : q + step]).find(byte)
        if at >= 0:
            return q + at + include, q + at + consume
        q, step = q + step, min(2 * step, 1 << 20)
    if eos_error:
        left = max(len(d) - p, 0)
        raise EndError(start + p, left + 1, left)
    return len(d), len(d)


def trimmed(
    data: Buffer,
    pad: int | None = None,
    terminator: int | None = None,
    include: bool = False,
    unit: int = 1,
) -> bytes:
    """Return bytes without padding, and then without what stands behind a terminator.

    Padding of terminators is none: the first of them ends the bytes. A terminator is a `unit` of
    equal bytes, of which as many stand before it.
    """
    text = bytes(data)
    if pad is not None and pad != terminator:
        text = text.rstrip(bytes([pad]))
    ending = bytes([terminator or 0]) * unit
    at = -1 if terminator is None else text.find(ending)
    while at > 0 and at % unit:
        at = text.find(ending, at + 1)
    return text if at < 0 else text[: at + unit * include]


def decode(name: str, data: Buffer, offset: int, *arguments: Any, most: int = MOST) -> bytes:
    """Return what encoded bytes at byte `offset` stand for. Raises FormatError."""
    try:
        decoded = _DECODERS[name](bytes(data), most, *arguments)
    except (zlib.error, ValueError, OSError, ArithmeticError, ImportError) as error:
        raise FormatError(f"{name}: {error}", offset) from error
    if len(decoded) > most:
        raise FormatError(f"{name}: more than {most} bytes", offset)
    return decoded


def _zlib(data: bytes, most: int) -> bytes:
    stream = zlib.decompressobj()
    decoded = stream.decompress(data, most + 1)
    if len(decoded) <= most and not stream.eof:
        raise ValueError("incomplete or truncated stream")
    return decoded


def _zstd(data: bytes, most: int) -> bytes:
    pa = import_module("pyarrow")
    with pa.CompressedInputStream(pa.BufferReader(data), "zstd") as stream:
        decoded = bytearray()
        while len(decoded) <= most and (piece := stream.read(1 << 20)):  # it takes memory for all
            decoded += piece
        return bytes(decoded)


def _lz4(data: bytes, most: int, size: int) -> bytes:
    """Return a block of LZ4 without a frame, which becomes `size` bytes."""
    _check_size(size, most)
    pa = import_module("pyarrow")
    if size == 1 and not (len(data) == 2 and data[0] >> 4 == 1):  # one literal
        raise ValueError("not 1 byte")
    if size > 1:
        try:  # pyarrow does not say how many bytes it wrote
            pa.decompress(data, size - 1, codec="lz4_raw", asbytes=True)
        except OSError:
            pass
        else:
            raise ValueError(f"less than {size} bytes")
    decoded: bytes = pa.decompress(data, size, codec="lz4_raw", asbytes=True)
    return decoded


def _lzo(data: bytes, most: int, size: int) -> bytes:
    """Return a block of LZO1X, which becomes `size` bytes; it needs the package python-lzo."""
    _check_size(size, most)
    lzo = import_module("lzo")
    try:
        decoded: bytes = lzo.decompress(data, False, size)
    except lzo.error as error:
        raise ValueError(str(error)) from error
    if len(decoded) < size:
        raise ValueError(f"less than {size} bytes")
    return decoded


def _check_size(size: int, most: int) -> None:
    if not 0 <= size <= most:
        raise ValueError(f"a size of {size} bytes, of at most {most}")


def _xor(data: bytes, most: int, key: int | bytes) -> bytes:
    one = KaitaiStream.process_xor_one if isinstance(key, int) else KaitaiStream.process_xor_many
    decoded: bytes = one(data, key)
    return decoded


_DECODERS: dict[str, Callable[..., bytes]] = {
    "zlib": _zlib,
    "zstd": _zstd,
    "lz4": _lz4,
    "lzo": _lzo,
    "xor": _xor,
    "rol": lambda data, most, amount: KaitaiStream.process_rotate_left(data, amount, 1),
    "ror": lambda data, most, amount: KaitaiStream.process_rotate_left(data, 8 - amount, 1),
}


class _Codec:
    """What Kaitai's parsers call for `process: NAME(arguments)`."""

    def __init__(self, *arguments: Any) -> None:
        self.arguments = arguments

    def decode(self, data: bytes) -> bytes:
        """Return what encoded bytes stand for. Raises FormatError."""
        return decode(type(self).__name__.lower(), data, 0, *self.arguments)


class Zstd(_Codec):
    """Frames of Zstandard."""


class Lz4(_Codec):
    """A block of LZ4 without a frame."""


class Lzo(_Codec):
    """A block of LZO1X."""
