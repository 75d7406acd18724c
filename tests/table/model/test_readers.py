"""What jobs write, read by each released reader: a release that reads more or less fails here."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from conformance.run import Runner
from paimon_ksy import delete, rewrite_index, set_options
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.global_indexes import drop_global_indexes
from paimon_ksy.table.model.readers import JAVA, PYPAIMON, READERS, RUST, VECTORS, WRITTEN, unread
from tests.support.commands import run_command
from tools.conformance import matrix
from tools.jvm import LOCK, read_lock
from tools.tables import build_index, make_table

ENGINE = local_engine(1)
FORMATS = "parquet", "orc", "avro"
COLUMNS = [{"name": "id", "type": "INT"}, {"name": "s", "type": "STRING"}]
QUERIES: list[dict[str, Any] | None] = [
    None,
    {"op": "eq", "col": "id", "value": 5},
    {"op": "gt", "col": "id", "value": 990},
]
DATA = [
    pa.table(
        {
            "id": pa.array(range(start, start + 500), pa.int32()),
            "s": [f"s{number % 7}" for number in range(500)],
        }
    )
    for start in (0, 500)
]
OF_ROWS = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
VECTORS_ON = {"deletion-vectors.enabled": "true"}


@pytest.fixture(scope="module")
def runners() -> Iterator[dict[str, Runner]]:
    """The readers."""
    names = zip(READERS, ("java", "pypaimon", "pypaimon_rust"), strict=True)
    made = {reader: matrix.runner(name) for reader, name in names}
    yield made
    for runner in made.values():
        runner.close()


def outcome(runner: Runner, path: str, counts: list[int]) -> str:
    """Return what a reader does, in the words of the table; empty if its rows are right."""
    failed = []
    for predicate, count in zip(QUERIES, counts, strict=True):
        request = {"op": "query_table", "path": path, "columns": COLUMNS, "predicate": predicate}
        answer = runner.ask(request)
        failed.append("error" in answer)
        assert "error" in answer or len(answer["rows"]) == count
    if failed[0]:
        assert all(failed)
        return "cannot read the table"
    return "fails on queries with a predicate" if any(failed) else ""


def check(runners: dict[str, Runner], path: str, thing: str, form: str, counts: list[int]) -> None:
    """Compare each reader with the table, and the audit's findings."""
    expected: dict[str, str] = {}
    for each in WRITTEN:
        if thing in each.things and form in each.formats:
            expected |= each.fails
    assert any(thing in each.things and form in each.formats for each in WRITTEN)
    for reader, runner in runners.items():
        assert outcome(runner, path, counts) == expected.get(reader, ""), (reader, thing, form)
    found = [one.message for one in audit(path, engine=ENGINE) if one.check == "readers"]
    # A stored option has its own finding.
    is_of_options = thing == "vectors of several files"
    assert found == ([] if is_of_options else [one.message for one in unread([thing], [form])])


def test_the_readers_are_those_that_the_tests_run() -> None:
    bundle = next(jar for jar in read_lock(LOCK.read_text()) if "paimon-bundle" in str(jar))
    assert JAVA.rpartition(" ")[2] in str(bundle)
    assert f"pypaimon {version('pypaimon')}" == PYPAIMON
    assert f"pypaimon-rust {version('pypaimon-rust')}" == RUST
    page = matrix.PAGE.read_text(encoding="utf-8")
    assert page.endswith(matrix.tables())


@pytest.mark.library
@pytest.mark.java
@pytest.mark.parametrize(("kind", "form"), [*product((*INDEX_TYPES, "bitmap 1"), FORMATS)])
def test_file_indexes(kind: str, form: str, tmp_path: Path, runners: dict[str, Runner]) -> None:
    kind, _, number = kind.partition(" ")
    for place in ("1 b", "1 mb"):
        path = make_table(tmp_path, f"t{place[2]}{place[-1]}", DATA, {"file.format": form})
        options = {
            f"file-index.{kind}.columns": "id",
            "file-index.in-manifest-threshold": place,
            **({f"file-index.{kind}.id.version": number} if number else {}),
        }
        rewrite_index(path, set=options, engine=ENGINE)
        check(runners, path, kind, form, [1000, 1, 9])


@pytest.mark.library
@pytest.mark.java
@pytest.mark.parametrize(("bits", "form"), [*product(VECTORS, FORMATS)])
def test_deletion_vectors(bits: int, form: str, tmp_path: Path, runners: dict[str, Runner]) -> None:
    options = VECTORS_ON | {"deletion-vectors.bitmap64": str(bits == 64).lower()}
    path = make_table(tmp_path, "t", DATA, options | {"file.format": form})
    expected = [*unread([VECTORS[bits]], [form])]
    for more in ([], ["--yes"]):
        ran = run_command("table", "delete", path, "--where", "id IN (5, 991)", *more)
        assert [each.message in ran.stderr for each in expected] == [True] * len(expected)
        assert bool(ran.stderr) == bool(expected)
    check(runners, path, VECTORS[bits], form, [998, 0, 8])


@pytest.mark.library
@pytest.mark.java
def test_other_commits_and_schemas(tmp_path: Path, runners: dict[str, Runner]) -> None:
    path = make_table(tmp_path, "t", DATA, OF_ROWS)
    build_index(path, "id", "btree")
    drop_global_indexes(path, column="id")
    check(runners, path, "commit", "parquet", [1000, 1, 9])
    set_options(path, {"file-index.bitmap.columns": "s"})
    check(runners, path, "schema", "parquet", [1000, 1, 9])
    evolving = make_table(tmp_path, "e", DATA, OF_ROWS | VECTORS_ON)
    delete(evolving, "id IN (5, 991)", engine=ENGINE)
    check(runners, evolving, "vectors of several files", "parquet", [998, 0, 8])


def test_a_rewrite_of_orc_files_prints_a_note(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", DATA, {"file.format": "orc"})
    for kind in INDEX_TYPES:
        chosen = f"file-index.{kind}.columns=id"
        ran = run_command("table", "rewrite-index", path, "--dry-run", "--set", chosen)
        assert (RUST in ran.stderr) == any(unread([kind], ["orc"]))
