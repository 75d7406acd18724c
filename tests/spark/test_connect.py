"""The tests of the table object, streams, jobs and what operators see, in a session of Connect.

A process has either classic sessions or those of Spark Connect, so another one runs these tests.
"""

import os
import subprocess
import sys

import pytest

from tests import ROOT

pytestmark = pytest.mark.java


@pytest.mark.slow
def test_the_table_object_on_spark_connect() -> None:
    files = [f"tests/spark/test_{name}.py" for name in ("table", "stream", "jobs", "operators")]
    # Random conditions are also compared in the form in which Spark Connect sends them, which has
    # no classes of functions.
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "-k"]
    command.append("not random and not killed and not left_out")
    done = subprocess.run(
        [*command, *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
        check=False,
        env={
            **os.environ,
            "PAIMON_KSY_SPARK_CONNECT": "1",
            "SPARK_CONNECT_MODE_ENABLED": "1",
            "SPARK_TESTING": "1",  # Spark takes a free port
        },
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout and "skipped" not in done.stdout, done.stdout[-300:]
