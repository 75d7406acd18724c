"""What commands have in common before any of them runs: options, groups, and --debug.

It imports next to nothing, so that `paimon-ksy --help` is quick; what commands do together is in
common.py.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer

from paimon_ksy.cli.failures import EXIT_CODES
from paimon_ksy.cli.output import is_terminal

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines.")]
Force = Annotated[bool, typer.Option("--force", "-f", help="Overwrite the output file.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]


class Given:
    """The options that were given before the command."""

    debug = False


def wants_debug(asked: bool) -> bool:
    """Whether --debug was given, before the command or after it (`asked`)."""
    return asked or Given.debug


def example(arguments: str) -> str:
    """The last line of a command's help."""
    return f"Example: paimon-ksy {arguments}"


def markup_mode() -> Any:
    """Framed help for people, plain help for pipes."""
    return "rich" if is_terminal() else None


def group(help_: str) -> typer.Typer:
    """Commands under one name."""
    return typer.Typer(
        help=help_,
        epilog=EXIT_CODES,
        add_completion=False,
        no_args_is_help=False,
        rich_markup_mode=markup_mode(),
        context_settings={"help_option_names": ["-h", "--help"]},
    )
