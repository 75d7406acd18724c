"""What is wrong with a file is told in one line: the file, the column, the byte, and a remedy."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from paimon_ksy.types.schema import Schema
from tests import ROOT

SCHEMA = "s STRING, n INT, b BIGINT"
TABLE = pa.table(
    {
        "s": ["a", "b", "a", None, "c"],
        "n": pa.array([1, 2, 1, None, 70_000], pa.int32()),
        "b": pa.array([5, 6, 7, 8, None], pa.int64()),
    }
)
INDEXES = {
    "bitmap": "s",
    "bsi": "n",
    "range-bitmap": "n",
    "bloom-filter": "b",
}
ODD = {"bitmap": 0, "bsi": 0, "range-bitmap": 4}
"""Bytes of a changed index up to the first field that cannot be."""
QUESTIONS = {"s": "s = 'a'", "n": "n > 1", "b": "b = 5"}

# Remedies, by the kind of file.
INDEX = "to rebuild it, see `paimon-ksy build --help`"
VECTOR = "`paimon-ksy table audit TABLE` lists the older snapshots that have a sound vector"
PLACE = ".dv` finds all of its vectors"
GIVE_INDEX = "pass the index of a data file"
GIVE_VECTORS = "a vector file"
GIVE_DATA = "a data file"
RESTORE = "restore it from a backup"
WHAT_IT_IS = "` shows what"
DUMP = "pass JSON that `paimon-ksy dump` prints"


def index_file(kind: str) -> bytes:
    options = {f"file-index.{kind}.columns": INDEXES[kind]}
    if kind == "bloom-filter":
        options["file-index.bloom-filter.b.items"] = "5"
    return build_file_index(TABLE, Schema.parse(SCHEMA), options)


def body(kind: str) -> int:
    """Where the index starts in its file."""
    with FileIndex.open(index_file(kind)) as index:
        return int(index.places[INDEXES[kind]][kind].ofs_body)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("errors")
    for kind in INDEXES:
        data = index_file(kind)
        (folder / f"{kind}.index").write_bytes(data)
        at = body(kind)
        (folder / f"{kind}-cut.index").write_bytes(data[: at + 3])
        changed = bytearray(data)
        changed[at : at + 5] = b"\x7f" * 5  # versions, lengths
        (folder / f"{kind}-odd.index").write_bytes(bytes(changed))
    head = index_file("bitmap")
    (folder / "head-cut.index").write_bytes(head[:25])
    (folder / "version.index").write_bytes(head[:11] + b"\x09" + head[12:])
    for bits in (32, 64):
        write_vectors(folder / f"{bits}.dv", {"f": DeletionVector.of([1, 3], bits)})
        vector = (folder / f"{bits}.dv").read_bytes()
        (folder / f"{bits}-cut.dv").write_bytes(vector[:-6])
        (folder / f"{bits}-crc.dv").write_bytes(vector[:-1] + bytes([vector[-1] ^ 1]))
        (folder / f"{bits}-version.dv").write_bytes(b"\x02" + vector[1:])
    write_vectors(folder / "far.dv", {"f": DeletionVector.of([999])})
    pq.write_table(TABLE, folder / "data.parquet")
    data = (folder / "data.parquet").read_bytes()
    (folder / "cut.parquet").write_bytes(data[:-20])
    (folder / "empty").write_bytes(b"")
    (folder / "text").write_text("not a file of a table\n" * 3)
    (folder / "half.json").write_text('{"parts": [')
    (folder / "deep.json").write_text("[" * 100_000)
    (folder / "other.json").write_text("[1]")
    (folder / "object.json").write_text("{}")
    (folder / "part.json").write_text('{"parts": [{"at": 0}]}')
    (folder / "type.json").write_text(json.dumps({"parts": [{"at": 0, "$type": "nope"}]}))
    return folder


Case = tuple[tuple[str, ...], str, str | None, int | None, str]


def cases() -> Iterator[Case]:
    """A command, the file that it complains of, the column, the byte, and the remedy."""
    schema = ("--schema", SCHEMA)
    for kind, column in INDEXES.items():
        at = body(kind)
        question = (*schema, "--where", QUESTIONS[column])
        for file in (f"{kind}-cut.index", f"{kind}-odd.index"):
            if kind == "bloom-filter" and "odd" in file:
                continue  # its first bytes say how often to hash: any number can stand there
            byte = at + ODD[kind] if "odd" in file else None
            yield ("inspect", file, *schema), file, column, byte, INDEX
            yield ("eval", file, *question), file, column, byte, INDEX
    for command in (("inspect",), ("dump",), ("eval", *schema, "--where", "n = 1")):
        name, *options = command
        yield (name, "head-cut.index", *options), "head-cut.index", None, 25, INDEX
        yield (name, "version.index", *options), "version.index", None, 8, INDEX
    question = (*schema, "--where", "n = 1")
    yield ("eval", "empty", *question), "empty", None, 0, INDEX
    yield ("eval", "text", *question), "text", None, 0, GIVE_INDEX
    for file in ("data.parquet", "32.dv"):
        yield ("eval", file, *question), file, None, 0, WHAT_IT_IS
    for name in ("inspect", "dump"):
        yield (name, "empty"), "empty", None, 0, RESTORE
    for bits in (32, 64):
        broken = {"cut": (1, VECTOR), "crc": (1, VECTOR), "version": (0, GIVE_VECTORS)}
        for what, (byte, remedy) in broken.items():
            file = f"{bits}-{what}.dv"
            yield ("dv", "show", file), file, None, byte, remedy
            yield ("dv", "apply", file, "data.parquet"), file, None, byte, remedy
            asked = ("eval", "bitmap.index", *schema, "--dv", file)
            yield asked, file, None, byte, remedy
        sound = f"{bits}.dv"
        yield ("dv", "show", f"{sound}:1:9"), sound, None, 1, PLACE
        yield ("dv", "show", f"{sound}:2"), sound, None, 2, PLACE
        yield ("dv", "apply", f"{sound}:999", "data.parquet"), sound, None, 999, PLACE
    for file in ("text", "data.parquet", "bitmap.index"):
        yield ("dv", "show", file), file, None, 0, GIVE_VECTORS
    yield ("dv", "show", "empty"), "empty", None, 0, VECTOR
    for file in ("empty", "text", "bitmap.index"):
        yield ("build", file, "-i", "bitmap:s", "-o", "new"), file, None, 0, GIVE_DATA
        yield ("dv", "apply", "32.dv", file), file, None, 0, GIVE_DATA
    build = ("build", "cut.parquet", "-i", "bitmap:s", "-o", "new")
    yield build, "cut.parquet", None, None, RESTORE
    yield ("dv", "apply", "32.dv", "cut.parquet"), "cut.parquet", None, None, RESTORE
    for file in ("empty", "text", "data.parquet", "half.json", "deep.json"):
        yield ("assemble", file, "-o", "new"), file, None, None, DUMP
    yield ("assemble", "part.json", "-o", "new"), "part.json", None, None, "no type 'None'"
    for file in ("other.json", "object.json"):
        yield ("assemble", file, "-o", "new"), file, None, None, "make one with `dump`"
    yield ("assemble", "type.json", "-o", "new"), "type.json", None, None, "no type 'nope'"


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: " ".join(case[0]))
def test_what_is_wrong_with_a_file(
    case: Case, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    command, file, column, byte, remedy = case
    monkeypatch.chdir(folder)
    assert run(command) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert err.startswith(f"paimon-ksy: {file}: ")
    assert (f"column {column!r}, byte " in err) == (column is not None)
    if byte is not None:
        assert f"byte {byte}: " in err
    assert not re.search(r"(byte \d+): \1", err)
    assert remedy in err
    assert not Path("new").exists()


METADATA = "to see which snapshots can be read, run `paimon-ksy table inspect /"
BROKEN_TABLES = {
    "data file": ("bucket-0/*.parquet", "cannot be read as parquet", RESTORE),
    "manifest": ("manifest/manifest-[0-9a-f]*", "cannot be read: ", METADATA),
    "manifest list": ("manifest/manifest-list-*", "cannot be read: ", METADATA),
    "snapshot": ("snapshot/snapshot-4", "cannot be read: ", "restore the file from a backup"),
}


@pytest.mark.parametrize("what", BROKEN_TABLES)
def test_what_is_wrong_with_a_table(
    what: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pattern, message, remedy = BROKEN_TABLES[what]
    table = tmp_path / "orders"
    shutil.copytree(ROOT / "examples/warehouse/default.db/orders", table)
    for path in table.glob(pattern):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    for command in (["count", table, "-w", "amount > 0"], ["inspect", table]):
        assert run(["table", *map(str, command)]) == 1
        lines = capsys.readouterr().err.splitlines()
        assert lines
        assert all(line.startswith(f"paimon-ksy: {table}/") for line in lines)
        assert all(remedy in line for line in lines)
        assert message in lines[0] or "bytes, but should have" in lines[0]
