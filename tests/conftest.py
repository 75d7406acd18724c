"""What all tests share: their needs, layers, order and random examples, and why they skip."""

import gc
import logging
import math
import os
import platform
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import uuid
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
import typer.testing
from hypothesis import HealthCheck, settings

from kit_support import examples
from kit_support.agreement import JUDGES
from kit_support.needs import skip_or_fail
from paimon_ksy import display
from paimon_ksy.cli.app import run
from paimon_ksy.table import engine
from tests.support.commands import Cli
from tests.support.webide import ide_folder
from tools import jvm
from tools.jvm import MissingToolError, classpath, find_java

# Programs in Java run for seconds here: the second compiler and parallel collectors cost more
# processor time than they save. The launcher gives these options to each `java`, Spark's too.
os.environ.setdefault("JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # else workers start another Python

JUDGES["paimon_ksy.generated"] = "tests.reference"

# Full garbage collections find little here, and took a tenth of the time: a tenth of them will do.
gc.set_threshold(*gc.get_threshold()[:2], 100)

# Else each command that a test runs in this process builds all commands and their options again,
# which takes ten times as long as most of them.
_command_of = cache(typer.main.get_command)
for _module, _name in ((typer.main, "get_command"), (typer.testing, "_get_command")):
    setattr(_module, _name, _command_of)

# Worker processes take seconds to start: a command that a test runs in this process has threads.
_engine_named = engine.engine_named
engine.engine_named = lambda *words, processes=False: _engine_named(*words)

# A job in the background ignores Ctrl+C, and so would what tests start and then interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add options for the order of tests, and for how many random examples they take."""
    what = "order tests, and draw random examples, by this number; 0"
    parser.addoption("--seed", type=int, default=0, help=what)
    what = "run this percentage of random examples; 25"
    parser.addoption("--share", type=int, default=25, help=what)
    what = "leave out what tests/shares.txt lists; if no file is named, and --share is not 100"
    parser.addoption("--sampled", action="store_true", help=what)
    what = "run this percentage of the tests that are left out, instead of the others; 0"
    parser.addoption("--rest", type=int, default=0, help=what)
    what = "write the transcripts of tests/cli/transcripts anew"
    parser.addoption("--rewrite", action="store_true", help=what)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Set the layers, and what Hypothesis draws; print what repeats a run."""
    for layer, meaning in LAYERS.items():
        config.addinivalue_line("markers", f"{layer}: {meaning}")
    seed, share = config.option.seed, config.option.share
    examples.seed = seed
    config.option.hypothesis_seed = str(seed)  # which Hypothesis reads after this
    settings.register_profile(
        "share",
        database=None,  # which would add examples from before
        deadline=None,
        derandomize=False,  # which Hypothesis sets where CI is set, and the seed would be lost
        max_examples=share,  # of which `examples` in ksykit/tests/kit_support takes its part
        print_blob=True,
        suppress_health_check=[
            HealthCheck.data_too_large,
            HealthCheck.function_scoped_fixture,
            HealthCheck.too_slow,
        ],
    )
    settings.load_profile("share")
    # Workers of xdist parse the same command line.
    config.option.sampled |= config.args_source is not config.ArgsSource.ARGS and share < 100
    if not hasattr(config, "workerinput"):
        print(f"Order and examples of tests: --seed={seed} --share={share}")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark each test with its layer, and shuffle files, and the tests of each.

    First stand the tests that share a Java program, then those that take long. With
    `--dist worksteal` the workers start with a part of the list each, and take over what others
    have left from its end. So one of them starts the program, once, and none is left alone with a
    long test at the end.

    The place of a test depends on its name and the seed, so that fewer tests keep their order.
    """
    for item in items:
        if _is_on_java_tables(item):
            item.add_marker("library")
        item.add_marker(layer_of(item))

    place = partial(order, seed=config.option.seed)
    if config.option.sampled:
        kept = sampled([item.nodeid for item in items])
        if rest := config.option.rest / 100:
            kept = {i.nodeid for i in items if i.nodeid not in kept and place(i.nodeid) < rest}
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid not in kept])
        items[:] = [item for item in items if item.nodeid in kept]

    items.sort(
        key=lambda item: (
            not _is_on_spark(item),
            not _is_on_java_tables(item),
            item.get_closest_marker("slow") is None,
            place(item.nodeid.partition("::")[0]),
            place(item.nodeid),
        )
    )


SHARES = {
    name: int(percent)
    for percent, name in (
        line.split(maxsplit=1)
        for line in (Path(__file__).parent / "shares.txt").read_text("utf-8").splitlines()
        if not line.startswith("#")
    )
}
"""What `make test` runs of the cases of tests, in percent, by the start of their names."""


def order(name: str, seed: int = 0) -> float:
    """Return the place of a test or a file among others, from 0 to 1."""
    return random.Random(f"{seed} {name}").random()


def sampled(names: list[str]) -> set[str]:
    """Return the names of the cases that `make test` runs, always the same."""
    cases = defaultdict(list)
    for name in names:
        cases[name.partition("[")[0]].append(name)
    kept: set[str] = set()
    for test, its in cases.items():
        listed = max((start for start in SHARES if test.startswith(start)), key=len, default="")
        percent = SHARES.get(listed, 100)
        kept.update(sorted(its, key=order)[: math.ceil(len(its) * percent / 100)])
    return kept


LAYERS = {
    "unit": "needs no Java, network or browser, is not slow and reads no table",
    "tables": "is about tables, and needs no Java, network or browser",
    "java": "needs a Java 17 runtime: Paimon's library, Spark",
    "docs": "is about the generator, packages and pages, or needs the network or a browser",
}
"""The layers of tests. Each test has one, by which `make test-unit` and so on select it."""


def layer_of(item: pytest.Item) -> str:
    """Return the layer of a test, from what it needs and where it stands."""
    if item.get_closest_marker("java") or item.get_closest_marker("library"):
        return "java"
    path = item.path.relative_to(item.config.rootpath)
    outside = any(item.get_closest_marker(need) for need in ("network", "browser", "web_ide"))
    if outside or {"project", "generator", "ksykit"} & {*path.parts}:
        return "docs"
    about_tables = {"table", "faults"} & {*path.parts} or path.name.startswith("test_table")
    return "tables" if about_tables or item.get_closest_marker("slow") else "unit"


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Leave out of garbage collections what thousands of tests are made of: it stays to the end.

    Else each full collection looks at half a million objects more.
    """
    gc.collect()
    gc.freeze()


def _is_on_spark(item: pytest.Item) -> bool:
    """Tell whether a test uses the fixture `spark`, by name or as the engine that it runs on."""
    if not isinstance(item, pytest.Function):
        return False
    engine = item.callspec.params.get("engine") if hasattr(item, "callspec") else None
    return "spark" in item.fixturenames or (isinstance(engine, str) and engine == "spark")


def _is_on_java_tables(item: pytest.Item) -> bool:
    """Tell whether a test uses the fixture `java_tables`."""
    return isinstance(item, pytest.Function) and "java_tables" in item.fixturenames


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test that needs what this machine lacks."""
    for need, missing in NEEDS.items():
        if item.get_closest_marker(need) and (reason := missing()):
            skip_or_fail(need, reason)


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown() -> None:
    """Undo what each test leaves in the process, so that the order of tests does not matter."""
    undo()


VARIABLES = dict(os.environ)


def undo() -> None:
    """Put the state of the process that tests read back to that at the start."""
    display.forget()  # the S3 key "test" would mask the paths of later tests
    logging.disable(logging.NOTSET)
    for name in ("pypaimon", "werkzeug"):
        logging.getLogger(name).setLevel(logging.NOTSET)
    for name in {*os.environ, *VARIABLES} - {"PYTEST_CURRENT_TEST"}:
        if name in VARIABLES:
            os.environ[name] = VARIABLES[name]
        else:
            del os.environ[name]
    if caches := sys.modules.get("paimon_ksy.table.io.cache"):
        caches.clear_caches()


@cache
def missing_java() -> str | None:
    """Why tests cannot use Java; None if they can."""
    try:
        find_java()
    except MissingToolError as error:
        return f"java: {error}"
    return None


@cache
def missing_network() -> str | None:
    """Why tests cannot use the network; None if they can. Asks for what pip would ask for."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--no-deps",
            "--no-cache-dir",
        ]
        command += ["--retries=0", "--timeout=10", "--dest", folder, "kaitaistruct==0.11"]
        reached = subprocess.run(command, capture_output=True, check=False).returncode == 0
    return None if reached else "network: the Python package index cannot be reached"


@cache
def missing_browser() -> str | None:
    """Why tests cannot use a browser; None if they can."""
    if shutil.which("chromium") is None:
        return "browser: no `chromium` on PATH"
    return None


@cache
def missing_web_ide() -> str | None:
    """Why tests cannot use the Kaitai Web IDE; None if they can."""
    if ide_folder() is None:
        return "web_ide: no Kaitai Web IDE: set PAIMON_KSY_WEBIDE to its folder"
    return None


@cache
def missing_library() -> str | None:
    """Why tests cannot use Paimon's Java library; None if they can."""
    try:
        classpath()
    except MissingToolError as error:
        return f"library: {error}"
    return None


@cache
def missing_go() -> str | None:
    """Why tests cannot use Go; None if they can."""
    if shutil.which("go") is None:
        return "go: no `go` on PATH"
    return None


def missing_posix() -> str | None:
    """Why tests cannot use signals and limits of POSIX; None if they can."""
    return "posix: this is Windows" if sys.platform == "win32" else None


def missing_proc() -> str | None:
    """Why tests cannot find processes; None if they can."""
    return None if Path("/proc/self/stat").exists() else "proc: there is no /proc"


def missing_glibc() -> str | None:
    """Why tests cannot set how memory is kept; None if they can."""
    return None if platform.libc_ver()[0] == "glibc" else "glibc: another library of C"


@cache
def missing_any_names() -> str | None:
    """Why tests cannot give files names of any bytes; None if they can."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            Path(os.fsdecode(os.fsencode(folder) + b"/\xff")).touch()
        except OSError:
            return "any_names: file systems here accept only names in UTF-8"
    return None


@cache
def missing_spark_filters() -> str | None:
    """Why tests cannot be handed filters by Spark; None if they can."""
    from pyspark.sql import datasource

    return None if hasattr(datasource, "EqualTo") else "spark_filters: Spark is older than 4.1"


NEEDS: dict[str, Callable[[], str | None]] = {
    "java": missing_java,
    "go": missing_go,
    "library": missing_library,
    "network": missing_network,
    "browser": missing_browser,
    "web_ide": missing_web_ide,
    "posix": missing_posix,
    "proc": missing_proc,
    "glibc": missing_glibc,
    "any_names": missing_any_names,
    "spark_filters": missing_spark_filters,
}
"""The only reasons for skips: what tests are marked with, and a function that looks for it."""


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    """Fail a test that is skipped, or expected to fail, for another reason than a need."""
    return fail_unlisted_skip((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    """Fail a file that is skipped."""
    return fail_unlisted_skip((yield))


def fail_unlisted_skip(report: Any) -> Any:
    """Turn the report of a skip into one of a failure, unless its reason begins with a need."""
    if report.skipped:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else "expected to fail"
        reason = reason.removeprefix("Skipped: ")
        if reason.partition(":")[0] not in NEEDS:
            report.outcome = "failed"
            report.longrepr = f"skipped, but not for a need in tests/conftest.py: {reason}"
    return report


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """One small local SparkSession for all tests of a process; mark the tests with `java`.

    It is one of Spark Connect if the environment has `PAIMON_KSY_SPARK_CONNECT`.
    """
    from pyspark.sql import SparkSession

    builder: Any = SparkSession.builder.config("spark.sql.session.timeZone", "UTC")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    if "PAIMON_KSY_SPARK_CONNECT" in os.environ:
        builder = builder.remote("local[2]")
    else:
        builder = (
            builder.master("local[2, 4]")  # a worker that dies is started again
            .appName("paimon-ksy tests")
            .config("spark.ui.enabled", "false")
            .config("spark.log.level", "ERROR")
            .config("spark.driver.host", "127.0.0.1")  # works without DNS
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.python.unix.domain.socket.enabled", "true")  # sooner than over TCP
            .config("spark.driver.memory", "1g")
            .config("spark.sql.warehouse.dir", str(tmp_path_factory.mktemp("spark-warehouse")))
        )
    session = builder.getOrCreate()
    yield session
    session.stop()


@pytest.fixture(scope="session")
def java_tables() -> Iterator[jvm.Session]:
    """One program of Paimon's library for all tests of a process; mark the tests with `java`.

    They need the library, too, and are skipped without it.

    It has one table open at a time, which a test creates or opens itself.
    """
    with jvm.session("Tables") as session:
        yield session


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run a command in this process; return its exit code, stdout and stderr."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        stdout = sys.stdout
        code = run([str(argument) for argument in arguments])
        sys.stdout = stdout  # which is silenced after a failure
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return call


@dataclass(frozen=True)
class S3:
    """A bucket of an S3 server on this machine.

    `options` are pypaimon's, of a catalog or a file system, without `warehouse`.
    """

    bucket: str
    options: dict[str, str]
    client: Any

    def keys(self, start: str = "") -> set[str]:
        """The objects in the bucket whose key begins so."""
        pages = self.client.get_paginator("list_objects_v2").paginate(
            Bucket=self.bucket, Prefix=start
        )
        return {found["Key"] for page in pages for found in page.get("Contents", ())}


@pytest.fixture
def s3(monkeypatch: pytest.MonkeyPatch) -> Iterator[S3]:
    """An empty bucket on moto's server on localhost."""
    import boto3
    from moto.server import ThreadedMotoServer

    # Nothing of the user's own configuration, and no proxy for localhost.
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", os.devnull)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer("127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        host, port = server.get_host_and_port()
        endpoint = f"http://{host}:{port}"
        client = boto3.client(
            "s3",
            endpoint_url=endpoint,
            aws_access_key_id="test",
            aws_secret_access_key="test",
            region_name="us-east-1",
        )
        bucket = f"tables-{uuid.uuid4().hex[:8]}"  # moto keeps what a server before this one had
        client.create_bucket(Bucket=bucket)
        options = {
            "s3.endpoint": endpoint,
            "s3.access-key": "test",
            "s3.secret-key": "test",
            "s3.region": "us-east-1",
            "s3.path-style-access": "true",
        }
        yield S3(bucket, options, client)
    finally:
        server.stop()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """One line for each reason for which tests were skipped."""
    reasons = Counter(
        report.longrepr[2].removeprefix("Skipped: ")
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple)
    )
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"skipped {count}: {reason}")
