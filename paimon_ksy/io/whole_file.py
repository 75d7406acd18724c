"""A new local file, which is whole or does not exist."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from paimon_ksy.errors import PaimonKsyError


@contextmanager
def whole_file(path: Path, mode: str = "wb", *, name: str | None = None) -> Iterator[IO[Any]]:
    """Open a file to write, which gets its name when all is written.

    Args:
        path: The file. One that exists is replaced.
        mode: "wb" or "w", which writes UTF-8.
        name: What the user calls it, for messages; by default its path.

    Raises:
        PaimonKsyError: It cannot be written.
    """
    encoding = None if "b" in mode else "utf-8"
    # Threads share a process id, and in containers so do a killed program and the next one.
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open(mode.replace("w", "x"), encoding=encoding) as file:
            yield file
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        reason = (error.strerror or str(error)).lower()
        raise PaimonKsyError(f"cannot be written: {reason}", path=name or path) from error
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
