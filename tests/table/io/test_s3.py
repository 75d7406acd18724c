"""A table on an object store, by its real protocol: indexed, explained, queried, inspected."""

import json
import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.cli.app import run
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine, spark_engine
from paimon_ksy.table.index import rewrite
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.conftest import S3
from tools.tables import make_table

DATA = pa.table(
    {
        "id": pa.array(range(1000), pa.int32()),
        "s": pa.array([f"s{number % 7}" for number in range(1000)]),
        "p": pa.array([number % 2 for number in range(1000)], pa.int32()),
    }
)

INDEXES = {"file-index.bitmap.columns": "s", "file-index.range-bitmap.columns": "id"}


@pytest.fixture
def path(s3: S3) -> str:
    """A partitioned table of 2,000 rows in four files, without indexes."""
    warehouse = f"s3://{s3.bucket}/warehouse"
    return make_table(warehouse, "t", [DATA, DATA], {}, partition_keys=["p"], catalog=s3.options)


def catalog(s3: S3, **more: str) -> list[str]:
    """The options as the commands take them."""
    words = [f"{key}={value}" for key, value in {**s3.options, **more}.items()]
    return [part for word in words for part in ("--catalog", word)]


@pytest.mark.parametrize("threshold", ["1 b", "1 mb"], ids=["beside", "embedded"])
def test_indexed_and_queried(s3: S3, path: str, threshold: str) -> None:
    before = s3.keys()
    options = {**INDEXES, "file-index.in-manifest-threshold": threshold}
    table = Table.at(path, s3.options)
    summary = rewrite_index(table, set=options, engine=local_engine(2))
    assert summary.rewritten == 4
    indexes = {key for key in s3.keys() - before if key.endswith(".index")}
    files = list(table.data_files.of(table.snapshot()))
    if threshold == "1 b":
        assert {file.index for file in files} == {f"s3://{s3.bucket}/{key}" for key in indexes}
    else:
        assert not indexes
        assert all(file.embedded_index for file in files)
    found = query(table, "s = 's3' AND p = 1 AND id < 500", ["id"])
    assert sorted(found["id"].to_pylist()) == sorted(
        2 * [n for n in range(500) if n % 7 == 3 and n % 2 == 1]
    )
    counted = count(table, "s = 's3' AND p = 1")
    assert (counted.count, counted.origin) == (2 * 72, "index")
    assert count(table, "s = 'absent'").count == 0


def test_deleted_from(s3: S3) -> None:
    warehouse, options = f"s3://{s3.bucket}/warehouse", {"deletion-vectors.enabled": "true"}
    path = make_table(
        warehouse, "d", [DATA, DATA], options, partition_keys=["p"], catalog=s3.options
    )
    table = Table.at(path, s3.options)
    before = s3.keys()
    done = delete(table, "s = 's3'", engine=local_engine(2))
    assert (done.rows, done.files_changed, done.vector_files) == (286, 4, 2)
    assert sum("/index/index-" in key for key in s3.keys() - before) == 2
    done = delete(table, "p = 0 OR id = 1", engine=local_engine(2))
    assert (done.files_changed, done.files_dropped) == (2, 2)
    assert count(table).count == 2 * sum(n % 2 == 1 and n % 7 != 3 and n != 1 for n in range(1000))
    assert list(audit(table, engine=local_engine(2))) == []


def test_commands(s3: S3, path: str, capsys: pytest.CaptureFixture[str]) -> None:
    by_path = [path, *catalog(s3)]
    by_name = ["default.t", *catalog(s3, warehouse=f"s3://{s3.bucket}/warehouse")]
    settings = [part for key, value in INDEXES.items() for part in ("--set", f"{key}={value}")]
    assert run(["table", "rewrite-index", *by_path, "--engine", "local", *settings]) == 0
    capsys.readouterr()
    for name in (by_path, by_name):
        assert run(["table", "inspect", *name, "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["content"] is not None
        assert run(["table", "explain", *name, "--where", "s = 'absent'", "--format", "json"]) == 0
        steps = json.loads(capsys.readouterr().out)["steps"]
        assert [step["files_kept"] for step in steps if step["step"] == "index"] == [0]
        assert (
            run(["table", "query", *name, "--where", "s = 's3' AND id = 3", "--format", "json"])
            == 0
        )
        rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert rows == 2 * [{"id": 3, "s": "s3", "p": 1}]
        assert run(["table", "count", *name, "--where", "s = 's3'", "--format", "json"]) == 0
        told = json.loads(capsys.readouterr().out)
        assert (told["rows"], told["from"]) == (286, "index")


def test_nothing_is_left_of_a_rewrite_that_fails(
    s3: S3, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = s3.keys()
    table = Table.at(path, s3.options)
    options = {**INDEXES, "file-index.in-manifest-threshold": "1 b"}

    def refuse(*_: object) -> None:
        raise PaimonKsyError("no commit today")

    monkeypatch.setattr(rewrite, "commit_indexes", refuse)
    with pytest.raises(PaimonKsyError, match="no commit today"):
        rewrite_index(table, set=options, engine=local_engine(2))
    assert s3.keys() == before


def test_a_data_file_that_is_gone(s3: S3, path: str) -> None:
    """Told in one line; what was written for the others is removed."""
    table = Table.at(path, s3.options)
    file = next(iter(table.data_files.of(table.snapshot())))
    s3.client.delete_object(Bucket=s3.bucket, Key=file.path.removeprefix(f"s3://{s3.bucket}/"))
    before = s3.keys()
    options = {**INDEXES, "file-index.in-manifest-threshold": "1 b"}
    with pytest.raises(PaimonKsyError, match=file.name) as caught:
        rewrite_index(table, set=options, engine=local_engine(2))
    assert "\n" not in str(caught.value)
    assert s3.keys() == before


@pytest.mark.java
@pytest.mark.slow
def test_spark_data_source(s3: S3, path: str, spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The options of the file system come to the tasks, which run in other processes."""
    from paimon_ksy.spark import PaimonTable

    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name, raising=False)
    options = {**INDEXES, "file-index.in-manifest-threshold": "1 b"}
    table = Table.at(path, s3.options)
    assert rewrite_index(table, set=options, engine=spark_engine(spark)).rewritten == 4
    frame = PaimonTable.forPath(spark, path, s3.options).toDF("s = 's3' AND p = 1", ["id", "s"])
    wanted = sorted(2 * [n for n in range(1000) if n % 7 == 3 and n % 2 == 1])
    assert sorted(frame.toArrow()["id"].to_pylist()) == wanted
    # Spark hands options on in small letters.
    keys = {"fs.s3.accessKeyId": "test", "fs.s3.accessKeySecret": "test"}
    others = {key: value for key, value in s3.options.items() if not key.endswith("-key")}
    by_name = {**keys, **others, "warehouse": f"s3://{s3.bucket}/warehouse"}
    assert PaimonTable.forName(spark, "default.t", by_name).toDF("id < 10").count() == 20
    given = ", ".join(f"`catalog.{key}` '{value}'" for key, value in by_name.items())
    spark.sql(f"CREATE TEMPORARY VIEW on_s3 USING paimon_ksy OPTIONS (table 'default.t', {given})")
    try:
        assert spark.sql("SELECT count(*) AS n FROM on_s3 WHERE p = 0").first().n == 1000
    finally:
        spark.catalog.dropTempView("on_s3")


READING = """
import json, sys
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table

table = Table.at(sys.argv[1], json.loads(sys.argv[2]))
query(table, "id = 7")
count(table, "id = 7")
print(*(name.partition("[")[0] for name in sys.modules))
"""


def test_what_merges_and_commits_need_is_not_imported(s3: S3, path: str) -> None:
    """Of pypaimon, only its `FileIO`, which takes the options of stores."""
    command = [sys.executable, "-c", READING, path, json.dumps(s3.options)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    names = set(done.stdout.split())
    assert {"pandas", "polars", "pypaimon.table.file_store_table"}.isdisjoint(names)
