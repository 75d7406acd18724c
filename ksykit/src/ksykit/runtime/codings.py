"""How the bytes of a field are delimited and encoded when they are written, and read again."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from typing import Any

from .codecs import MOST, decode, trimmed
from .errors import FormatError

_REVERSED = {"xor": "xor", "rol": "ror", "ror": "rol"}


class Coding:
    """What is done to the bytes of a field: they are encoded, terminated, and padded.

    Args:
        terminator: The byte behind them, if any.
        unit: How many of it are a terminator: as many as a character has.
        include: It is one of the bytes.
        consume: It is read, too.
        pad: The byte that fills the field's size.
        to_end: They are all up to the end of the stream, if they have no size.
        process: How they are encoded.
        arguments: The arguments of that, of the object.
        most: Bytes that are decoded, at most.
    """

    def __init__(
        self,
        *,
        terminator: int | None = None,
        unit: int = 1,
        include: bool = False,
        consume: bool = True,
        pad: int | None = None,
        to_end: bool = False,
        process: str = "",
        arguments: tuple[Callable[[Any], Any], ...] = (),
        most: int = MOST,
    ) -> None:
        self.terminator, self.include, self.consume, self.pad = terminator, include, consume, pad
        self.unit, self.ending = unit, bytes([terminator or 0]) * unit
        self.process, self.arguments, self.most = process, arguments, most
        self.to_end = to_end

    def decoded(self, raw: bytes, node: Any, offset: int = 0) -> bytes:
        """Return what the bytes of a field stand for. Raises FormatError."""
        data = self.trimmed(raw)
        if not self.process:
            return data
        arguments = [one(node) for one in self.arguments]
        return decode(self.process, data, offset, *arguments, most=self.most)

    def trimmed(self, raw: bytes) -> bytes:
        """Return bytes without padding, and without what stands behind a terminator."""
        return trimmed(raw, self.pad, self.terminator, self.include, self.unit)

    def encoded(self, data: bytes, node: Any) -> bytes:
        """Return bytes as they are encoded. Raises FormatError."""
        if self.process in _REVERSED:
            arguments = [one(node) for one in self.arguments]
            if self.process != "xor" and not 0 <= arguments[0] <= 8:
                raise FormatError(f"{self.process}({arguments[0]}) cannot be reversed")
            return decode(_REVERSED[self.process], data, 0, *arguments, most=len(data))
        return encode(self.process, data) if self.process else data

    def is_of(self, raw: bytes, data: bytes, node: Any) -> bool:
        """Return whether the bytes of a field stand for these."""
        raw = self.trimmed(raw)
        if not self.process:
            return raw == data
        is_sized = self.process in ("lz4", "lzo")
        arguments = [len(data)] if is_sized else [one(node) for one in self.arguments]
        try:
            return decode(self.process, raw, 0, *arguments, most=len(data)) == data
        except FormatError:
            return False

    def again(self, raw: bytes, data: bytes, node: Any, size: int | None) -> bytes | None:
        """Return the bytes that a writer makes of what the bytes of a field stand for.

        They may differ behind a terminator; None if they do before it, or in length.
        """
        try:
            made = self.delimited(self.encoded(data, node), size, "")
        except FormatError:
            return None
        is_same = len(made) == len(raw) and self.trimmed(made) == self.trimmed(raw)
        return made if is_same else None

    def delimited(self, data: bytes, size: int | None, path: str) -> bytes:
        """Return bytes with terminator and padding. Raises FormatError if they do not come back."""
        if self.terminator is None and self.pad is None:
            return data
        end = b"" if self.terminator is None or self.include else self.ending
        raw = data + end
        if size is not None:
            raw = (raw if len(raw) <= size else data).ljust(size, bytes([self.pad or 0]))
        is_open = self.include and size is None and not data.endswith(self.ending)
        if is_open or self.trimmed(raw) != data:
            raise FormatError(f"{path} has its own terminator, or ends like its padding")
        return raw if self.consume or size is not None else data


def encode(process: str, data: bytes) -> bytes:
    """Return compressed bytes. Raises FormatError."""
    if process == "zlib":
        return zlib.compress(data)
    if process == "lzo":
        raise FormatError("lzo blocks are not written: use zstd or lz4")
    import pyarrow as pa  # takes 0.1 s

    if process == "lz4":
        return bytes(pa.compress(data, codec="lz4_raw", asbytes=True))
    out = pa.BufferOutputStream()  # as Java does it: the frame does not state the length
    with pa.CompressedOutputStream(out, "zstd") as stream:
        stream.write(data)
    return bytes(out.getvalue())
