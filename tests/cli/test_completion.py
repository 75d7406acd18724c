"""The shell offers the columns of a table that is on the command line."""

import os
from pathlib import Path

import pyarrow as pa
import pytest

from tests.support.commands import process
from tools.tables import make_table


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    data = pa.table({"status": ["x"], "state": ["y"], "amount": [1], "unit price": [2]})
    return make_table(tmp_path_factory.mktemp("completion"), "t", [data], {})


def offered(*words: str) -> list[str]:
    """What bash gets for the last word."""
    asked = {
        "_PAIMON_KSY_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(("paimon-ksy", *words)),
        "COMP_CWORD": str(len(words)),
    }
    done = process(env={**os.environ, **asked})
    assert done.stderr == ""
    return done.stdout.splitlines() if done.stdout.strip() else []


def test_columns_of_a_local_table(path: str) -> None:
    query = ("table", "query", path, "--select")
    assert offered(*query, "sta") == ["status", "state"]
    assert offered(*query, "amount,x") == []
    assert offered(*query, "'id, am") == ["id, amount"]
    assert offered(*query[:-1], "--where", "x", "--select", "am") == ["amount"]
    assert offered("table", "advise", path, "--select", "a") == ["amount"]


@pytest.mark.parametrize("table", ["default.orders", "s3://bucket/t"])
def test_nothing_of_other_tables(table: str) -> None:
    assert offered("table", "query", table, "--select", "a") == []


def test_nothing_of_a_broken_schema(path: str, tmp_path: Path) -> None:
    folder = tmp_path / "t" / "schema"
    folder.mkdir(parents=True)
    (folder / "schema-0").write_bytes(b"{")
    assert offered("table", "query", str(tmp_path / "t"), "--select", "a") == []
