"""Commands in messages, ready to be pasted into a shell.

The code that raises an error often does not know which table the file belongs to. Its commands
contain `TABLE` or `FILE`, as in `paimon-ksy table audit TABLE --repair`. A caller fills them in.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from contextlib import suppress
from contextvars import ContextVar
from pathlib import Path

from paimon_ksy.errors import PaimonKsyError, with_remedy
from paimon_ksy.messages.masking import is_secret

_IN_NO_TABLE = "see `paimon-ksy build --help`"
_OR_NO_TABLE = f"; for a file of no table, {_IN_NO_TABLE}"
REBUILD = f"to rebuild it, run `paimon-ksy table audit TABLE --repair`{_OR_NO_TABLE}"
"""The remedy for a corrupt index; `pasteable` keeps the one of its two halves that applies."""
REBUILD_DEEP = REBUILD.replace("--repair", "--deep --repair")
"""The remedy for an index that only a comparison with the data proves corrupt."""

STDIN = "standard input"
"""The name in messages of the file -."""

_USER = re.compile(r"(?<=://)[^/@\s]+@")
_ON_TABLE = re.compile(r"(?<=paimon-ksy )(table [a-z-]+) TABLE\b")
_ON_FILE = re.compile(r"(?<=paimon-ksy )([a-z]+(?: [a-z]+)?) FILE\b")


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
    """Return the arguments that name a table, as the caller wrote them, without secrets.

    Args:
        name: The table.
        options: The values of --catalog, KEY=VALUE.
        config: The value of --config.
    """
    pairs = (option.partition("=")[::2] for option in options)
    file = [] if config is None else [shlex.join(["--config", config])]
    return " ".join([table_words(name, pairs), *file])


def table_command(command: str, *words: str, table: str) -> str:
    """Return a command on the table that `table_words` names."""
    return " ".join(
        part for part in (f"paimon-ksy table {command}", table, shlex.join(words)) if part
    )


def pasteable(text: str, *, table: str | None = None, file: str | None = None) -> str:
    """Replace TABLE and FILE in the commands of a text; `table` is what `table_words` returns."""
    if table is not None:
        text = text.replace(_OR_NO_TABLE, "")
        text = _ON_TABLE.sub(lambda found: f"{found[1]} {table}", text)
    elif file is not None:
        for rebuild in (REBUILD, REBUILD_DEEP):
            text = text.replace(rebuild, f"to rebuild it, {_IN_NO_TABLE}")
    if file is not None:
        file = "-" if file == STDIN else f"./{file}" if file.startswith("-") else file
        text = _ON_FILE.sub(lambda found: f"{found[1]} {shlex.quote(file)}", text)
    return text


_table: ContextVar[str | None] = ContextVar("table", default=None)


def tell_table(words: str | None) -> None:
    """Use this table in all commands that messages show; None if they are about no table."""
    _table.set(words)


def text_of(error: PaimonKsyError) -> str:
    """Return an error's message and remedy, with commands that name the table or file."""
    return pasteable_for(with_remedy(error), error.path)


def pasteable_for(text: str, file: str | None) -> str:
    """Replace TABLE and FILE in the commands of a text about a file, if any."""
    table = _table.get()
    if table is None and file is not None and file != STDIN:
        table = table_of(file)
    return pasteable(text, table=table, file=file)


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
