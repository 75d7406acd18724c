"""A table's files, local or remote, by path: read by range, written under new names."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Hashable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ksykit.runtime.arrays import Buffer
from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, counted, first_line
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.io.urls import is_local, local_path
from paimon_ksy.messages.causes import cause_of
from paimon_ksy.table.io.paths import Roots

AT_ONCE = 16  # remote files that are read concurrently, because reads mostly wait

_MOST_BYTES, _MOST_JSON_BYTES = 512 << 20, 16 << 20
"""The most bytes of a manifest, and of a file in JSON, which may take 20 times the memory."""

_ID = re.compile("0|[1-9][0-9]{0,18}")


@dataclass(frozen=True)
class FolderItem:
    """An entry of a folder: a file, a folder or, if it is neither, a pipe or a dangling link.

    `modified` is in seconds since 1970, None if unknown.
    """

    name: str
    is_folder: bool
    is_file: bool
    size: int
    modified: float | None


@dataclass(frozen=True)
class Storage:
    """pypaimon's `FileIO` of a table; None on this machine. It can be pickled, for workers.

    Each method raises OutsideError for a file that is not in `roots`, and a PaimonKsyError for what
    the file system does not permit or have.
    """

    file_io: Any
    roots: Roots = field(compare=False)

    @classmethod
    def of(cls, file_io: Any, location: str) -> Storage:
        """Return the storage of the table in a folder, with no external paths yet."""
        return cls(file_io, Roots(location, _local_path if is_local(location) else None))

    @property
    def identity(self) -> Hashable:
        """A value that is equal for two storages in which a path is the same file."""
        return "local" if self.is_local else self.file_io

    @property
    def is_local(self) -> bool:
        """Whether the files are on this machine."""
        return _is_local(self.file_io)

    def open(self, path: str) -> Source:
        """Open a file for reading by range."""
        self.roots.check_file(path)
        with _failures(path, "cannot be opened"):
            return open_source(self._place(path), path, owned=True)

    def read(self, path: str, most: int = _MOST_BYTES) -> bytes:
        """Return the bytes of a regular file of metadata.

        Raises:
            CorruptFileError: The file has more than `most` bytes.
            PaimonKsyError: The file cannot be read.
        """
        with self.open(path) as source:
            if source.size > most:
                raise CorruptFileError(
                    f"it has {counted(source.size, 'byte')}, but at most {most:,} are read",
                    path=path,
                )
            try:
                return source.read(0, source.size)
            except FormatError as error:  # it became shorter in the meantime
                raise CorruptFileError(error.message, path=path, offset=error.offset) from error

    def read_json(self, path: str) -> bytes:
        """Return the bytes of a regular file of metadata in JSON, or of a hint (see `read`)."""
        return self.read(path, _MOST_JSON_BYTES)

    def read_each(self, paths: Iterable[str]) -> Iterator[bytes]:
        """Yield the bytes of small files; remote files are read several at once."""
        if self.is_local:
            yield from map(self.read, paths)
            return
        rest = iter(paths)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            while some := list(islice(rest, AT_ONCE)):
                yield from pool.map(self.read, some)

    def write(self, path: str, *parts: Buffer) -> None:
        """Write a new file; remove it if writing fails.

        Raises:
            OutsideError: The table may not change its folder.
            PaimonKsyError: The file cannot be written, or exists already.
        """
        self.roots.check_change(path)
        if self.exists(path):
            raise PaimonKsyError("exists already, and is never overwritten", path=path)
        try:
            new_stream = _new_local if self.is_local else self.file_io.new_output_stream
            with _failures(path, "cannot be written", "write"), new_stream(path) as stream:
                for part in parts:
                    stream.write(part)
        except PaimonKsyError:
            self.delete(path)
            raise

    def exists(self, path: str) -> bool:
        """Return whether a file exists.

        Raises:
            AccessError: Reading its folder is not permitted.
            UnreachableError: The store does not respond.
        """
        self.roots.check_file(path)
        with _failures(path, "cannot determine whether it exists"):
            local = self.is_local and Path(_local_path(path))
            return local.exists() if local else bool(self.file_io.exists(path))

    def status(self, path: str) -> FolderItem:
        """Return the size of a file, and when it was written.

        Raises:
            PaimonKsyError: The file does not exist.
        """
        self.roots.check_file(path)
        with _failures(path, "cannot determine its size"):
            if self.is_local:
                return _local_item(path.rpartition("/")[2], Path(_local_path(path)).stat())
            return _folder_item(self.file_io.get_file_status(path))

    def names(self, folder: str, prefix: str = "") -> list[str]:
        """Return the sorted names in a folder that have a prefix, without it."""
        names = (item.name for item in self.items(folder) if item.name.startswith(prefix))
        return sorted(name[len(prefix) :] for name in names)

    def ids(self, folder: str, prefix: str) -> list[int]:
        """Return the numbers of the entries `PREFIX-N` of a folder, whatever these are, ascending.

        Raises:
            PaimonKsyError: The folder cannot be listed.
        """
        return sorted(int(text) for text in self.names(folder, f"{prefix}-") if is_id(text))

    def items(self, folder: str) -> Iterator[FolderItem]:
        """Yield the entries of a folder in any order: local ones while the folder is listed."""
        self.roots.check_folder(folder)
        with _failures(folder, "cannot be listed"):
            if self.is_local:
                yield from _local_items(Path(_local_path(folder)))
            elif self.file_io.exists(folder):
                yield from map(_folder_item, self.file_io.list_status(folder))

    def delete(self, path: str) -> None:
        """Delete the file if it exists; never raise an error."""
        with suppress(PaimonKsyError):
            self.remove(path)

    def remove(self, path: str) -> bool:
        """Delete a file, or a link to one, and return whether it existed.

        Raises:
            OutsideError: The table may not change its folder.
            PaimonKsyError: The file still exists.
        """
        self.roots.check_change(path)
        try:
            if self.is_local:
                self.roots.unlink(path)
                return True
            was_there = bool(self.file_io.delete(path))
            if self.file_io.exists(path):  # some file systems raise nothing
                raise OSError(errno.EIO, "it still exists")
            return was_there
        except FileNotFoundError:
            return False
        except PaimonKsyError:
            raise
        except Exception as error:  # each file system raises its own
            reason = getattr(error, "strerror", None) or first_line(error)
            raise PaimonKsyError(f"cannot be deleted: {reason}", path=path) from error

    def _place(self, path: str) -> Any:
        """Return what `open_source` takes: a local path, or an Arrow file system and a path."""
        if self.is_local:
            return _local_path(path)
        if hasattr(self.file_io, "filesystem"):
            return self.file_io.filesystem, self.file_io.to_filesystem_path(path)
        return self.file_io.new_input_stream(path)


def is_id(text: str) -> bool:
    """Return whether a text is the id of a snapshot or schema, which is a `long` in Java."""
    return _ID.fullmatch(text) is not None and int(text) < 1 << 63


def _is_local(file_io: Any) -> bool:
    return file_io is None or type(file_io).__name__ == "LocalFileIO"


def _new_local(path: str) -> Any:
    place = Path(_local_path(path))
    place.parent.mkdir(parents=True, exist_ok=True)
    return place.open("wb")


def _local_path(path: str) -> str:
    here = None if path.startswith("/") else local_path(path)
    return path if here is None else here


@contextmanager
def _failures(path: str, what: str, doing: str = "read") -> Iterator[None]:
    """Turn exceptions of file systems, which are of any kind, into errors that name the file."""
    try:
        yield
    except PaimonKsyError:
        raise
    except Exception as error:
        otherwise = PaimonKsyError(f"{what}: {first_line(error)}", path=path)
        raise cause_of(error, path, otherwise, doing) from error


def _local_items(folder: Path) -> Iterator[FolderItem]:
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise PaimonKsyError("is not a folder", path=folder)
    with os.scandir(folder) as entries:
        for item in entries:
            try:
                status = item.stat()
            except FileNotFoundError:  # it was deleted meanwhile, or is a dangling link
                if item.is_symlink():
                    yield FolderItem(item.name, False, False, 0, None)
                continue
            yield _local_item(item.name, status)


def _local_item(name: str, status: os.stat_result) -> FolderItem:
    is_folder, is_file = stat.S_ISDIR(status.st_mode), stat.S_ISREG(status.st_mode)
    return FolderItem(name, is_folder, is_file, status.st_size if is_file else 0, status.st_mtime)


def _folder_item(status: Any) -> FolderItem:
    modified: Any = getattr(status, "mtime", None)
    if hasattr(modified, "timestamp"):
        modified = modified.timestamp()
    is_folder = status.type.name == "Directory"
    return FolderItem(status.base_name, is_folder, not is_folder, status.size or 0, modified)
