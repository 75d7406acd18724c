"""What operators see: table functions, errors in one line, plans, warnings, relative paths."""

import logging
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import OutsideError
from paimon_ksy.spark import PaimonTable, register
from paimon_ksy.spark.data_source import PaimonDataSource
from paimon_ksy.table.engine.session import context_of
from tests import ROOT
from tests.support.tables import STATUS, TO_FILES, make, rows, run_rewrite
from tools.tables import make_table

pytestmark = pytest.mark.java

PENDING = "status = 'PENDING'"


@pytest.fixture
def session(spark: Any) -> Any:
    """A session with the data source and the table functions."""
    register(spark)
    return spark


@pytest.fixture
def path(tmp_path: Path) -> str:
    """The folder of the table of orders."""
    shutil.copytree(ROOT / "examples/warehouse/default.db/orders", tmp_path / "orders")
    return str(tmp_path / "orders")


def lines_of(call: Any) -> list[str]:
    """The lines of the error that a call raises, without Spark's that something was thrown."""
    with pytest.raises(Exception) as caught:
        call()
    lines = [line.strip() for line in str(caught.value).splitlines() if line.strip()]
    assert "Traceback (most recent" not in str(caught.value)
    heads = "Python worker:", "Please see the stack trace below."
    return [line for line in lines if not line.endswith(heads)]


# Table functions ----------------------------------------------------------------------------------


def test_table_functions(session: Any, tmp_path: Path) -> None:
    options = {**STATUS, **TO_FILES, "deletion-vectors.enabled": "true"}
    path = make(tmp_path, [rows(0, 10), rows(10, 10, "b")], options, ["day"])
    run_rewrite(path)
    table = PaimonTable.forPath(session, path)
    for call, frame in {
        f"paimon_files('{path}')": table.files(),
        f"paimon_indexes('{path}')": table.indexes(),
        f"paimon_snapshots('{path}')": table.snapshots(),
        f"paimon_audit('{path}')": table.audit(),
        f"paimon_audit('{path}', true)": table.audit(deep=True),
        f"paimon_explain('{path}', 'id < 5')": table.explain("id < 5"),
    }.items():
        found = session.sql(f"SELECT * FROM {call}")
        assert found.schema.simpleString() == frame.schema.simpleString(), call
        assert sorted(map(str, found.collect())) == sorted(map(str, frame.collect())), call
    files = "SELECT partition['day'] AS day, rows FROM paimon_files('{}') ORDER BY day"
    assert [tuple(row) for row in session.sql(files.format(path)).collect()] == [
        ("a", 10),
        ("b", 10),
    ]
    session.sql(f"SELECT * FROM paimon_audit('{path}', deep => true)").collect()
    [line, *_] = lines_of(lambda: session.sql(f"FROM paimon_files('{path}x')").collect())
    assert f"{path}x: no such folder" in line


@pytest.mark.posix
def test_table_functions_read_nothing_elsewhere(session: Any, path: str, tmp_path: Path) -> None:
    manifests = Path(path, "manifest")
    for name in manifests.glob("manifest-[0-9a-f]*-0"):
        shutil.move(name, tmp_path / name.name)
        name.symlink_to(tmp_path / name.name)
    with pytest.raises(OutsideError):
        PaimonTable.forPath(session, path).files()
    lines = lines_of(lambda: session.sql(f"FROM paimon_files('{path}')").collect())
    assert "paimon_ksy.errors.OutsideError: " in lines[0]


# Errors -------------------------------------------------------------------------------------------


def test_errors_of_plans_are_one_line(session: Any, path: str) -> None:
    def load(place: str = path, **options: str) -> Any:
        return session.read.format("paimon_ksy").options(**options).load(place).collect()

    for call, message in (
        (lambda: load(f"{path}x"), f"MissingFileError: {path}x: no such folder"),
        (lambda: load(where="nope = 1"), "PredicateError: no column 'nope'"),
        (lambda: load(wher="id = 1"), "OptionError: no option 'wher' (did you mean 'where'"),
    ):
        line = lines_of(call)[0]
        assert line.startswith("[PYTHON_DATA_SOURCE_ERROR] Failed to ")
        assert f": paimon_ksy.errors.{message}" in line


@pytest.mark.parametrize("kind", ["orc", "parquet"])
def test_errors_of_tasks_are_one_line(session: Any, kind: str, tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [pa.table({"id": [1]})], {"file.format": kind})
    [file] = Path(path).rglob(f"data-*.{kind}")
    file.write_bytes(file.read_bytes()[:8] + bytes(20))
    calls = [lambda: session.read.format("paimon_ksy").load(path).collect()]
    if kind == "orc":
        calls.append(lambda: PaimonTable.forPath(session, path).toDF().collect())
    for call in calls:
        lines = lines_of(call)
        [line] = [line for line in lines if file.name in line][:1]
        assert "paimon_ksy.errors.CorruptFileError: " in line


# Plans --------------------------------------------------------------------------------------------


def test_explain_and_the_log_name_what_is_skipped(
    session: Any, path: str, capfd: Any, caplog: pytest.LogCaptureFixture
) -> None:
    table = PaimonTable.forPath(session, path)
    caplog.set_level(logging.INFO, "paimon_ksy")
    frame = table.toDF("order_id < 104990 AND upper(region) = 'EU'", ["order_id"])
    wanted = f"{path} snapshot 4 where order_id < 104990: reads 1 file (5,000 rows, "
    [line] = [message for message in caplog.messages if ": reads " in message]
    assert line.startswith(wanted) and ", skips 3 files (15,000 rows, " in line
    frame.explain(True)
    analyzed = capfd.readouterr().out.partition("== Optimized")[0]
    assert wanted in analyzed
    caplog.clear()
    assert table.toDF(limit=5).count() == 5
    assert any(": reads 1 file (" in message for message in caplog.messages)


def test_large_scans_without_a_condition_warn(path: str, caplog: pytest.LogCaptureFixture) -> None:
    def plan(**options: str) -> int:
        named = {name.replace("_", "-"): value for name, value in options.items()}
        source = PaimonDataSource({"path": path, "columns": "order_id, status", **named})
        return len(source.reader(source.schema()).partitions())

    assert plan() == 1
    assert plan(split_size="64 kb", where="order_id > 0") == 4
    assert plan(split_size="64 kb", parallelism="4") == 4
    assert not caplog.messages
    assert plan(split_size="64 kb") == 4
    [message] = caplog.messages
    assert message.startswith(f"{path}: this scan reads all 4 files (20,000 rows, 200 kB) with 2 ")
    assert "PaimonTable.toDF(where=..)" in message


# Paths --------------------------------------------------------------------------------------------


def test_relative_paths_after_chdir(
    session: Any, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark's processes stay in the folder in which they started."""
    (tmp_path / "default.db").mkdir()
    shutil.move(path, tmp_path / "default.db/orders")
    monkeypatch.chdir(tmp_path)
    by_path = PaimonTable.forPath(session, "default.db/orders")
    by_name = PaimonTable.forName(session, "default.orders", {"warehouse": "."})
    monkeypatch.chdir(tmp_path.parent)
    for table in (by_path, by_name):
        assert table.toDF(columns=["order_id"]).count() == table.count() == 20_000
        assert table.readStream(columns=["order_id"]).columns == ["order_id"]
    place = tmp_path.name + "/default.db/orders"
    assert PaimonTable.forPath(session, place).count() == 20_000
    # Spark's own readers look there, too. The error says where.
    line = lines_of(lambda: session.read.format("paimon_ksy").load(place).schema)[0]
    assert re.search(rf"MissingFileError: /.*/{place}: no such folder", line)
    assert context_of(session) is None or str(tmp_path.parent) not in line.partition(place)[0]
