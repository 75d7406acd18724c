"""The JSON of answers: a generic function of the dataclasses that answers consist of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import cache
from operator import attrgetter
from typing import Any, ClassVar

from paimon_ksy.errors import PaimonKsyError, counted
from paimon_ksy.messages.commands import text_of

_PLAIN = (str, int, float, Iterator)
_SHORT = 100  # characters of a value in a repr
_DIGITS = 4  # of seconds after the point


class Answer:
    """A dataclass with the keys of its JSON.

    Attributes:
        KEYS: The keys, which are attributes; by default, all fields. `byte=place.offset` gives one
            another name. `error?` is absent if it is None. Of `**body`, if it is not None, the keys
            stand beside the others.
        TITLE: The keys that name it among others, for people; by default, the first one.
        DETAILS: The keys that only JSON has.
        PICTURES: The attributes that only people see, such as strips.
        ON_ONE_LINE: Whether people see it, in a list, on one line with the others.
    """

    KEYS: ClassVar[tuple[str, ...]] = ()
    TITLE: ClassVar[tuple[str, ...]] = ()
    DETAILS: ClassVar[tuple[str, ...]] = ()
    PICTURES: ClassVar[tuple[str, ...]] = ()
    ON_ONE_LINE: ClassVar[bool] = False

    def __init_subclass__(cls) -> None:
        if "__repr__" not in vars(cls):  # `dataclass` would add one that shows everything
            cls.__repr__ = Answer.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Return its fields on a line; of a long list, the number of items."""
        of: Any = self
        texts = (f"{each.name}={_short(getattr(self, each.name))}" for each in fields(of))
        return f"{type(self).__name__}({', '.join(texts)})"

    def __str__(self) -> str:
        """Return what the command of this answer prints."""
        from paimon_ksy.messages.sections import section_of
        from paimon_ksy.pages.text import section_node, text_of_lines

        return text_of_lines(section_node(section_of(self)).lines())

    def to_json(self) -> dict[str, Any]:
        """Return the answer as a JSON object."""
        document: dict[str, Any] = to_json(self)
        return document


def _short(value: Any) -> str:
    """Return a value on a part of a line."""
    if isinstance(value, Mapping | list | tuple) and len(repr(value)) > _SHORT:
        return f"<{counted(len(value), 'item')}>"
    text = repr(value)
    return text if len(text) <= _SHORT else f"{text[:_SHORT]}.."


@dataclass(frozen=True)
class Value(Answer):
    """A value of a column: `plain` for JSON, and `text` for people."""

    plain: Any
    text: str

    def __str__(self) -> str:
        return self.text


def to_json(answer: Any) -> Any:
    """Return an answer, or a part of one, as plain values for JSON.

    Bytes are hexadecimal, and all that is neither plain nor an answer is its text. An iterator
    stays one, since it may be long.
    """
    if answer is None or isinstance(answer, _PLAIN):
        return answer
    if type(answer) is Value:
        return answer.plain
    if isinstance(answer, Answer):
        document: dict[str, Any] = {}
        kind: Any = type(answer)
        for key, name in keys_of(kind).items():
            value = to_json(attrgetter(name)(answer))
            if key.startswith("**"):
                document |= value or {}
            elif not key.endswith("?"):
                document[key] = round(value, _DIGITS) if key == "seconds" else value
            elif value is not None:
                document[key[:-1]] = value
        return document
    if isinstance(answer, Mapping):
        return {key: to_json(value) for key, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [to_json(item) for item in answer]
    if isinstance(answer, bytes):
        return answer.hex()
    return text_of(answer) if isinstance(answer, PaimonKsyError) else str(answer)


@cache
def keys_of(answer: Any) -> Mapping[str, str]:
    """Return the keys of a class of answers, as `KEYS` has them, each with its attribute."""
    keys: dict[str, str] = {}
    for item in answer.KEYS or [field.name for field in fields(answer)]:
        key, _, name = item.partition("=")
        keys[key] = name or key.strip("*?")
    return keys
