"""Dynamic bucket indexes: Java's files, and Java's hash of keys."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import PaimonKsyError, SchemaError, UnsupportedError
from paimon_ksy.table_index.bucket_index import (
    BucketIndex,
    key_hashes,
    lookup,
    read_bucket_index,
    write_bucket_index,
)
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.golden.vectors import bad_hashes, dynamic_table, golden_hashes


@pytest.mark.parametrize("name", sorted(golden_hashes()))
def test_golden_files(name: str, tmp_path: Path) -> None:
    data, count, first = golden_hashes()[name]
    index = read_bucket_index(data)
    assert (len(index), index.hashes[:100].tolist(), index.trailing) == (count, first, b"")
    assert index.to_bytes() == data
    write_bucket_index(tmp_path / "h", index.hashes.tolist())
    assert (tmp_path / "h").read_bytes() == data
    assert list(tmp_path.iterdir()) == [tmp_path / "h"]


def test_trailing_bytes_are_told() -> None:
    index = read_bucket_index(bad_hashes())
    assert (index.hashes.tolist(), index.trailing) == ([1], b"\x02")
    assert index.to_bytes() == bad_hashes()


@given(st.lists(st.integers(-(2**31), 2**31 - 1)), st.binary(max_size=3))
def test_any_bytes_come_back(hashes: list[int], rest: bytes) -> None:
    data = BucketIndex(np.array(hashes, np.int32), rest).to_bytes()
    index = read_bucket_index(data)
    assert (index.hashes.tolist(), index.trailing) == (hashes, rest)
    assert index.distinct == len(set(hashes))
    asked = [*hashes[:3], 7, -7]
    assert index.contains(asked).tolist() == [h in hashes for h in asked]


def test_only_hash_codes_are_written(tmp_path: Path) -> None:
    wrong: list[Any] = [[2**31], [-(2**31) - 1], [1.5], ["a"]]
    for hashes in wrong:
        with pytest.raises(PaimonKsyError, match="32-bit"):
            write_bucket_index(tmp_path / "h", hashes)
    with pytest.raises(PaimonKsyError, match="cannot be written"):
        write_bucket_index(tmp_path / "none" / "h", [1])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["pk_dynamic", "pk_dynamic_partitioned_dv"])
def test_the_buckets_of_a_table_hold_the_hashes_of_its_keys(name: str) -> None:
    """Each key ever written is in just one bucket of its partition, and nothing else is."""
    table = dynamic_table(name)
    names = [column["name"] for column in table.spec["columns"]]
    partition_keys = table.spec.get("partitionKeys", [])
    at = [names.index(key) for key in partition_keys]
    row_id = names.index("id")
    keys: dict[tuple[Any, ...], set[int]] = {}
    for _, row in table.rows:
        keys.setdefault(tuple(row[i] for i in at), set()).add(row[row_id])
    for partition, ids in keys.items():
        indexes = [read_bucket_index(f[3]) for f in table.files if tuple(f[0]) == partition]
        hashes = key_hashes(pa.table({"id": sorted(ids)}), Schema.parse("id INT NOT NULL"))
        assert sum(map(len, indexes)) == len(ids)
        assert all(len(found) == 1 for found in lookup(indexes, hashes))
    assert [count for *_, count, _ in table.files] == [len(d) // 4 for *_, d in table.files]


def test_looking_up() -> None:
    one, two = (BucketIndex(np.array(h, np.int32)) for h in ([1, 2], [2, 3]))
    assert lookup([one, two], [1, 2, 3, 4]) == [(0,), (0, 1), (1,), ()]
    assert lookup([], [1]) == [()]
    assert lookup([one], []) == []
    assert lookup([one], np.array([2**32 + 1])) == [()]


def test_keys_that_are_none() -> None:
    with pytest.raises(SchemaError, match="no column 'b'"):
        key_hashes(pa.table({"a": [1]}), Schema.parse("b INT"))
    with pytest.raises(SchemaError, match="null"):
        key_hashes(pa.table({"a": [1, None]}), Schema.parse("a INT"))
    with pytest.raises(SchemaError, match="is not a valid INT"):
        key_hashes(pa.table({"a": ["x"]}), Schema.parse("a INT"))
    with pytest.raises(UnsupportedError, match="cannot be in a key"):
        key_hashes(pa.table({"a": [[1]]}), Schema.parse("a ARRAY<INT>"))
    assert (
        key_hashes(pa.table({"a": pa.array([], pa.int32())}), Schema.parse("a INT")).tolist() == []
    )


# Java's hash codes of keys: `tools/java/Vectors.java` made them.
KEY_HASHES = json.loads((ROOT / "tests").joinpath("golden", "key_hashes.json").read_text())


def arrow(data_type: DataType, values: list[Any]) -> pa.Array:
    """Values as key_hashes.json has them."""
    target = to_arrow(data_type)
    if data_type.root == "DECIMAL":
        return pa.array(map(Decimal, values), target)
    if data_type.root in ("BINARY", "VARBINARY"):
        return pa.array(map(bytes.fromhex, values), target)
    if data_type.root in ("DATE", "TIME"):
        return pa.array(values, pa.int32()).cast(target)
    return (
        pa.array(values, pa.int64()).cast(target)
        if data_type.is_timestamp
        else pa.array(values, target)
    )


@pytest.mark.parametrize("case", KEY_HASHES, ids=lambda case: ", ".join(case["types"])[:60])
def test_hashes_of_all_types_are_java_s(case: dict[str, Any]) -> None:
    schema = Schema.parse(", ".join(f"c{i} {text}" for i, text in enumerate(case["types"])))
    columns = [list(column) for column in zip(*case["rows"], strict=True)]
    table = pa.table(
        {
            field.name: arrow(field.type, values)
            for field, values in zip(schema, columns, strict=True)
        }
    )
    assert key_hashes(table, schema).tolist() == case["hashes"]
    parts = pa.concat_tables([table.slice(0, 1), table.slice(1)])
    assert key_hashes(parts, schema).tolist() == case["hashes"]
