"""Sources of bytes: local files, file objects, and bytes in memory.

Everything is read by range, so that opening a large file reads only its head.
"""

from __future__ import annotations

import errno
import io
import os
import stat
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import Any, NoReturn, Self, TypeVar, cast

from ksykit.runtime.errors import EndError, FormatError

_T = TypeVar("_T")
_COUNTING = Lock()
_NEAR_BUFFER = 4 * 1024
"""Bytes of a local file that are read at least: with more, `absent value` of `make bench-tables`
reads more than 10 kB of the index of a file."""
_FAR_BUFFER = 16 * 1024  # minimum bytes of a request: a head, or one index block
_GAP = 4096  # unneeded bytes that are cheaper to read than another request
_AT_ONCE = 4 << 20  # maximum bytes of ranges to read together, which bounds memory


class Source:
    """A file that can be read by range.

    Attributes:
        name: The path or URL, for messages.
        size: The size in bytes.
        bytes_read: The bytes fetched so far, including unneeded ones in the buffer.
        is_near: Whether reading a range again is as cheap as caching it.
        least_fetched: The minimum number of bytes to fetch.
    """

    is_near = False
    least_fetched = _FAR_BUFFER

    def __init__(
        self,
        name: str,
        size: int,
        fetch_range: Callable[[int, int], bytes] | None = None,
        close: Callable[[], None] | None = None,
    ) -> None:
        self.name = name
        self.size = size
        self.bytes_read = 0
        self._fetch_range = fetch_range
        self._close = close
        self._buffer = b""  # the last short range, from `_start` on
        self._start = 0

    def fetch(self, pos: int, length: int) -> bytes:
        """Read bytes from the file, bypassing the buffer, in any thread."""
        assert self._fetch_range is not None
        data = self._fetch_range(pos, length)
        self.count(len(data))
        return data

    def count(self, length: int) -> None:
        """Count bytes that were read, such as those that another library read."""
        with _COUNTING:
            self.bytes_read += length

    @cached_property
    def file(self) -> io.BufferedReader:
        """The source as a file object."""
        return io.BufferedReader(self.unbuffered, self.least_fetched or io.DEFAULT_BUFFER_SIZE)

    @property
    def unbuffered(self) -> io.RawIOBase:
        """The source as a file object, for code that reads and keeps large parts."""
        return _FileObject(self)

    def window(self, pos: int, least: int) -> tuple[bytes, int]:
        """Return some bytes of the file, and where they start in it.

        They include at least `least` bytes from `pos` on, or fewer at the end of the file.
        """
        data, start = self._buffer, self._start
        end = start + len(data)
        if start <= pos and (pos + least <= end or end >= self.size or pos >= self.size):
            return data, start
        data = self.fetch(pos, min(max(least, self.least_fetched), self.size - pos))
        self._buffer, self._start = data, pos
        return data, pos

    def outside(self, pos: int, length: int) -> Exception:
        """Return the error about a range that is not in the file."""
        return FormatError(f"bytes {pos} to {pos + length} are outside the file", pos)

    def read(self, pos: int, length: int) -> bytes:
        """Return `length` bytes from `pos`. Raises FormatError."""
        if pos < 0 or length < 0 or pos + length > self.size:
            raise self.outside(pos, length)
        at = pos - self._start
        if at >= 0 and at + length <= len(self._buffer):
            return self._buffer[at : at + length]
        if length < self.least_fetched and not self.is_near:
            data, start = self.window(pos, length)
            data = data[pos - start : pos - start + length]
        else:
            data = self.fetch(pos, length)
        if len(data) < length:  # the file was truncated
            raise EndError(pos, length, len(data))
        return data

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> Iterator[bytes | memoryview]:
        """Yield the bytes of ascending ranges (start, end), each read at its turn.

        One request reads neighbouring ranges if that takes less time. Raises FormatError.
        """
        first = 0
        while first < len(ranges):
            begin, until = ranges[first]
            last = first + 1
            while last < len(ranges):
                start, end = ranges[last]
                if start - until > _GAP or end - begin > _AT_ONCE:
                    break
                until = max(until, end)
                last += 1
            data = self.read(begin, until - begin)
            if last == first + 1:
                yield data
            else:
                view = memoryview(data)
                for start, end in ranges[first:last]:
                    yield view[start - begin : end - begin]
            first = last

    def close(self) -> None:
        """Close the file, unless the caller passed it open."""
        if self._close is not None:
            self._close()
            self._close = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class LocalFile(Source):
    """A local file, by its descriptor."""

    is_near = True
    least_fetched = _NEAR_BUFFER

    def __init__(self, name: str, size: int, descriptor: int) -> None:
        super().__init__(name, size)
        self._descriptor = descriptor

    def fetch(self, pos: int, length: int) -> bytes:
        if self._descriptor < 0:
            raise ValueError("is closed: open it again")
        data = os.pread(self._descriptor, length, pos)
        while 0 < len(data) < length:  # the system may return fewer bytes than requested
            more = os.pread(self._descriptor, length - len(data), pos + len(data))
            if not more:
                break
            data += more
        self.bytes_read += len(data)
        return data

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor, self._buffer = -1, b""

    __del__ = close

    def __reduce__(self) -> NoReturn:
        # A copy would read, and close, whatever file has the descriptor's number by then.
        raise TypeError(f"{self.name} is an open file: open it where it is read")


class Memory(Source):
    """Bytes in memory; `bytes_read` counts those that were read."""

    least_fetched = 0  # all bytes are in memory

    def __init__(self, data: bytes) -> None:
        super().__init__("<bytes>", len(data))
        self._data = data

    def fetch(self, pos: int, length: int) -> bytes:
        data = self._data[pos : pos + length]
        self.bytes_read += len(data)
        return data

    def window(self, pos: int, least: int) -> tuple[bytes, int]:
        self.bytes_read += max(min(least, self.size - pos), 0)
        return self._data, 0


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
        rest = max(self._source.size - self._position, 0)
        length = rest if size is None or size < 0 else min(size, rest)
        data = self._source.fetch(self._position, length) if length else b""
        self._position += len(data)
        return data

    def readinto(self, buffer: Any, /) -> int:
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def read_view(
    source: Source, kind: Callable[..., _T], pos: int, *arguments: Any, **options: Any
) -> _T:
    """Return the view of a type at byte `pos`, and fetch as many bytes as it needs.

    Raises:
        FormatError: The bytes are malformed.
    """
    if pos < 0:
        raise FormatError(f"a position of {pos}")
    if "io_size" in kind.__init__.__annotations__:
        options["io_size"] = source.size
    least = 1
    while True:
        data, start = source.window(pos, least)
        try:
            return kind(data, start, pos - start, *arguments, **options)
        except EndError as error:
            end, needed = start + len(data), error.position + error.size
            if end >= source.size:
                raise
            if needed > source.size:
                exist = max(source.size - error.position, 0)
                raise EndError(error.position, error.size, exist) from None
            # Reading more of a local file is cheaper than creating the view again.
            more = (4 if source.is_near else 2) * (end - pos)
            least = max(needed - pos, more)


def open_source(source: Any) -> Source:
    """Open a local path, bytes, or a seekable binary file object for reads by range.

    Raises:
        OSError: The file cannot be opened.
        ValueError: It cannot be read by range.
        TypeError: It is none of these.
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, str | os.PathLike):
        return local_file(os.fspath(source), LocalFile, Source)
    if isinstance(source, bytes | bytearray | memoryview):
        return Memory(bytes(source))
    if hasattr(source, "read") and hasattr(source, "seek"):
        return Source(*ranges_of(source))
    raise TypeError(f"cannot read from {type(source).__name__}: pass a path, bytes or a file")


def local_file(path: str | bytes, kind: Callable[..., _T], other: Callable[..., _T]) -> _T:
    """Return a local file as a `kind`, or as an `other` where no file is read at a position."""
    if not hasattr(os, "pread"):
        file = io.FileIO(path)
        return other(*ranges_of(file, os.fsdecode(path)), file.close)
    # Non-blocking, because a named pipe would wait for a writer.
    try:
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        raise _not_regular(Path(os.fsdecode(path)).stat().st_mode) from None
    try:
        size = _size(descriptor, path)
    except BaseException:
        os.close(descriptor)
        raise
    return kind(path if isinstance(path, str) else os.fsdecode(path), size, descriptor)


def _size(descriptor: int, path: str | bytes) -> int:
    """Return the size of an open file. Raises an error if it is not a regular file."""
    status = os.fstat(descriptor)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise _not_regular(status.st_mode)
    return status.st_size


def _not_regular(mode: int) -> ValueError:
    """Return the error about a pipe, a socket or a device."""
    kind = "a named pipe" if stat.S_ISFIFO(mode) else "a device"
    kind = "a socket" if stat.S_ISSOCK(mode) else kind
    return ValueError(
        f"it is {kind}, but only regular files can be read by range: copy its content to a file"
    )


def ranges_of(file: Any, name: str | None = None) -> tuple[str, int, Callable[[int, int], bytes]]:
    """Return the name and size of a seekable binary file, and a function that reads ranges of it.

    Raises ValueError if it is open in text mode.
    """
    position = file.tell()
    size = file.seek(0, io.SEEK_END)
    size = file.tell() if size is None else size
    file.seek(position)
    if not isinstance(file.read(0), bytes):
        raise ValueError("it is open in text mode: open it in binary mode")

    reading = Lock()

    def fetch(pos: int, length: int) -> bytes:
        with reading:
            file.seek(pos)
            return cast(bytes, file.read(length))

    return name or name_of(file), size, fetch


def name_of(file: Any) -> str:
    """Return the name of a file object, or its class."""
    name = getattr(file, "name", None)
    return name if isinstance(name, str) else f"<{type(file).__name__}>"
