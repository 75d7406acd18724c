"""Errors: each message is one line and says what to do."""

from __future__ import annotations

from collections.abc import Iterable


class PaimonKsyError(Exception):
    """Base of every error that this library raises on purpose.

    `remedy`, where it is set, says what to do about it, beyond what the message says.
    """

    remedy: str | None = None


def first_line(error: BaseException) -> str:
    """The first line of what an error says; its type, if it says nothing."""
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__


_LISTED = 200  # characters


def none_of(name: str, there_are: str, names: Iterable[str]) -> str:
    """`(did you mean 'status'?): there are status, amount`, of a name that none of these is."""
    from difflib import get_close_matches

    known = list(names)
    # Of names that differ in case only the last is as near as the others.
    lower = {other.casefold(): other for other in known}
    near = get_close_matches(name.casefold()[:_LISTED], lower, 1)
    asked = f" (did you mean {lower[near[0]]!r}?)" if near else ""
    return f"{asked}: {there_are} {_listed(known)}"


def _listed(names: list[str]) -> str:
    """As many names as are read in one line, and how many more there are."""
    shown: list[str] = []
    length = 0
    for name in names:
        length += len(name) + 2
        if shown and length > _LISTED:
            break
        shown.append(f"{name:.{_LISTED}}")
    more = len(names) - len(shown)
    return (", ".join(shown) or "none") + (f" and {more:,} more" if more else "")


def with_remedy(error: PaimonKsyError) -> str:
    """What is wrong, and what to do about it as far as that is known."""
    text = str(error)
    return (
        text if error.remedy is None or text.endswith(error.remedy) else f"{text}; {error.remedy}"
    )


class CorruptFileError(PaimonKsyError):
    """A file's bytes break its format.

    `path`, `column` and `offset` (byte in the file) say where, as far as it is known; whoever
    knows more than the place that raised may fill in the ones that are None, and `remedy`.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        column: str | None = None,
        offset: int | None = None,
        remedy: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.column = column
        self.offset = offset
        self.remedy = remedy

    def __str__(self) -> str:
        where = []
        if self.column is not None:
            where.append(f"column {self.column!r}")
        if self.offset is not None:
            where.append(f"byte {self.offset}")
        parts = [self.path, ", ".join(where), self.message]
        text = ": ".join(part for part in parts if part)
        return text if self.remedy is None else f"{text}; {self.remedy}"


class AccessError(PaimonKsyError):
    """A file that may not be read: nothing is known to be wrong with it."""

    remedy = "run it as a user who may, or have the permission changed; the file may well be sound"

    @classmethod
    def of(cls, path: str) -> AccessError:
        """The error over this file."""
        return cls(f"{path}: no permission to read it")


def is_denied(error: BaseException | None) -> bool:
    """Whether a file could not be read for want of permission, on this machine or in a store."""
    while error is not None:
        if isinstance(error, PermissionError) or "ACCESS_DENIED" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False


class SchemaError(PaimonKsyError):
    """A type or schema text that cannot be understood, or a column that a schema does not have."""


class PredicateError(PaimonKsyError):
    """A predicate that cannot be understood, or that does not fit the schema."""


class UnsupportedError(PaimonKsyError):
    """Something valid that is not supported, such as a type that an index refuses."""


def type_not_held(column: str, data_type: object, index: str) -> UnsupportedError:
    """The error over a schema in which a column has a type that no such index holds."""
    return UnsupportedError(
        f"column {column!r} is {data_type} in the schema, and no {index} holds such values: give "
        "the schema that the file was written with"
    )


class OptionError(PaimonKsyError):
    """A table or index option with an unknown name or a bad value."""


def check_options(index: str, given: Iterable[str], *known: str) -> None:
    """Raises OptionError over an option that such an index does not have."""
    for option in given:
        if option not in known:
            told = none_of(option, "it has", known)
            raise OptionError(f"a {index} index has no option {option!r}{told}")
