"""Answers: dataclasses whose fields and properties are keys in JSON, and facts for people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, TypeVar

from paimon_ksy.errors import PaimonKsyError, counted
from paimon_ksy.messages.commands import text_of

_PLAIN = (str, int, float, Iterator)
_SHORT = 100  # characters of a value in a repr
_DIGITS = 4  # of seconds after the point
_Getter = TypeVar("_Getter", bound=Callable[[Any], Any])


@dataclass(frozen=True)
class Key:
    """How an answer shows a field or property.

    Attributes:
        name: The key in JSON; by default, the name of the attribute.
        json: Whether JSON has it.
        text: Whether people see it.
        title: Whether it names the answer among others, for people. By default, the first key does.
        optional: Whether JSON lacks it if it is None.
        beside: Whether it is an answer whose keys stand beside the others.
        total: The attribute that counts the items of this list, of which only the first are listed.
        main: Whether the answer is about this list, so that people see no name of it.
        one_line: Whether people see the items of this list on one line.
        attribute: The name of the attribute.
    """

    name: str = ""
    json: bool = True
    text: bool = True
    title: bool = False
    optional: bool = False
    beside: bool = False
    total: str = ""
    main: bool = False
    one_line: bool = False
    attribute: str = ""


def keyed(name: str = "", **how: Any) -> Mapping[str, Key]:
    """Return the metadata of a field that an answer shows in another way (see `Key`)."""
    return {"key": Key(name, **how)}


HIDDEN = keyed(json=False, text=False)
"""The metadata of a field that is no key."""


def in_answer(name: str = "", **how: Any) -> Callable[[_Getter], _Getter]:
    """Return the decorator, below `@property`, of a property that is a key (see `Key`)."""

    def decorator(getter: _Getter) -> _Getter:
        vars(getter)["key"] = Key(name, **how)
        return getter

    return decorator


class Answer:
    """A dataclass whose fields are keys. So are properties with `in_answer`, after the fields."""

    def __init_subclass__(cls) -> None:
        if "__repr__" not in vars(cls):  # `dataclass` would add one that shows everything
            cls.__repr__ = Answer.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        """Return its fields on a line; of a long list, the number of items."""
        of: Any = self
        texts = (f"{each.name}={_short(getattr(self, each.name))}" for each in fields(of))
        return f"{type(self).__name__}({', '.join(texts)})"

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


class Work(Answer):
    """The summary of a job that reads and writes files."""

    bytes_read: int
    bytes_written: int
    seconds: float

    @property
    @in_answer(json=False)
    def work(self) -> tuple[str, ...]:
        """A sentence about the bytes and the time."""
        amounts = {"read": self.bytes_read, "written": self.bytes_written}
        texts = (f"{counted(size, 'byte')} {did}" for did, size in amounts.items() if size)
        return (f"{', '.join(texts) or 'done'} in {self.seconds:.1f} s",)


@dataclass(frozen=True)
class Value(Answer):
    """A value of a column: `plain` for JSON, and `text` for people."""

    plain: Any = field(metadata=keyed("value", text=False))
    text: str = field(metadata=keyed("value", json=False, title=True))

    def __str__(self) -> str:
        return self.text


def keys_of(answer: Answer | type[Answer]) -> tuple[Key, ...]:
    """Return the keys of an answer, or of a class of answers: those of JSON first."""
    kind: Any = answer if isinstance(answer, type) else type(answer)
    return _keys_of(kind)


@cache
def _keys_of(kind: Any) -> tuple[Key, ...]:
    keys = {each.name: each.metadata.get("key", Key()) for each in fields(kind)}
    for of in reversed(kind.__mro__):
        getters = {name: getattr(each, "fget", None) for name, each in vars(of).items()}
        keys |= {name: vars(get)["key"] for name, get in getters.items() if hasattr(get, "key")}
    named = [replace(key, name=key.name or name, attribute=name) for name, key in keys.items()]
    return tuple(key for key in named if key.json) + tuple(
        key for key in named if key.text and not key.json
    )


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
        return _object(answer)
    if isinstance(answer, Mapping):
        return {key: to_json(value) for key, value in answer.items()}
    if isinstance(answer, list | tuple):
        return [to_json(item) for item in answer]
    if isinstance(answer, bytes):
        return answer.hex()
    return text_of(answer) if isinstance(answer, PaimonKsyError) else str(answer)


def _object(answer: Answer) -> dict[str, Any]:
    document: dict[str, Any] = {}
    for key in keys_of(answer):
        if not key.json:
            continue
        value = to_json(getattr(answer, key.attribute))
        if key.beside:
            document |= value or {}
        elif value is not None or not key.optional:
            document[key.name] = round(value, _DIGITS) if key.name == "seconds" else value
    return document
