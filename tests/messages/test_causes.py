"""What a file could not be read for: each cause is told from damage, wherever it is met."""

from __future__ import annotations

import errno
import http.client
import os
import shlex
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from typer.testing import CliRunner

from paimon_ksy.cli.app import app
from paimon_ksy.data_files.open import (
    REMEDY_MISSING,
    RESTORE,
    columns_of,
    open_data_file,
    read_columns,
)
from paimon_ksy.errors import (
    AccessError,
    CorruptFileError,
    InternalError,
    MissingFileError,
    OutOfMemoryError,
    PaimonKsyError,
    UnreachableError,
    with_remedy,
)
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.messages.causes import cause_of
from paimon_ksy.messages.commands import table_words
from paimon_ksy.table import formats as rows
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store.errors import translated_errors
from tools.tables import make_table

ENGINE = local_engine(1)


def raised_by_us() -> Exception:
    """As a mistake in a module of ours raises it."""
    try:
        Source("x", None, None, None).read(0, 1)  # type: ignore[arg-type]
    except TypeError as error:
        return error
    raise AssertionError


def raised_by_arrow(data: bytes) -> Exception:
    import pyarrow.parquet as pq

    try:
        pq.read_table(pa.BufferReader(data))
    except Exception as error:
        return error
    raise AssertionError


def chained(outer: Exception, inner: BaseException) -> Exception:
    outer.__cause__ = inner
    return outer


CAUSES: dict[str, tuple[Callable[[], Exception], type[PaimonKsyError]]] = {
    "reset": (lambda: ConnectionResetError(errno.ECONNRESET, "reset by peer"), UnreachableError),
    "unreachable": (lambda: OSError(errno.ENETUNREACH, "unreachable"), UnreachableError),
    "timeout": (lambda: TimeoutError("read"), UnreachableError),
    "no name": (lambda: socket.gaierror(-2, "Name or service not known"), UnreachableError),
    "cut off": (lambda: http.client.IncompleteRead(b"x"), UnreachableError),
    "store of Arrow": (
        lambda: OSError("AWS Error NETWORK_CONNECTION during HeadObject operation: curlCode: 7"),
        UnreachableError,
    ),
    "wrapped": (lambda: chained(RuntimeError("failed"), ConnectionError()), UnreachableError),
    "memory": (lambda: MemoryError(), OutOfMemoryError),
    "memory of Arrow": (lambda: pa.ArrowMemoryError("malloc of size 9"), OutOfMemoryError),
    "denied": (lambda: PermissionError(errno.EACCES, "denied"), AccessError),
    "denied by a store": (lambda: OSError("AWS Error ACCESS_DENIED: no"), AccessError),
    "missing": (lambda: FileNotFoundError(errno.ENOENT, "gone"), MissingFileError),
    "our mistake": (raised_by_us, InternalError),
    "disk": (lambda: OSError(errno.EIO, "Input/output error"), PaimonKsyError),
    "no Parquet": (lambda: raised_by_arrow(b"PAR1 and nothing PAR1"), CorruptFileError),
    "cut short": (lambda: raised_by_arrow(b"PAR1"), CorruptFileError),
    "text": (lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid"), CorruptFileError),
    "thrift": (lambda: OSError("Couldn't deserialize thrift: No more data"), CorruptFileError),
    "library": (lambda: KeyError("x"), CorruptFileError),
}
SOUND = [name for name, (_, kind) in CAUSES.items() if kind is not CorruptFileError]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    data = pa.table({"id": [1, 2, 3]})
    return make_table(tmp_path_factory.mktemp("causes"), "t", [data])


@pytest.mark.parametrize("name", CAUSES)
def test_a_data_file_that_cannot_be_read(
    name: str, table: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make, kind = CAUSES[name]

    def read(*_: Any) -> Iterator[pa.RecordBatch]:
        raise make()
        yield

    monkeypatch.setattr(rows, "_stored_batches", read)
    with pytest.raises(PaimonKsyError, match=r"\.parquet: ") as raised:
        query(table, "id > 1", engine=ENGINE)
    assert type(raised.value) is kind
    shown = with_remedy(raised.value)
    assert (RESTORE in shown) == (kind is CorruptFileError)
    assert raised.value.remedy is not None
    done = CliRunner().invoke(app, ["table", "query", table, "-w", "id > 1", "--engine", "local"])
    assert done.exit_code == 1
    assert done.output.count("\n") == 1
    assert with_remedy(raised.value, table_words(table)).partition("; ")[2] in done.output


@pytest.mark.parametrize("name", SOUND)
def test_sources_and_stores_that_fail(name: str, tmp_path: Path) -> None:
    make, kind = CAUSES[name]

    def fail(*_: Any, **__: Any) -> Any:
        raise make()

    class FileIO:
        exists = get_file_status = list_status = new_output_stream = new_input_stream = fail
        to_filesystem_path = str

        def delete_quietly(self, path: str) -> None:
            pass

    storage = Storage.of(FileIO(), "/")
    asks: list[Callable[[], object]] = [
        lambda: storage.exists("/x"),
        lambda: storage.status("/x"),
        lambda: storage.names("/x"),
        lambda: storage.open("/x"),
        lambda: storage.write("/x", b""),
        lambda: Source("/x", 99, fail, None).read(0, 9),
        lambda: Source("/x", 99, fail, None).file.read(9),
    ]
    for ask in asks:
        with pytest.raises(PaimonKsyError, match=r"^/x: ") as raised:
            ask()
        assert type(raised.value) is kind
    with pytest.raises(PaimonKsyError, match=r"^/x: ") as raised, translated_errors("/x"):
        raise make()
    assert type(raised.value) is kind


@pytest.mark.parametrize("name", SOUND)
def test_a_connection_that_breaks_while_a_data_file_is_read(name: str, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    make, kind = CAUSES[name]
    pq.write_table(pa.table({"a": range(200_000)}), tmp_path / "x.parquet")
    data = (tmp_path / "x.parquet").read_bytes()
    left = 2

    def fetch(pos: int, length: int) -> bytes:
        nonlocal left
        left -= 1
        if left < 0:
            raise make()
        return data[pos : pos + length]

    def read() -> None:
        with open_data_file(Source("x.parquet", len(data), fetch, None)) as opened:
            read_columns(opened, "x.parquet", columns_of(opened, "x.parquet", ["a"]))

    with pytest.raises(PaimonKsyError) as raised:
        read()
    assert type(raised.value) is kind


def test_what_a_worker_did_not_expect_is_called_a_bug() -> None:
    with pytest.raises(InternalError, match=r"^AttributeError: 'int' object has no") as raised:
        list(local_engine(1).map(_mistaken, [1]))
    assert "this is a bug in paimon-ksy" in with_remedy(raised.value)


def _mistaken(task: int) -> Any:
    return task.nothing  # type: ignore[attr-defined]


def test_errors_are_kept_as_they_are() -> None:
    own = AccessError.of("/x")
    assert cause_of(own, "/y", PaimonKsyError("z")) is own
    assert cause_of(chained(RuntimeError("no"), own), "/y", PaimonKsyError("z")) is own


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
@pytest.mark.parametrize("where", ["id = 2", "true"])
def test_a_data_file_that_is_missing(kind: str, where: str, tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [pa.table({"id": [1, 2]})], {"file.format": kind})
    [data] = Path(path).rglob(f"data-*.{kind}")
    data.unlink()
    with pytest.raises(MissingFileError, match=f"{data.name}: no such file$") as raised:
        query(path, where, engine=ENGINE)
    assert raised.value.remedy == REMEDY_MISSING
    assert "damaged" not in with_remedy(raised.value)


@pytest.mark.parametrize("name", ["t", "a b'c"])
def test_an_index_that_is_missing_is_built_again_by_the_command_shown(
    name: str, tmp_path: Path
) -> None:
    options = {
        "file-index.bitmap.columns": "id",
        "file-index.in-manifest-threshold": "1 B",
    }
    path = make_table(tmp_path, name, [pa.table({"id": [1, 2]})], options)
    rewrite_index(path, engine=ENGINE)
    [index] = Path(path).rglob("*.index")
    index.unlink()
    command = ["table", "query", path, "--where", "id = 2"]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 1
    assert f"{index.name}: no such file: it was the index of data-" in done.output
    assert "no rows are lost; to rebuild the index, run `" in done.output
    _, call, _ = done.output.split("`")
    program, *repair = shlex.split(call)
    assert program == "paimon-ksy"
    planned = CliRunner().invoke(app, repair)
    assert planned.output.endswith("to apply this plan, add --yes\n")
    assert CliRunner().invoke(app, [*repair, "--yes"]).exit_code == 0
    assert CliRunner().invoke(app, command).exit_code == 0
    assert count(path, "id = 2", engine=ENGINE).count == 1


def test_a_path_below_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(MissingFileError):
        open_source(os.fspath(tmp_path / "file" / "more"))
