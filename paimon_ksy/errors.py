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
            has = ", ".join(map(repr, known)) or "none"
            raise OptionError(f"a {index} index has no option {option!r}: it has {has}")
