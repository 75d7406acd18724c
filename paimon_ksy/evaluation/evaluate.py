"""Evaluate a bound predicate: combine the rows of its leaves, and read no more than needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.predicates.tree import (
    Always,
    And,
    Comparison,
    In,
    IsNotNull,
    IsNull,
    Leaf,
    Or,
    Predicate,
    Subject,
)
from paimon_ksy.types.data_type import DataType


@dataclass(frozen=True, slots=True)
class Range:
    """A lower and an upper bound on one column, evaluated together."""

    column: Subject
    lower: Comparison
    upper: Comparison

    @property
    def type(self) -> DataType | None:
        """The column's type."""
        return self.lower.type


LeafOrRange = Leaf | Range
Ask = Callable[[LeafOrRange], Selection]

_COMBINED = And, Or

ALL = Selection("all", False)
"""The selection for a column without an index: any row may match."""


def evaluate(predicate: Predicate, ask: Ask, is_free: Callable[[LeafOrRange], bool]) -> Selection:
    """Return the rows for which a predicate, which is bound, may be true.

    Cheap leaves come first. Evaluation of an And stops once no row can match, and that of an Or
    once all rows have to be read. `ask` returns the rows for a leaf, and `is_free` whether it needs
    no I/O.

    Raises CorruptFileError if two indexes disagree about the number of rows in the file.
    """
    open_nodes: list[_Open] = []
    node: Any = predicate
    while True:
        if isinstance(node, _COMBINED):
            parts = _ranges(node.children) if isinstance(node, And) else node.children
            children = sorted(parts, key=lambda child: _cost(child, is_free))[::-1]
            open_nodes.append(_Open(isinstance(node, And), children))
            node = open_nodes[-1].children.pop()
            continue
        if isinstance(node, Always):
            result = Selection("all" if node.value else "skip", True)
        else:
            result = ask(node)
        while open_nodes:
            parent = open_nodes[-1]
            parent.add(result)
            if not parent.is_decided:
                node = parent.children.pop()
                break
            assert parent.so_far is not None
            result = parent.so_far
            open_nodes.pop()
        else:
            return result


@dataclass
class _Open:
    """An And or Or under evaluation; `children` are those left, the cheapest last."""

    is_and: bool
    children: list[Predicate | Range]
    so_far: Selection | None = field(default=None)

    def add(self, result: Selection) -> None:
        if self.so_far is None:
            self.so_far = result
            return
        one, other = self.so_far.num_rows, result.num_rows
        if one is not None and other is not None and one != other:
            raise CorruptFileError(
                f"its indexes count different numbers of rows: {one} and {other}"
            )
        self.so_far = self.so_far & result if self.is_and else self.so_far | result

    @property
    def is_decided(self) -> bool:
        assert self.so_far is not None
        return not self.children or self.so_far.kind == ("skip" if self.is_and else "all")


def _ranges(children: Sequence[Predicate]) -> Sequence[Predicate | Range]:
    """Return the children of an And, with two bounds on one column joined to a Range.

    Each bound alone may match more values than an index looks up.
    """
    bounds: dict[tuple[Subject, str], list[Comparison]] = {}
    for child in children:
        if isinstance(child, Comparison) and child.op not in ("=", "<>"):
            bounds.setdefault((child.column, child.op[0]), []).append(child)
    ranges = [
        Range(column, lower, upper)
        for (column, op), lowers in bounds.items()
        if op == ">"
        for lower, upper in zip(lowers, bounds.get((column, "<"), ()), strict=False)
    ]
    taken = {id(bound) for pair in ranges for bound in (pair.lower, pair.upper)}
    return [*(child for child in children if id(child) not in taken), *ranges]


def _cost(node: Predicate | Range, is_free: Callable[[LeafOrRange], bool]) -> int:
    """Return the rank of a node by cost: leaves without I/O come first, then those with little."""
    if not isinstance(node, LeafOrRange):
        return 5
    if is_free(node):
        return 0
    if isinstance(node, IsNull | IsNotNull):
        return 1
    if isinstance(node, Comparison) and node.op in ("=", "<>"):
        return 2
    return 3 if isinstance(node, In) else 4
