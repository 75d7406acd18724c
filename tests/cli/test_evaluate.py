"""`paimon-ksy eval` with deletion vectors, orders and counts."""

import json
from pathlib import Path

import pytest

from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.types.schema import Schema
from tests.golden import bad_files, golden_index
from tests.support.commands import Cli, on_terminal
from tests.support.examples import ORDERS, TYPES, write
from tests.support.selections import selected_rows


def test_eval_json(cli: Cli) -> None:
    query = ("eval", ORDERS, "-s", TYPES, "--format", "json")
    code, out, _ = cli(*query, "-w", "status = 'PENDING'")
    assert code == 0
    found = json.loads(out)
    assert {"schema_version", "file", "answer", "exact"} <= found.keys()
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
        "schema_version": 3,
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
