"""Options of every command, which apply to its whole run."""

from __future__ import annotations

from enum import StrEnum


class Color(StrEnum):
    """When to print colours and lines."""

    AUTO = "auto"
    ALWAYS = "always"
    NEVER = "never"


class Given:
    """The values of the options of every command.

    Attributes:
        debug: Whether to print the traceback of an error.
        quiet: Whether to print only the answer and errors.
        color: When to print colours and lines.
        json: Whether to print errors as JSON, too.
        time_zone: The time zone of literals that have none.
    """

    debug = False
    quiet = False
    color = Color.AUTO
    json = False
    time_zone: str | None = None
