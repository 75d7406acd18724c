"""Options that every command takes, and that hold for all of its run."""

from __future__ import annotations

from enum import StrEnum


class Color(StrEnum):
    """When to print colours and lines."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Given:
    """What the command line asks for, beside the command.

    Attributes:
        debug: Whether to print the traceback of an error.
        quiet: Whether to print only the answer and errors.
        color: When to print colours and lines.
        json: Whether to print errors as JSON, too.
    """

    debug = False
    quiet = False
    color = Color.AUTO
    json = False
