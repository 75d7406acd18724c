"""Spark reads the files of a folder as one table."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kit_support.needs import skip_or_fail

pytestmark = pytest.mark.java

SPEC = """\
meta: {id: sensors, endian: le}
seq:
  - {id: num, type: u4}
  - {id: readings, type: reading, repeat: expr, repeat-expr: num}
types:
  reading:
    seq:
      - {id: sensor, type: u2, valid: {max: 999}}
      - {id: count, type: u8}
      - {id: state, type: u1, enum: state}
      - {id: error, type: b1}
      - {id: rest, type: b7}
    enums: {state: {0: ok, 1: warn}}
"""
RECORD = np.dtype([("sensor", "<u2"), ("count", "<u8"), ("state", "u1"), ("bits", "u1")])
MANY = 70_000
"""More rows than a batch has."""


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A session, which is that of other tests if there is one."""
    java = Path(os.environ["JAVA_HOME"], "bin") if "JAVA_HOME" in os.environ else None
    if shutil.which("java", path=java and str(java)) is None:
        skip_or_fail("java", "java: no Java on PATH or in JAVA_HOME")
    sql = pytest.importorskip("pyspark.sql", reason="java: no pyspark")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    before = sql.SparkSession.getActiveSession()
    settings = {"ui.enabled": "false", "log.level": "OFF", "sql.shuffle.partitions": "2"}
    settings |= {"driver.host": "127.0.0.1", "driver.bindAddress": "127.0.0.1"}
    settings["sql.warehouse.dir"] = str(tmp_path_factory.mktemp("warehouse"))
    builder = sql.SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(f"spark.{name}", value)
    session = builder.getOrCreate()
    yield session
    if before is None:
        session.stop()


@pytest.fixture
def day(tmp_path: Path) -> Path:
    (tmp_path / "sensors.ksy").write_text(SPEC)
    (tmp_path / "day").mkdir()
    for i in range(5):
        made = np.zeros(MANY if i == 4 else i, RECORD)
        made["sensor"], made["state"], made["bits"] = i, i, 0x80 + i
        made["count"] = 2**64 - 1 - np.arange(len(made)).astype(np.uint64)
        data = len(made).to_bytes(4, "little") + made.tobytes()
        name = os.fsdecode(b"\xff'\n.sens") if i == 2 else f"{i}.sens"
        (tmp_path / "day" / name).write_bytes(data)
    return tmp_path / "day"


def test_files_are_a_data_frame(spark: Any, day: Path) -> None:
    import ksykit.spark

    spec = day.parent / "sensors.ksy"
    frame = ksykit.spark.read(spark, str(day / "*.sens"), spec, "readings", files_per_task=2)
    spec.unlink()  # executors need none
    rows = sorted(frame.where("sensor < 4").collect())
    found = [(Path(row.file).name, *row[1:]) for row in rows]
    most = Decimal(2**64 - 1)
    assert sorted(found, key=lambda row: (row[1], -row[2])) == [
        ("1.sens", 1, most, "warn", True, 1),
        *[("\\udcff'\n.sens", 2, most - i, "2", True, 2) for i in range(2)],
        *[("3.sens", 3, most - i, "3", True, 3) for i in range(3)],
    ]
    assert [field.simpleString() for field in frame.schema] == [
        "file:string", "sensor:int", "count:decimal(20,0)", "state:string", "error:boolean",
        "rest:smallint",
    ]  # fmt: skip
    last = frame.where("sensor = 4").agg({"count": "min", "rest": "count"}).collect()[0]
    assert {*last} == {most - MANY + 1, MANY}


def test_a_file_that_does_not_fit_is_named(spark: Any, day: Path) -> None:
    import ksykit.spark

    bad = day / "3.sens"
    bad.write_bytes(bad.read_bytes()[:-1])
    given = spark, day, day.parent / "sensors.ksy", "readings", ["sensor", "error"]
    with pytest.raises(
        Exception, match=r"3\.sens: byte 39: readings\[2\]\.rest|requested"
    ) as caught:
        ksykit.spark.read(*given).collect()
    assert f"{bad}: byte " in str(caught.value)
    other = next(path for path in day.iterdir() if "\n" in path.name)
    other.write_bytes(other.read_bytes()[:-1])
    frame = ksykit.spark.read(*given, errors="collect")
    assert frame.columns == ["file", "sensor", "error", "_error"]
    assert frame.count() == MANY + 3
    _, row = sorted(frame.where("_error is not null").collect(), key=lambda row: row.file[-6:])
    assert (row.file, row.sensor) == (str(bad), None)
    assert row._error.startswith(f"{bad}: byte 39: readings[2].error: ")
    with pytest.raises(ValueError, match="no table none"):
        ksykit.spark.read(*given[:3], "none")
    with pytest.raises(FileNotFoundError):
        ksykit.spark.read(spark, day / "*.none", *given[2:])
