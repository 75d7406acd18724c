"""Run the programs of tools/java/ against the Paimon library."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tools.maven import CACHE, ROOT, MissingToolError, fetch_jars

SOURCES = ROOT / "tools" / "java"
JAVA_HELP = "install a JDK 17 or newer and put it on PATH or in JAVA_HOME"


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


def run(program: str, *arguments: str, heap: str = "1g") -> None:
    """Runs a Java program to its end; JavaError with what it printed if that fails."""
    done = subprocess.run(
        [*command(program, heap), *arguments], capture_output=True, text=True, encoding="utf-8"
    )
    if done.returncode:
        raise JavaError(f"{program} failed:\n{done.stderr}")


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
def session(program: str, heap: str = "2g") -> Iterator[Session]:
    """Starts a program that serves requests, and ends it afterwards."""
    process = subprocess.Popen(
        command(program, heap),
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
