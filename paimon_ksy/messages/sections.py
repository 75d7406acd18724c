"""Show any answer to people: its keys as facts, tables and subsections."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, NamedTuple

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.answers import Answer, Key, Value, keys_of
from paimon_ksy.messages.commands import text_of
from paimon_ksy.pages.section import Cell, Section, Where
from paimon_ksy.pages.text import section_node, text_of_lines

_WIDE = 6
"""The most columns of a table; items with more facts are subsections."""
_FEW = 100
"""The most plain values of a list to show."""
_LABELS = (
    *("byte", "id", "snapshot", "identifier", "bucket", "level", "version", "bit"),
    *("code", "named"),
)
"""Ends of the names of numbers that are no amounts, and are shown as they are typed."""


class Report(Answer):
    """An answer that `print` shows as its command does."""

    def __str__(self) -> str:
        """Return what the command of this answer prints."""
        return text_of_lines(section_node(section_of(self)).lines())


class Item(NamedTuple):
    """A key of an answer, or of an answer beside it, and its value."""

    owner: Answer
    key: Key
    value: Any

    @property
    def name(self) -> str:
        """The name for people."""
        return self.key.name.replace("_", " ")

    def count(self, values: Sequence[Any]) -> int:
        """Return the number of items of a list, of which these are the first."""
        total = getattr(self.owner, self.key.total) if self.key.total else None
        return len(values) if total is None else total


def items_of(answer: Answer) -> list[Item]:
    """Return the keys that people see, and their values; one or more of them are its title."""
    items: list[Item] = []
    for key in keys_of(answer):
        value = getattr(answer, key.attribute) if key.text or key.title else None
        if not key.beside:
            items += [Item(answer, key, value)] if key.text or key.title else []
        elif value is not None:
            items += [
                item._replace(key=replace(item.key, title=item.key.title and key.title))
                for item in items_of(value)
            ]
    if items and not any(item.key.title for item in items):
        items[0] = items[0]._replace(key=replace(items[0].key, title=True))
    return items


def title_of(answer: Answer) -> str:
    """Return the text that names an answer: what is no text has its key before it."""
    named = [(item.key.name, item.value) for item in items_of(answer) if item.key.title]
    words = [
        f"{key} {value}" if isinstance(value, int) else text(value)
        for key, value in named
        if value is not None
    ]
    return " ".join(filter(None, words)) or "all"


def section_of(answer: Answer, title: str | None = None, *, more: str = "") -> Section:
    """Return a section about an answer.

    What is absent, empty or false is left out. A list is one table if its items have only a few
    facts.

    Args:
        answer: The answer.
        title: The title of the section, beside which all keys are facts; by default, the values of
            its title keys.
        more: How to list more items of a list that is cut, such as `--all shows all`.
    """
    section = Section(title_of(answer) if title is None else title)
    for item in items_of(answer):
        if item.key.text and (title is not None or not item.key.title):
            section = _with(section, item, more)
    is_list = any(key.main for key in keys_of(answer))
    return section if is_list else _flat(section)


def _flat(section: Section) -> Section:
    """Return a section with its only subsection in it, if that adds nothing but a list."""
    if section.rows or len(section.sections) != 1:
        return section
    [below] = section.sections
    if below.facts or below.error is not None:
        return section
    notes = (*section.notes, *below.notes)
    return replace(
        below, title=section.title, facts=section.facts, error=section.error, notes=notes
    )


def _with(section: Section, item: Item, more: str) -> Section:
    """Return a section with the value of a key of its answer."""
    name, value = item.name, item.value
    if isinstance(value, Iterator):
        value = [*islice(value, _FEW), *([".."] if next(value, None) is not None else [])]
    if value is None or value is False or (value != 0 and not value):
        return section
    if name == "error":
        return replace(section, error=text(value))
    if isinstance(value, list | tuple):
        return _with_list(section, item, value, more)
    if isinstance(value, Answer) and not isinstance(value, Value):
        return _with_answer(section, name, value, more)
    first = next(iter(value.values())) if isinstance(value, Mapping) else None
    if isinstance(first, Answer) and not isinstance(first, Value):
        parts = [section_of(each, own, more=more) for own, each in value.items()]
        return replace(section, sections=(*section.sections, _list_of(name, name, parts)))
    return replace(section, facts=(*section.facts, fact(name, value)))


def _with_answer(section: Section, name: str, value: Answer, more: str) -> Section:
    """Return a section with an answer below it, unless all its facts are 0."""
    for main in (item for item in items_of(value) if item.key.main and item.key.total):
        name = f"{name} ({main.count(main.value):,})"
    below = section_of(value, name, more=more)
    if below == Section(name, tuple((fact, 0) for fact, _ in below.facts)):
        return section
    return replace(section, sections=(*section.sections, below))


def _with_list(section: Section, item: Item, values: Sequence[Any], more: str) -> Section:
    count = item.count(values)
    if isinstance(values[0], str) and any(" " in value for value in values):  # sentences
        return replace(section, notes=(*section.notes, *values))
    if not isinstance(values[0], Answer) or type(values[0]) is Value:
        cut = [*values[:_FEW], *([".."] if max(count, len(values)) > len(values[:_FEW]) else [])]
        listed = item.name, ", ".join(map(text, cut))
        return replace(section, facts=(*section.facts, listed))
    if item.key.one_line:
        listed = item.name, "; ".join(map(_line, values))
        return replace(section, facts=(*section.facts, listed))
    below = list_section(f"{item.name} ({count:,})", values, more=more)
    below = replace(below, notes=left_out(count, len(values), more))
    if not item.key.main:
        return replace(section, sections=(*section.sections, below))
    return replace(below, title=section.title, facts=section.facts)


def _line(answer: Answer) -> str:
    section = section_of(answer)
    return " ".join([section.title, *(f"{name} {value}" for name, value in section.facts)])


def line_of(part: Any) -> str:
    """Return a plain value, or the facts of an answer, on one line."""
    if not isinstance(part, Answer):
        return text(part)
    facts = section_of(part, "").facts
    return ", ".join(f"{name} {value}" for name, value in facts if not isinstance(value, Where))


def left_out(count: int, listed: int, more: str) -> tuple[str, ...]:
    """Return a note about the items of a list that are not shown, if there are any."""
    if count <= listed:
        return ()
    return (f"... {count - listed:,} more" + (f"; {more}" if more else ""),)


def list_section(title: str, answers: Sequence[Answer], *, more: str = "") -> Section:
    """Return a section about a list: a table if it has several items, with only a few facts."""
    parts = [section_of(answer, more=more) for answer in answers]
    head = " ".join(item.name for item in items_of(answers[0]) if item.key.title)
    return _list_of(title, head, parts)


def _list_of(title: str, head: str, parts: Sequence[Section]) -> Section:
    longest_first = sorted(parts, key=lambda part: -len(part.facts))
    names = dict.fromkeys(name for part in longest_first for name, _ in part.facts)
    if len(names) > _WIDE or len(parts) == 1 or any(map(_has_parts, parts)):
        return Section(title, sections=tuple(parts))
    rows = [
        [part.title.removeprefix(f"{head} "), *map(dict(part.facts).get, names)] for part in parts
    ]
    return Section(title, columns=(head, *names), rows=tuple(tuple[Cell, ...](row) for row in rows))


def _has_parts(section: Section) -> bool:
    return bool(section.sections or section.rows or section.error or section.notes)


def fact(name: str, value: Any) -> tuple[str, Cell]:
    """Return the name and the value of a fact; an amount stays a number."""
    if isinstance(value, Where):
        return name, value
    if name.endswith(" millis"):
        return name.removesuffix(" millis"), time_text(value)
    if isinstance(value, int) and not isinstance(value, bool):
        return name, str(value) if name.endswith(_LABELS) else value
    if name.endswith("seconds"):
        return name, f"{value:.2f}"
    if isinstance(value, float) and 0 <= value <= 1:
        return name, f"{value:.2%}"
    return name, text(value)


def text(value: Any) -> str:
    """Return the text of a plain value."""
    return next(to_text for kind, to_text in _TEXTS if isinstance(value, kind))(value)


def _range(ends: tuple[Any, Any]) -> str:
    first, last = map(text, ends)
    return first if first == last else f"{first}-{last}"


_TEXTS: tuple[tuple[type, Callable[[Any], str]], ...] = (
    (Value, lambda value: value.text),
    (bool, lambda value: "yes" if value else "no"),
    (Mapping, lambda value: ", ".join(f"{name} = {text(each)}" for name, each in value.items())),
    (bytes, lambda value: value.hex(" ")),
    (list, lambda value: ", ".join(map(text, value))),
    (tuple, _range),
    (PaimonKsyError, text_of),
    (object, str),
)


def time_text(millis: int) -> str:
    """Return a time in UTC, given in milliseconds since 1970."""
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)
    except OverflowError:
        return f"{millis} ms"
    return moment.isoformat(" ", "milliseconds").replace("+00:00", "Z")
