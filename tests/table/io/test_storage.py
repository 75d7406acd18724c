"""The storage of a table: files are written whole, and never over others."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any, cast

import pytest

from paimon_ksy.errors import (
    PaimonKsyError,
)
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.store import Table
from tests.support.tables import (
    STATUS,
    files,
    make,
    rows,
)


def test_storage_refuses_what_is_there(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 4)], STATUS)
    storage: Storage = Table.at(path).storage
    (file,) = files(path)
    with pytest.raises(PaimonKsyError, match="never overwritten"):
        storage.write(file.path, b"")
    assert file.without_statistics().key == file.key


def test_storage_leaves_nothing_of_a_file_that_it_could_not_finish(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 4)])
    storage: Storage = Table.at(path).storage
    place = f"{path}/some.index"
    with pytest.raises(PaimonKsyError, match=r"some\.index: .*NoneType"):
        storage.write(place, b"first", cast("Any", None))
    assert not Path(place).exists()


def test_streams_are_closed_with_their_source(tmp_path: Path) -> None:
    """File systems that Arrow does not know give streams."""
    opened = []

    class Files:
        def new_input_stream(self, path: str) -> Any:
            opened.append(io.BytesIO(Path(path).read_bytes()))
            return opened[-1]

    (tmp_path / "file").write_bytes(b"abc")
    storage = Storage.of(Files(), str(tmp_path))
    with storage.open(str(tmp_path / "file")) as source:
        assert source.read(1, 1) == b"b"
    assert [stream.closed for stream in opened] == [True]
