"""Figures of the advice hold once the indexes are built."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from tests.support.advice import FILES, LOCAL, ROWS, copy, index_sizes, verdicts
from tests.support.commands import run_command

GIVEN = [
    "status = 'PENDING'",
    "amount BETWEEN 1500 AND 1510",
    "status = 'PENDING' AND user_id = 17",
    "note = 'none'",
    "m['k'] IN ('v1', 'v2')",
    "closed IS NULL",
    "id = 5 OR status = 'PENDING'",
    "user_id = 17 AND amount < 100 AND region = 'region-2'",
]


@pytest.mark.parametrize("given", [None, GIVEN], ids=["typical", "given"])
def test_figures_are_those_of_the_built_indexes(
    given: list[str] | None, orders: str, tmp_path: Path
) -> None:
    """The printed command builds indexes of these sizes; then `explain` skips as much."""
    path = copy(orders, tmp_path)
    (tmp_path / "asked.sql").write_text("\n".join(["# asked", *(given or [])]))
    more = ["--predicates", str(tmp_path / "asked.sql")] if given else []
    done = run_command("table", "advise", path, "--engine", "local", "--format", "json", *more)
    assert done.exit_code == 0, done.output
    document = json.loads(done.output)
    words = shlex.split(document["command"])
    assert words[:4] == ["paimon-ksy", "table", "rewrite-index", path]
    assert "--engine" not in words
    built = run_command("table", *words[2:])
    assert built.exit_code == 0, built.output

    sizes = index_sizes(path)
    advised = {(c["column"], kind) for c in document["columns"] for kind in c["advised"]}
    assert advised and advised == sizes.keys()
    for column_ in document["columns"]:
        for index in column_["indexes"]:
            if (key := (column_["column"], index["index_type"])) in advised:
                assert index["bytes"] == index["table_bytes"] == sizes[key]
    assert document["index_bytes"] == sum(sizes.values())

    table = Table.at(path)
    for asked in document["predicates"]:
        partitions, _, index, rows = explain(table, asked["sql"])
        assert rows.rows_skipped is not None and index.rows_skipped is not None
        files = partitions.files_kept + partitions.files_skipped
        skipped = {
            "files": 1 - rows.files_kept / files,
            "rows": 1 - rows.rows_kept / (rows.rows_kept + rows.rows_skipped + index.rows_skipped),
        }
        for what, share in skipped.items():
            assert asked["advised"][what] == pytest.approx(share, abs=1e-6), (asked["sql"], what)
        whole = sum(file.size for file in table.data_files.of(table.snapshot()))
        by_groups = 1 - rows.bytes_kept / whole
        assert asked["advised"]["bytes"] >= by_groups - 0.02, "pages are skipped, too"
        matching = query(table, asked["sql"], ["id"]).num_rows
        assert asked["rows"] == pytest.approx(matching / (FILES * ROWS))


def test_columns_without_indexes(orders: str) -> None:
    """Predicates that test columns which support no index."""
    given = ["tags IS NULL", "m IS NOT NULL AND status = 'PENDING'", "m IS NULL OR id < 5"]
    advice = advise(orders, predicates=given, engine=LOCAL)
    shares = [rows / (FILES * ROWS) for rows in (0, 100, 5)]
    assert [asked.rows for asked in advice.predicates] == pytest.approx(shares)
    assert verdicts(advice)["status"] == "add bitmap"
