"""Progress bars of long commands on stderr, one for each step, if it is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from paimon_ksy.cli.options import SETTINGS

if TYPE_CHECKING:
    from rich.progress import Progress


class Step:
    """The progress of a step; it is not shown if `bar` is None."""

    def __init__(self, bar: Progress | None, what: str, total: int | None, unit: str) -> None:
        self._bar, self._unit, self._read = bar, unit, 0
        self._id = None if bar is None else bar.add_task(what, total=total, detail=unit)

    def advance(self, count: int = 1, *, read: int = 0, detail: str = "") -> None:
        """Advance by units, for which so many bytes were read, and show a detail beside them."""
        if self._bar is None or self._id is None:
            return
        from rich.filesize import decimal

        self._read += read
        details = [self._unit, detail, f"{decimal(self._read)} read" if self._read else ""]
        self._bar.update(self._id, advance=count, detail=", ".join(filter(None, details)))

    def at(self, total: int, done: int | None = None, what: str | None = None) -> None:
        """Set the total, the number of units done, and the name of the step."""
        if self._bar is not None and self._id is not None:
            self._bar.update(self._id, completed=done, total=total, description=what)


class Steps:
    """The steps of a command."""

    def __init__(self, bar: Progress | None) -> None:
        self._bar = bar

    @property
    def are_shown(self) -> bool:
        """Whether progress is shown, so that a total is useful."""
        return self._bar is not None

    def step(self, what: str, total: int | None = None, unit: str = "files") -> Step:
        """Begin a step of `total` units; None means unknown."""
        return Step(self._bar, what, total, unit)


@contextmanager
def steps() -> Iterator[Steps]:
    """Show steps until the context ends."""
    if SETTINGS.get().quiet or not sys.stderr.isatty():
        yield Steps(None)
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[detail]}"),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
        redirect_stdout=sys.stdout.isatty(),  # prints lines above the bar
    )
    with bar:
        yield Steps(bar)
