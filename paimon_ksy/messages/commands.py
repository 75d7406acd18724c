"""Commands in messages, ready to be pasted into a shell.

The code that raises an error often does not know which table the file belongs to. Its remedy has
calls, which get the name of the table or file where they are shown.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path

from paimon_ksy.errors import Call, PaimonKsyError, Remedy, with_remedy
from paimon_ksy.messages.masking import is_secret

_BUILD_ALONE = "see `paimon-ksy build --help`"
REBUILD = Remedy("to rebuild it, ", Call("table audit", "--repair", "run ", _BUILD_ALONE))
"""The remedy for a corrupt index."""
REBUILD_DEEP = Remedy(
    "to rebuild it, ", Call("table audit", "--deep --repair", "run ", _BUILD_ALONE)
)
"""The remedy for an index that only a comparison with the data proves corrupt."""

STDIN = "standard input"
"""The name in messages of the file -."""

_USER = re.compile(r"(?<=://)[^/@\s]+@")


def command(*words: str) -> str:
    """Return a call of `paimon-ksy` in backquotes, with its words quoted for a shell."""
    return f"`paimon-ksy {shlex.join('-' if word == STDIN else word for word in words)}`"


def table_words(name: str, catalog: Mapping[str, str] | Iterable[tuple[str, str]] = ()) -> str:
    """Return the arguments that name a table: its name, and the options of its catalog.

    Options with secrets are left out: set them in the environment, or add them by hand.
    """
    words = [_USER.sub("", name)]
    if words[0].startswith("-"):
        words = [f"./{words[0]}"]
    for key, value in dict(catalog).items():
        if not is_secret(key):
            words += ["--catalog", f"{key}={_USER.sub('', value)}"]
    return shlex.join(words)


def given_words(name: str, options: Iterable[str], config: str | None) -> str:
    """Return the arguments that name a table, as the caller wrote them, without secrets."""
    pairs = (option.partition("=")[::2] for option in options)
    file = [] if config is None else [shlex.join(["--config", config])]
    return " ".join([table_words(name, pairs), *file])


def table_command(command: str, *words: str, table: str) -> str:
    """Return a command on the table that `table_words` names."""
    return " ".join(
        part for part in (f"paimon-ksy table {command}", table, shlex.join(words)) if part
    )


_table: ContextVar[str | None] = ContextVar("table", default=None)


def tell_table(words: str | None) -> None:
    """Use this table in all commands that messages show; None if they are about no table."""
    _table.set(words)


def text_of(error: PaimonKsyError) -> str:
    """Return an error's message and remedy, with commands that name the table or file."""
    return with_remedy(error, *_names(error.path))


def remedy_of(error: PaimonKsyError) -> str | None:
    """Return an error's remedy, with commands that name the table or file."""
    remedy = error.remedy
    return remedy.on(*_names(error.path)) if isinstance(remedy, Remedy) else remedy


def _names(path: str | None) -> tuple[str | None, str | None]:
    """Return the words that name the table and the file of an error at a path."""
    table = _table.get()
    if path is None or path == STDIN:
        return table, path and "-"
    return table or table_of(path), shlex.quote(f"./{path}" if path.startswith("-") else path)


def table_folder(path: str) -> str | None:
    """Return the folder of the table that a local file is in; None if it is in no table."""
    with suppress(OSError):  # such as a current folder that was deleted
        for parent in Path(path).absolute().parents:
            if any((parent / "schema").glob("schema-*")):
                return str(parent)
    return None


def table_of(path: str) -> str | None:
    """Return the arguments that name the table of a local file; None if it is in no table."""
    return None if (folder := table_folder(path)) is None else table_words(folder)
