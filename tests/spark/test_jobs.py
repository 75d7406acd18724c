"""Each job of the table object, stopped in the middle: the table is right, and no file is left."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.spark import PaimonTable
from paimon_ksy.table.engine.session import context_of
from tests import ROOT
from tests.support.spark_jobs import JOBS, slow_tasks, table_for
from tests.support.tables import ids, tree

pytestmark = pytest.mark.java


def errors(table: PaimonTable) -> set[str]:
    return {row.message for row in table.audit(deep=True).filter("severity = 'error'").collect()}


def wait_for(flags: Path, job: str) -> None:
    """Wait until the job is in the middle."""
    end = time.monotonic() + 600
    while len([*flags.iterdir()]) < JOBS[job][1]:
        assert time.monotonic() < end
        time.sleep(0.02)


def check_done(job: str, table: PaimonTable, path: str) -> None:
    """Run the job, and check its work."""
    JOBS[job][0](table)
    assert ids(path) == [i for i in range(64) if job != "delete" or i % 10 != 3]
    assert errors(table) == set()
    indexed = job in ("rewriteIndex", "indexNewFiles", "repair")
    assert table.indexes().count() == (8 if indexed else 0)
    assert table.cleanOrphans(timedelta(0)).files == 0


@pytest.mark.parametrize("job", JOBS)
def test_cancelled_jobs(job: str, spark: Any, tmp_path: Path) -> None:
    path, flags = table_for(job, tmp_path), tmp_path / "flags"
    flags.mkdir()
    table = PaimonTable.forPath(spark, path)
    before, wrong = tree(Path(path)), errors(table)

    context = context_of(spark)

    def cancel() -> None:
        wait_for(flags, job)
        if context is None:
            spark.interruptTag("mine")
        else:
            context.cancelJobGroup("mine")

    other = threading.Thread(target=cancel, daemon=True)
    if context is None:
        spark.addTag("mine")
    else:
        context.setJobGroup("mine", "a job of the user's")
    other.start()
    try:
        with slow_tasks(flags), pytest.raises(PaimonKsyError, match="the job was cancelled"):
            JOBS[job][0](table)
    finally:
        if context is None:
            spark.removeTag("mine")
        else:
            context.setLocalProperty("spark.jobGroup.id", None)
        other.join()
    assert tree(Path(path)) == before
    assert errors(table) == wrong
    check_done(job, table, path)


@pytest.mark.parametrize("job", JOBS)
def test_killed_drivers(job: str, spark: Any, tmp_path: Path) -> None:
    path, flags = table_for(job, tmp_path), tmp_path / "flags"
    flags.mkdir()
    table = PaimonTable.forPath(spark, path)
    before, wrong, rows = set(tree(Path(path))), errors(table), ids(path)
    command = [sys.executable, "-m", "tests.support.spark_jobs", job, path, str(flags)]
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as driver:
        try:
            wait_for(flags, job)
        finally:
            os.killpg(driver.pid, signal.SIGKILL)
    time.sleep(2)  # its workers end when they can reach no driver
    assert ids(path) == rows
    assert errors(table) == wrong
    cleaned = {Path(row.file) for row in table.cleanOrphans(timedelta(0)).toDF().collect()}
    assert set(tree(Path(path))) == before - cleaned
    assert job == "cleanOrphans" or not cleaned & before
    check_done(job, table, path)
