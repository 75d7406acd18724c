"""The command line, run within the process of the tests, as a process, or on a terminal."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from paimon_ksy.cli.app import app, run

Cli = Callable[..., tuple[int, str, str]]
"""What the fixture `cli` is: words -> exit code, stdout, stderr."""


def run_command(*words: object, stdin: str | bytes | None = None) -> Any:
    """Run `paimon-ksy` with these words in this process; return Typer's result."""
    return CliRunner().invoke(app, [*map(str, words)], input=stdin)


def process(*arguments: object, **options: Any) -> subprocess.CompletedProcess[str]:
    """Run `paimon-ksy` as a process of its own."""
    command = [sys.executable, "-m", "paimon_ksy", *map(str, arguments)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=600, **options
    )


def unmeasured() -> dict[str, str]:
    """Return the environment without the variables that make a child process measure coverage.

    That takes memory and opens files, so a child with limits would fail for want of these.
    """
    return {name: text for name, text in os.environ.items() if not name.startswith("COVERAGE_")}


def on_terminal(*arguments: object, **environment: str) -> str:
    """Return what `paimon-ksy` writes to a terminal."""
    main, end = pty.openpty()
    command = [sys.executable, "-m", "paimon_ksy", *map(str, arguments)]
    env = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "FORCE_COLOR")}
    env |= {"TERM": "xterm-256color", "COLUMNS": "80", **environment}
    with subprocess.Popen(command, stdout=end, stderr=end, stdin=end, env=env):
        os.close(end)
        written = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            written += piece
    os.close(main)
    return written.decode()


class _Terminal(io.TextIOWrapper):
    """A file that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def as_on_terminal(*arguments: object, **environment: str) -> str:
    """Return what `paimon-ksy` writes for a terminal, in this process, which is much sooner.

    What is decided when modules are imported, such as frames of help, is that of no terminal.
    """
    written = io.BytesIO()
    with pytest.MonkeyPatch.context() as patch:
        for name in ("stdout", "stderr"):
            patch.setattr(sys, name, _Terminal(written, "utf-8", write_through=True))
        for name in ("NO_COLOR", "FORCE_COLOR"):
            patch.delenv(name, raising=False)
        for name, value in {"TERM": "xterm-256color", "COLUMNS": "80", **environment}.items():
            patch.setenv(name, value)
        run([str(argument) for argument in arguments])
        return written.getvalue().decode()


def commands(group: Any = None, words: str = "") -> Iterator[tuple[str, Any]]:
    """Yield each command of the whole app with its words, and each group."""
    group = typer.main.get_command(app) if group is None else group
    yield words, group
    for name, command in getattr(group, "commands", {}).items():
        yield from commands(command, f"{words} {name}".strip())


def options() -> Iterator[tuple[str, str, str]]:
    """Yield the flags, long and short, of each command with its words, and what help has of them.

    That is the flags, the kind of value and its choices, and the text: without the default, and
    whether it has to be given.
    """
    for words, command in commands():
        context = command.make_context(words or "paimon-ksy", [], resilient_parsing=True)
        for option in command.params:
            if option.param_type_name == "option":
                flags, text = option.get_help_record(context)
                bare = re.sub(r"\s+\[(required|default: (text|table|100000))\]$", "", text)
                yield (
                    ", ".join(sorted(option.opts, key=len, reverse=True)),
                    words,
                    f"{flags} {bare}",
                )
