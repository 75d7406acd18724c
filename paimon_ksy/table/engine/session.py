"""A Spark session: the active one, a server's, or a new one."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from paimon_ksy.errors import (
    ArgumentError,
    OptionError,
    PaimonKsyError,
    UnsupportedError,
    with_article,
)
from paimon_ksy.messages.install import how_to_install
from paimon_ksy.table.engine.processes import SAFE_PATH, safe_path
from paimon_ksy.table.engine.protocol import LOST
from paimon_ksy.table.io.servers import SECONDS, unreachable

_LOCAL_SPARK: dict[str, Any] = {
    "spark.driver.host": "127.0.0.1",
    "spark.log.level": "ERROR",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    # Java plans small jobs and passes on bytes, so the time for optimising compilation is never
    # recovered, and it would slow the workers.
    "spark.driver.defaultJavaOptions": "-XX:TieredStopAtLevel=1",
    # Over TCP a job of two small tasks takes 150 ms instead of 90. Spark before 4.1 ignores it.
    "spark.python.unix.domain.socket.enabled": "true",
}
"""The settings of a session that is started on this machine."""


def session(master: str | None) -> Any:
    """Return the active session if `master` is None, else one of `master`; see `spark_engine`.

    Raises:
        PaimonKsyError: Spark is not installed, or cannot be reached.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise PaimonKsyError(
            f"engine 'spark' needs pyspark: {how_to_install('spark')}, or use engine 'local'"
        ) from None
    active = SparkSession.getActiveSession()
    if active is not None and master is None:
        return active
    master = master or os.environ.get("SPARK_REMOTE") or "local[*]"
    _check_master(master)
    try:
        if master.startswith("sc://"):
            _check_connect(master)
            spark = SparkSession.builder.remote(master).getOrCreate()
            from pyspark.sql.connect.client.retries import DefaultPolicy

            spark.client.set_retry_policies([DefaultPolicy(max_retries=_RETRIES)])
            return spark
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        builder = SparkSession.builder.appName("paimon-ksy")
        builder = builder.config(f"spark.executorEnv.{SAFE_PATH}", "1")
        if master.startswith("local"):
            # Spark restarts a dead local worker only if the master specifies how often.
            threads = re.fullmatch(r"local(\[(\d+|\*)\])?", master)
            master = f"local[{threads[2] or 1}, 4]" if threads else master
            os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
            builder = builder.config(map=_LOCAL_SPARK)
        _set_home()
        with safe_path(), _quiet():
            return builder.master(master).getOrCreate()
    except PaimonKsyError:
        raise
    except KeyboardInterrupt as error:
        _kill_started(error)
        raise
    except ImportError as error:
        raise PaimonKsyError(
            f"master {_shown(master)} needs another package ({error}): {how_to_install('spark')}"
        ) from error
    except Exception as error:  # pyspark raises all kinds
        raise PaimonKsyError(
            f"cannot start a Spark session on {_shown(master)}: {spark_line(error)}"
        ) from error


def _set_home() -> None:
    """Make pyspark start its own Spark: without `SPARK_HOME`, it first looks in the folder `..`."""
    import pyspark

    package = Path(pyspark.__file__).parent
    for home in (package / "spark-distribution", package, package.parents[1]):
        if (home / "bin" / "spark-submit").is_file():
            os.environ.setdefault("SPARK_HOME", str(home))


@contextmanager
def _quiet() -> Iterator[None]:
    """Redirect what Java prints at its start away from standard error.

    It goes to a file as long as Java runs. If Java does not start, it goes to a note on the error.
    """
    with tempfile.TemporaryFile() as words:
        stderr = os.dup(2)
        os.dup2(words.fileno(), 2)
        try:
            yield
        except BaseException as error:
            words.seek(0)
            error.add_note(words.read().decode(errors="replace"))
            raise
        finally:
            os.dup2(stderr, 2)
            os.close(stderr)


def _kill_started(error: BaseException) -> None:
    """End the Java process that was starting when this error was raised.

    Otherwise, it would stay forever: it cannot report its port to pyspark and dies, except for the
    thread that listens there. pyspark keeps the process in a local variable only.
    """
    for frame, _ in traceback.walk_tb(error.__traceback__):
        for value in frame.f_locals.values():
            if isinstance(value, subprocess.Popen) and getattr(value, "pid", None):
                value.kill()
                value.wait()


_PORT = 7077  # of a standalone master


def _check_master(master: str) -> None:
    """Check a master, and that a standalone one accepts connections; Spark tries for a minute.

    Raises:
        OptionError: The text is not a master.
        PaimonKsyError: No server accepts connections.
    """
    if re.match(r"(local|yarn)\b|(k8s|spark|sc)://", master) is None:
        raise OptionError(
            f"unknown master {master!r}: pass local[4], local[*], spark://HOST:7077, yarn, "
            "k8s://URL, or sc://HOST:15002 for Spark Connect"
        )
    reasons = []
    for server in master[8:].split(",") if master.startswith("spark://") else ():
        try:
            url = urlsplit(f"//{server}")
            host, port = url.hostname or "", url.port or _PORT
        except ValueError:
            return  # Spark reports what is wrong with it
        reasons.append(unreachable("https", host, port))
    if reasons and None not in reasons:
        raise PaimonKsyError(
            f"cannot connect to master {master!r}: {reasons[0]}; make sure that it runs, or use "
            "engine 'local'"
        )


def _check_connect(master: str) -> None:
    """Check that a Spark Connect server answers, since pyspark tries for up to ten minutes."""
    import grpc
    from pyspark.sql.connect.client import DefaultChannelBuilder

    channel = DefaultChannelBuilder(master).toChannel()
    try:
        grpc.channel_ready_future(channel).result(timeout=SECONDS)
    except grpc.FutureTimeoutError:
        raise PaimonKsyError(
            f"master {_shown(master)} did not answer within {SECONDS:g} s: make sure that it runs, "
            "and that it is the port of Spark Connect, or use engine 'local'"
        ) from None
    finally:
        channel.close()


_RETRIES = 6
"""Retries for one minute; Spark's own take ten. The first one comes after 50 ms; each pause is four
times as long, up to a minute."""


def _shown(master: str) -> str:
    return repr(re.sub(r"(?i)(;token=)[^;]*", r"\1...", master))


def checked_session(spark: Any) -> Any:
    """Return the session after checking that it is of Spark 4 or later.

    Raises:
        UnsupportedError: It is of an earlier version.
        ArgumentError: It is no session.
    """
    if not hasattr(spark, "version"):
        kind = with_article(type(spark))
        raise ArgumentError(f"argument 'spark': a SparkSession is needed, not {kind}")
    if int(spark.version.partition(".")[0]) < 4:
        raise UnsupportedError(
            f"the session is of Spark {spark.version}: {how_to_install('spark')}, or run without it"
        )
    return spark


def context_of(spark: Any) -> Any:
    """Return the SparkContext of a session; None on Spark Connect, which has none."""
    try:
        return getattr(spark, "sparkContext", None)
    except Exception:  # pyspark raises it only when the attribute is read
        return None


_PYTHON_ERROR = re.compile(r"^(?!org\.|java\.)[\w.]+(?:Error|Exception): .+", re.MULTILINE)


_CAUSES = {
    "SPARK_JOB_CANCELLED|OPERATION_CANCELED|OPERATION_ABANDONED": "the job was cancelled",
    r"No module named '?paimon_ksy": "its workers lack paimon_ksy: set PYSPARK_PYTHON to the "
    "driver's Python before Spark starts, or send dist/paimon_ksy.zip of `make dist` with "
    "--py-files (Spark Connect: spark.addArtifacts)",
    r"No module named '?(\w+)": "its workers lack {}: install it there, or send an environment "
    "with --archives (Spark Connect: spark.addArtifacts)",
    "PYTHON_VERSION_MISMATCH": "its workers have another version of Python than this process: set "
    "PYSPARK_PYTHON to a Python of the same version",
    "JAVA_GATEWAY_EXITED|UnsupportedClassVersionError": "Java could not start it: install Java 17 "
    "or later, or use engine 'local'",
    r"StatusCode\.UNAVAILABLE": "the Spark Connect server no longer answers: make sure that "
    "it runs",
    r"spark\.driver\.maxResultSize": "the rows exceed the driver's limit "
    "(spark.driver.maxResultSize): read them with spark.read.format('paimon_ksy'), which leaves "
    "them on the workers",
    "Python worker (?:exited unexpectedly|terminated|crashed|died)": LOST,
}
"""Causes by what the text of an error contains; the first one counts."""


def spark_line(error: BaseException) -> str:
    """Return an informative line of a pyspark error; its first line rarely names the cause."""
    text = str(error)
    for pattern, cause in _CAUSES.items():
        if (match := re.search(pattern, text)) is not None:
            return cause.format(*match.groups())
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    causes = _PYTHON_ERROR.findall(text)[-1:] if "Traceback (most recent" in text else []
    causes = causes or [line for line in lines if "Job aborted" in line]
    causes = causes or [line for line in lines if "Exception: " in line] or lines
    return (causes or [type(error).__name__])[0].removeprefix("Caused by: ")[:500]
