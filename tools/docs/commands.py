"""The options of each command, from the program itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tools.docs.text import render


@dataclass(frozen=True)
class Option:
    """An option or argument: how it is written, and its help."""

    written: str
    help: str


@dataclass(frozen=True)
class Command:
    """A command: its name after `paimon-ksy`, and its help."""

    name: str
    usage: str
    help: str
    options: tuple[Option, ...]
    examples: tuple[str, ...]

    @property
    def summary(self) -> str:
        """The first sentence of its help."""
        return self.help.partition("\n\n")[0]


def commands() -> Iterator[Command]:
    """Yield all commands in the order of `--help`."""
    from paimon_ksy.cli import app

    for name, command in app.commands():
        command.load()
        yield _command(command, name)


def _command(command: Any, name: str) -> Command:
    context = command.make_context(name, [], resilient_parsing=True)
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    options = [Option(_argument(one), one.help or "") for one in arguments]
    records = (one.get_help_record(context) for one in command.params if one not in arguments)
    epilog = (command.epilog or "").strip().splitlines()
    return Command(
        name=name,
        usage=" ".join(["paimon-ksy", name, "[OPTIONS]", *map(_argument, arguments)]),
        help=command.help or "",
        options=(*options, *(Option(*record) for record in records if record)),  # None: hidden
        examples=tuple(line.strip() for line in epilog if line.strip().startswith("paimon-ksy ")),
    )


def _argument(parameter: Any) -> str:
    name = parameter.metavar or parameter.name.upper()
    many = "..." if parameter.nargs == -1 else ""
    return f"{name}{many}" if parameter.required else f"[{name}{many}]"


def options(name: str) -> str:
    """Return the options of a command, or of each command of a group, as a part of a page."""
    listed = [one for one in commands() if f"{one.name} ".startswith(f"{name} ")]
    if not listed:
        raise ValueError(f"paimon-ksy has no command {name!r}")
    return render("options.md", commands=listed, shared=page_of(listed[0].name) in SHARED)


def index(_: str) -> str:
    """Return a table of all commands, with links to their pages."""
    return render("commands.md", commands=list(commands()), page=page_of)


def page_of(name: str) -> str:
    """Return the page of a command below docs/reference/commands."""
    return f"{PAGES.get(name) or PAGES.get(name.split()[0]) or name.replace(' ', '-')}.md"


PAGES = {
    "assemble": "dump",
    "bucket-index": "bucket-index",
    "dump": "dump",
    "dv": "dv",
    "table count": "table-query",
    "table explain": "table-query",
    "table query": "table-query",
    "table list": "table-schema",
    "table set": "table-schema",
}
"""The pages that describe several commands, by command or group."""

SHARED = {f"{page}.md" for page in PAGES.values()}
