"""Sources of bytes: local files, URLs, Arrow file systems, file objects, bytes.

Everything is read by range, so that opening a 16 MB index reads only its head.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, cast

from ksykit.io import source as plain
from ksykit.io.source import read_view as read_view

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, counted, first_line, with_article
from paimon_ksy.io.urls import local_path
from paimon_ksy.messages.causes import cause_of
from paimon_ksy.messages.commands import command
from paimon_ksy.messages.install import how_to_install


class Source(plain.Source):
    """A source whose errors name the file, the likely cause and the remedy."""

    _native: Any = None

    def fetch(self, pos: int, length: int) -> bytes:
        """Read bytes from the file, bypassing the buffer, in any thread. Raises PaimonKsyError."""
        try:
            return super().fetch(pos, length)
        except IsADirectoryError:
            raise _is_folder(self.name) from None
        except Exception as error:  # each file system raises its own
            raise _failed(self.name, "cannot be read", error) from error

    def outside(self, pos: int, length: int) -> CorruptFileError:
        """Return the error about a range that is not in the file."""
        return CorruptFileError(
            f"bytes {pos} to {pos + length} are outside the file of {counted(self.size, 'byte')}",
            path=self.name,
            offset=pos,
        )

    def native(self) -> Any:
        """Return the file as Arrow opens it, for its threads; None if Arrow lacks its file system.

        The caller closes it. `bytes_read` does not count its reads.
        """
        return self._native


class _LocalFile(Source, plain.LocalFile):
    def native(self) -> Any:
        import pyarrow as pa

        return pa.OSFile(os.fsencode(self.name))  # names need not be UTF-8


class _Memory(Source, plain.Memory):
    pass


def open_source(source: Any, name: str | None = None, *, owned: bool = False) -> Source:
    """Open a file for reads by range.

    Args:
        source: A local path, a URL (`s3://...`, through fsspec), bytes, a seekable binary file
            object, or a pair (pyarrow file system, path).
        name: The name in messages of a file object, or of the file of such a pair.
        owned: Whether to close a file object together with the source.

    Raises:
        PaimonKsyError: It does not exist, or cannot be read by range.
    """
    if isinstance(source, Source):
        return source
    try:
        return _open(source, name, owned)
    except PaimonKsyError:
        raise
    except IsADirectoryError:
        raise _is_folder(_name(source)) from None
    except Exception as error:  # each file system raises its own
        raise _failed(name or _name(source), "cannot be opened", error) from error


def _local_file(path: str | bytes) -> Source:
    return plain.local_file(path, _LocalFile, Source)


def _is_folder(path: str) -> PaimonKsyError:
    """Return the error about a folder where a file was expected."""
    if Path(path, "schema").is_dir():
        look = command("table", "inspect", path)
        return PaimonKsyError("is the folder of a table", path=path, remedy=f"use {look}")
    return PaimonKsyError("is a directory", path=path, remedy="name a file in it")


def _open(source: Any, name: str | None, owned: bool) -> Source:
    if isinstance(source, str):
        path = local_path(source) if ":" in source else source
        return _from_url(source) if path is None else _local_file(path)
    if hasattr(source, "__fspath__"):
        return _local_file(os.fspath(source))
    if isinstance(source, bytes | bytearray | memoryview):
        return _Memory(bytes(source))
    if isinstance(source, tuple) and len(source) == 2:
        file = source[0].open_input_file(os.fspath(source[1]))
        made = Source(
            name or _name(source),
            file.size(),
            lambda pos, length: cast(bytes, file.read_at(length, pos)),
            file.close,
        )
        made._native = file
        return made
    if hasattr(source, "read") and hasattr(source, "seek"):
        return Source(*plain.ranges_of(source, name), source.close if owned else None)
    raise PaimonKsyError(
        f"cannot read from {with_article(type(source))}: pass a path, a URL, bytes, "
        "a seekable binary file or (pyarrow file system, path)"
    )


_PACKAGES = {
    **dict.fromkeys(("http", "https"), "fsspec[http]"),
    **dict.fromkeys(("s3", "s3a"), "fsspec[s3]"),
    **dict.fromkeys(("gs", "gcs"), "fsspec[gs]"),
    **dict.fromkeys(("abfs", "abfss", "az"), "fsspec[abfs]"),
    "oss": "ossfs",
}
"""The package that fsspec needs for a scheme, which its own error does not always name."""


def _from_url(url: str) -> Source:
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise PaimonKsyError(
            f"reading from URLs needs fsspec: {how_to_install('remote')}", path=url
        ) from None
    try:
        fs, path = url_to_fs(url)
    except ImportError as error:  # the file system of this scheme is a package of its own
        scheme = url.partition(":")[0]
        package = _PACKAGES.get(scheme)
        remedy = f"pip install '{package}'" if package else first_line(error)
        raise PaimonKsyError(f"{scheme}:// needs another package: {remedy}", path=url) from None
    info = fs.info(path)
    if info.get("type") == "directory":
        raise IsADirectoryError(url)
    if info.get("size") is None:
        raise ValueError("its size is unknown, so it cannot be read by range")

    def fetch(pos: int, length: int) -> bytes:
        return cast(bytes, fs.cat_file(path, start=pos, end=pos + length))

    return Source(url, int(info["size"]), fetch)


def _name(source: Any) -> str:
    if isinstance(source, str):
        return source
    if isinstance(source, os.PathLike):
        return os.fsdecode(source)
    if isinstance(source, tuple):
        return str(source[-1])
    return plain.name_of(source)


def _failed(name: str, what: str, error: Exception) -> PaimonKsyError:
    reason = getattr(error, "strerror", None) or first_line(error)
    return cause_of(error, name, PaimonKsyError(f"{what}: {reason}", path=name))
