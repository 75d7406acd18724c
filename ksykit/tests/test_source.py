"""Sources of bytes that are read by range."""

import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ksykit.io import open_source
from ksykit.runtime.errors import EndError, FormatError

DATA = bytes(range(256)) * 100


def of_path(folder: Path) -> Any:
    path = folder / "data"
    path.write_bytes(DATA)
    return path


KINDS: dict[str, Callable[[Path], Any]] = {
    "path": of_path,
    "text": lambda folder: str(of_path(folder)),
    "bytes": lambda folder: DATA,
    "file": lambda folder: io.BytesIO(DATA),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_source_reads_ranges(kind: str, tmp_path: Path) -> None:
    with open_source(KINDS[kind](tmp_path)) as source:
        assert source.size == len(DATA)
        for start, end in ((0, 4), (250, 260), (25_000, 25_600), (25_600, 25_600)):
            assert source.read(start, end - start) == DATA[start:end]
        ranges = [(0, 3), (5, 9), (20_000, 20_001)]
        assert [bytes(part) for part in source.read_ranges(ranges)] == [
            DATA[start:end] for start, end in ranges
        ]
        assert source.file.read() == DATA
        for pos, length in ((-1, 2), (0, len(DATA) + 1), (len(DATA), 1), (3, -1)):
            with pytest.raises(FormatError, match="outside the file"):
                source.read(pos, length)


def test_a_file_that_became_shorter_ends_early(tmp_path: Path) -> None:
    path = of_path(tmp_path)
    with open_source(path) as source:
        os.truncate(path, 100)
        with pytest.raises(EndError):
            source.read(90, 20)


def test_what_cannot_be_read_by_range_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ValueError, match="a named pipe"):
        open_source(tmp_path / "pipe")
    with pytest.raises(IsADirectoryError):
        open_source(tmp_path)
    with pytest.raises(FileNotFoundError):
        open_source(tmp_path / "none")
    with pytest.raises(ValueError, match="text mode"):
        open_source(io.StringIO("text"))
    with pytest.raises(TypeError, match="list"):
        open_source([1])
