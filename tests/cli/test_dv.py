"""`dv`, and what inspect and dump make of files of vectors."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

from paimon_ksy.cli.vectors import VectorArgument, parse_vector_argument
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
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
    assert cli("verify", "x.dv")[0] == 0


@GOLDEN
def test_dump_and_assemble(golden: GoldenVectors, cli: Cli) -> None:
    Path("x.dv").write_bytes(golden.data)
    assert cli("dump", "x.dv", "-o", "x.json")[0] == 0
    assert cli("assemble", "x.json", "-o", "y.dv")[0] == 0
    assert Path("y.dv").read_bytes() == golden.data


def test_damaged_files(cli: Cli) -> None:
    for bad in bad_vectors():
        Path("bad.dv").write_bytes(bad.data)
        code, out, err = cli("verify", "bad.dv", "--kind", "vectors")
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
    code, out, err = cli("verify", "crc.dv", "--format", "json")
    verified = json.loads(out)
    assert (code, err, [each["byte"] for each in verified["findings"]]) == (3, "", [1])


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
        assert (code, json.loads(out)) == (0, {"schema_version": 3, **told})
    for found in (
        pq.read_table("live.parquet"),
        orc.read_table("live.orc"),
        pa.ipc.open_file("live.arrow").read_all(),
    ):
        assert found.to_pydict() == {"row": live, "s": [str(i) for i in live]}
    write_vectors("all.dv", {"": DeletionVector.of(range(60))})
    assert cli("dv", "apply", "all.dv", name, "-o", "none.parquet")[0] == 0
    assert pq.read_table("none.parquet").to_pydict() == {"row": [], "s": []}
    code, _, err = cli("dv", "apply", "x.dv:77", name, "-o", "live.parquet")
    assert (code, "--overwrite" in err) == (2, True)
    assert cli("dv", "apply", "x.dv:77", name, "-o", "live.csv")[0] == 2


def test_apply_of_timestamps_that_arrow_lacks(cli: Cli) -> None:
    write_vectors("x.dv", {"": DeletionVector.of([2])})
    late = pa.table({"t": pa.array([253_402_300_799] * 3, pa.timestamp("s"))})
    pq.write_table(late, "late.parquet", use_deprecated_int96_timestamps=True)
    assert cli("dv", "apply", "x.dv", "late.parquet")[0] == 0
    code, _, err = cli("dv", "apply", "x.dv", "late.parquet", "-o", "some.parquet")
    assert (code, "after 2262-04-11" in err, Path("some.parquet").exists()) == (2, True, False)


def test_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert parse_vector_argument("a.dv") == VectorArgument("a.dv")
    assert parse_vector_argument("a.dv:5") == VectorArgument("a.dv", 5)
    assert parse_vector_argument("s3://b/a.dv:5:7") == VectorArgument("s3://b/a.dv", 5, 7)
    assert parse_vector_argument("s3://host:80/a.dv") == VectorArgument("s3://host:80/a.dv")
    Path("odd:5").touch()
    assert parse_vector_argument("odd:5") == VectorArgument("odd:5")
