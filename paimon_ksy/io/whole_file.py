"""Write local files that are either complete or do not exist."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from paimon_ksy.errors import PaimonKsyError


@contextmanager
def whole_file(path: Path, mode: str = "wb", *, name: str | None = None) -> Iterator[IO[Any]]:
    """Open a file for writing; it appears under its name only when it is complete.

    Args:
        path: The file. An existing file is replaced.
        mode: "wb" or "w", which writes UTF-8.
        name: The name in messages; by default, the path.

    Raises:
        PaimonKsyError: The file cannot be written.
    """
    encoding = None if "b" in mode else "utf-8"
    # Threads share a process id. In containers, a killed program and the next one also do.
    temporary = path.with_name(f".{path.name}.{os.urandom(4).hex()}.tmp")
    try:
        with temporary.open(mode.replace("w", "x"), encoding=encoding) as file:
            yield file
        temporary.replace(path)
    except BaseException as error:
        temporary.unlink(missing_ok=True)
        if not isinstance(error, OSError) or isinstance(error, PaimonKsyError):
            raise
        reason = (error.strerror or str(error)).lower()
        raise PaimonKsyError(f"cannot be written: {reason}", path=name or path) from error
