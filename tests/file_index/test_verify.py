"""`verify` finds what is wrong with a file index, and nothing in a sound one."""

from __future__ import annotations

import json
import random
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

import paimon_ksy as pk
from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError, SchemaError
from paimon_ksy.file_index import verify as verify_index
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.verify import schema_mismatch
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.inspection.verify import verify
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.findings import ERROR, WARNING
from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.golden import golden_index, golden_indexes
from tests.support.commands import Cli, unmeasured
from tests.support.edited_indexes import (
    NUMBERS,
    TEXTS,
    build,
    edited,
    errors,
    moved,
    row_twice,
    value_twice,
)
from tests.support.golden_json import schema_from_spec
from tests.support.strategies import BITMAP_TYPES, Table, tables

ORDERS = ROOT / "examples" / "orders"
GOLDEN = golden_indexes("bitmap", "bsi", "range-bitmap", "bloom-filter")


# Sound files --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [case.name for case in GOLDEN])
def test_indexes_of_java_are_sound(name: str) -> None:
    case = golden_index(name)
    schema = schema_from_spec(case.spec)
    assert errors(pk.verify(case.data, schema)) == []
    assert errors(pk.verify(case.data, schema, num_rows=len(case.rows))) == []


@pytest.mark.parametrize("name", [case.name for case in GOLDEN if len(case.data) < 200_000])
def test_indexes_of_java_are_sound_without_a_schema(name: str) -> None:
    assert errors(pk.verify(golden_index(name).data)) == []


# Indexes that contradict themselves ---------------------------------------------------------------


KINDS = [(NUMBERS, "INT"), (TEXTS, "STRING")]
WITH_NULL = pa.table({"v": pa.array([None, 1, 2, 1, 2, 1, 2], pa.int32())})


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize(("data", "kind"), KINDS)
@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (row_twice, "row 9 has a second value"),
        (value_twice, "twice|not in ascending order"),
    ],
)
def test_bitmaps(
    data: pa.Table, kind: str, version: str, edit: Any, message: str, tmp_path: Path, cli: Cli
) -> None:
    schema = Schema.parse(f"v {kind}")
    index = edited(build(data, schema, f"bitmap:v(version={version})"), schema, edit)
    for known in (schema, None):
        [found] = pk.verify(index, known)
        assert (found.severity, found.check, found.column) == (ERROR, "index", "v")
    path = tmp_path / "x.index"
    path.write_bytes(index)
    code, out, err = cli("verify", str(path), "-s", f"v {kind}", "--format", "json")
    [found] = json.loads(out)["findings"]
    assert code == 3, err
    assert pk.Finding(**found) == pk.verify(str(path), schema)[0]
    assert re.search(message, found["message"])


def test_columns_that_count_other_rows() -> None:
    schema = Schema.parse("a INT, b INT, c INT")
    data = pa.table({name: pa.array(range(5), pa.int32()) for name in "abc"})
    for kind in ("bitmap", "bsi", "range-bitmap"):
        right = build(data, schema, "bitmap:a", f"{kind}:b", "bitmap:c")
        # The same sizes, and another number of rows: the last one is null.
        document = dump_file(open_source(right), schema)

        def count_more(node: Any) -> None:
            for key, value in node.items():
                if key == "num_rows":
                    node[key] = value + 1
                elif isinstance(value, dict):
                    count_more(value)

        [part] = (
            part
            for part in document["parts"][1:]
            if part["at"] == pk.FileIndex.open(right).places["b"][kind].ofs_body
        )
        count_more(part)
        found = errors(pk.verify(assemble(document), schema))
        assert any(
            one.column == "b" and "counts 6 rows, and the bitmap index of" in one.message
            for one in found
        ), kind
        assert {one.column for one in found} == {"b"}
        told = errors(pk.verify(assemble(document), schema, num_rows=5))
        assert [one.column for one in told] == ["b"]
        assert "the data file has 5" in told[0].message


def test_heads() -> None:
    schema = Schema.parse("a INT, b INT")
    data = pa.table({name: pa.array(range(5), pa.int32()) for name in "ab"})
    right = build(data, schema, "bitmap:a", "bitmap:b")
    assert errors(pk.verify(right + b"left", schema))[0].message == "4 bytes follow the last index"
    first, second = pk.FileIndex.open(right).columns
    found = errors(pk.verify(moved(right, second, -1), schema))
    assert "starts before byte" in found[0].message
    size = pk.FileIndex.open(right).places[first]["bitmap"].len_body
    [lower, upper] = pk.verify(moved(right, second, -size), schema)  # both at the same place
    assert "starts before byte" in lower.message
    assert f"{size} bytes follow the last index" in upper.message
    name = second.encode()
    at = right.index(b"\0\1" + name)
    found = pk.verify(right[: at + 2] + first.encode() + right[at + 3 :], schema)
    assert "lists the column twice" in found[0].message
    [unknown] = pk.verify(right.replace(b"bitmap", b"bitmaq", 1), schema)
    assert unknown.severity == WARNING
    assert "'bitmaq' is unknown (did you mean 'bitmap'?)" in unknown.message


def test_an_empty_index_of_a_file_with_rows() -> None:
    schema = Schema.parse("a INT, b INT")
    data = pa.table({name: pa.array(range(5), pa.int32()) for name in "ab"})
    index = moved(build(data, schema, "bitmap:a", "bitmap:b"), "b", 0, empty=True)
    assert pk.FileIndex.open(index, schema).evaluate("b = 3").kind == "skip"
    [found] = (one for one in errors(pk.verify(index, schema)) if one.column == "b")
    assert "EMPTY" in found.message
    with pytest.raises(pk.CorruptFileError, match="EMPTY, but the data file has 5 rows"):
        pk.select_rows(index, schema, "b = 3", num_rows=5)
    assert pk.select_rows(index, schema, "b = 3", num_rows=0).kind == "skip"


def test_a_claim_of_many_rows_takes_no_memory() -> None:
    program = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
import sys, paimon_ksy as pk
[found] = pk.verify(sys.stdin.buffer.read(), pk.Schema.parse("v INT"))
print(found.severity, found.message)
"""
    schema = Schema.parse("v INT")

    def claim(parts: list[Any]) -> None:
        parts[0]["v2"]["num_rows"] = 2**31 - 1

    index = edited(build(NUMBERS, schema, "bitmap:v"), schema, claim)
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, input=index, env=unmeasured(), capture_output=True, check=True)
    assert done.stdout.decode() == (
        "note it counts 2,147,483,647 rows, but is not checked row by row\n"
    )


# What a query sees --------------------------------------------------------------------------------


def null_to_one(parts: list[Any]) -> None:
    """Row 1 is null, which has a value, in place of row 0."""
    meta = parts[0].get("v1") or parts[0]["v2"]
    meta["ofs_null"] -= 1


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize(
    ("data", "kind", "edit", "query", "message"),
    [
        (NUMBERS, "INT", row_twice, "v IN (0, 1, 2)", "two values"),
        (NUMBERS, "INT", row_twice, "v NOT IN (0, 1, 2)", "two values"),
        (TEXTS, "STRING", row_twice, "v IN ('t0', 't1', 't2')", "two values"),
        (TEXTS, "STRING", row_twice, "v NOT IN ('t0', 't1', 't2')", "two values"),
        (TEXTS, "STRING", value_twice, "v = 't2'", "twice"),
        (WITH_NULL, "INT", null_to_one, "v <> 1", "a row has a value and is null"),
    ],
)
def test_a_query_that_sees_the_contradiction_fails(
    data: pa.Table, kind: str, edit: Any, query: str, message: str, version: str
) -> None:
    if (edit, version) == (value_twice, "2"):
        message = "ascending|twice"
    schema = Schema.parse(f"v {kind}")
    index = edited(build(data, schema, f"bitmap:v(version={version})"), schema, edit)
    with (
        pk.FileIndex.open(index, schema) as opened,
        pytest.raises(pk.CorruptFileError, match=message),
    ):
        opened.evaluate(query)


# With the data ------------------------------------------------------------------------------------


@pytest.mark.parametrize("at", [145_000, 16_150, 60_000])
def test_a_bit_of_the_example(at: int, tmp_path: Path, cli: Cli) -> None:
    index = bytearray((ORDERS / "orders.parquet.index").read_bytes())
    index[at] ^= 1
    path = tmp_path / "x.index"
    path.write_bytes(index)
    code, out, _ = cli("verify", str(path), "--data", str(ORDERS / "orders.parquet"))
    assert code == 3
    assert f"byte {at:,}" in out


@pytest.mark.parametrize("kind", ["bitmap:v(version=1)", "bitmap:v", "range-bitmap:v"])
def test_a_changed_key_is_found_with_the_data_alone(kind: str, tmp_path: Path, cli: Cli) -> None:
    """What makes queries lose rows without a word: a file index has no checksum."""
    data = pa.table({"v": [f"t{i % 3}" for i in range(12)]})
    schema = Schema.parse("v STRING")
    index = bytearray(build(data, schema, kind))
    index[index.rindex(b"t2") + 1] = ord("7")
    if kind == "range-bitmap:v":  # its greatest value stands in the head, too
        index[index.index(b"t2") + 1] = ord("7")
    path, file = tmp_path / "x.index", tmp_path / "data.parquet"
    path.write_bytes(index)
    pq.write_table(data, file)
    with pk.FileIndex.open(bytes(index), schema) as opened:
        assert opened.evaluate("v = 't2'").kind == "skip"
    assert pk.verify(bytes(index), schema) == []
    for known in (["-s", "v STRING"], []):
        code, out, _ = cli("verify", str(path), *known, "--data", str(file))
        assert code == 3
        assert "column 'v'" in out


@pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")
@pytest.mark.parametrize(("suffix", "step"), [("parquet", 53), ("orc", 97)])
def test_no_flipped_bit_loses_rows_of_an_index_that_is_sound_with_the_data(
    suffix: str, step: int, tmp_path: Path
) -> None:
    rng = random.Random(7)
    count = 60
    data = pa.table(
        {
            "n": pa.array([rng.choice([None, *range(9)]) for _ in range(count)], pa.int32()),
            "t": pa.array([rng.choice([None, "a", "bc", "def"]) for _ in range(count)]),
        }
    )
    file = tmp_path / f"data.{suffix}"
    (pq.write_table if suffix == "parquet" else orc.write_table)(data, file)
    schema = Schema.parse("n INT, t STRING")
    specs = "bitmap:n(version=1)", "bsi:n", "range-bitmap:n", "bitmap:t", "range-bitmap:t"
    index = build(data, schema, *specs)
    assert pk.verify(index, schema, data=str(file)) == []
    assert pk.verify(index, data=str(file)) == []
    predicates = ["n = 3", "n > 5", "n IS NULL", "t = 'a'", "t <> 'bc'", "t >= 'b'", "t IS NULL"]
    due = answers(index, schema, predicates, count)
    found = 0
    for bit in range(0, 8 * len(index), step):
        damaged = bytearray(index)
        damaged[bit >> 3] ^= 1 << (bit & 7)
        if errors(pk.verify(bytes(damaged), schema, data=str(file), kind="index")):
            found += 1
            continue
        for mine, right in zip(
            answers(bytes(damaged), schema, predicates, count), due, strict=True
        ):
            assert mine[0] >= right[0], f"byte {bit >> 3}, bit {bit & 7}"
            assert mine == right or not mine[1], f"byte {bit >> 3}, bit {bit & 7}"
    assert found > 0.85 * 8 * len(index) / step


def answers(
    index: bytes, schema: Schema, predicates: list[str], count: int
) -> list[tuple[set[int], bool]]:
    with pk.FileIndex.open(index, schema) as opened:
        selections = [opened.evaluate(predicate) for predicate in predicates]
    every = {"all": set(range(count)), "skip": set[int]()}
    return [
        (every[one.kind] if one.matching is None else set(one.rows), one.exact)
        for one in selections
    ]


def test_the_index_of_another_file(tmp_path: Path, cli: Cli) -> None:
    schema = Schema.parse("v INT")
    file, path = tmp_path / "data.parquet", tmp_path / "x.index"
    pq.write_table(NUMBERS.slice(0, 11), file)
    path.write_bytes(build(NUMBERS, schema, "bitmap:v"))
    code, out, _ = cli("verify", str(path), "--data", str(file))
    assert code == 3
    assert "it counts 12 rows, but the data file has 11" in out
    pq.write_table(NUMBERS.rename_columns(["w"]), file)
    code, out, _ = cli("verify", str(path), "--data", str(file))
    assert code == 3
    assert "no column 'v'" in out
    file.write_bytes(file.read_bytes()[:-9])
    code, out, _ = cli("verify", str(path), "--data", str(file))
    assert code == 3
    assert "error data-file" in out


# The wrong schema ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["bitmap:v(version=1)", "bitmap:v", "range-bitmap:v"])
@pytest.mark.parametrize(
    ("right", "wrong"), [("INT", "STRING"), ("INT", "BIGINT"), ("BIGINT", "INT")]
)
def test_a_wrong_schema_is_not_damage(
    kind: str, right: str, wrong: str, tmp_path: Path, cli: Cli
) -> None:
    arrow = pa.int32() if right == "INT" else pa.int64()
    data = pa.table({"v": pa.array([i * 7 % 31 for i in range(100)], arrow)})
    path, file = tmp_path / "x.index", tmp_path / "data.parquet"
    path.write_bytes(build(data, Schema.parse(f"v {right}"), kind))
    pq.write_table(data, file)
    code, out, _ = cli("verify", str(path), "-s", f"v {wrong}")
    assert code == 3
    [line] = [line for line in out.splitlines() if "error" in line][1:]
    assert "error schema" in line
    assert f"index is sound for {right}" in line
    code, out, _ = cli("verify", str(path), "-s", f"v {wrong}", "--data", str(file))
    assert code == 3
    assert f"it is {wrong} in the schema, but {right} in {file}" in out
    [remedy] = (line for line in out.splitlines() if "such as --schema" in line)
    shown = shlex.split(remedy.partition("--schema ")[2])[0]
    assert cli("verify", str(path), "-s", shown, "--data", str(file))[0] == 0


def test_a_type_that_the_index_cannot_hold(tmp_path: Path, cli: Cli) -> None:
    path = tmp_path / "x.index"
    path.write_bytes(build(NUMBERS, Schema.parse("v INT"), "bsi:v"))
    code, out, _ = cli("verify", str(path), "-s", "v STRING")
    assert code == 3
    assert "error schema" in out
    assert "which a bsi index cannot contain" in out


def test_a_column_that_the_schema_lacks(tmp_path: Path, cli: Cli) -> None:
    path, file = tmp_path / "x.index", tmp_path / "data.parquet"
    path.write_bytes(build(NUMBERS, Schema.parse("v INT"), "bitmap:v"))
    code, _, err = cli("verify", str(path), "-s", "w INT")
    assert (code, "column 'w': the file has no such column: it has v" in err) == (2, True)
    pq.write_table(NUMBERS, file)
    for data in (None, file):
        [finding] = verify(path, Schema.parse("w INT"), data=data)
        assert (finding.severity, finding.check) == ("note", "schema")


NAME = "a b"
NAMED_OPTIONS = {"file-index.bitmap.columns": NAME}
NAMED_SCHEMA = Schema.parse(f"`{NAME}` STRING")
NAMED = build_file_index(
    pa.table({NAME: ["NEW", "PAID", None, "NEW"]}), NAMED_SCHEMA, NAMED_OPTIONS
)


def mismatch(data: bytes, schema: str | None, column: str | None) -> SchemaError | None:
    parsed = None if schema is None else Schema.parse(schema)
    with open_source(data) as source:
        return schema_mismatch(source, parsed, CorruptFileError("broken", column=column))


def test_types_that_fit_are_listed_to_be_pasted() -> None:
    found = mismatch(NAMED, f"`{NAME}` BIGINT", NAME)
    assert found is not None
    assert found.column == NAME
    assert "its type in the schema is BIGINT, but its bitmap index is sound for" in str(found)
    assert f"--schema '`{NAME}` STRING'" in str(found.remedy)


@pytest.mark.parametrize(
    ("data", "schema", "column"),
    [
        (NAMED[:-20], f"`{NAME}` BIGINT", NAME),  # damage: it fits no type
        (NAMED, f"`{NAME}` STRING", NAME),  # damage of something else than values
        (NAMED, f"`{NAME}` CHAR(9)", NAME),  # which is stored as STRING is
        (NAMED, f"`{NAME}` BIGINT", None),
        (NAMED, f"`{NAME}` BIGINT", "other"),
        (NAMED, None, NAME),
    ],
)
def test_no_other_schema_is_to_blame(data: bytes, schema: str | None, column: str | None) -> None:
    assert mismatch(data, schema, column) is None


# Any table ----------------------------------------------------------------------------------------


# Bloom filters take no BOOLEAN, and range bitmaps no nanoseconds.
SPECS = {
    "bitmap:{}": BITMAP_TYPES,
    "bitmap:{}(version=1)": BITMAP_TYPES,
    "range-bitmap:{}": [kind for kind in BITMAP_TYPES if kind.precision != 9],
    "bloom-filter:{}": [kind for kind in BITMAP_TYPES if kind.root != "BOOLEAN"],
}


@st.composite
def indexed(draw: st.DrawFn) -> tuple[Table, bytes]:
    """Draw a table, and a file index of one type on each of its columns."""
    spec = draw(st.sampled_from(list(SPECS)))
    table = draw(tables(SPECS[spec]))
    specs = [spec.format(name) for name in table.schema.names]
    return table, build(table.to_arrow(), table.schema, *specs)


@examples(60)
@given(indexed())
def test_an_index_of_any_table_is_sound(made: tuple[Table, bytes]) -> None:
    table, index = made
    with open_source(index) as source:
        for schema in (table.schema, None):
            for num_rows in (table.num_rows, None):
                subject = Subject(source, schema, num_rows=num_rows)
                assert list(verify_index.check(subject)) == []
