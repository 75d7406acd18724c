"""`bucket-index`: hash codes in a file, and the bucket of a key."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.table_index.bucket_index import BucketIndex, key_hashes, write_bucket_index
from paimon_ksy.types.schema import Schema
from tests.support.commands import Cli


@pytest.fixture(autouse=True)
def _in_an_empty_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Run each test in an empty folder."""
    monkeypatch.chdir(tmp_path)


COLUMNS = "id BIGINT, s STRING, t TIMESTAMP(6), d DATE, n DECIMAL(9, 2)"


def test_bucket_index_lookup(cli: Cli) -> None:
    schema = Schema.parse(COLUMNS)
    row = {"id": [7], "s": ["x" * 9], "t": ["2024-01-02 03:04:05.000006"], "d": ["2024-01-02"]}
    keys = pa.table(row | {"n": ["1.25"]})
    for number, field in enumerate(schema.to_arrow()):
        column = keys.column(field.name).cast(field.type)
        keys = keys.set_column(number, field.name, column)
    (code_of_key,) = key_hashes(keys, schema)
    write_bucket_index("b0", [1, 2])
    write_bucket_index("b1", [int(code_of_key)])
    key = (
        "id = 7 AND s = 'xxxxxxxxx' AND t = TIMESTAMP '2024-01-02 03:04:05.000006' "
        "AND d = DATE '2024-01-02' AND n = 1.25"
    )
    code, out, err = cli(
        "bucket-index", "lookup", "b0", "b1", "-s", COLUMNS, "-k", key, "--format", "json"
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["keys"] == [{"key": key, "hash_code": code_of_key, "files": ["b1"]}]
    code, out, _ = cli("bucket-index", "lookup", "b0", "-s", "id BIGINT", "-k", "id = 1")
    assert (code, "b0" in out) == (0, False)


def test_bucket_index_lookup_by_a_schema_file(cli: Cli) -> None:
    fields = [
        {"id": i, "name": name, "type": "INT NOT NULL"} for i, name in enumerate(["v", "p", "id"])
    ]
    table = {"version": 3, "id": 0, "fields": fields, "options": {}}
    Path("schema-0").write_text(
        json.dumps(table | {"partitionKeys": ["p"], "primaryKeys": ["id", "p"]})
    )
    (code_of_key,) = key_hashes(pa.table({"id": [3]}), Schema.parse("id INT"))
    Path("b0").write_bytes(BucketIndex(np.array([code_of_key], np.int32)).to_bytes())
    code, out, _ = cli("bucket-index", "lookup", "b0", "--schema-file", "schema-0", "-k", "id=3")
    assert (code, out) == (0, f"keys\n  id=3: hash code {code_of_key}, files b0\n")
    Path("schema-0").write_text(json.dumps(table | {"partitionKeys": [], "primaryKeys": []}))
    assert cli("bucket-index", "lookup", "b0", "--schema-file", "schema-0", "-k", "id=3")[0] == 2
