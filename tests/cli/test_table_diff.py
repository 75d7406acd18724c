"""`diff TABLE --snapshots N M`: what it prints, and its exit codes."""

import json
from pathlib import Path

import pytest

from tests.support.commands import Cli
from tests.support.query_tables import made_table


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table whose last two snapshots add indexes, and then deletion vectors."""
    return made_table(tmp_path_factory.mktemp("tables"), "vectors")[0].location


def test_data_files_that_were_added(cli: Cli, vectors: str) -> None:
    code, out, err = cli("diff", vectors, "--snapshots", 1, 3)
    assert (code, err) == (1, "")
    assert out.startswith(f"{vectors}: ") and "\n  old: id 1, kind APPEND, " in out
    assert "\n  added: files 2, rows 41, " in out
    code, out, _ = cli("diff", vectors, "--snapshots", 3, 1, "--max-items", 1)
    assert code == 1
    assert "\n  dropped: files 2, rows 41, " in out
    assert "\n    ... 1 more; --max-items N lists more" in out


def test_indexes_and_vectors_that_were_added(cli: Cli, vectors: str) -> None:
    code, out, err = cli("diff", vectors, "--snapshots", 4, 6)
    assert (code, err) == (1, "")
    assert "num changed 4, deleted rows 65" in out
    assert "index.place" in out and "status  bitmap " in out
    assert "\n      deleted: rows 20, ranges 0, 3, 6, 9" in out
    document = json.loads(cli("diff", vectors, "--snapshots", 6, 4, "--format", "json")[1])
    assert (document["num_vectors"], document["deleted_rows"]) == (4, -65)
    assert {vector["change"] for vector in document["vectors"]} == {"dropped"}
    assert {part["column"] for part in document["files"][0]["indexes_dropped"]} >= {"status"}


def test_equal_snapshots(cli: Cli, vectors: str) -> None:
    code, out, err = cli("diff", vectors, "--snapshots", 2, 2)
    assert (code, err) == (0, "")
    assert out.endswith("\n  identical\n")
    assert (
        json.loads(cli("diff", vectors, "--snapshots", 2, 2, "--format", "json")[1])["equal"]
        is True
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--snapshots", "1", "99"], "snapshot 99"),
        (["--snapshots", "1"], "--snapshots"),
        (["--snapshots", "1", "x"], "valid integer"),
        (["--snapshots", "1", "2", "--kind", "index"], "pass nothing else"),
    ],
)
def test_trouble_exits_with_2(cli: Cli, vectors: str, words: list[str], message: str) -> None:
    code, out, err = cli("diff", vectors, *words)
    assert (code, out) == (2, "")
    assert message in err
    code, out, err = cli("diff", "no_table", *words)
    assert (code, out) == (2, "")


def test_what_cannot_be_read_exits_with_2(cli: Cli, tmp_path: Path) -> None:
    location = made_table(tmp_path, "vectors")[0].location
    for index in Path(location, "index").iterdir():
        index.unlink()
    code, out, err = cli("diff", location, "--snapshots", 4, 6)
    assert code == 2
    assert "  vectors (4)\n" in out
    assert "no such file" in err
