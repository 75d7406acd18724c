"""The files that a commit writes: recorded, and on this machine never over another snapshot."""

from __future__ import annotations

import errno
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from paimon_ksy.io.whole_file import whole_file

_NO_LINKS = frozenset((errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK))
"""Error codes of file systems without hard links."""


class NotMadeError(Exception):
    """An attempt to commit that ended before any effect was visible; the cause is attached."""


def local_links(file_io: Any) -> Any:
    """Return a FileIO whose `try_to_write_atomic` never replaces a local file."""
    return LocalLinks(file_io) if type(file_io).__name__ == "LocalFileIO" else file_io


class RecordedFiles:
    """A FileIO that records the files that are written.

    Attributes:
        written: Their paths, also if writing failed.
    """

    def __init__(self, file_io: Any) -> None:
        self._file_io = file_io
        self.written: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._file_io, name)

    def new_output_stream(self, path: str) -> Any:
        """Open a new file for writing."""
        self.written.append(path)
        return self._file_io.new_output_stream(path)


class LocalLinks(RecordedFiles):
    """A local FileIO whose `try_to_write_atomic` never replaces a file, unlike `write_file`.

    pypaimon's own method checks whether the file exists, and then renames over it. In between,
    another process may write the same snapshot, which would be lost. And two processes that write
    the hint LATEST at once would leave a mixture of two numbers.
    """

    def try_to_write_atomic(self, path: str, content: str) -> bool:
        """Write the file if it does not exist yet, and return whether it was written."""
        target = Path(self._file_io.to_filesystem_path(path))
        made = target.with_name(f".{target.name}.{uuid.uuid4()}.tmp")
        try:
            try:
                made.write_text(content, encoding="utf-8")
            except OSError as error:
                raise NotMadeError(error) from error
            target.hardlink_to(made)
        except FileExistsError:
            return False
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            return bool(self._file_io.try_to_write_atomic(path, content))
        finally:
            with suppress(OSError):  # the file is hidden, and the commit unaffected
                made.unlink(missing_ok=True)
        return True

    def write_file(self, path: str, content: str, *, overwrite: bool) -> None:
        """Replace a hint by a complete file."""
        with whole_file(Path(self._file_io.to_filesystem_path(path)), "w") as file:
            file.write(content)
