"""Bitmap global indexes of Paimon 1.4: tables that Java 1.4.2 wrote, and its bitmap indexes."""

import json
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import paimon_ksy as pk
from paimon_ksy.errors import CorruptFileError, SchemaError
from paimon_ksy.evaluation.evaluate import ALL
from paimon_ksy.global_index.index_type import GlobalIndexFile
from paimon_ksy.global_index.registry import open_global_index
from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.inspection.entry_point import entry_point
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.inspection.verify import verify_as
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import NAMED
from paimon_ksy.io.source import open_source
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from tests.golden import golden_index, golden_indexes
from tests.support.commands import Cli
from tests.support.global_indexes import selection_of
from tests.support.golden_json import schema_from_spec
from tests.support.newer_tables import EVOLUTION
from tests.support.row_id_tables import without_indexes
from tools import jvm

OLD = NAMED["old-bitmap"]
COLUMNS: Mapping[str, str] = {
    "id": "INT",
    "s": "STRING",
    "d": "DOUBLE",
    "b": "BOOLEAN",
    "day": "DATE",
    "ms": "TIMESTAMP(3)",
    "us": "TIMESTAMP(6)",
    "ns": "TIMESTAMP(9)",
    "none": "BIGINT",
}
OPTIONS = {**EVOLUTION, "metadata.stats-mode": "none"}  # else statistics exclude files first
CONDITIONS = (
    "s = 'n3'",
    "s <> 'n3'",
    "s IN ('n1', 'x', 'n5') OR s IS NULL",
    "s LIKE 'n%5' AND id > 20",
    "s = 'n35'",
    "d = 0.0",
    "d > 1",
    "d = double('NaN')",
    "NOT b",
    "day BETWEEN DATE '2024-01-03' AND DATE '2024-01-09'",
    "ms = TIMESTAMP '2024-01-01 00:00:05.001'",
    "us >= TIMESTAMP '2024-01-01 00:00:40.000001'",
    "ns <> TIMESTAMP '2024-01-01 00:00:07.000000007'",
    "ns = TIMESTAMP '2024-01-01 00:00:07.000000007'",
    "none IS NULL",
)


def _rows(count: int) -> list[list[Any]]:
    floats = {3: "NaN", 4: "-0.0", 5: "Infinity"}
    start = 1_704_067_200  # 2024 in seconds
    return [
        [
            *(i, None if i % 10 == 3 else f"n{i % 7}", floats.get(i % 9, i % 5 / 2)),
            *(None if i % 4 == 0 else i % 3 == 0, 19_723 + i % 28),
            *((start + i) * 10**3 + 1, (start + i) * 10**6 + 1, (start + i) * 10**9 + i),
            None,
        ]
        for i in range(count)
    ]


@pytest.fixture(scope="module")
def path(java_tables: jvm.Session, tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of Java 1.4.2, with an index of each column, in both versions."""
    made = str(tmp_path_factory.mktemp("old") / "default.db" / "t")
    columns = [{"name": name, "type": kind} for name, kind in COLUMNS.items()]
    created = {"op": "create", "path": made, "columns": columns, "keys": [], "options": OPTIONS}
    java_tables.ask(created)
    rows = _rows(90)
    for some in (rows[:50], rows[50:]):
        java_tables.ask({"op": "write", "rows": some, "compact": False})
    for number, column in enumerate(COLUMNS):
        options = {"version": str(number % 2 + 1), "index-block-size": "60"}
        index = {"op": "index", "column": column, "type": "bitmap", "options": options}
        java_tables.ask(index)
    return made


def files_of(path: str) -> Iterator[GlobalIndexFile]:
    """The only file of each index of a table."""
    table = Table.at(path)
    for index in table.index_manifests.global_indexes(table.snapshot()):
        [(first, stop)], [file] = index.bounds, index.files
        name = str(table.paths.index_file(file))
        fields = tuple(map(table.schema.columns.column, table.schema.named(index.field_ids)))
        facts = index.index_type, fields, first, stop - 1, file.row_count
        yield GlobalIndexFile(partial(open_source, name), name, *facts)


@pytest.mark.java
def test_queries_use_the_indexes_of_java(path: str) -> None:
    """They select the rows of a scan, and each condition uses an index."""
    data, schema = without_indexes(path), Table.at(path).schema.columns
    assert data["id"].to_pylist() == list(range(90))
    for where in CONDITIONS:
        scanned = data.filter(mask(bind(parse_predicate(where, schema), schema), data))
        assert pk.query(path, where)["id"].to_pylist() == scanned["id"].to_pylist(), where
        [step] = [each for each in explain(path, where) if each.step == "row ids"]
        assert any("is used for 90 rows" in note for note in step.notes), (where, step.notes)


@pytest.mark.java
def test_java_and_we_return_the_same_rows(path: str, java_tables: jvm.Session) -> None:
    for where, predicate in {
        "s = 'n3'": {"op": "eq", "col": "s", "value": "n3"},
        "b IS NULL": {"op": "isnull", "col": "b"},
        "d > 1": {"op": "gt", "col": "d", "value": 1},
    }.items():
        theirs = java_tables.ask({"op": "query", "path": path, "predicate": predicate})["rows"]
        assert pk.query(path, where)["id"].to_pylist() == [row[0] for row in theirs], where


@pytest.mark.java
def test_audits_compare_them_with_the_data(path: str, tmp_path: Path) -> None:
    """A changed row is found, and no other problem than that later readers fail."""
    found = list(audit(path, deep=True))
    assert {each.check for each in found} == {"global-index-version"}
    assert len(found) == len(COLUMNS)
    assert "Java 2.0 and pypaimon-rust 0.4 fail" in found[0].message
    copied = shutil.copytree(path, tmp_path / "t")
    [file] = [each for each in files_of(str(copied)) if each.fields[0].name == "id"]
    data = bytearray(Path(file.path).read_bytes())
    [at] = [
        i for i in range(len(data)) if data[i : i + 8] == bytes((0, 0, 0, 7)) + b"\xff\xff\xff\xf8"
    ]
    data[at + 3], data[at + 7] = 8, 0xF7  # the value 8 in row 8, twice
    Path(file.path).write_bytes(data)
    assert {each.check for each in audit(copied, deep=True)} > {"global-index-corrupt"}


@pytest.mark.java
def test_what_is_not_certain_is_declined(path: str) -> None:
    """Rows without known numbers, several files, types that changed, and a later magic number."""
    by_name = {each.fields[0].name: each for each in files_of(path)}
    file, schema = by_name["s"], Schema.parse("s STRING")
    equals = parse_predicate("s = 'n3'", schema)
    assert open_global_index([file]) is not None
    deleted = replace(file, row_end=file.row_end + 5)
    assert open_global_index([deleted], deleted=5) is None
    assert open_global_index([file, file]) is None
    assert open_global_index([replace(file, fields=tuple(Schema.parse("s BINARY(3)")))]) is None
    later = replace(file, open=lambda: open_source(b"\2 some bytes" * 9 + b"BGIX"))
    reader = open_global_index([later])
    assert reader is not None and selection_of(equals, reader, schema) == ALL
    fewer = replace(file, row_end=file.row_end - 1, num_rows=file.num_rows - 1)
    reader = open_global_index([fewer])
    assert reader is not None
    with pytest.raises(CorruptFileError, match="has 90 rows, but 89 according to the index man"):
        selection_of(equals, reader, schema)


@pytest.mark.java
def test_commands_find_the_type_in_the_table(path: str, cli: Cli) -> None:
    for file in files_of(path):
        code, out, err = cli("verify", file.path)
        assert (code, err) == (0, "") and "no problems" in out
        code, out, _ = cli("inspect", file.path)
        assert code == 0 and "bitmap global index (1.4)" in out and "rows 90" in out


@pytest.mark.parametrize("name", [case.name for case in golden_indexes("bitmap")])
def test_golden_files_stay_the_same(name: str) -> None:
    """A file of Java is what Java writes into a file index, without the head."""
    case = golden_index(name)
    schema = schema_from_spec(case.spec)
    for column in case.dump["columns"]:
        for index in column["indexes"]:
            if index["type"] != "bitmap" or index["empty"]:
                continue
            data = case.data[index["start"] : index["start"] + index["length"]]
            source, field = open_source(data), Schema((schema.column(column["name"]),))
            for known in (field, None):
                document = dump_file(source, known, kind=OLD)
                assert assemble(json.loads(json.dumps(document))) == data
                assert not verify_as(OLD, Subject(source, known))
                fields = hex_fields(source, known, 0, len(data), OLD)
                assert b"".join(each.data for each in fields) == data
                assert inspect_file(Subject(source, known), kind=OLD).content.body.rows >= 0
            assert "bitmap_index(" in entry_point(OLD, Subject(source, field)).text
            assert "old_global_bitmap_index" in entry_point(OLD, Subject(source)).text
            for cut in {1, len(data) // 2, len(data) - 1}:
                assert verify_as(OLD, Subject(open_source(data[:cut]), field))


def test_types_that_have_no_such_index() -> None:
    for schema in ("a DECIMAL(5, 2)", "a ARRAY<INT>", "a INT, b INT"):
        subject = Subject(open_source(b"\1" + bytes(9)), Schema.parse(schema))
        with pytest.raises(SchemaError, match="no keys of the columns in the schema"):
            inspect_file(subject, kind=OLD)
