"""`paimon-ksy eval` with deletion vectors, orders and counts."""

import json
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from paimon_ksy.types.schema import Schema
from tests.golden import bad_files, golden_index
from tests.support.commands import Cli, on_terminal
from tests.support.examples import ORDERS, TYPES, write
from tests.support.selections import selected_rows

COLUMNS = "status STRING, amount INT"
TABLE = pa.table(
    {
        "status": ["NEW", "PAID", "NEW", "NEW", "PAID", "NEW"],
        "amount": pa.array([5, 9, 7, None, 1, 7], pa.int32()),
    }
)


@pytest.fixture
def index(tmp_path: Path) -> str:
    options = {"file-index.bitmap.columns": "status", "file-index.range-bitmap.columns": "amount"}
    path = tmp_path / "x.index"
    path.write_bytes(build_file_index(TABLE, Schema.parse(COLUMNS), options))
    return str(path)


@pytest.fixture
def vectors(tmp_path: Path) -> str:
    """Row 0 is deleted; of the second vector, rows 2 and 5."""
    path = tmp_path / "vectors"
    written = write_vectors(path, {"a": DeletionVector.of([0]), "b": DeletionVector.of([2, 5], 64)})
    assert written.vectors[1].offset == 31
    return str(path)


def call(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = run(["eval", *arguments, "-s", COLUMNS])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def ask(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[object, object, object]:
    code, out, _ = call(capsys, *arguments, "--format", "json")
    assert code == 0
    document = json.loads(out)
    return document["positions"], document["rows"], document["exact"]


def test_deletion_vectors(index: str, vectors: str, capsys: pytest.CaptureFixture[str]) -> None:
    new = ("-w", "status = 'NEW'")
    assert ask(capsys, index, *new) == ([0, 2, 3, 5], 4, True)
    assert ask(capsys, index, *new, "--dv", f"{vectors}:1") == ([2, 3, 5], 3, True)
    assert ask(capsys, index, *new, "--dv", f"{vectors}:31") == ([0, 3], 2, True)
    assert ask(capsys, index, "--dv", f"{vectors}:31") == ([0, 1, 3, 4], 4, True)
    assert ask(capsys, index, *new, "--dv", f"{vectors}:1", "--limit", "1") == ([2], 3, True)


def test_first_in_an_order(index: str, vectors: str, capsys: pytest.CaptureFixture[str]) -> None:
    first = (index, "--order-by", "amount DESC NULLS LAST", "--limit")
    assert ask(capsys, *first, "1") == ([1], 1, True)
    assert ask(capsys, *first, "2") == ([1, 2, 5], 3, True)  # 7 comes twice
    assert ask(capsys, *first, "2", "-w", "status = 'NEW'", "--dv", f"{vectors}:31") == (
        [0, 3],
        2,
        True,
    )
    code, out, _ = call(capsys, index, "--order-by", "amount", "--limit", "2")
    assert code == 0
    assert out.startswith("rows: 2 rows of 6 come first, with those that tie for the last place\n")
    assert out.endswith("\n3 4\n")
    code, out, _ = call(capsys, index, "--order-by", "status", "--limit", "2")
    assert "the indexes do not determine which rows come first by status" in out


def test_limits_of_nothing_and_of_all(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    new = (index, "-w", "status = 'NEW'", "--limit")
    assert ask(capsys, *new, "0") == ([], 4, True)
    assert ask(capsys, *new, str(10**30)) == ([0, 2, 3, 5], 4, True)
    first = (index, "--order-by", "amount", "--limit")
    assert call(capsys, *first, "0")[1].startswith("skip: no row comes first\n")
    assert call(capsys, *first, str(10**30))[1].startswith("all: all 6 rows match\n")


def test_count(index: str, vectors: str, capsys: pytest.CaptureFixture[str]) -> None:
    count = ("-w", "status = 'NEW'", "--count")
    assert call(capsys, index, *count) == (0, "4\n", "")
    assert call(capsys, index, *count, "--dv", f"{vectors}:31") == (0, "2\n", "")
    found = json.loads(call(capsys, index, *count, "--format", "json")[1])
    assert (found["rows"], found["exact"], found["positions"]) == (4, True, None)
    assert call(capsys, index, "--count") == (0, "6\n", "")
    assert call(capsys, index, "--count", "--dv", f"{vectors}:31") == (0, "4\n", "")


def test_a_count_that_is_not_sure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.index"
    options = {"file-index.bloom-filter.columns": "status", "file-index.bitmap.columns": "amount"}
    path.write_bytes(build_file_index(TABLE, Schema.parse(COLUMNS), options))
    assert call(capsys, str(path), "-w", "status = 'LOST'", "--count") == (0, "0\n", "")
    code, out, error = call(capsys, str(path), "-w", "status = 'NEW'", "--count")
    assert (code, out) == (6, "")
    assert "x.index: the indexes do not determine how many rows match: at most 6; " in error
    code, out, error = call(
        capsys, str(path), "-w", "status = 'NEW'", "--count", "--format", "json"
    )
    assert (code, json.loads(out)["rows"], json.loads(out)["exact"]) == (6, 6, False)
    assert json.loads(error)["error"]["code"] == "inexact"


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "pass a predicate with --where"),
        (["--order-by", "amount"], 2, "--order-by needs a number of rows: add --limit N"),
        (["--order-by", "amount UP", "--limit", "1"], 2, "not an ORDER BY list"),
        (["--order-by", "size", "--limit", "1"], 2, "no column 'size'"),
        (["--order-by", "amount", "--limit", "1", "--count"], 2, "drop --order-by"),
        (
            ["--dv", "VECTORS"],
            2,
            "contains 2 vectors; write VECTORS:OFFSET with one of the offsets 1, 31",
        ),
        (["--dv", "VECTORS:2"], 1, "byte 2"),
        (["--dv", "nothing"], 1, "nothing: no such file"),
    ],
)
def test_what_cannot_work(
    index: str,
    vectors: str,
    arguments: list[str],
    code: int,
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = [argument.replace("VECTORS", vectors) for argument in arguments]
    got, out, error = call(capsys, index, *arguments)
    assert (got, out) == (code, "")
    assert message.replace("VECTORS", vectors) in error
    assert error.count("\n") == 1


def test_eval_json(cli: Cli) -> None:
    query = ("eval", ORDERS, "-s", TYPES, "--format", "json")
    code, out, _ = cli(*query, "-w", "status = 'PENDING'")
    assert code == 0
    found = json.loads(out)
    assert list(found)[:4] == ["schema_version", "file", "answer", "exact"]
    assert found["answer"] == "rows"
    assert found["exact"] is True
    assert found["rows"] == len(found["positions"])
    assert found["file_rows"] == 20_000
    assert 0 < found["bytes_read"] < found["file_bytes"] == ORDERS.stat().st_size
    with FileIndex.open(ORDERS, Schema.parse(TYPES)) as index:
        assert found["positions"] == selected_rows(index.evaluate("status = 'PENDING'"))
    _, out, _ = cli(*query, "-w", "status = 'PENDING'", "--limit", "3")
    limited = json.loads(out)
    assert limited["positions"] == found["positions"][:3]
    assert limited["rows"] == found["rows"]
    _, out, _ = cli(*query, "-w", "status = 'no such'")
    assert json.loads(out)["answer"] == "skip"
    assert json.loads(out)["rows"] == 0
    assert json.loads(out)["positions"] == []
    _, out, _ = cli(*query, "-w", "status IS NOT NULL")
    assert json.loads(out) | {"bytes_read": 0, "seconds": 0} == {
        "schema_version": 2,
        "file": str(ORDERS),
        "answer": "all",
        "exact": True,
        "rows": 20_000,
        "positions": None,
        "limited": False,
        "not_indexed": [],
        "file_rows": 20_000,
        "bytes_read": 0,
        "file_bytes": ORDERS.stat().st_size,
        "seconds": 0,
    }


def test_eval_of_all_rows_without_their_number(cli: Cli, tmp_path: Path) -> None:
    path = write(tmp_path, golden_index("c_zero_columns").data)
    code, out, _ = cli("eval", path, "-s", "a INT", "-w", "a = 1", "--format", "json")
    assert code == 0
    found = json.loads(out)
    assert found["answer"] == "all"
    assert found["exact"] is False
    assert found["rows"] is None
    _, out, _ = cli("eval", path, "-s", "a INT", "-w", "a = 1")
    assert out.startswith("all: all rows may match; test the predicate on them\n")
    assert out.endswith("no index on 'a': the file has no index\n")


def test_eval_names_columns_without_index(cli: Cli) -> None:
    asked = ("eval", ORDERS, "-s", TYPES + ", statsu STRING", "-w")
    _, out, _ = cli(*asked, "statsu = 'PAID' OR region = 'EU'")
    assert "no index on 'statsu' (did you mean 'status'?): the file has indexes on " in out
    for exact in ("status = 'PAID'", "status = 'PAID' AND status = 'x' AND statsu = 'PAID'"):
        _, out, _ = cli(*asked, exact)
        assert "no index" not in out


def test_eval_of_an_expression(cli: Cli) -> None:
    """The rest of the predicate still selects rows."""
    asked = ("eval", ORDERS, "-s", TYPES, "-w")
    rest = json.loads(cli(*asked, "region = 'EU'", "-f", "json")[1])
    both = "upper(status) = 'PAID' AND region = 'EU'"
    _, out, _ = cli(*asked, both, "-f", "json")
    assert json.loads(out)["rows"] == rest["rows"] and not json.loads(out)["exact"]
    _, out, _ = cli(*asked, both)
    assert out.splitlines()[2] == (
        "no index on \"UPPER(status) = 'PAID'\": only the rows determine it"
    )


def test_eval_limits_the_list(cli: Cli) -> None:
    query = ("eval", ORDERS, "-s", TYPES, "-w", "status = 'PENDING'")
    _, out, _ = cli(*query)
    assert len(out.splitlines()) == 3
    listed = list(map(int, out.splitlines()[2].split()))
    assert listed == json.loads(cli(*query, "--format", "json")[1])["positions"]
    assert f" {len(listed)} rows of" in out
    *_, some, left = on_terminal(*query).splitlines()
    assert len(some.split()) == 20
    assert f"... {len(listed) - 20} more; --limit {len(listed)} lists all" in left
    _, out, _ = cli(*query, "--limit", "0")
    assert len(out.splitlines()) == 2


@pytest.mark.filterwarnings("default::paimon_ksy.IndexIgnoredWarning")
def test_eval_warns_of_an_index_that_it_leaves_out(cli: Cli, tmp_path: Path) -> None:
    [case] = [case for case in bad_files() if case.name == "unknown_index_type"]
    path = write(tmp_path, case.data)
    code, _, err = cli("eval", path, "-s", "a INT", "-w", "a = 1")
    assert code == 0
    assert err.startswith("paimon-ksy: warning: column 'a'")
    assert err.count("\n") == 1
