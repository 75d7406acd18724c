"""Exceptions and exit codes. Each message is one line that includes the remedy."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """The exit code of a command; `--help` and the documentation print its `meaning`."""

    meaning: str

    def __new__(cls, value: int, meaning: str) -> ExitCode:
        """Create the member with this number and meaning."""
        member = int.__new__(cls, value)
        member._value_ = value
        member.meaning = meaning
        return member

    DONE = 0, "success"
    ERROR = 1, "a file is corrupt or missing, or could not be read or written"
    USAGE = 2, "wrong usage: an option, schema, predicate, column or type"
    FINDINGS = 3, "a check completed and found an error"
    CONFLICT = 4, "another writer committed first, so nothing was committed: try again"
    UNCERTAIN = 5, "a commit may or may not have succeeded: check the table before you try again"
    INEXACT = 6, "an exact answer was required, but the indexes have only an upper bound"
    INTERRUPTED = 130, "interrupted"
    BROKEN_PIPE = 141, "the reader of the output closed the pipe"
    TERMINATED = 143, "terminated by SIGTERM, after cleaning up as for an interrupt"


@dataclass(frozen=True)
class Call:
    """A call of `paimon-ksy` in a message, about a table or a file that gets its name later.

    Attributes:
        command: The words of the command; `table ..` is about a table, the others about a file.
        options: The words after the name, as a shell takes them.
        run: What the message has before the call, such as `run `.
        otherwise: What to advise, instead, about a file that is in no table.
    """

    command: str
    options: str = ""
    run: str = ""
    otherwise: str = ""

    def on(self, table: str | None, file: str | None) -> str:
        """Return the text with the name of a table or a file, as a shell takes it."""
        if table is None and file is not None and self.otherwise:
            return self.otherwise
        is_about_table = self.command.startswith("table ")
        name = (table or "TABLE") if is_about_table else (file or "FILE")
        words = " ".join(filter(None, (self.command, name, self.options)))
        text = f"{self.run}`paimon-ksy {words}`"
        if table is None and self.otherwise:
            text += f"; for a file of no table, {self.otherwise}"
        return text


class Remedy(str):
    """What to do about an error: texts, and calls that name a table or a file where it is shown.

    Its text has the words TABLE and FILE for the names.
    """

    parts: tuple[str | Call, ...]

    def __new__(cls, *parts: str | Call) -> Remedy:
        """Return the remedy of these parts, some of which may be remedies."""
        made = super().__new__(cls, _joined(parts, None, None))
        made.parts = parts
        return made

    def on(self, table: str | None = None, file: str | None = None) -> str:
        """Return the text about a table or a file, whose names are as a shell takes them."""
        return _joined(self.parts, table, file)


def _joined(parts: Iterable[str | Call], table: str | None, file: str | None) -> str:
    return "".join(
        part.on(table, file) if isinstance(part, Call | Remedy) else part for part in parts
    )


class Terminated(KeyboardInterrupt):
    """Raised on SIGTERM, so that unfinished files are removed, like on Ctrl+C."""


class PaimonKsyError(Exception):
    """Base class of all errors that this library raises on purpose.

    Attributes:
        code: The kind of error, for programs.
        exit_code: The exit code of a command that ends with this error.
        message: What is wrong, without the place and the remedy.
        path: The file or table, if it is known.
        column: The column, if it is known.
        offset: The byte in the file, if it is known.
        remedy: What to do about it, beyond the message.

    Callers of the code that raises it may fill in attributes that are None.
    """

    code = "error"
    exit_code = ExitCode.ERROR
    remedy: str | None = None

    def __init__(
        self,
        message: str = "",
        *,
        path: str | os.PathLike[str] | None = None,
        column: str | None = None,
        offset: int | None = None,
        remedy: str | None = None,
    ) -> None:
        self.message = message
        super().__init__(self.message)
        self.path: str | None = None if path is None else os.fsdecode(path)
        self.column = column
        self.offset = offset
        if remedy is not None:
            self.remedy = remedy

    def __str__(self) -> str:
        where = []
        if self.column is not None:
            where.append(f"column {self.column!r}")
        if self.offset is not None:
            where.append(f"byte {self.offset}")
        parts = [self.path, ", ".join(where), self.message]
        return ": ".join(part for part in parts if part)


@contextmanager
def naming(path: str) -> Iterator[None]:
    """Make the errors of a block name a file, if they do not name it, or another one, yet."""
    try:
        yield
    except PaimonKsyError as error:
        if error.path in (None, "<bytes>") and path not in str(error):
            error.path = path
        raise


def first_line(error: BaseException) -> str:
    """Return the first line of an error's message, or its type if the message is empty."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


_SINGULAR = {"are": "is", "were": "was"}


def counted(value: int, noun: str, verb: str = "") -> str:
    """Format a number with its noun and the plural of a verb: `2,000 rows`, `1 byte follows`."""
    if value == 1:
        verb = verb and _SINGULAR.get(verb, f"{verb}s")
    else:
        noun += "es" if noun.endswith(("ch", "x")) else "s"
    return f"{value:,} {noun} {verb}".rstrip()


def amount(size: float) -> str:
    """Return a size such as `950 bytes`, `12.1 kB` or `3.4 MB`."""
    if size < 1000:
        return counted(int(size), "byte")
    size, unit = size / 1000, "kB"
    for larger in ("MB", "GB", "TB"):
        if size >= 999.5:
            size, unit = size / 1000, larger
    return f"{size:.1f} {unit}" if size < 99.95 else f"{size:,.0f} {unit}"


def with_article(noun: object) -> str:
    """Return a noun with its article: `an INT`, `a DATE`; of a Python type, its name."""
    name = noun.__name__ if isinstance(noun, type) else str(noun)
    return f"an {name}" if name.startswith(tuple("AEIOUaeiou")) else f"a {name}"


_LISTED = 200  # characters


def none_of(name: str, there_are: str, names: Iterable[str]) -> str:
    """Return a hint such as ` (did you mean 'status'?): the table has status, amount`.

    `there_are` are the words before the names that exist, such as `the table has`.
    """
    known = list(names)
    near = close_match(name, known)
    asked = f" (did you mean {near!r}?)" if near else ""
    return f"{asked}: {there_are} {listed(known)}"


def close_match(name: str, names: Iterable[str], least: float = 0.6) -> str:
    """Return the most similar name, at least so similar (0 to 1); an empty text if none is."""
    from difflib import get_close_matches

    # Names that differ only in case are equally close, so the last one represents them.
    lower = {other.casefold(): other for other in names}
    near = get_close_matches(name.casefold()[:_LISTED], lower, 1, least)
    return lower[near[0]] if near else ""


def listed(names: list[str]) -> str:
    """List as many names as fit on one line, and count the rest."""
    shown: list[str] = []
    length = 0
    for name in names:
        length += len(name) + 2
        if shown and length > _LISTED:
            break
        shown.append(f"{name:.{_LISTED}}")
    more = len(names) - len(shown)
    return (", ".join(shown) or "none") + (f" and {more:,} more" if more else "")


def with_remedy(error: PaimonKsyError, table: str | None = None, file: str | None = None) -> str:
    """Return an error and its remedy, in which commands have these words for table and file."""
    text, remedy = PaimonKsyError.__str__(error), error.remedy
    added = remedy.on(table, file) if isinstance(remedy, Remedy) else remedy
    return text if added is None or text.endswith(added) else f"{text}; {added}"


class CorruptFileError(PaimonKsyError):
    """A file's bytes break its format."""

    code = "corrupt"

    def __str__(self) -> str:
        text = super().__str__()
        return text if self.remedy is None else f"{text}; {self.remedy}"


class AccessError(PaimonKsyError, PermissionError):
    """Permission to read or write a file is missing; the file may be sound."""

    code = "denied"
    remedy = "run it as a user who may read it, or change the permission; the file may be sound"

    @classmethod
    def of(cls, path: str | None, doing: str = "read") -> AccessError:
        """Return the error for a failed attempt to `read` or `write` this file."""
        made = cls(f"no permission to {doing} it", path=path)
        if doing == "write":
            made.remedy = "run it as a user who may write there, or change the permission"
        return made


class MissingFileError(PaimonKsyError, FileNotFoundError):
    """A file, or a table, snapshot, tag or branch, does not exist."""

    code = "missing"


class UnreachableError(PaimonKsyError, ConnectionError):
    """The connection to a file's server failed; the file may be sound."""

    code = "unreachable"
    remedy = "try again when the server can be reached; the file may be sound"


class OutOfMemoryError(PaimonKsyError, MemoryError):
    """Memory ran out."""

    code = "memory"
    remedy = (
        "request fewer columns or rows, or free some memory; a corrupt file can also request "
        "more than exists"
    )

    @classmethod
    def of(cls, path: str | None, error: BaseException) -> OutOfMemoryError:
        """Return the error for reading this file."""
        reason = first_line(error)
        more = "" if reason == type(error).__name__ else f": {reason}"
        return cls(f"not enough memory{more}", path=path)


class InternalError(PaimonKsyError):
    """A bug of this library."""

    code = "bug"
    remedy = "this is a bug in paimon-ksy: run again with --debug and report what it prints"

    @classmethod
    def of(cls, error: BaseException, path: str | None = None) -> InternalError:
        """Return the error for an unexpected exception, and the file being read, if any."""
        return cls(f"{type(error).__name__}: {' '.join(str(error).split())}", path=path)


class ConflictError(PaimonKsyError):
    """Another writer changed the files first, so nothing was committed: plan the job again."""

    code = "conflict"
    remedy = "run the command again"
    exit_code = ExitCode.CONFLICT


class UncertainError(PaimonKsyError):
    """A commit may have succeeded, or may still succeed: never delete files that it names."""

    code = "uncertain"
    exit_code = ExitCode.UNCERTAIN


class InexactError(PaimonKsyError):
    """An exact answer was required, but the indexes have only an upper bound."""

    code = "inexact"
    exit_code = ExitCode.INEXACT


class OutsideError(PaimonKsyError):
    """A table's metadata names a path outside the folders that the table may use."""

    code = "outside"
    folder = ""
    """The path that is outside: the folder of the file at `path`, or `path` itself."""
    remedy = (
        "if the table should use that folder, add it to the table's option "
        "data-file.external-paths; if not, restore the metadata from a backup, or remove the link"
    )

    @classmethod
    def of(cls, path: str, folder: str, target: str | None, roots: list[str]) -> OutsideError:
        """Return the error for a path outside all roots, or for a link whose target is outside."""
        leads = "is" if target is None else f"leads to {target},"
        made = cls(f"{leads} outside the folders of the table: {', '.join(roots)}", path=path)
        made.folder = folder
        return made

    @classmethod
    def external(cls, path: str, root: str) -> OutsideError:
        """Return the error for a change in an external path that the caller did not name."""
        made = cls(f"is in the external path {root}, which other tables may share", path=path)
        made.folder = root
        made.remedy = (
            f"if no other table uses its files, such as a copy of this one, allow changes there by "
            f"--external-path {shlex.quote(root)}, or in Python by Table.with_external_paths"
        )
        return made


class SchemaError(PaimonKsyError, ValueError):
    """A type or schema cannot be parsed, or does not fit."""

    code = "schema"
    exit_code = ExitCode.USAGE


class MissingColumnError(SchemaError, KeyError):
    """A schema lacks a column."""


class PredicateError(PaimonKsyError, ValueError):
    """A predicate cannot be parsed, or does not fit the schema."""

    code = "predicate"
    exit_code = ExitCode.USAGE


class UnsupportedError(PaimonKsyError, NotImplementedError):
    """Something valid is not supported, such as a column type by an index."""

    code = "unsupported"
    exit_code = ExitCode.USAGE


def type_not_held(column: str, data_type: object, index: str) -> UnsupportedError:
    """Return the error for a column whose type in the schema this index cannot store."""
    return UnsupportedError(
        f"column {column!r} is {data_type} in the schema, which a {index} cannot contain: "
        "pass the schema that the file was written with"
    )


class ArgumentError(PaimonKsyError, TypeError):
    """An argument of a function has the wrong type."""

    code = "argument"
    exit_code = ExitCode.USAGE


class OptionError(PaimonKsyError, ValueError):
    """A table or index option has an unknown name or an invalid value."""

    code = "option"
    exit_code = ExitCode.USAGE


def check_options(index: str, given: Iterable[str], *known: str) -> None:
    """Check that an index type has all options that were given. Raises OptionError."""
    for option in given:
        if option not in known:
            choices = none_of(option, "it has", known)
            raise OptionError(f"a {index} index has no option {option!r}{choices}")
