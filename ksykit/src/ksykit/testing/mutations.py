"""Mutations: bytes of a valid object with one thing broken, based on the fields in the specs."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any

from hypothesis import strategies as st
from ksykit.runtime.json_values import BitKind, Kind
from ksykit.runtime.kinds import Number
from ksykit.runtime.objects import layout, to_bytes
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Type, type_of

from .strategies import objects

Span = tuple[int, int]

_EDGES = (0, 1, 2, 7, 127, 128, 255, 256, 32_767, 65_535, 65_536, 2**31 - 1, 2**32 - 1, 2**63 - 1)


@dataclass(frozen=True)
class Mutation:
    """Bytes of an object with one thing broken.

    Attributes:
        data: The bytes.
        what: The broken part and its place, such as `offset columns[0].ofs_body` or `cut at 12`.
        params: The parameters of the object.
    """

    data: bytes
    what: str
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class _Site:
    """A field with bytes: its purpose, and its kind of number."""

    start: int
    end: int
    path: str
    role: str
    kind: Kind | None


class Anatomy:
    """The places of a file's fields, and of the elements of its repeats.

    Args:
        data: The file.
        parts: objects that were read from the file, each with its position.
    """

    def __init__(self, data: bytes, parts: Sequence[tuple[int, Any]]) -> None:
        self.data = data
        self.sites = [
            _site(obj, leaf.path, leaf.start, leaf.end)
            for at, obj in parts
            for leaf in layout([(at, obj)])
            if leaf.end <= len(data)
        ]
        self.elements = _elements(self.sites)

    @classmethod
    def of(cls, obj: Any) -> Anatomy:
        """Return the anatomy of a new object, such as one of `objects`. Raises FormatError."""
        type_, data = type_of(obj), to_bytes(obj)
        params = {name: getattr(obj, name) for name in type_.params}
        return cls(data, [(0, type_.read(data, 0, params))])


def _site(obj: Any, path: str, start: int, end: int) -> _Site:
    """Return the field at a path of an object."""
    steps = re.findall(r"(\w+)(?:\[(\d+)\])?", path)
    role, kind = "", None
    for i, (name, index) in enumerate(steps):
        type_ = type_of(obj)
        role = role or type_.role_of(".".join(step for step, _ in steps[i:]))
        number = type_.fields[name].element
        kind = number.kind if isinstance(number, Number) else None
        if i < len(steps) - 1:  # what is read at this step, and not what its field may be
            value = getattr(obj, name)
            obj = value[int(index)] if index else value
    return _Site(start, end, path, role, kind)


def _elements(sites: Sequence[_Site]) -> dict[str, list[Span]]:
    """Return the bytes of the elements of each repeat, by its path."""
    spans: dict[str, Span] = {}
    for site in sites:
        for match in re.finditer(r"\]", site.path):
            path = site.path[: match.end()]
            start, end = spans.get(path, (site.start, site.start))
            if end == site.start:  # otherwise an instance, at a different place
                spans[path] = start, site.end
    elements: dict[str, list[Span]] = defaultdict(list)
    for path, span in spans.items():
        elements[path.rpartition("[")[0]].append(span)
    return dict(elements)


def mutations(anatomy: Anatomy, other: Anatomy | None = None) -> st.SearchStrategy[Mutation]:
    """Return a strategy of mutations of one file.

    A mutation breaks one thing: a field, a repeat or the end of the file. All other bytes stay.

    Args:
        anatomy: The file.
        other: A file of the same type that provides the end of a splice; by default `anatomy`.
    """

    @st.composite
    def drawn(draw: st.DrawFn) -> Mutation:
        return _Mutator(draw, anatomy).mutation(lambda: other or anatomy)

    return drawn()


def mutated(
    type_name: str | type[Struct] | Type,
    using: dict[str, st.SearchStrategy[Any]] | None = None,
    *,
    package: ModuleType | None = None,
    **params: Any,
) -> st.SearchStrategy[Mutation]:
    """Return a strategy of mutations of objects of a type, with the arguments of `objects`."""

    @st.composite
    def drawn(draw: st.DrawFn) -> Mutation:
        obj = draw(objects(type_name, using, package=package, **params))
        given = {name: getattr(obj, name) for name in type_of(obj).params}

        def other() -> Anatomy:
            return Anatomy.of(draw(objects(type_of(obj), using, **given)))

        mutation = _Mutator(draw, Anatomy.of(obj)).mutation(other)
        return Mutation(mutation.data, mutation.what, given)

    return drawn()


class _Mutator:
    """Generator of a mutation of a file."""

    def __init__(self, draw: st.DrawFn, anatomy: Anatomy) -> None:
        self.draw, self.anatomy, self.data = draw, anatomy, anatomy.data

    def mutation(self, other: Callable[[], Anatomy]) -> Mutation:
        """Draw a mutation. The kind of part is drawn first, so that rare parts are broken, too."""
        anatomy = self.anatomy
        several = {path: spans for path, spans in anatomy.elements.items() if len(spans) > 1}
        ways = [*sorted({site.role for site in anatomy.sites}), "cut"]
        ways += ["splice"] if anatomy.sites else []
        ways += ["duplicate", "missing"] if anatomy.elements else []
        ways += ["order"] if several else []
        way = self._one_of(ways)
        if way == "cut":
            end = self.draw(st.integers(0, max(len(self.data) - 1, 0)))
            return Mutation(self.data[:end], f"cut at {end}")
        if way == "splice":
            return self._splice(other())
        if way in ("order", "duplicate", "missing"):
            return self._elements(way, several if way == "order" else anatomy.elements)
        site = self._one_of([site for site in anatomy.sites if site.role == way])
        new = self._other_bytes(site)
        what = f"{way or 'value'} {site.path}"
        return Mutation(self._with(site.start, site.end, new), what)

    def _one_of(self, choices: Sequence[Any]) -> Any:
        return choices[self.draw(st.integers(0, len(choices) - 1))]

    def _with(self, start: int, end: int, new: bytes) -> bytes:
        return self.data[:start] + new + self.data[end:]

    def _other_bytes(self, site: _Site) -> bytes:
        """Draw bytes for a field that differ from its own, but have the same size."""
        old = self.data[site.start : site.end]
        kind = site.kind
        is_whole = kind is not None and not kind.is_float and not isinstance(kind, BitKind)
        if kind is None or not is_whole or not self.draw(st.booleans()):
            bit = self.draw(st.integers(0, 8 * len(old) - 1))
            return bytes(byte ^ (1 << bit % 8) * (i == bit // 8) for i, byte in enumerate(old))
        value = kind.unpack(old)
        others = [
            kind.unpack(self.data[other.start : other.end])
            for other in self.anatomy.sites
            if (other.role, other.kind) == (site.role, kind)
        ]
        edges = *_EDGES, *(-edge for edge in _EDGES)
        new = kind.wrapped(self._one_of([value + 1, value - 1, *edges, *others]))
        return new if new != old else kind.wrapped(value ^ 1)

    def _splice(self, other: Anatomy) -> Mutation:
        """Continue in another file, at the same field if it exists there, or else at any field."""
        site = self._one_of(self.anatomy.sites)
        same = [one for one in other.sites if one.path == site.path]
        if not same and not other.sites:
            return Mutation(self.data[: site.start], f"cut at {site.path}")
        there = self._one_of(same or other.sites)
        data = self.data[: site.start] + other.data[there.start :]
        return Mutation(data, f"splice at {site.path}, with another file from {there.path}")

    def _elements(self, way: str, repeats: Mapping[str, list[Span]]) -> Mutation:
        """Break the order or the number of the elements of a repeat."""
        path = self._one_of(sorted(repeats))
        spans = repeats[path]
        first, last = sorted((self._one_of(spans), self._one_of(spans)))
        if way == "order":
            first, last = (first, last) if first != last else (spans[0], spans[-1])
            between = self.data[first[1] : last[0]]
            swapped = self.data[slice(*last)] + between + self.data[slice(*first)]
            return Mutation(self._with(first[0], last[1], swapped), f"order of {path}")
        if way == "missing":
            return Mutation(self._with(first[0], first[1], b""), f"missing element of {path}")
        copy = self.data[slice(*first)]
        start, end = last if first != last else (last[1], last[1])  # replaces it, or is added
        return Mutation(self._with(start, end, copy), f"duplicate element of {path}")
