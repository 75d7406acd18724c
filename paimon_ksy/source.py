"""Where bytes come from: local files, URLs, Arrow file systems, file objects, bytes.

Everything is read by range, so that opening a 16 MB index costs its head and no more.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Protocol, cast

from kaitaistruct import EndOfStreamError, InvalidArgumentError, KaitaiStream

from paimon_ksy.errors import CorruptFileError, PaimonKsyError

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+:(//|.*::)")  # a drive letter is no scheme
_LOCAL_BUFFER = 2 * 1024  # of fields read one by one: more than a head takes is seldom needed
_REMOTE_BUFFER = 16 * 1024  # bytes a request fetches at least: a head, or one index block
_WHOLE = 16 * 1024  # files up to this size are read at once
_CHECK_FIRST = 1 << 16  # longer reads ask whether so much is left, before memory is taken

# Ranges are read at once if fewer bytes than the first lie between them, up to the second in all.
_FROM_NEAR = 512, 1 << 16
_FROM_AFAR = 4096, 4 << 20


class _CountingFile(Protocol):
    bytes_read: int


class _LocalFile(io.FileIO):
    bytes_read = 0

    def readinto(self, buffer: Any, /) -> int:
        count = cast(int, super().readinto(buffer)) or 0
        self.bytes_read += count
        return count

    def fetch(self, position: int, length: int) -> bytes:
        data = os.pread(self.fileno(), length, position)
        while 0 < len(data) < length:  # the system may return less than is there
            more = os.pread(self.fileno(), length - len(data), position + len(data))
            if not more:
                break
            data += more
        self.bytes_read += len(data)
        return data


class _Memory(io.BytesIO):
    bytes_read = 0

    def read(self, size: int | None = -1, /) -> bytes:
        data = super().read(size)
        self.bytes_read += len(data)
        return data


class _RangeFile(io.RawIOBase):
    """A file of known size read by `fetch(position, length)`."""

    def __init__(self, fetch: Callable[[int, int], bytes], size: int) -> None:
        self._fetch = fetch
        self._file_size = size
        self._position = 0
        self.bytes_read = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._file_size}[whence]
        self._position = base + offset
        return self._position

    def readinto(self, buffer: Any, /) -> int:
        length = min(len(buffer), self._file_size - self._position)
        if length <= 0:
            return 0
        data = self._fetch(self._position, length)
        buffer[: len(data)] = data
        self._position += len(data)
        self.bytes_read += len(data)
        return len(data)


class SourceStream(KaitaiStream):  # type: ignore[misc]  # kaitaistruct has no types
    """A Kaitai stream whose size is known, so that asking for it does not seek."""

    def __init__(self, file: Any, size: int) -> None:
        self._known_size = size
        super().__init__(file)

    def read_at(self, pos: int, n: int) -> bytes:
        """`n` bytes from `pos`, of which it is known that the file has them."""
        self.seek(pos)
        return self.read_bytes(n)

    def read_some(self, pos: int, least: int, most: int) -> bytes:
        """As `read_at`, from `least` to `most` bytes, as many as it is quick to read."""
        return self.read_at(pos, most)

    def size(self) -> int:
        return self._known_size

    def read_bytes(self, n: int) -> bytes:
        # Shorter than the runtime's own, which goes through two more calls for each field.
        if n < 0:
            raise InvalidArgumentError(f"a length of {n} bytes")
        left = self._known_size - self._io.tell() if n > _CHECK_FIRST else n
        data: bytes = self._io.read(n) if n <= left else b""
        if len(data) < n:
            raise _too_early(n, left if n > left else len(data))
        return data


class _LocalStream(SourceStream):
    """Of a local file: bytes from its last short read, which may be all it takes, or by range."""

    bits_left = 0  # the runtime's own attributes, which it sets in a stream of a file object
    bits_write_mode = False

    def __init__(self, file: _LocalFile, size: int) -> None:
        self._file = file
        self._size = self._known_size = size
        self._buffer_size = size if size <= _WHOLE else _LOCAL_BUFFER
        self._at = self._start = 0
        self._buffer = b""

    @cached_property
    def _io(self) -> io.BufferedReader:
        return io.BufferedReader(self._file)

    def read_at(self, pos: int, n: int) -> bytes:
        return self.read_some(pos, n, n)

    def read_some(self, pos: int, least: int, most: int) -> bytes:
        at = pos - self._start
        if at >= 0 and at + least <= len(self._buffer):
            return self._buffer[at : at + most]
        data = self._file.fetch(pos, most)
        if len(data) < least:
            raise _too_early(least, len(data))
        return data

    def is_eof(self) -> bool:
        return self._at >= self._known_size

    def pos(self) -> int:
        return self._at

    def seek(self, n: int) -> None:
        if n < 0:
            raise InvalidArgumentError(f"a position of {n}")
        self._at = n

    def read_bytes(self, n: int) -> bytes:
        at = self._at - self._start
        end = at + n
        if not 0 <= at <= end <= len(self._buffer):
            if n < 0:
                raise InvalidArgumentError(f"a length of {n} bytes")
            left = max(self._known_size - self._at, 0)
            if n > left:
                raise _too_early(n, left)
            self._buffer = self._file.fetch(self._at, min(max(n, self._buffer_size), left))
            self._start, at, end = self._at, 0, n
            if n > len(self._buffer):
                raise _too_early(n, len(self._buffer))
        self._at += n
        return self._buffer[at:end]


def _too_early(wanted: int, there: int) -> EndOfStreamError:
    there = max(there, 0)
    return EndOfStreamError(f"{wanted} bytes wanted where the file has {there} more", wanted, there)


class Source:
    """A file that is read by range.

    `name` is for messages, `size` in bytes; `stream` is a Kaitai stream over the whole file.
    `is_near` says that reading a range again costs no more than having kept it.
    """

    def __init__(
        self,
        name: str,
        size: int,
        stream: SourceStream,
        raw: _CountingFile,
        close: Callable[[], None] | None,
        data: bytes | None = None,
    ) -> None:
        self.name = name
        self.size = size
        self.stream = stream
        self.is_near = type(stream) is _LocalStream
        self._raw = raw
        self._close = close
        self._data = data  # all of it, if it is in memory anyway

    @property
    def bytes_read(self) -> int:
        """Bytes fetched so far, with what buffers fetched and nobody asked for."""
        return self._raw.bytes_read

    def read(self, pos: int, length: int) -> bytes:
        """`length` bytes from `pos`; CorruptFileError if the file does not have them."""
        if pos < 0 or length < 0 or pos + length > self.size:
            raise CorruptFileError(
                f"bytes {pos} to {pos + length} are outside the file of {self.size} bytes",
                path=self.name,
                offset=pos,
            )
        return self.stream.read_at(pos, length)

    def read_ranges(self, ranges: Sequence[tuple[int, int]]) -> Iterator[bytes | memoryview]:
        """The bytes of ranges (start, end), which ascend; each is read when its turn comes.

        Neighbours come in one request where that takes less time. Raises CorruptFileError.
        """
        gap, most = _FROM_NEAR if self.is_near else _FROM_AFAR
        first = 0
        while first < len(ranges):
            begin, until = ranges[first]
            last = first + 1
            while last < len(ranges):
                start, end = ranges[last]
                if start - until > gap or end - begin > most:
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

    def view(self, pos: int, length: int) -> bytes | memoryview:
        """As `read`; of bytes in memory not a copy."""
        if self._data is None or pos < 0 or length < 0 or pos + length > self.size:
            return self.read(pos, length)
        self._raw.bytes_read += length
        return memoryview(self._data)[pos : pos + length]

    def close(self) -> None:
        """Close what was opened here; what the caller handed over stays open."""
        if self._close is not None:
            self._close()
            self._close = None

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


def open_source(source: Any) -> Source:
    """Open a local path, a URL (`s3://...`, through fsspec), bytes, a seekable binary file
    object, or a pair (pyarrow file system, path).

    Raises PaimonKsyError if it is not there or cannot be read by range.
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, bytes | bytearray | memoryview):
        return _from_bytes(bytes(source))
    if isinstance(source, Path):
        source = os.fspath(source)
    name = _name(source)
    try:
        if isinstance(source, str):
            return _from_url(source) if _URL.match(source) else _from_path(source)
        if isinstance(source, os.PathLike):
            return _from_path(os.fspath(source))
        if isinstance(source, tuple) and len(source) == 2:
            file = source[0].open_input_file(os.fspath(source[1]))
            return _from_file(file, name, file.close)
        if hasattr(source, "read") and hasattr(source, "seek"):
            return _from_file(source, name, None)
    except FileNotFoundError:
        raise PaimonKsyError(f"{name}: no such file") from None
    except IsADirectoryError:
        raise PaimonKsyError(f"{name}: is a directory; name a file in it") from None
    except PermissionError:
        raise PaimonKsyError(f"{name}: no permission to read it") from None
    except (OSError, ValueError) as error:
        raise PaimonKsyError(f"{name}: cannot be opened: {_first_line(error)}") from error
    raise PaimonKsyError(
        f"cannot read from a {type(source).__name__}; give a path, a URL, bytes, "
        "a seekable binary file or (pyarrow file system, path)"
    )


def _from_bytes(data: bytes) -> Source:
    memory = _Memory(data)
    return Source("<bytes>", len(data), SourceStream(memory, len(data)), memory, None, data)


def _from_path(path: str | bytes) -> Source:
    raw = _LocalFile(path)
    if not raw.seekable():
        raw.close()
        raise ValueError("it cannot be read by range; read it to memory and give the bytes")
    size = os.fstat(raw.fileno()).st_size
    name = path if isinstance(path, str) else os.fsdecode(path)
    if not hasattr(os, "pread"):
        return _source(name, size, raw, _LOCAL_BUFFER, raw.close)
    return Source(name, size, _LocalStream(raw, size), raw, raw.close)


def _from_url(url: str) -> Source:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise PaimonKsyError(
            f"{url}: reading from URLs needs fsspec: pip install 'paimon-ksy[remote]'"
        ) from None
    try:
        fs, path = url_to_fs(url)
    except ImportError as error:  # the file system of this scheme is a package of its own
        raise PaimonKsyError(f"{url}: {_first_line(error)}") from None
    info = fs.info(path)
    if info.get("type") == "directory":
        raise IsADirectoryError(url)
    if info.get("size") is None:
        raise ValueError("its size is not known, so it cannot be read by range")

    def fetch(pos: int, length: int) -> bytes:
        return cast(bytes, fs.cat_file(path, start=pos, end=pos + length))

    raw = _RangeFile(fetch, int(info["size"]))
    return _source(url, int(info["size"]), raw, _REMOTE_BUFFER, raw.close)


def _from_file(file: Any, name: str, close: Callable[[], None] | None) -> Source:
    position = file.tell()
    size = file.seek(0, io.SEEK_END)
    size = file.tell() if size is None else size
    file.seek(position)
    if not isinstance(file.read(0), bytes):
        raise ValueError("it is open as text; open it in binary mode")

    def fetch(pos: int, length: int) -> bytes:
        file.seek(pos)
        return cast(bytes, file.read(length))

    raw = _RangeFile(fetch, size)
    return _source(name, size, raw, _REMOTE_BUFFER, close)


def _source(
    name: str,
    size: int,
    raw: Any,
    buffer_size: int,
    close: Callable[[], None] | None,
) -> Source:
    file: Any = io.BufferedReader(raw, buffer_size)
    if size <= _WHOLE:  # a buffer would fetch parts of it again and again
        file = io.BytesIO(file.read(size))
    return Source(name, size, SourceStream(file, size), raw, close)


def _name(source: Any) -> str:
    if isinstance(source, str):
        return source
    if isinstance(source, os.PathLike):
        return os.fsdecode(source)
    if isinstance(source, tuple):
        return str(source[-1])
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else f"<{type(source).__name__}>"


def _first_line(error: BaseException) -> str:
    text = getattr(error, "strerror", None) or str(error)
    return text.splitlines()[0] if text else type(error).__name__
