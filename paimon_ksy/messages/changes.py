"""The difference between two answers: parts that one of them lacks, and values that differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from paimon_ksy.messages.answers import Answer, Value, to_json
from paimon_ksy.messages.sections import items_of, title_of


@dataclass(frozen=True)
class Change(Answer):
    """A part or value that differs between two answers.

    Attributes:
        path: The keys that lead to it, with the names of items of lists, such as
            `columns[status STRING].indexes[bitmap].distinct`.
        old: The part or value in the old answer; null if it is missing. Of a list of plain values,
            these are the values that only the old answer has.
        new: The part or value in the new answer, likewise.
    """

    path: str
    old: Any
    new: Any


def changes(old: Any, new: Any, path: str = "") -> Iterator[Change]:
    """Yield the differences between two answers, or between parts or values of them."""
    if any(getattr(side, "error", None) is not None for side in (old, new)):
        return  # what cannot be read does not differ
    before, after = _parts(old), _parts(new)
    if before is not None and after is not None:
        for name in {**before, **after}:
            yield from changes(before.get(name), after.get(name), f"{path}{name}".lstrip("."))
        return
    old, new = _apart(_plain(old), _plain(new))
    if to_json(old) != to_json(new):
        yield Change(path, old, new)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, Iterator | tuple) else value


def _apart(old: Any, new: Any) -> tuple[Any, Any]:
    """Return two values; of two lists, the items that only one of them has."""
    if not isinstance(old, list) or not isinstance(new, list):
        return old, new
    both = [each for each in old if each in new]
    return [each for each in old if each not in both], [each for each in new if each not in both]


def _parts(value: Any) -> Mapping[str, Any] | None:
    """Return the parts of a value, each by the end of its path; None if it has none."""
    if isinstance(value, Answer) and type(value) is not Value:
        items = items_of(value)
        shown = (item for item in items if item.key.json and item.key.text)
        return {f".{item.key.name}": item.value for item in shown if item.name != "error"}
    if isinstance(value, Mapping):
        return {f".{name}": part for name, part in value.items()}
    if not isinstance(value, tuple | list) or not all(isinstance(each, Answer) for each in value):
        return None
    return _named(value)


def _named(items: Iterable[Answer]) -> Mapping[str, Answer]:
    """Return the items of a list by their names, or their numbers among those of one name."""
    named: dict[str, Answer] = {}
    seen: Counter[str] = Counter()
    for item in items:
        name = title_of(item)
        name = "" if name.startswith("byte ") else name  # a place changes with what is before it
        number = str(seen[name]) if seen[name] or not name else ""
        seen[name] += 1
        named[f"[{' '.join(filter(None, (name, number)))}]"] = item
    return named
