"""Run the programs of tools/java/ against the Paimon library.

The pinned jars of tools/java/jars.lock come from Maven Central, and are kept in .cache/jars. The
paimon-bundle is the reference implementation that the benchmark and the conformance check run
against; it needs Hadoop's client classes to open a table. The list is flat, so no dependency is
resolved: each jar is one that the lock file names, with its checksum.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
LOCK = ROOT / "tools" / "java" / "jars.lock"
RELEASES = LOCK.with_name("releases.lock")
LANGUAGES = ROOT / "tools" / "languages" / "jars.lock"
SOURCES = LOCK.parent
JAVA_HELP = "install a JDK 17 or newer and put it on PATH or in JAVA_HOME"


class MissingToolError(Exception):
    """Java, the jars or the network is missing: one line that says what, and how to get it."""


class JavaError(Exception):
    """What a Java program answered instead of a result: the exception in one line."""


def find_java() -> str:
    """The java command of JAVA_HOME or PATH; MissingToolError unless it is 17 or newer."""
    home = os.environ.get("JAVA_HOME")
    java = str(Path(home, "bin", "java")) if home else shutil.which("java")
    if java is None or not Path(java).exists():
        raise MissingToolError(f"Java was not found: {JAVA_HELP}")
    text = subprocess.run([java, "-version"], capture_output=True, text=True).stderr
    version = re.search(r'version "(\d+)', text)
    if version is None or int(version[1]) < 17:
        raise MissingToolError(f"{java} is not Java 17 or newer: {JAVA_HELP}")
    return java


def classpath() -> list[Path]:
    """The compiled programs and the jars, both brought about if they are not there yet.

    Raises MissingToolError without a JDK, or without the network the first time.
    """
    java = find_java()
    jars = fetch_jars()
    sources = sorted(SOURCES.glob("*.java"))
    key = hashlib.sha256(b"\0".join(path.read_bytes() for path in sources)).hexdigest()[:16]
    classes = CACHE / "java" / key
    if not classes.exists():
        compile_java(java, jars, sources, classes)
    return [classes, *jars]


def compile_java(java: str, jars: list[Path], sources: list[Path], classes: Path) -> None:
    """Compiles sources to a folder of classes, which is there at once and whole."""
    # The compiler is a module of the JDK, so the java command is all that has to be found.
    modules = subprocess.run([java, "--list-modules"], capture_output=True, text=True).stdout
    if "jdk.compiler@" not in modules:
        raise MissingToolError(f"{java} is a JRE without a compiler: {JAVA_HELP}")
    started = classes.with_suffix(f".{os.getpid()}")
    command = [java, "-m", "jdk.compiler/com.sun.tools.javac.Main", "-nowarn"]
    command += ["-cp", os.pathsep.join(map(str, jars)), "-d", str(started), *map(str, sources)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise JavaError(f"{sources[0].parent} does not compile:\n{done.stdout}{done.stderr}")
    try:
        started.rename(classes)
    except OSError:  # another process was faster
        shutil.rmtree(started)


def command(program: str, heap: str) -> list[str]:
    """What starts a program of tools/java/; raises as `classpath` does."""
    path = os.pathsep.join(map(str, classpath()))
    return [find_java(), f"-Xmx{heap}", "-Dfile.encoding=UTF-8", "-cp", path, program]


class Session:
    """A running Java program that answers JSON requests, one a line."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def ask(self, request: Mapping[str, object]) -> dict[str, Any]:
        """The answer to a request; JavaError if the program threw."""
        assert self._process.stdin and self._process.stdout
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        if not line:
            raise JavaError(f"the Java program ended with exit code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        if "error" in answer:
            raise JavaError(answer["error"])
        return answer


@contextmanager
def session(program: str, heap: str = "2g", zone: str = "") -> Iterator[Session]:
    """Starts a program that serves requests, in a time zone, and ends it afterwards."""
    java, *options = command(program, heap)
    process = subprocess.Popen(
        [java, *([f"-Duser.timezone={zone}"] if zone else []), *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )
    try:
        yield Session(process)
    finally:
        assert process.stdin and process.stdout
        process.stdin.close()  # the end of its input ends the program
        process.stdout.close()
        process.wait()


# Jars -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Jar:
    """One line of the lock file."""

    coordinate: str  # group:artifact:version
    sha256: str


def read_lock(text: str) -> list[Jar]:
    """The jars in the text of a lock file; blank lines and # comments are skipped."""
    lines = (line.split() for line in text.splitlines() if line.strip() and line[0] != "#")
    return [Jar(coordinate, sha256) for coordinate, sha256 in lines]


def fetch_jars(lock: Path = LOCK) -> list[Path]:
    """The jars of a lock file, in its order, downloaded where they are not in .cache/ yet.

    Raises MissingToolError without the network, or if a jar is not the one that was locked.
    """
    return [_fetch(jar) for jar in read_lock(lock.read_text())]


def _fetch(jar: Jar) -> Path:
    _, artifact, version = jar.coordinate.split(":")
    path = CACHE / "jars" / f"{artifact}-{version}.jar"
    if path.exists() and _sha256(path) == jar.sha256:
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    # Downloaded aside and moved, so that processes that do so at once see whole jars only.
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        downloaded = _download(jar.coordinate, Path(folder))
        if (found := _sha256(downloaded)) != jar.sha256:
            raise MissingToolError(
                f"{jar.coordinate} has the checksum {found}, and not that of its lock file: run it "
                "again, and if that does not help, look who changed the jar or the lock file"
            )
        downloaded.replace(path)
    return path


def _download(coordinate: str, folder: Path) -> Path:
    try:
        from jgo.maven import MavenContext
    except ImportError:
        raise MissingToolError(
            "jgo is not installed: pip install -e ./ksykit -e '.[dev]'"
        ) from None
    context = MavenContext(repo_cache=folder, timeout=120)
    try:
        return Path(context.create_dependency(coordinate).artifact.resolve())
    except Exception as error:  # jgo raises requests' and its own errors, and plain RuntimeError
        reason = str(error).splitlines()[0][:200] if str(error) else type(error).__name__
        raise MissingToolError(
            f"{coordinate} is neither in .cache/jars nor could be fetched from Maven Central; "
            f"connect to the network and run it again ({reason})"
        ) from error


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
