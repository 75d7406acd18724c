"""Adapt a source to a Kaitai stream and to a file object."""

from __future__ import annotations

import io
from functools import cached_property
from typing import TYPE_CHECKING, Any

from kaitaistruct import EndOfStreamError, InvalidArgumentError, KaitaiStream

if TYPE_CHECKING:
    from paimon_ksy.io.source import Source


class SourceStream(KaitaiStream):  # type: ignore[misc]  # kaitaistruct has no types
    """A Kaitai stream over a source; most fields come from its buffered range."""

    bits_left = 0  # attributes that the runtime sets in its own streams
    bits_write_mode = False
    last_length = 0
    """The size of the last read, for the position of an invalid field."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._size = source.size
        self._at = 0

    @cached_property
    def _io(self) -> io.BufferedReader:
        """The source as a file object."""
        return io.BufferedReader(
            _FileObject(self._source), self._source.least_fetched or io.DEFAULT_BUFFER_SIZE
        )

    @property
    def unbuffered(self) -> io.RawIOBase:
        """The source as an unbuffered file object, for code that reads and keeps large parts."""
        return _FileObject(self._source)

    def is_eof(self) -> bool:
        """Return whether the position is at or after the end of the file."""
        return self._at >= self._size

    def pos(self) -> int:
        """Return the position in bytes."""
        return self._at

    def size(self) -> int:
        """Return the size of the file in bytes."""
        return self._size

    def seek(self, n: int) -> None:
        """Move to byte `n`."""
        if n < 0:
            raise InvalidArgumentError(f"a position of {n}")
        self._at = n

    def read_bytes(self, n: int) -> bytes:
        """Return the next `n` bytes.

        Raises:
            EndOfStreamError: The file ends before them.
        """
        if n < 0:
            raise InvalidArgumentError(f"a length of {n} bytes")
        left = self._size - self._at
        if n > left:
            self._at = max(self._at, self._size)  # the error reports the end of the file
            raise too_early(n, left)
        data, start = self._source.window(self._at, n)
        at = self._at - start
        if at + n > len(data):
            raise too_early(n, len(data) - at)
        self._at += n
        self.last_length = n
        return data[at : at + n]


class _FileObject(io.RawIOBase):
    """A source as a file object."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._source.size}[whence]
        self._position = base + offset
        return self._position

    def read(self, size: int | None = -1, /) -> bytes:
        left = max(self._source.size - self._position, 0)
        length = left if size is None or size < 0 else min(size, left)
        data = self._source.fetch(self._position, length) if length else b""
        self._position += len(data)
        return data

    def readinto(self, buffer: Any, /) -> int:
        length = min(len(buffer), self._source.size - self._position)
        if length <= 0:
            return 0
        data = self._source.fetch(self._position, length)
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)


def too_early(wanted: int, there: int) -> EndOfStreamError:
    """Return the error for a file that ends too early."""
    there = max(there, 0)
    return EndOfStreamError(f"{wanted} bytes are needed, but only {there} are left", wanted, there)
