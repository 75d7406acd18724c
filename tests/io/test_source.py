"""Sources: what is read by range, what is counted, and what cannot be opened."""

import copy
import io
import os
import pickle
import re
import sys
from pathlib import Path

import fsspec
import pyarrow as pa
import pyarrow.fs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ksykit.runtime.errors import EndError

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.install import how_to_install

DATA = bytes(range(256)) * 400


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "data.bin"
    path.write_bytes(DATA)
    return path


KINDS = ["path", "text", "bytes", "bytearray", "memoryview", "file URL", "memory URL", "pyarrow"]
KINDS += ["pyarrow path", "BytesIO", "pyarrow file", "fsspec file"]


def sources(path: Path) -> dict[str, object]:
    with fsspec.open("memory://folder/data.bin", "wb") as file:
        file.write(DATA)
    return {
        "path": path,
        "text": str(path),
        "bytes": DATA,
        "bytearray": bytearray(DATA),
        "memoryview": memoryview(DATA),
        "file URL": path.as_uri(),
        "memory URL": "memory://folder/data.bin",
        "pyarrow": (pyarrow.fs.LocalFileSystem(), str(path)),
        "pyarrow path": (pyarrow.fs.LocalFileSystem(), path),
        "BytesIO": io.BytesIO(DATA),
        "pyarrow file": pa.BufferReader(DATA),
        "fsspec file": fsspec.open("memory://folder/data.bin").open(),
    }


@pytest.mark.parametrize("kind", KINDS)
def test_ranges_of_each_kind_of_source(kind: str, path: Path) -> None:
    with open_source(sources(path)[kind]) as source:
        assert source.size == len(DATA)
        assert source.read(1000, 5) == DATA[1000:1005]
        assert source.read(3, 2) == DATA[3:5]
        source.file.seek(50_000)
        assert source.file.read(1) == DATA[50_000:50_001]
        assert source.read(len(DATA) - 1, 1) == DATA[-1:]
        assert source.read(len(DATA), 0) == b""
        assert 8 <= source.bytes_read <= 80_000
        for pos, length in [(len(DATA) - 1, 2), (len(DATA) + 1, 0), (-1, 1), (0, -1), (2**40, 2)]:
            with pytest.raises(CorruptFileError) as error:
                source.read(pos, length)
            assert (error.value.path, error.value.offset) == (source.name, pos)


@pytest.mark.parametrize("kind", KINDS)
def test_many_ranges(kind: str, path: Path) -> None:
    ranges = [(0, 3), (3, 3), (5, 9), (7, 8), (500, 90_000), (90_100, 90_200), (102_399, 102_400)]
    with open_source(sources(path)[kind]) as source:
        assert [bytes(x) for x in source.read_ranges(ranges)] == [DATA[a:b] for a, b in ranges]
        assert list(source.read_ranges([])) == []
        before = source.bytes_read
        some = source.read_ranges([(10, 20), (50_000, 50_020), (100_000, 102_401)])
        assert bytes(next(some)) == DATA[10:20]
        assert source.bytes_read <= before + 20_000 or not source.is_near
        assert bytes(next(some)) == DATA[50_000:50_020]
        with pytest.raises(CorruptFileError, match="outside the file"):
            next(some)


def test_a_file_that_got_shorter_is_an_error(path: Path) -> None:
    with open_source(path) as source:
        path.write_bytes(DATA[:100])
        assert source.read(0, 100) == DATA[:100]
        with pytest.raises(EndError):
            source.read(0, 101)


def test_a_source_of_the_caller_stays_open(path: Path) -> None:
    file = path.open("rb")
    open_source(file).close()
    assert not file.closed
    file.close()


@pytest.mark.any_names
def test_only_a_local_file_is_one_of_arrow(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/not UTF-8: \xff"
    Path(os.fsdecode(path)).write_bytes(b"abc")
    with open_source(os.fsdecode(path)) as source, source.native() as native:
        assert native.read_at(2, 1) == b"bc"
        assert source.bytes_read == 0
    assert open_source(b"abc").native() is None


def test_what_was_opened_here_is_closed(path: Path) -> None:
    source = open_source(path)
    source.close()
    source.close()
    with pytest.raises(PaimonKsyError, match="is closed"):
        source.read(0, 1)


def test_an_open_file_cannot_be_copied(path: Path) -> None:
    # The copy would have the number of a descriptor, which is another file's sooner or later.
    with open_source(path) as source:
        for copied in (pickle.dumps, copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="is an open file: open it where it is read"):
                copied(source)
        assert source.read(0, 3) == DATA[:3]


def test_only_what_is_asked_for_is_fetched_from_afar(path: Path) -> None:
    big = DATA * 100
    with fsspec.open("memory://big.bin", "wb") as file:
        file.write(big)
    with open_source("memory://big.bin") as source:
        source.read(5_000_000, 100)
        assert source.bytes_read <= 16 * 1024


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ("nowhere.index", "nowhere.index: no such file"),
        ("memory://nowhere.index", "memory://nowhere.index: no such file"),
        (".", ".: is a directory"),
        ("nosuchscheme://x/y", "nosuchscheme://x/y: "),
        ((pyarrow.fs.LocalFileSystem(), "/nowhere.index"), "/nowhere.index: no such file"),
        (io.StringIO("text"), "<StringIO>: cannot be opened: it is open in text mode"),
        (7, "cannot read from an int: pass a path"),
    ],
)
def test_errors_are_one_line(wrong: object, message: str) -> None:
    with pytest.raises(PaimonKsyError) as error:
        open_source(wrong)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)


def test_a_file_without_permission(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    # Tests may run as root, who may read anything.
    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(PaimonKsyError, match=r"data\.bin: no permission to read it"):
        open_source(path)


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(PaimonKsyError, match="it is a named pipe"):
        open_source(pipe)  # without waiting for somebody who writes to it


def test_without_fsspec_a_url_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fsspec.core", None)
    with pytest.raises(PaimonKsyError, match=re.escape(how_to_install("remote"))):
        open_source("s3://bucket/data.index")


@pytest.mark.parametrize(
    ("url", "package"),
    [("http://host/x.index", r"fsspec\[http\]"), ("s3://bucket/x.index", r"fsspec\[s3\]")],
)
def test_without_the_package_of_a_scheme_a_url_says_what_to_install(
    url: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("aiohttp", "s3fs", "fsspec.implementations.http"):
        monkeypatch.setitem(sys.modules, module, None)
    known = sys.modules["fsspec.registry"]._registry
    monkeypatch.delitem(known, url.partition(":")[0], raising=False)
    with pytest.raises(PaimonKsyError) as raised:
        open_source(url)
    assert re.search(f"^{url}: .*: pip install '{package}'$", str(raised.value))


STEPS = st.lists(st.tuples(st.sampled_from("srpe"), st.integers(0, 700)), max_size=12)


SHORT = bytes(range(200)) * 3


@examples(100)
@given(steps=STEPS)
def test_it_reads_as_a_file(steps: list[tuple[str, int]]) -> None:
    own = io.BytesIO(SHORT)
    with open_source(SHORT) as source:
        file = source.unbuffered
        assert file.readable() and file.seekable()
        for what, number in steps:
            if what == "s":
                assert file.seek(number) == own.seek(number)
            elif what == "e":
                assert file.seek(-number % 600, io.SEEK_END) == own.seek(-number % 600, io.SEEK_END)
            elif what == "r":
                assert file.read(number) == own.read(number)
            else:
                buffers = bytearray(number), bytearray(number)
                assert file.readinto(buffers[0]) == own.readinto(buffers[1])
                assert buffers[0] == buffers[1]
            assert file.tell() == own.tell()
        file.seek(0)
        assert file.read() == SHORT
