"""Show any answer to people: its keys as facts, tables and subsections."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from operator import attrgetter
from typing import Any

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.answers import Answer, Value, keys_of
from paimon_ksy.messages.commands import text_of
from paimon_ksy.pages.section import Cell, Section, Where

_WIDE = 6
"""The most columns of a table; items with more facts are subsections."""
_FEW = 100
"""The most plain values of a list to show."""
_LABELS = (
    *("byte", "id", "snapshot", "identifier", "bucket", "level", "version", "bit"),
    *("code", "named"),
)
"""Ends of the names of numbers that are no amounts, and are shown as they are typed."""


def section_of(answer: Answer, title: str | None = None, *, more: str = "") -> Section:
    """Return a section about an answer.

    What is absent, empty or false is left out. An answer in a list is named by its `TITLE`. A list
    is one table if its items have only a few facts.

    Args:
        answer: The answer.
        title: The title of the section; by default, the values of its title keys.
        more: How to list more items of a list that is cut, such as `--all shows all`.
    """
    section = Section(_title(answer) if title is None else title)
    own = title_keys(answer) if title is None else ()
    for owner, key, value in _items(answer):
        if key not in own and key not in answer.DETAILS:
            section = _with(section, owner, key, value, more)
    return section if hasattr(answer, "listed") else _flat(section)


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


def title_keys(answer: Answer) -> tuple[str, ...]:
    """Return the keys that name an answer among others."""
    return answer.TITLE or tuple(islice(_keys(answer), 1))


def _keys(answer: Answer) -> Mapping[str, str]:
    kind: Any = type(answer)
    return keys_of(kind)


def _title(answer: Answer) -> str:
    """Return the text that names an answer: what is no text has its key before it."""
    own = title_keys(answer)
    named = [(key, value) for _, key, value in _items(answer) if key in own and value is not None]
    words = [f"{key} {value}" if isinstance(value, int) else text(value) for key, value in named]
    return " ".join(filter(None, words)) or "all"


def _with(section: Section, answer: Answer, key: str, value: Any, more: str) -> Section:
    """Return a section with the value of a key of its answer."""
    name = key.replace("_", " ")
    if isinstance(value, Iterator):
        value = [*islice(value, _FEW), *([".."] if next(value, None) is not None else [])]
    if value is None or value is False or (value != 0 and not value):
        return section
    if key == "error":
        return replace(section, error=text(value))
    if (key == "count" and hasattr(answer, "listed")) or (
        key.startswith("num_") and hasattr(answer, key[4:])
    ):
        return section  # the title of the list has it
    if isinstance(value, list | tuple):
        return _with_list(section, answer, key, value, more)
    if isinstance(value, Answer) and not isinstance(value, Value):
        if hasattr(value, "listed") and hasattr(value, "count"):
            name = f"{name} ({value.count:,})"
        below = section_of(value, name, more=more)
        if below == Section(name, tuple((fact, 0) for fact, _ in below.facts)):
            return section
        return replace(section, sections=(*section.sections, below))
    first = next(iter(value.values())) if isinstance(value, Mapping) else None
    if isinstance(first, Answer) and not isinstance(first, Value):
        parts = [section_of(each, own, more=more) for own, each in value.items()]
        return replace(section, sections=(*section.sections, _list_of(name, name, parts)))
    return replace(section, facts=(*section.facts, fact(name, value)))


def _with_list(
    section: Section, answer: Answer, key: str, values: Sequence[Any], more: str
) -> Section:
    count = getattr(answer, "count" if key == "listed" else f"num_{key}", None)
    count = len(values) if count is None else count
    if isinstance(values[0], str) and any(" " in value for value in values):  # sentences
        return replace(section, notes=(*section.notes, *values))
    if not isinstance(values[0], Answer) or type(values[0]) is Value:
        cut = [*values[:_FEW], *([".."] if max(count, len(values)) > len(values[:_FEW]) else [])]
        listed = key.replace("_", " "), ", ".join(map(text, cut))
        return replace(section, facts=(*section.facts, listed))
    if values[0].ON_ONE_LINE:
        listed = key.replace("_", " "), "; ".join(map(_line, values))
        return replace(section, facts=(*section.facts, listed))
    below = list_section(f"{key.replace('_', ' ')} ({count:,})", values, more=more)
    below = replace(below, notes=left_out(count, len(values), more))
    if key != "listed":
        return replace(section, sections=(*section.sections, below))
    # The list is what this answer is about.
    return replace(below, title=section.title, facts=section.facts)


def _line(answer: Answer) -> str:
    section = section_of(answer)
    return " ".join([section.title, *(f"{name} {value}" for name, value in section.facts)])


def left_out(count: int, listed: int, more: str) -> tuple[str, ...]:
    """Return a note about the items of a list that are not shown, if there are any."""
    if count <= listed:
        return ()
    return (f"... {count - listed:,} more" + (f"; {more}" if more else ""),)


def list_section(title: str, answers: Sequence[Answer], *, more: str = "") -> Section:
    """Return a section about a list: a table if it has several items, with only a few facts."""
    parts = [section_of(answer, more=more) for answer in answers]
    head = " ".join(key.strip("*?").replace("_", " ") for key in title_keys(answers[0]))
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


def _items(answer: Answer) -> Iterator[tuple[Answer, str, Any]]:
    """Yield the keys and values of an answer, and of answers that stand beside them."""
    for key, name in _keys(answer).items():
        value = attrgetter(name)(answer)
        if name == "plain" and isinstance(answer, Value):
            yield answer, key, answer.text
        elif not key.startswith("**"):
            yield answer, key.removesuffix("?"), value
        elif isinstance(value, Answer):
            yield from (item for item in _items(value) if item[1] not in value.DETAILS)
    yield from ((answer, name, getattr(answer, name)) for name in answer.PICTURES)


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
    if isinstance(value, Value):
        return value.text
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {text(each)}" for name, each in value.items())
    if isinstance(value, bytes):
        return value.hex(" ")
    if isinstance(value, list | tuple):  # the ends of a range
        first, last = value
        return text(first) if first == last else f"{text(first)}-{text(last)}"
    return text_of(value) if isinstance(value, PaimonKsyError) else str(value)


def time_text(millis: int) -> str:
    """Return a time in UTC, given in milliseconds since 1970."""
    try:
        moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=millis)
    except OverflowError:
        return f"{millis} ms"
    return moment.isoformat(" ", "milliseconds").replace("+00:00", "Z")
