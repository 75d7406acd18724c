"""`verify` finds what is wrong with one file, and nothing in a sound one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap

import paimon_ksy as pk
from paimon_ksy.messages.findings import WARNING
from paimon_ksy.table_index.bucket_index import key_hashes, write_bucket_index
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.golden.vectors import golden_vectors
from tests.support.commands import Cli
from tests.support.edited_indexes import errors

ORDERS = ROOT / "examples" / "orders"


# Sound files --------------------------------------------------------------------------------------


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
    assert out.splitlines()[0].endswith("orders.parquet.index: file index, no problems")
    assert ("only --data" in out) is not data


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
    assert cli("verify", str(path))[:2] == (0, f"{path}: vector file, no problems\n")
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
    code, out, _ = cli("verify", str(path), "--format", "json")
    document = json.loads(out)
    found = document["findings"]
    assert (code, document["file"], document["kind"]) == (3, str(path), "vectors")
    assert {(one["severity"], one["check"]) for one in found} == {("error", "deletion-vector")}
    assert found[0]["message"] in " ".join(cli("verify", str(path))[1].split())
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
    code, _, err = cli("verify", str(path))
    assert (code, "it may be a vector file, a bucket index" in err) == (2, True)
    kind = ["--kind", "bucket-index"]
    arguments = ["verify", str(path), *kind, "-s", "id BIGINT", "--data", str(file)]
    code, out, _ = cli(*arguments, "--cardinality", "20")
    assert (code, [line for line in out.splitlines() if "error" in line]) == (0, [])
    code, out, _ = cli("verify", str(path), *kind, "--cardinality", "21")
    assert (code, "20 hash codes, but 21 according to the manifest" in out) == (3, True)
    path.write_bytes(path.read_bytes() + b"x")
    code, out, _ = cli("verify", str(path), *kind)
    assert (code, "byte 80: 1 byte left over after the last hash code" in out) == (3, True)
    write_bucket_index(path, [*hashes[1:], hashes[1]])
    found = pk.verify(str(path), kind="bucket-index")
    assert [one.severity for one in found] == [WARNING]
    code, out, _ = cli(*arguments)
    assert code == 3
    assert f"lacks the hash codes of 1 key of {file}; the first is {hashes[0]} in row 0" in out
    code, _, err = cli("verify", str(path), *kind, "--data", str(file))
    assert (code, "--schema" in err) == (2, True)


# Usage --------------------------------------------------------------------------------------------


def test_what_cannot_be_verified(tmp_path: Path, cli: Cli) -> None:
    unknown, index = tmp_path / "x", tmp_path / "x.index"
    unknown.write_bytes(b"something else")
    code, _, err = cli("verify", str(unknown))
    assert (code, "--kind bucket-index" in err) == (2, True)
    code, _, err = cli("verify", str(unknown), "--kind", "table")
    assert (code, "one of index, vectors, bucket-index" in err) == (2, True)
    code, _, err = cli("verify", str(ORDERS / "orders.parquet"))
    assert (code, "is a data file: pass its index" in err) == (2, True)
    table = ORDERS.parent / "warehouse/default.db/orders"
    roles = {"snapshot/snapshot-1": "a snapshot", "schema/schema-0": "a schema"}
    for name, start in {"a manifest list": "manifest-list-", "a manifest": "manifest-"}.items():
        files = sorted((table / "manifest").glob(f"{start}*"), key=lambda path: len(path.name))
        roles[f"manifest/{files[0].name}"] = name
    for file, role in roles.items():
        code, out, _ = cli("verify", str(table / file))
        assert (code, f"it is {role}, which is checked with" in out) == (0, True)
        assert "to check it, run `paimon-ksy table audit " in out
    code, _, err = cli("verify", str(tmp_path / "none"))
    assert (code, "no such file" in err) == (1, True)
    index.write_bytes(b"\x01" + (ORDERS / "orders.parquet.index").read_bytes()[1:])
    code, out, _ = cli("verify", str(index))
    assert (code, "it does not start with the magic number" in out) == (3, True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--rows", "3", "--data", ORDERS / "orders.parquet"], "--rows and --data exclude"),
        (["--cardinality", "2"], "only for deletion vectors and bucket indexes"),
        (["--kind", "parquet"], "kind 'parquet': must be one of "),
    ],
)
def test_wrong_usage(arguments: list[Any], message: str, cli: Cli) -> None:
    index = ORDERS / "orders.parquet.index"
    code, _, err = cli("verify", index, *arguments)
    assert (code, message in err) == (2, True)
    code, _, err = cli("verify", f"{index}:5")
    assert (code, "only deletion vectors have offsets" in err) == (2, True)
