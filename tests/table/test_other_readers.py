"""Others read the tables whose indexes we wrote, and use those indexes."""

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy import FileIndex, build_file_index
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.index.summary import RewriteSummary
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.index_commit import NewIndex, commit_indexes
from tests.support.golden_tables import expected, golden_table, golden_table_names, ordered, rows_of
from tools.tables import by_pypaimon, by_rust, make_table

# pypaimon-rust 0.4.0 fails on an index of an ORC file, also Java's: see the last test.
BY_RUST = [
    "append_dv32",
    "append_dv_bucketed",
    "append_embedded",
    "append_files_avro",
    "append_files_parquet",
    "append_map",
    "append_mixed_threshold",
    "evolution",
    "pk_dv32",
]
BITS_64 = ["append_dv64", "pk_dv64"]  # pypaimon 2.1 cannot read vectors of 64 bits
EMBEDDED = {"file-index.in-manifest-threshold": "1 mb"}
BESIDE = {"file-index.in-manifest-threshold": "1 b"}
BOTH = pytest.mark.parametrize("options", [BESIDE, EMBEDDED], ids=["beside", "embedded"])


def reindexed(name: str, folder: Path, options: Mapping[str, str]) -> str:
    """A golden table whose indexes are all ours."""
    path = golden_table(name, folder / "default.db")
    summary = rewritten(path, options)
    files = live_files(path)
    assert summary.rewritten == len(files)
    where = {file.embedded_index is not None for file in files}
    assert where == {options is EMBEDDED}
    return path


def rewritten(path: str, options: Mapping[str, str]) -> RewriteSummary:
    return rewrite_index(path, set=options, rebuild=True, engine=local_engine(1))


def live_files(path: str) -> list[DataFile]:
    table = Table.at(path)
    return list(table.data_files.of(table.snapshot()))


def sql(node: Mapping[str, Any]) -> str | None:
    """A golden predicate as SQL of DataFusion; None for a type whose literals differ there."""
    op = node["op"]
    if op in ("and", "or"):
        parts = [sql(child) for child in node["args"]]
        return None if None in parts else f" {op} ".join(f"({part})" for part in parts)
    column = f'"{node["col"]}"'
    if node["col"] == "t":
        return None
    if op in ("isnull", "isnotnull"):
        return f"{column} IS {'NOT ' if op == 'isnotnull' else ''}NULL"
    if op in ("in", "notin"):
        values = ", ".join(map(_literal, node["values"]))
        return f"{column} {'NOT ' if op == 'notin' else ''}IN ({values})"
    if op == "between":
        return f"{column} BETWEEN {_literal(node['from'])} AND {_literal(node['to'])}"
    signs = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
    return f"{column} {signs[op]} {_literal(node['value'])}"


def _literal(value: Any) -> str:
    return f"'{value}'" if isinstance(value, str) else str(value)


@BOTH
@pytest.mark.parametrize("name", [name for name in golden_table_names() if name not in BITS_64])
def test_pypaimon_reads_the_same_rows(
    name: str, options: Mapping[str, str], tmp_path: Path
) -> None:
    path = reindexed(name, tmp_path, options)
    assert ordered(rows_of(by_pypaimon(path))) == ordered(expected(name).rows)


@BOTH
@pytest.mark.parametrize("name", BY_RUST)
def test_rust_finds_the_rows_with_our_index(
    name: str, options: Mapping[str, str], tmp_path: Path
) -> None:
    path = reindexed(name, tmp_path, options)
    asked = 0
    for case in expected(name).cases:
        if (where := sql(case.node)) is not None:
            assert ordered(rows_of(by_rust(path, where))) == ordered(case.rows), where
            asked += 1
    assert asked > 10


# They use it ------------------------------------------------------------------------------------

DATA = pa.table(
    {
        "id": pa.array(range(1000), pa.int32()),
        "s": pa.array([f"s{number % 7}" for number in range(1000)]),
    }
)
INDEXES = {
    "file-index.bitmap.columns": "s",
    "file-index.bsi.columns": "id",
}


@pytest.fixture
def path(tmp_path: Path) -> str:
    """A table of 2,000 rows in two files without indexes."""
    return make_table(tmp_path, "t", [DATA, DATA])


@BOTH
@pytest.mark.parametrize("kind", ["bitmap", "bsi", "bloom-filter", "range-bitmap"])
def test_rust_fails_if_our_index_is_broken(
    kind: str, options: Mapping[str, str], path: str
) -> None:
    rewritten(path, {f"file-index.{kind}.columns": "id", **options})
    assert by_rust(path, "id = 5").num_rows == 2
    garbage = b"no index" * 8
    if options is BESIDE:
        for file in live_files(path):
            Path(file.index_files[0]).write_bytes(garbage)
    else:
        table = Table.at(path)
        commit_indexes(table, {f.digest: NewIndex(embedded=garbage) for f in live_files(path)})
    with pytest.raises(ValueError, match="index format"):
        by_rust(path, "id = 5")
    assert by_pypaimon(path).num_rows == 2000


@BOTH
def test_rust_believes_our_index(options: Mapping[str, str], path: str) -> None:
    """An index of other values: rows that it does not name are not found."""
    rewritten(path, {**INDEXES, **options})
    assert by_rust(path, "s = 's3'").num_rows == 286
    table = Table.at(path)
    lie = build_file_index(
        DATA.set_column(1, "s", pa.array(["s3"] * 10 + ["other"] * 990)),
        table.schema.columns,
        {"file-index.bitmap.columns": "s"},
    )
    first, second = live_files(path)
    if options is BESIDE:
        Path(first.index_files[0]).write_bytes(lie)
    else:
        commit_indexes(table, {first.digest: NewIndex(embedded=lie)})
    # Of the first ten rows s3 has one; of the other file all are found.
    assert by_rust(path, "s = 's3'").num_rows == 1 + 143
    del second


def test_rust_reads_no_stale_index(path: str) -> None:
    """After other options it has both indexes, and after a drop none is left."""
    rewritten(path, INDEXES | BESIDE)
    rewritten(path, {"file-index.bitmap.columns": "id"} | EMBEDDED)
    assert by_rust(path, "s = 's3' AND id < 100").num_rows == 28
    summary = rewrite_index(path, drop_unlisted=True, engine=local_engine(1))
    assert summary.rewritten == 2
    for file in live_files(path):
        assert not file.index_files
        if file.embedded_index is not None:  # one without columns, for it has to differ from none
            with FileIndex.open(file.embedded_index) as index:
                assert not index.columns
    assert by_rust(path, "s = 's3' AND id < 100").num_rows == 28
    assert by_pypaimon(path).num_rows == 2000


def test_rust_still_fails_on_indexes_of_orc(tmp_path: Path) -> None:
    """It panics on Java's own index, too. Where it no longer does, add the tables to BY_RUST."""
    path = golden_table("append_files_orc", tmp_path / "default.db")
    code = f"from tools.tables import by_rust; by_rust({path!r}, \"s = 's3'\")"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "selection exceeds the number of selected rows" in done.stderr
