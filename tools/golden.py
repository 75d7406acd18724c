"""Pack data for tests, so that two runs give the same bytes."""

from __future__ import annotations

import io
import lzma
import tarfile
from collections.abc import Iterable, Iterator
from pathlib import Path


def pack(members: Iterable[tuple[str, bytes]]) -> bytes:
    """Return an archive as bytes: names in the order given, no times, no owners."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for name, data in members:
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME)


def members(folder: Path) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file to pack; not checksums of Hadoop's file system."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix != ".crc":
            yield path.relative_to(folder).as_posix(), path.read_bytes()
