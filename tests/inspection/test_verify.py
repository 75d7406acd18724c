"""`verify` finds what is wrong with one file, and nothing in a sound one."""

from __future__ import annotations

import json
import random
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap

import paimon_ksy as pk
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.options import FileIndexOptions, parse_index_spec
from paimon_ksy.inspection import verify as verification
from paimon_ksy.inspection import verify_index
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.inspection.subject import Limits
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding
from paimon_ksy.table_index.bucket_index import key_hashes, write_bucket_index
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.golden import golden_index, golden_indexes
from tests.golden.vectors import golden_vectors
from tests.support.commands import Cli
from tests.support.golden_json import schema_from_spec

ORDERS = ROOT / "examples" / "orders"


def build(data: pa.Table, schema: Schema, *specs: str) -> bytes:
    return bytes(build_file_index(data, schema, FileIndexOptions.of(map(parse_index_spec, specs))))


def edited(index: bytes, schema: Schema, edit: Callable[[list[Any]], object]) -> bytes:
    """The index with something changed in the JSON of its bodies; sizes stay as they are."""
    document = dump_file(open_source(index), schema)
    edit(document["parts"][1:])
    return assemble(document)


def errors(found: list[Finding]) -> list[Finding]:
    return [one for one in found if one.severity == ERROR]


# Sound files --------------------------------------------------------------------------------------


GOLDEN = golden_indexes("bitmap", "bsi", "range-bitmap", "bloom-filter")


@pytest.mark.parametrize("name", [case.name for case in GOLDEN])
def test_indexes_of_java_are_sound(name: str) -> None:
    case = golden_index(name)
    schema = schema_from_spec(case.spec)
    assert errors(pk.verify(case.data, schema)) == []
    assert errors(pk.verify(case.data, schema, num_rows=len(case.rows))) == []


@pytest.mark.parametrize("name", [case.name for case in GOLDEN if len(case.data) < 200_000])
def test_indexes_of_java_are_sound_without_a_schema(name: str) -> None:
    assert errors(pk.verify(golden_index(name).data)) == []


@pytest.mark.parametrize("case", golden_vectors(), ids=lambda case: case.name)
def test_vectors_of_java_are_sound(case: Any) -> None:
    assert errors(pk.verify(case.data, kind="vectors")) == []
    for place in case.ranges:
        found = pk.verify(
            case.data,
            offset=place["offset"],
            length=place["length"],
            cardinality=place["cardinality"],
        )
        assert errors(found) == []


@pytest.mark.parametrize("schema", [True, False])
@pytest.mark.parametrize("data", [True, False])
def test_the_example_is_sound(schema: bool, data: bool, cli: Cli) -> None:
    arguments = ["verify", str(ORDERS / "orders.parquet.index")]
    if schema:
        arguments += ["--schema-file", str(ORDERS / "orders.schema.json")]
    if data:
        arguments += ["--data", str(ORDERS / "orders.parquet")]
    code, out, _ = cli(*arguments)
    assert code == 0
    assert out.splitlines()[0].endswith("orders.parquet.index: file index, nothing found")
    assert ("only --data" in out) is not data


# Indexes that contradict themselves ---------------------------------------------------------------

NUMBERS = pa.table({"v": pa.array([i % 3 for i in range(12)], pa.int32())})
TEXTS = pa.table({"v": pa.array([f"t{i % 3}" for i in range(12)])})
KINDS = [(NUMBERS, "INT"), (TEXTS, "STRING")]


def entries(part: dict[str, Any]) -> list[dict[str, Any]]:
    if part["version"] == 1:
        found: list[dict[str, Any]] = part["v1"]["dictionary"]["entries"]
        return found
    [block] = part["v2"]["directory"]["blocks"]
    return list(block["block"]["entries"])


def row_twice(parts: list[Any]) -> None:
    """Row 8 goes to no value, and row 9 to a second one."""
    for entry in entries(parts[0]):
        [container] = entry["bitmap"]["containers"]
        container["values"] = [9 if row == 8 else row for row in container["values"]]


def value_twice(parts: list[Any]) -> None:
    first, second, _ = entries(parts[0])
    second["key"] = first["key"]


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
    for given in (schema, None):
        [found] = pk.verify(index, given)
        assert (found.severity, found.check, found.column) == (ERROR, "index", "v")
    path = tmp_path / "x.index"
    path.write_bytes(index)
    code, out, err = cli("verify", str(path), "-s", f"v {kind}", "--json")
    [line] = out.splitlines()
    assert code == 3, err
    assert pk.Finding(**json.loads(line)) == pk.verify(str(path), schema)[0]
    assert re.search(message, line)
    code, out, err = cli("inspect", str(path), "-s", f"v {kind}")
    assert code == 1
    if "broken" not in out:  # then the error says what is wrong
        command = f"paimon-ksy verify {path} --schema 'v {kind}'"
        assert err == f"paimon-ksy: {path}: 1 contradiction: run `{command}`\n"
        assert cli(*shlex.split(command)[1:])[0] == 3
    code, out, _ = cli("inspect", str(path), "-s", f"v {kind}", "--json")
    assert json.loads(out)["contradictions"] == (0 if "error" in out else 1)


def test_columns_that_count_other_rows(cli: Cli, tmp_path: Path) -> None:
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
        path = tmp_path / "x.index"
        path.write_bytes(assemble(document))
        code, _, err = cli("inspect", str(path))
        assert (code, err) == (
            1,
            f"paimon-ksy: {path}: 1 contradiction: run `paimon-ksy verify {path}`\n",
        )
        told = errors(pk.verify(assemble(document), schema, num_rows=5))
        assert [one.column for one in told] == ["b"]
        assert "the data file has 5" in told[0].message


def moved(index: bytes, name: str, by: int, *, empty: bool = False) -> bytes:
    """The file with another place of a column's bitmap in its head."""
    place = pk.FileIndex.open(index).places[name]["bitmap"]
    there = place.ofs_body.to_bytes(4) + place.len_body.to_bytes(4)
    new = (place.ofs_body + by).to_bytes(4) + there[4:]
    assert index.count(there) == 1
    return index.replace(there, b"\xff" * 4 + b"\0" * 4 if empty else new)


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
    done = subprocess.run(
        [sys.executable, "-c", program], input=index, capture_output=True, check=True
    )
    assert done.stdout.decode() == (
        "note it counts 2147483647 rows, but is not checked row by row\n"
    )


def test_inspect_of_a_sound_file_or_of_another_kind(tmp_path: Path, cli: Cli) -> None:
    index = str(ORDERS / "orders.parquet.index")
    schema = ["--schema-file", str(ORDERS / "orders.schema.json")]
    for arguments in ([], schema):
        code, out, err = cli("inspect", index, *arguments, "--json")
        assert (code, err, json.loads(out)["contradictions"]) == (0, "", 0)
    code, out, err = cli("inspect", str(ORDERS / "orders.parquet"), "--json")
    assert (code, err, "contradictions" in json.loads(out)) == (0, "", False)


def test_inspect_leaves_out_what_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = Schema.parse("v INT")
    index = edited(build(NUMBERS, schema, "bitmap:v"), schema, row_twice)
    for limits, count in [((1 << 20, 12), 1), ((1 << 20, 11), 0), ((len(index) // 4, 99), 0)]:
        monkeypatch.setattr(verify_index, "_LIMITS", Limits(*limits))
        assert len(verify_index.contradictions(open_source(index), schema)) == count


# What a query sees --------------------------------------------------------------------------------


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize(
    ("data", "kind", "all_values"),
    [(NUMBERS, "INT", "0, 1, 2"), (TEXTS, "STRING", "'t0', 't1', 't2'")],
)
def test_a_query_over_both_values_of_a_row_fails(
    data: pa.Table, kind: str, version: str, all_values: str
) -> None:
    schema = Schema.parse(f"v {kind}")
    index = edited(build(data, schema, f"bitmap:v(version={version})"), schema, row_twice)
    with pk.FileIndex.open(index, schema) as opened:
        for operator in ("IN", "NOT IN"):
            with pytest.raises(pk.CorruptFileError, match="two values"):
                opened.evaluate(f"v {operator} ({all_values})")


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_query_over_a_value_that_is_null_too_fails(version: str) -> None:
    schema = Schema.parse("v INT")
    data = pa.table({"v": pa.array([None, 1, 2, 1, 2, 1, 2], pa.int32())})

    def null_to_one(parts: list[Any]) -> None:
        meta = parts[0][f"v{version}"]
        [single] = [name for name in meta if name == "ofs_null"]
        meta[single] -= 1  # the one row that is null: row 1 in place of row 0

    index = edited(build(data, schema, f"bitmap:v(version={version})"), schema, null_to_one)
    with (
        pk.FileIndex.open(index, schema) as opened,
        pytest.raises(pk.CorruptFileError, match="a row has a value and is null"),
    ):
        opened.evaluate("v <> 1")


def test_a_query_over_a_small_dictionary_with_a_value_twice_fails() -> None:
    schema = Schema.parse("v STRING")
    index = edited(build(TEXTS, schema, "bitmap:v(version=1)"), schema, value_twice)
    with (
        pk.FileIndex.open(index, schema) as opened,
        pytest.raises(pk.CorruptFileError, match="twice"),
    ):
        opened.evaluate("v = 't2'")


def test_queries_over_columns_that_count_other_rows_fail() -> None:
    schema = Schema.parse("a INT, b INT")
    made = {
        name: build(pa.table({name: pa.array(values, pa.int32())}), schema, f"bsi:{name}")
        for name, values in (("a", range(5)), ("b", [*range(5), None]))
    }
    bodies = {
        name: index[pk.FileIndex.open(index).places[name]["bsi"].ofs_body :]
        for name, index in made.items()
    }
    both = {name: pa.array(range(5), pa.int32()) for name in "ab"}
    index = build(pa.table(both), schema, "bsi:a", "bsi:b")
    assert len(bodies["a"]) == len(bodies["b"])
    place = pk.FileIndex.open(index).places["b"]["bsi"]
    index = index[: place.ofs_body] + bodies["b"] + index[place.ofs_body + place.len_body :]
    with pk.FileIndex.open(index, schema) as opened:
        assert opened.evaluate("a = 3").count == 1
        with pytest.raises(pk.CorruptFileError, match="count different numbers of rows: 5 and 6"):
            opened.evaluate("b = 3")


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
    for given in (["-s", "v STRING"], []):
        code, out, _ = cli("verify", str(path), *given, "--data", str(file))
        assert code == 3
        assert "column 'v'" in out


@pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")
@pytest.mark.parametrize(("suffix", "step"), [("parquet", 5), ("orc", 37)])
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
        (every[one.kind] if one.rows is None else set(one.rows), one.exact) for one in selections
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
    code, out, _ = cli("verify", str(path), "-s", "w INT")
    assert (code, "note schema" in out) == (0, True)
    pq.write_table(NUMBERS, file)
    assert cli("verify", str(path), "-s", "w INT", "--data", str(file))[0] == 0


# Deletion vectors ---------------------------------------------------------------------------------


@pytest.fixture
def vectors(tmp_path: Path) -> tuple[Path, Any]:
    path = tmp_path / "index-1-0"
    made = {
        "a.parquet": DeletionVector.of([1, 5, 9]),
        "b.parquet": DeletionVector.of([0, 7, 2**33], 64),
        "c.parquet": DeletionVector.of([4]),
    }
    return path, write_vectors(path, made)


def test_vectors(vectors: tuple[Path, Any], tmp_path: Path, cli: Cli) -> None:
    path, written = vectors
    assert cli("verify", str(path))[:2] == (0, f"{path}: vector file, nothing found\n")
    first = written.vectors[0]
    place = f"{path}:{first.offset}:{first.length}"
    assert cli("verify", place, "--rows", "10", "--cardinality", "3")[0] == 0
    code, out, _ = cli("verify", place, "--rows", "9")
    assert (code, "deletes row 9 of the data file, which has 9 rows" in out) == (3, True)
    code, out, _ = cli("verify", place, "--cardinality", "4")
    assert (code, "deletes 3 rows, but 4 was given" in out) == (3, True)
    code, out, _ = cli("verify", f"{path}:{first.offset}:{first.length + 1}")
    assert (code, "length is" in out) == (3, True)
    file = tmp_path / "a.parquet"
    pq.write_table(pa.table({"v": range(9)}), file)
    code, out, _ = cli("verify", place, "--data", str(file))
    assert (code, f"deletes row 9 of {file}, which has 9 rows" in out) == (3, True)
    code, _, err = cli("verify", str(path), "--rows", "9")
    assert code == 2
    assert f"{path}:OFFSET" in err


@pytest.mark.parametrize(
    ("at", "count", "message"),
    [
        (0, 1, "version"),
        ("crc", 1, "CRC"),
        ("body", 1, "CRC"),
        ("size", None, "vector"),
        ("kind", None, "magic number"),
    ],
)
def test_damaged_vectors(
    vectors: tuple[Path, Any], at: Any, count: int | None, message: str, cli: Cli
) -> None:
    path, written = vectors
    data = bytearray(path.read_bytes())
    second, third = (meta.offset for meta in written.vectors[1:])
    places = {"crc": third - 1, "body": third - 6, "size": second + 1, "kind": second + 5}
    place = places.get(at, 0)
    data[place] ^= 4
    path.write_bytes(data)
    code, out, _ = cli("verify", str(path), "--json")
    found = [json.loads(line) for line in out.splitlines()]
    assert code == 3
    assert {one["check"] for one in found} == {"deletion-vector"}
    assert any(message in one["message"] for one in found)
    assert count is None or len(found) == count


def test_vectors_after_a_damaged_one_are_checked(vectors: tuple[Path, Any]) -> None:
    path, written = vectors
    data = bytearray(path.read_bytes())
    data[written.vectors[1].offset - 1] ^= 1
    data[-1] ^= 1
    found = pk.verify(bytes(data))
    assert [one.byte for one in found] == [written.vectors[0].offset, written.vectors[2].offset]


def test_a_row_that_no_file_has() -> None:
    """Java's 32-bit vectors make it of position -1."""
    [found] = pk.verify(b"\x01" + DeletionVector(32, {0: BitMap([2**32 - 1])}).to_bytes())
    assert (found.severity, "row 4294967295" in found.message) == (WARNING, True)


# Bucket indexes -----------------------------------------------------------------------------------


def test_bucket_indexes(tmp_path: Path, cli: Cli) -> None:
    path, file = tmp_path / "index-2-0", tmp_path / "data.parquet"
    schema = Schema.parse("id BIGINT")
    keys = pa.table({"id": pa.array(range(20), pa.int64())})
    pq.write_table(keys, file)
    hashes = key_hashes(keys, schema)
    write_bucket_index(path, hashes)
    arguments = ["verify", str(path), "-s", "id BIGINT", "--data", str(file)]
    code, out, _ = cli(*arguments, "--cardinality", "20")
    assert (code, [line for line in out.splitlines() if "error" in line]) == (0, [])
    code, out, _ = cli("verify", str(path), "--cardinality", "21")
    assert (code, "20 hash codes, but 21 according to the manifest" in out) == (3, True)
    path.write_bytes(path.read_bytes() + b"x")
    code, out, _ = cli("verify", str(path))
    assert (code, "byte 80: 1 bytes follow the last hash code" in out) == (3, True)
    write_bucket_index(path, [*hashes[1:], hashes[1]])
    found = pk.verify(str(path))
    assert [one.severity for one in found] == [NOTE, WARNING]
    code, out, _ = cli(*arguments)
    assert code == 3
    assert f"lacks the hash codes of 1 keys of {file}; the first is {hashes[0]} in row 0" in out
    code, _, err = cli("verify", str(path), "--data", str(file))
    assert (code, "--schema" in err) == (2, True)


# Usage --------------------------------------------------------------------------------------------


def test_what_cannot_be_verified(tmp_path: Path, cli: Cli) -> None:
    unknown, index = tmp_path / "x", tmp_path / "data.index"
    unknown.write_bytes(b"something else")
    code, _, err = cli("verify", str(unknown))
    assert (code, "--kind index, vectors or bucket-index" in err) == (2, True)
    code, _, err = cli("verify", str(unknown), "--kind", "table")
    assert (code, "one of index, vectors, bucket-index" in err) == (2, True)
    code, _, err = cli("verify", str(ORDERS / "orders.parquet"))
    assert (code, "is Parquet" in err) == (2, True)
    code, _, err = cli("verify", str(tmp_path / "none"))
    assert (code, "no such file" in err) == (1, True)
    index.write_bytes(b"\x01" + (ORDERS / "orders.parquet.index").read_bytes()[1:])
    code, out, _ = cli("verify", str(index))
    assert (code, "it does not start with the magic number" in out) == (3, True)


def test_kinds_are_told_apart(tmp_path: Path) -> None:
    write_bucket_index(tmp_path / "index-3-0", np.arange(-50, 1000))
    for path, kind in [
        (tmp_path / "index-3-0", "bucket-index"),
        (ORDERS / "orders.parquet.index", "index"),
    ]:
        with open_source(str(path)) as source:
            assert verification.kind_of(source) == kind
