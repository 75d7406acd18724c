"""The options of each command, from the program itself."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from tools.docs.text import render


@dataclass(frozen=True)
class Option:
    """An option or argument: how it is written, its help, and its flags, the long one first."""

    written: str
    help: str
    flags: tuple[str, ...] = ()


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
    for one in command.params:
        record = None if one in arguments else one.get_help_record(context)
        if record is not None:  # not hidden
            written, text = record
            options.append(Option(written, text, tuple(sorted(one.opts, key=len, reverse=True))))
    epilog = (command.epilog or "").strip().splitlines()
    return Command(
        name=name,
        usage=" ".join(["paimon-ksy", name, "[OPTIONS]", *map(_argument, arguments)]),
        help=command.help or "",
        options=tuple(options),
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


def flags(_: str) -> str:
    """Return a table of all flags with their meaning, the first if defaults differ."""
    meanings: dict[tuple[str, ...], str] = {}
    names: dict[tuple[str, ...], list[str]] = {}
    every = list(commands())
    for command in every:
        for option in filter(lambda option: option.flags, command.options):
            meanings.setdefault(option.flags, re.sub(_BESIDES, "", option.help))
            names.setdefault(option.flags, []).append(command.name)
    rows = [
        (flags, meanings[flags], () if len(names[flags]) == len(every) else sorted(names[flags]))
        for flags in sorted(meanings)
    ]
    return render("flags.md", rows=rows)


def page_of(name: str) -> str:
    """Return the page of a command below docs/reference/commands."""
    return f"{PAGES.get(name) or PAGES.get(name.split()[0]) or name.replace(' ', '-')}.md"


_BESIDES = r"\s+\[(required|default: (text|table))\]$"
"""What is not part of the meaning of a flag: commands differ in it."""

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
