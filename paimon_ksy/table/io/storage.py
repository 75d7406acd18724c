"""A table's files, local or remote, by path: read by range, written under new names."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Hashable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from paimon_ksy.errors import PaimonKsyError, first_line
from paimon_ksy.generated.arrays import Buffer
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.io.urls import local_path
from paimon_ksy.messages.causes import cause_of
from paimon_ksy.table.io.paths import Roots

AT_ONCE = 16
"""The number of remote files that are read concurrently, because reads mostly wait."""


@dataclass(frozen=True)
class FolderItem:
    """An entry of a folder. `modified` is in seconds since 1970, None if unknown."""

    name: str
    is_folder: bool
    size: int
    modified: float | None


@dataclass(frozen=True)
class Storage:
    """pypaimon's `FileIO` of a table. It can be pickled and sent to workers.

    With `roots`, each method raises OutsideError for a file elsewhere.
    """

    file_io: Any
    roots: Roots | None = field(default=None, compare=False)

    @classmethod
    def of(cls, file_io: Any, location: str) -> Storage:
        """Return the storage of the table in a folder, with no external paths yet."""
        behind = getattr(file_io, "_delegate", file_io)  # unwraps pypaimon's cache
        local = _local_path if cls(behind).is_local else None
        return cls(file_io, Roots(location, local))

    @property
    def identity(self) -> Hashable:
        """A value that is equal for two storages in which a path is the same file."""
        return "local" if self.is_local else self.file_io

    @property
    def is_local(self) -> bool:
        """Whether the files are on this machine."""
        return type(self.file_io).__name__ == "LocalFileIO"

    def open(self, path: str) -> Source:
        """Open a file for reading by range.

        Raises:
            PaimonKsyError: The file cannot be opened.
        """
        self.check(path)
        try:
            place = self._place(path)
        except Exception as error:  # as below
            raise _failed(path, "cannot be opened", error) from error
        return open_source(place, path, owned=True)

    def open_native(self, path: str) -> Any:
        """Return the file as Arrow opens it, for several threads that read concurrently.

        None if Arrow has no such file system.

        Raises:
            PaimonKsyError: The file cannot be opened.
        """
        self.check(path)
        if not self.is_local and not hasattr(self.file_io, "filesystem"):
            return None
        place = self._place(path)
        try:
            if isinstance(place, str):
                with open_source(place) as source:  # refuses anything but a regular file
                    return source.native()
            return place[0].open_input_file(place[1])
        except Exception as error:  # each file system raises its own
            raise _failed(path, "cannot be opened", error) from error

    def read(self, path: str) -> bytes:
        """Return the bytes of a small file.

        Raises:
            PaimonKsyError: The file cannot be read.
        """
        with self.open(path) as source:
            return source.read(0, source.size)

    def read_each(self, paths: Iterable[str]) -> Iterator[bytes]:
        """Yield the bytes of small files; remote files are read several at once.

        Raises:
            PaimonKsyError: A file cannot be read.
        """
        if self.is_local:
            yield from map(self.read, paths)
            return
        rest, reading = iter(paths), deque[Future[bytes]]()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            try:
                while True:
                    for path in islice(rest, AT_ONCE - len(reading)):
                        reading.append(pool.submit(self.read, path))
                    if not reading:
                        return
                    yield reading.popleft().result()
            finally:
                for future in reading:
                    future.cancel()

    def write(self, path: str, *parts: Buffer) -> None:
        """Write a new file; remove it if writing fails.

        Raises:
            PaimonKsyError: The file cannot be written, or exists already.
        """
        if self.exists(path):
            raise PaimonKsyError("exists already, and is never overwritten", path=path)
        try:
            with self.file_io.new_output_stream(path) as stream:
                for part in parts:
                    stream.write(part)
        except Exception as error:  # each file system raises its own
            self.delete(path)
            raise _failed(path, "cannot be written", error, "write") from error

    def exists(self, path: str) -> bool:
        """Return whether a file exists.

        Raises:
            AccessError: Reading its folder is not permitted.
            UnreachableError: The store does not respond.
        """
        self.check(path)
        try:
            if (local := self._local(path)) is not None:
                return local.exists()
            return bool(self.file_io.exists(path))
        except Exception as error:  # as above
            raise _failed(path, "cannot determine whether it exists", error) from error

    def size(self, path: str) -> int:
        """Return the size of a file in bytes.

        Raises:
            PaimonKsyError: The file does not exist.
        """
        self.check(path)
        try:
            if (local := self._local(path)) is not None:
                return local.stat().st_size
            return int(self.file_io.get_file_size(path))
        except Exception as error:  # as above
            raise _failed(path, "cannot determine its size", error) from error

    def modified(self, path: str) -> float | None:
        """Return when a file was written, in seconds since 1970; None if unknown.

        Raises:
            PaimonKsyError: The file does not exist.
        """
        self.check(path)
        try:
            if (local := self._local(path)) is not None:
                return local.stat().st_mtime
            return _folder_item(self.file_io.get_file_status(path)).modified
        except Exception as error:  # as above
            raise _failed(path, "cannot determine its time", error) from error

    def names(self, folder: str) -> list[str]:
        """Return the sorted names of all entries of a folder; none if it does not exist.

        Raises:
            PaimonKsyError: The folder cannot be listed.
        """
        self.check_folder(folder)
        try:
            if (local := self._local(folder)) is not None:
                return sorted(item.name for item in local.iterdir()) if local.is_dir() else []
            if not self.file_io.exists(folder):
                return []
            return sorted(status.base_name for status in self.file_io.list_status(folder))
        except Exception as error:  # as above
            raise _failed(folder, "cannot be listed", error) from error

    def file_names(self, folder: str) -> list[str]:
        """Return the names of the files in a folder (see `names`).

        Raises:
            PaimonKsyError: The folder cannot be listed.
        """
        if (local := self._local(folder)) is not None:
            return [name for name in self.names(folder) if not (local / name).is_dir()]
        return [item.name for item in self.listing(folder) if not item.is_folder]

    def listing(self, folder: str) -> list[FolderItem]:
        """Return the entries of a folder, by name; none if it does not exist.

        Raises:
            PaimonKsyError: The folder cannot be listed.
        """
        return sorted(self.items(folder), key=lambda item: item.name)

    def items(self, folder: str) -> Iterator[FolderItem]:
        """Yield the entries of a folder in any order: local ones while the folder is listed.

        Raises:
            PaimonKsyError: The folder cannot be listed.
        """
        self.check_folder(folder)
        try:
            if (local := self._local(folder)) is not None:
                yield from _local_items(local)
            elif self.file_io.exists(folder):
                yield from map(_folder_item, self.file_io.list_status(folder))
        except Exception as error:  # as above
            raise _failed(folder, "cannot be listed", error) from error

    def delete(self, path: str) -> None:
        """Delete the file if it exists; never raise an error."""
        with suppress(PaimonKsyError):
            self._check_place(path)
            self.file_io.delete_quietly(path)

    def remove(self, path: str) -> bool:
        """Delete a file, or a link to one, and return whether it existed.

        Raises:
            PaimonKsyError: The file still exists.
        """
        self._check_place(path)
        try:
            if (local := self._local(path)) is not None:
                local.unlink()
            else:
                was_there = bool(self.file_io.delete(path))
                if self.file_io.exists(path):  # some file systems raise nothing
                    raise PaimonKsyError("cannot be deleted: it still exists", path=path)
                return was_there
        except FileNotFoundError:
            return False
        except PaimonKsyError:
            raise
        except Exception as error:  # each file system raises its own
            reason = getattr(error, "strerror", None) or first_line(error)
            raise PaimonKsyError(f"cannot be deleted: {reason}", path=path) from error
        return True

    def check(self, path: str) -> None:
        """Check that the table may use this file.

        Raises:
            OutsideError: The file is outside of the table's folders.
            CorruptFileError: The path does not end with a file name.
        """
        if self.roots is not None:
            self.roots.check_file(path)

    def check_folder(self, folder: str) -> None:
        """Check that the table may use this folder.

        Raises:
            OutsideError: The folder is outside of the table's folders.
        """
        if self.roots is not None:
            self.roots.check_folder(folder)

    def _check_place(self, path: str) -> None:
        """Check only the folder, because the file in it may be a link to elsewhere."""
        if self.roots is not None:
            self.roots.check(path)

    def _place(self, path: str) -> Any:
        """Return what `open_source` takes: a local path, or an Arrow file system and a path."""
        if self.is_local:
            return _local_path(path)
        if hasattr(self.file_io, "filesystem"):
            return self.file_io.filesystem, self.file_io.to_filesystem_path(path)
        return self.file_io.new_input_stream(path)

    def _local(self, path: str) -> Path | None:
        """Return the local path, because pypaimon's own calls check a file several times."""
        return Path(_local_path(path)) if self.is_local else None


def _local_path(path: str) -> str:
    here = None if path.startswith("/") else local_path(path)
    return path if here is None else here


def _failed(path: str, what: str, error: Exception, doing: str = "read") -> PaimonKsyError:
    otherwise = PaimonKsyError(f"{what}: {first_line(error)}", path=path)
    return cause_of(error, path, otherwise, doing)


def _local_items(folder: Path) -> Iterator[FolderItem]:
    if not folder.exists():
        return
    with os.scandir(folder) as found:
        for item in found:
            with suppress(FileNotFoundError):  # it was deleted meanwhile, or is a dangling link
                status = item.stat()
                is_folder = item.is_dir()
                size = 0 if is_folder else status.st_size
                yield FolderItem(item.name, is_folder, size, status.st_mtime)


def _folder_item(status: Any) -> FolderItem:
    modified: Any = getattr(status, "mtime", None)
    if hasattr(modified, "timestamp"):
        modified = modified.timestamp()
    return FolderItem(status.base_name, status.type.name == "Directory", status.size or 0, modified)
