"""`dv`, and what inspect and dump make of files of vectors."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

from paimon_ksy.cli.vectors import VectorArgument, parse_vector_argument
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import read_vectors, write_vectors
from tests.golden.vectors import GoldenVectors, bad_vectors, golden_vectors, mixed
from tests.support.commands import Cli


@pytest.fixture(autouse=True)
def _in_an_empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run each test in an empty folder."""
    monkeypatch.chdir(tmp_path)


GOLDEN = pytest.mark.parametrize("golden", golden_vectors(), ids=lambda g: g.name)


@GOLDEN
def test_show_and_inspect_agree_with_the_manifest(golden: GoldenVectors, cli: Cli) -> None:
    Path("x.dv").write_bytes(golden.data)
    code, out, err = cli("dv", "show", "x.dv", "--format", "json")
    assert (code, err) == (0, "")
    (shown,) = json.loads(out)["files"]
    expected = [
        (r["offset"], r["length"], r["cardinality"], v["bits"])
        for r, v in zip(golden.ranges, golden.vectors, strict=True)
    ]
    told = [(v["byte"], v["length"], v["rows"], v["bits"]) for v in shown["vectors"]]
    assert told == expected
    assert all(
        sum(last + 1 - first for first, last in v["ranges"]) == v["rows"] for v in shown["vectors"]
    )
    code, out, err = cli("inspect", "x.dv", "--format", "json")
    found = json.loads(out)
    assert (code, found["kind"], len(found["vectors"])) == (0, "vectors", len(told))
    assert cli("dv", "verify", "x.dv")[0] == 0


@GOLDEN
def test_dump_and_assemble(golden: GoldenVectors, cli: Cli) -> None:
    Path("x.dv").write_bytes(golden.data)
    assert cli("dump", "x.dv", "-o", "x.json")[0] == 0
    assert cli("assemble", "x.json", "-o", "y.dv")[0] == 0
    assert Path("y.dv").read_bytes() == golden.data


def test_the_tree(cli: Cli) -> None:
    Path("x.dv").write_bytes(mixed())
    code, out, err = cli("dv", "show", "x.dv")
    tree = (
        "x.dv\n"
        "  byte 1: bits 32, length 24, rows 2, max 2, ranges 1-2, containers 1 array\n"
        "  byte 33: bits 64, length 44, rows 2, max 2, ranges 1-2, containers 1 array\n"
        "  byte 77: bits 32, length 19, rows 45, max 49, ranges 5-49, containers 1 run\n"
    )
    assert (code, out, err) == (0, tree, "")
    assert "  byte 33: bits 64, length 44, rows 2, max 2, ranges 1-2" in cli("inspect", "x.dv")[1]
    one = (
        "x.dv:33:44\n  byte 33: bits 64, length 44, rows 2, max 2, ranges 1-2, containers 1 array\n"
    )
    assert cli("dv", "show", "x.dv:33:44")[1] == one


def test_damaged_files(cli: Cli) -> None:
    for bad in bad_vectors():
        Path("bad.dv").write_bytes(bad.data)
        code, out, err = cli("dv", "verify", "bad.dv")
        damaged = bad.name in ("crc_flipped", "magic", "truncated", "version2")
        assert (code, err, "error deletion-vector: " in out) == (3 * damaged, "", damaged), bad.name
        assert cli("dv", "show", "bad.dv")[0] == (1 if damaged else 0)
    good = DeletionVector.of([1]).to_bytes()
    Path("crc.dv").write_bytes(b"\x01" + good[:-1] + bytes([good[-1] ^ 1]))
    for command in (("dv", "show"), ("inspect",)):
        code, out, err = cli(*command, "crc.dv")
        assert (code, ", broken\n" in out) == (1, True)
        start = "paimon-ksy: crc.dv: byte 1: the CRC of the vector is wrong; the file is corrupt"
        assert err.startswith(start)
        assert err.count("\n") == 1
    code, out, err = cli("dv", "verify", "crc.dv", "--format", "json")
    [verified] = json.loads(out)["files"]
    assert (code, err, [each["byte"] for each in verified["findings"]]) == (3, "", [1])
    pq.write_table(pa.table({"row": range(10)}), "data.parquet")
    code, out, err = cli("dv", "verify", "data.parquet")
    assert (code, "data.parquet: byte 0: " in out, "`paimon-ksy inspect data.parquet`" in out) == (
        3,
        True,
        True,
    )
    code, out, err = cli("dv", "verify", "crc.dv", "none.dv")
    assert (code, out.startswith("crc.dv: "), "none.dv: no such file" in err) == (1, True, True)


def test_vectors_before_the_damage_are_shown(cli: Cli) -> None:
    Path("cut.dv").write_bytes(mixed()[:-1])
    code, out, err = cli("dv", "show", "cut.dv")
    assert (code, out.count("ranges 1-2,")) == (1, 2)
    assert err.startswith("paimon-ksy: cut.dv: byte 77: the file ends within a vector")
    code, out, err = cli("dv", "show", "cut.dv", "--format", "json")
    [shown] = json.loads(out)["files"]
    assert (code, len(shown["vectors"]), "byte 77" in shown["error"]) == (1, 2, True)
    assert err.count("\n") == 1
    assert cli("dv", "show", "cut.dv:1")[0] == 0
    Path("cut.dv").write_bytes(mixed()[:20])
    assert cli("dv", "show", "cut.dv")[:2] == (1, "")


@pytest.mark.parametrize("name", ["data.parquet", "data.orc"])
def test_apply(name: str, cli: Cli) -> None:
    table = pa.table({"row": range(60), "s": [str(i) for i in range(60)]})
    write = {"data.parquet": pq.write_table, "data.orc": orc.write_table}[name]
    write(table, name)
    Path("x.dv").write_bytes(mixed())
    line = "x.dv:77: rows 60, deleted rows 45, live rows 15\n"
    assert cli("dv", "apply", "x.dv:77", name) == (0, line, "")
    live = [i for i in range(60) if not 5 <= i < 50]
    for output in ("live.parquet", "live.orc", "live.arrow"):
        code, out, _ = cli("dv", "apply", "x.dv:77:19", name, "-o", output, "--format", "json")
        told = {"rows": 60, "deleted_rows": 45, "live_rows": 15, "output": output}
        assert (code, json.loads(out)) == (0, {"schema_version": 2, **told})
    for found in (
        pq.read_table("live.parquet"),
        orc.read_table("live.orc"),
        pa.ipc.open_file("live.arrow").read_all(),
    ):
        assert found.to_pydict() == {"row": live, "s": [str(i) for i in live]}
    cli("dv", "create", "-p", "0-59", "-o", "all.dv")
    assert cli("dv", "apply", "all.dv", name, "-o", "none.parquet")[0] == 0
    assert pq.read_table("none.parquet").to_pydict() == {"row": [], "s": []}
    code, _, err = cli("dv", "apply", "x.dv:77", name, "-o", "live.parquet")
    assert (code, "--overwrite" in err) == (2, True)
    assert cli("dv", "apply", "x.dv:77", name, "-o", "live.csv")[0] == 2


def test_apply_of_timestamps_that_arrow_lacks(cli: Cli) -> None:
    assert cli("dv", "create", "-p", "2", "-o", "x.dv")[0] == 0
    late = pa.table({"t": pa.array([253_402_300_799] * 3, pa.timestamp("s"))})
    pq.write_table(late, "late.parquet", use_deprecated_int96_timestamps=True)
    assert cli("dv", "apply", "x.dv", "late.parquet")[0] == 0
    code, _, err = cli("dv", "apply", "x.dv", "late.parquet", "-o", "some.parquet")
    assert (code, "after 2262-04-11" in err, Path("some.parquet").exists()) == (2, True, False)


def test_apply_refuses_the_vector_of_another_file(cli: Cli) -> None:
    pq.write_table(pa.table({"row": range(10)}), "data.parquet")
    Path("x.dv").write_bytes(mixed())
    code, _, err = cli("dv", "apply", "x.dv:77", "data.parquet", "-o", "live.parquet")
    assert (code, "another file" in err) == (1, True)
    assert not Path("live.parquet").exists()
    code, _, err = cli("dv", "apply", "x.dv", "data.parquet")
    assert code == 2
    assert "write x.dv:OFFSET with one of the offsets 1, 33, 77" in err
    code, _, err = cli("dv", "apply", "x.dv:77:20", "data.parquet")
    assert (code, "length is 19, but 20 was given" in err) == (1, True)


def test_create_and_merge(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    code, out, _ = cli("dv", "create", "-p", "1, 3 - 5,9", "-o", "a.dv", "--format", "json")
    told = {"output": "a.dv", "bytes": 39, "bits": 32, "byte": 1, "length": 30, "rows": 5}
    assert (code, json.loads(out)) == (0, {"schema_version": 2, **told})
    assert set(next(read_vectors("a.dv")).vector) == {1, 3, 4, 5, 9}
    monkeypatch.setattr("sys.stdin", io.StringIO(f"7\n{2**33}\n 8-9"))
    assert cli("dv", "create", "--positions-file", "-", "--bits", 64, "-o", "b.dv")[0] == 0
    code, out, _ = cli("dv", "merge", "a.dv", "b.dv", "-o", "c.dv")
    assert (code, "bits 64, byte 1, " in out) == (0, True)
    (merged,) = read_vectors("c.dv")
    assert merged.vector == DeletionVector.of([1, 3, 4, 5, 7, 8, 9, 2**33], 64)
    assert cli("dv", "merge", "c.dv", "-o", "d.dv", "--bits", 32)[0] == 2
    assert cli("dv", "merge", "a.dv", "a.dv:1", "-o", "d.dv")[0] == 0
    assert Path("d.dv").read_bytes() == Path("a.dv").read_bytes()
    write_vectors("two.dv", {"a": DeletionVector(), "b": DeletionVector.of([1])})
    assert cli("dv", "merge", "two.dv", "-o", "e.dv")[0] == 2
    for wrong in (
        ("-p", "1", "--bits", 16),
        ("-p", "x"),
        ("-p", "5-3"),
        ("-p", "-1"),
        ("-p", "1", "--positions-file", "a"),
        ("--positions-file", "none"),
        (),
    ):
        code, _, err = cli("dv", "create", *wrong, "-o", "f.dv")
        assert (code, err.count("\n")) == (2, 1), wrong
    assert cli("dv", "create", "-p", 2**31, "-o", "f.dv")[0] == 2
    assert not Path("f.dv").exists()


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_vector_argument("a.dv") == VectorArgument("a.dv")
    assert parse_vector_argument("a.dv:5") == VectorArgument("a.dv", 5)
    assert parse_vector_argument("s3://b/a.dv:5:7") == VectorArgument("s3://b/a.dv", 5, 7)
    assert parse_vector_argument("s3://host:80/a.dv") == VectorArgument("s3://host:80/a.dv")
    Path("odd:5").touch()
    assert parse_vector_argument("odd:5") == VectorArgument("odd:5")
