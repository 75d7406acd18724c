"""Audits of keys and rows in a wrong bucket."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from paimon_ksy.table_index.bucket_index import read_bucket_index, write_bucket_index
from tests.support.audits import (
    commit,
    found,
)
from tests.support.golden_tables import golden_table
from tests.support.manifests import change_index_manifest
from tests.support.tables import (
    files,
    make,
    rows,
)
from tools.tables import live_entries, make_table


def bucket_indexes(path: str) -> dict[int, Path]:
    """By bucket, of one partition."""
    table = Table.at(path)
    snapshot: Any = table.snapshot()
    found = [file for file in table.index_manifests.of(snapshot) if file.index_type == "HASH"]
    return {
        file.bucket: Path(table.paths.index_file(file))
        for file in found
        if file.partition == found[0].partition
    }


@pytest.mark.parametrize("name", ["pk_dynamic", "pk_dynamic_partitioned_dv"])
def test_hash_codes_in_a_wrong_bucket(name: str, tmp_path: Path) -> None:
    path = golden_table(name, tmp_path)
    [first, second, *_] = bucket_indexes(path).values()
    one, two = read_bucket_index(first), read_bucket_index(second)
    hashes = one.hashes.copy()
    lost, hashes[3] = hashes[3], two.hashes[0]
    write_bucket_index(first, hashes)
    [finding] = found(path)
    assert finding.check == "bucket-index"
    assert str(two.hashes[0]) in finding.message
    deep = [found_ for found_ in found(path, deep=True) if found_.check == "bucket"]
    assert deep
    assert all(finding.file == str(first) for finding in deep)
    assert str(lost) in deep[0].message
    write_bucket_index(first, one.hashes[:-1])
    assert {finding.file for finding in found(path)} == {str(first)}
    first.write_bytes(one.to_bytes() + b"x")
    assert {finding.file for finding in found(path)} == {str(first)}


@pytest.mark.parametrize("bucket", ["-1", "2"])
def test_keys_with_nulls_are_sound(bucket: str, tmp_path: Path) -> None:
    schema = pa.schema([("id", pa.int64()), ("s", pa.string())])
    data = [pa.table([[1, None, 3, None], ["a", "b", None, None]], schema=schema)] * 2
    options = {"bucket": bucket, "primary-key.nullable": "true"}
    path = make_table(tmp_path, "t", data, options, primary_keys=["id", "s"])
    assert found(path, deep=True) == []
    for index in bucket_indexes(path).values():
        write_bucket_index(index, read_bucket_index(index).hashes + 1)
        assert "the hash codes of 1 key of" in str(found(path, deep=True))


def test_rows_in_a_wrong_fixed_bucket(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 40)], {"bucket": "2", "bucket-key": "id"})
    assert found(path, deep=True) == []
    file = files(path)[0]
    place = Path(path) / f"bucket-{1 - file.bucket}" / file.name
    Path(file.path).rename(place)
    table = Table.at(path)
    [entry] = [e for e in live_entries(table) if e.file.file_name == file.name]
    moved = replace(entry, bucket=1 - entry.bucket)
    commit(table, [replace(entry, kind=1), moved])
    (Path(path) / "snapshot" / "snapshot-1").unlink()
    [finding] = found(path, deep=True)
    assert (finding.check, finding.file) == ("bucket", str(place))
    assert (
        f"bucket {moved.bucket} contains {file.num_rows} rows of other buckets" in finding.message
    )


@pytest.mark.parametrize("name", ["pk_dv32", "pk_dv64", "pk_dynamic_partitioned_dv"])
def test_keys_that_are_live_in_two_levels(name: str, tmp_path: Path) -> None:
    """Nothing deletes the older row: its vector is lost."""
    path = golden_table(name, tmp_path)
    assert found(path, deep=True) == []
    table = Table.at(path)
    change_index_manifest(
        table,
        lambda records: [each for each in records if each["_INDEX_TYPE"] != "DELETION_VECTORS"],
    )
    assert found(path) == []
    findings = found(path, deep=True)
    assert {one.check for one in findings} == {"key"}
    keys = query(path, columns=table.schema.primary_keys).to_pylist()
    twice = sum(times > 1 for times in Counter(tuple(key.values()) for key in keys).values())
    pattern = re.compile(r"readers return (\d+) of its keys twice; the first is .*id = ")
    texts = [pattern.match(one.message) for one in findings]
    assert sum(int(text[1]) for text in texts if text) == twice
