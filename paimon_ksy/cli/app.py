"""The command `paimon-ksy`: all commands, each with its module and a line about it."""

from __future__ import annotations

import itertools
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import typer

from paimon_ksy.cli.commands import HELP, Command, Group, group
from paimon_ksy.cli.failures import (
    EXIT_CODES,
    UsageError,
    complain,
    interrupted_by,
    silence_stdout,
)
from paimon_ksy.cli.options import (
    SETTINGS,
    Colors,
    Debug,
    Everywhere,
    Quiet,
    Settings,
    Version,
)
from paimon_ksy.display import forget
from paimon_ksy.errors import ExitCode, PaimonKsyError
from paimon_ksy.messages.commands import command as command_text
from paimon_ksy.messages.masking import remember_url

_DV = group(
    "dv",
    "Show and apply deletion vectors.",
    {
        "show": ("dv:run_show", "Show the vectors of files."),
        "apply": ("dv:run_apply", "Count the live rows of a data file, or write them."),
    },
)
_BUCKET_INDEX = group(
    "bucket-index",
    "Show dynamic bucket indexes and find the bucket of a key.",
    {
        "show": ("bucket_index:run_show", "Count the keys of buckets."),
        "lookup": ("bucket_index:run_lookup", "Find the bucket that contains a key."),
    },
)
_TABLE = group(
    "table",
    "Inspect, query, index, check and repair whole tables.",
    {
        "inspect": ("table_inspect", "Show a table down to its indexes."),
        "explain": ("table_scan:run_explain", "Show what a query skips, and why."),
        "query": ("table_scan:run_query", "Print the rows that match."),
        "count": ("table_scan:run_count", "Count the rows that match."),
        "rewrite-index": ("table_rewrite", "Build the file indexes that the options ask for."),
        "delete": ("table_delete", "Delete rows with deletion vectors."),
        "advise": ("table_advise", "Recommend indexes for a table."),
        "schema": ("table_schema", "Show the columns, keys and options of a table."),
        "set": ("table_schema:run_set", "Set options of a table."),
        "list": ("table_list", "List the tables of a warehouse or catalog."),
        "drop-index": ("table_rewrite:run_drop_index", "Drop a global index."),
        "audit": ("table_audit:run_audit", "Check a table and repair its indexes."),
        "clean-orphans": (
            "table_audit:run_clean_orphans",
            "List or delete files that nothing refers to.",
        ),
    },
)
_COMMANDS = {
    "inspect": ("inspect", "Show what kind a file is and what it contains."),
    "eval": ("evaluate", "Evaluate a predicate on the index of a data file."),
    "verify": ("verify", "Check that a file is sound."),
    "diff": ("diff", "Compare two files, or two snapshots of a table."),
    "build": ("build", "Build the file index of a data file."),
    "dump": ("dump:run_dump", "Print the whole content of a file as JSON."),
    "assemble": ("dump:run_assemble", "Write the file that the JSON of a dump describes."),
    "webide": ("webide", "Make a file readable in the Kaitai Web IDE."),
    "report": ("report", "Write a page about a file or a table."),
}


class _Commands(Group):
    """All commands, which typer adds nothing to but its completion of shells."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        commands = [Command(name, *listed) for name, listed in _COMMANDS.items()]
        for each in (*commands, _DV, _BUCKET_INDEX, _TABLE):
            self.add_command(each)


app = typer.Typer(
    cls=_Commands,
    name="paimon-ksy",
    help="Inspect, query, build and repair the index files of Apache Paimon tables.",
    epilog=EXIT_CODES,
    no_args_is_help=False,
    rich_markup_mode=None,
    context_settings=HELP,
)


@app.callback()
def _global(
    version: Version = False, debug: Debug = False, quiet: Quiet = False, color: Colors = None
) -> None:
    SETTINGS.set(SETTINGS.get().adding(Everywhere(debug, quiet, color)))


def commands() -> Iterator[tuple[str, Command]]:
    """Yield all commands with their words."""
    group: Any = typer.main.get_command(app)
    for name, each in group.commands.items():
        if isinstance(each, Command):
            yield name, each
        else:
            yield from ((f"{name} {inner}", one) for inner, one in each.commands.items())


def run(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code."""
    arguments = list(sys.argv[1:] if arguments is None else arguments)
    forget()
    for argument in arguments:
        remember_url(argument)
    # Also for a command line with an error before --format.
    before = SETTINGS.set(Settings(json=_asks_for_json(arguments)))
    try:
        return _run(arguments)
    finally:
        SETTINGS.reset(before)


def _asks_for_json(arguments: Sequence[str]) -> bool:
    words = " ".join(itertools.takewhile(lambda argument: argument != "--", arguments))
    return re.search(r"(^| )(--format[ =]|-f ?)(json|jsonl|ndjson)( |$)", words) is not None


def _remedy(message: str, command: str) -> str:
    """Return what to do about a wrong command line."""
    name = message.removeprefix("No such command '").partition("'")[0]
    for each in (_TABLE, _DV, _BUCKET_INDEX) if command == "paimon-ksy" else ():
        if name in each.commands:
            return f"did you mean {command_text(str(each.name), name)}?"
    if "No such option: --json" in message:
        return "for JSON, pass `--format json`"
    return f"see '{command} --help'"


def _of_usage(error: Any, arguments: list[str]) -> UsageError:
    """Return an error of typer about the command line as ours, with a remedy."""
    named = (words for words, _ in commands() if arguments[: 1 + words.count(" ")] == words.split())
    context = getattr(error, "ctx", None)
    command = " ".join(("paimon-ksy", *named)) if context is None else context.command_path
    message = error.format_message().rstrip(".").replace("Value error, ", "")  # of pydantic
    return UsageError(message, remedy=_remedy(message, command))


def _run(arguments: list[str]) -> int:
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # a file may contain any text
    # The class of typer's own errors about the command line, in each version of typer.
    usage_error: Any = typer.BadParameter.__base__
    try:
        code = app(arguments or ["--help"], prog_name="paimon-ksy", standalone_mode=False)
        sys.stdout.flush()
    except BrokenPipeError:
        code = ExitCode.BROKEN_PIPE
    except (typer.Abort, KeyboardInterrupt) as error:
        code = interrupted_by(error)
    except usage_error as error:
        complain(_of_usage(error, arguments))
        return ExitCode.USAGE
    except OSError as error:  # stdout cannot be written, for example on a full disk
        complain(PaimonKsyError(error.strerror or str(error), path="standard output"))
        code = ExitCode.ERROR
    if code in (ExitCode.INTERRUPTED, ExitCode.TERMINATED):
        complain("interrupted" if code == ExitCode.INTERRUPTED else "terminated")
    try:
        sys.stdout.flush()
    except OSError:  # reported above
        silence_stdout()
    return int(code or 0) if arguments else ExitCode.USAGE
