"""Sessions of Spark: those that cannot be had are told at once."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.errors import OptionError, PaimonKsyError
from paimon_ksy.table.engine import engine_named
from paimon_ksy.table.engine.session import session
from tests import ROOT
from tools.tables import make_table


def test_interrupt_while_java_starts_leaves_no_process(tmp_path: Path) -> None:
    started = tmp_path / "started"
    (tmp_path / "bin").mkdir()
    for name, text in (
        ("java", ""),
        ("spark-submit", f"echo $$ > {started}.new\nmv {started}.new {started}\nexec sleep 60"),
    ):
        file = tmp_path / "bin" / name
        file.write_text(f"#!/bin/sh\n{text}\n")
        file.chmod(0o755)
    path = make_table(tmp_path, "t", [pa.table({"id": [1]})])
    environment = {**os.environ, "SPARK_HOME": str(tmp_path), "JAVA_HOME": str(tmp_path)}
    with subprocess.Popen(
        [sys.executable, "-m", "paimon_ksy", "table", "rewrite-index", path, "--engine", "spark"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=environment,
        cwd=ROOT,
        start_new_session=True,
    ) as running:
        try:
            while not started.exists():
                assert running.poll() is None
                time.sleep(0.01)
            os.killpg(running.pid, signal.SIGINT)
            printed = running.communicate(timeout=600)
        finally:
            running.kill()  # else a failure would wait for it, and pyspark waits for ever
    assert (running.returncode, *printed) == (130, "", "paimon-ksy: interrupted\n")
    with pytest.raises(ProcessLookupError):
        os.kill(int(started.read_text()), 0)


def test_masters_that_cannot_be() -> None:
    with pytest.raises(OptionError, match="unknown master 'locl'"):
        session("locl")
    with socket.socket() as taken:
        taken.bind(("localhost", 0))  # it does not listen
        server = f"localhost:{taken.getsockname()[1]}"
        with pytest.raises(PaimonKsyError, match=r"cannot connect to .*: Connection refused"):
            session(f"spark://{server},{server}")


def test_servers_that_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address of each server of a master, which may be one of IPv6."""
    tried: list[tuple[str, int]] = []

    def sleeping(scheme: str, host: str, port: int) -> str:
        tried.append((host, port))
        return "it sleeps"

    monkeypatch.setattr(sys.modules[session.__module__], "unreachable", sleeping)
    with pytest.raises(PaimonKsyError, match="it sleeps"):
        session("spark://[::1]:7078,b")
    assert tried == [("::1", 7078), ("b", 7077)]


def test_server_that_is_no_spark_connect(monkeypatch: pytest.MonkeyPatch) -> None:
    """In seconds: Spark Connect tries it for ten minutes. A token is not told."""
    monkeypatch.setattr(sys.modules[session.__module__], "SECONDS", 0.5)
    with socket.create_server(("localhost", 0)) as silent:
        master = f"sc://localhost:{silent.getsockname()[1]}/;use_ssl=true;token=secret;user_id=a"
        with pytest.raises(PaimonKsyError, match="that it is the port of Spark Connect") as told:
            session(master)
    assert ";token=...;user_id=a'" in str(told.value) and "secret" not in str(told.value)


def test_spark_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(PaimonKsyError, match="needs pyspark"):
        engine_named("spark")
