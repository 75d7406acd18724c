"""A table's files, wherever they are, by path: read by range, written under new names."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from paimon_ksy.errors import AccessError, PaimonKsyError, first_line, is_denied
from paimon_ksy.generated.arrays import Buffer
from paimon_ksy.source import Source, open_source


@dataclass(frozen=True)
class Listed:
    """A file or folder in a folder. `modified` is in seconds since 1970, None if not known."""

    name: str
    is_folder: bool
    size: int
    modified: float | None


@dataclass(frozen=True)
class Storage:
    """pypaimon's `FileIO` of a table. It can be pickled, and so be sent to where the work is."""

    file_io: Any

    @property
    def identity(self) -> Hashable:
        """The same of two where a path is the same file in both."""
        return "local" if self.is_local else self.file_io

    @property
    def is_local(self) -> bool:
        """Whether files are those of this machine."""
        return type(self.file_io).__name__ == "LocalFileIO"

    def open(self, path: str) -> Source:
        """Open a file to be read by range. Raises PaimonKsyError if it cannot be opened."""
        return open_source(self._place(path))

    def open_native(self, path: str) -> Any:
        """The file as Arrow opens it, to be read by several threads at once.

        None where Arrow has no such file system. Raises PaimonKsyError.
        """
        place = self._place(path)
        try:
            if isinstance(place, str):
                return pa.OSFile(place)
            return place[0].open_input_file(place[1]) if isinstance(place, tuple) else None
        except FileNotFoundError:
            raise PaimonKsyError(f"{path}: no such file") from None
        except Exception as error:  # each file system raises its own
            if is_denied(error):
                raise AccessError.of(path) from error
            raise PaimonKsyError(f"{path}: cannot be opened: {first_line(error)}") from error

    def read(self, path: str) -> bytes:
        """A whole small file. Raises PaimonKsyError."""
        with self.open(path) as source:
            return source.read(0, source.size)

    def write(self, path: str, *parts: Buffer) -> None:
        """Write a file that is not there yet; nothing is left of one that could not be finished.

        Raises PaimonKsyError, also if there is one of this name.
        """
        if self.exists(path):
            raise PaimonKsyError(f"{path}: is there already, and is never overwritten")
        try:
            with self.file_io.new_output_stream(path) as stream:
                for part in parts:
                    stream.write(part)
        except Exception as error:  # each file system raises its own
            self.delete(path)
            raise PaimonKsyError(f"{path}: cannot be written: {first_line(error)}") from error

    def exists(self, path: str) -> bool:
        """Whether there is such a file. Raises AccessError if its folder may not be looked into."""
        try:
            if (local := self._local(path)) is not None:
                return local.exists()
        except PermissionError as error:
            raise AccessError.of(path) from error
        return bool(self.file_io.exists(path))

    def size(self, path: str) -> int:
        """Bytes of the file. Raises PaimonKsyError if it is not there."""
        try:
            if (local := self._local(path)) is not None:
                return local.stat().st_size
            return int(self.file_io.get_file_size(path))
        except Exception as error:  # as above
            if isinstance(error, FileNotFoundError):
                raise PaimonKsyError(f"{path}: no such file") from error
            raise PaimonKsyError(f"{path}: cannot be looked at: {first_line(error)}") from error

    def names(self, folder: str) -> list[str]:
        """Names of what is in a folder, sorted; none if it is not there. Raises PaimonKsyError."""
        try:
            if (local := self._local(folder)) is not None:
                return sorted(item.name for item in local.iterdir()) if local.is_dir() else []
            if not self.file_io.exists(folder):
                return []
            return sorted(status.base_name for status in self.file_io.list_status(folder))
        except Exception as error:  # as above
            raise PaimonKsyError(f"{folder}: cannot be listed: {first_line(error)}") from error

    def file_names(self, folder: str) -> list[str]:
        """Names of the files in a folder, as `names`. Raises PaimonKsyError."""
        if (local := self._local(folder)) is not None:
            return [name for name in self.names(folder) if not (local / name).is_dir()]
        return [item.name for item in self.listing(folder) if not item.is_folder]

    def listing(self, folder: str) -> list[Listed]:
        """What is in a folder, by name; nothing if it is not there. Raises PaimonKsyError."""
        try:
            if not self.file_io.exists(folder):
                return []
            found = [_listed(status) for status in self.file_io.list_status(folder)]
        except Exception as error:  # as above
            raise PaimonKsyError(f"{folder}: cannot be listed: {first_line(error)}") from error
        return sorted(found, key=lambda item: item.name)

    def delete(self, path: str) -> None:
        """Delete the file if it is there; never raises."""
        self.file_io.delete_quietly(path)

    def _place(self, path: str) -> Any:
        """What `open_source` takes: a local path, or an Arrow file system and a path in it."""
        if self.is_local:
            return self._local_path(path)
        if hasattr(self.file_io, "filesystem"):
            return self.file_io.filesystem, self.file_io.to_filesystem_path(path)
        return self.file_io.new_input_stream(path)

    def _local(self, path: str) -> Path | None:
        """The path on this machine; pypaimon's own calls look at a file several times."""
        return Path(self._local_path(path)) if self.is_local else None

    def _local_path(self, path: str) -> str:
        return path if path.startswith("/") else str(self.file_io.to_filesystem_path(path))


def _listed(status: Any) -> Listed:
    modified: Any = getattr(status, "mtime", None)
    if hasattr(modified, "timestamp"):
        modified = modified.timestamp()
    return Listed(status.base_name, status.type.name == "Directory", status.size or 0, modified)
