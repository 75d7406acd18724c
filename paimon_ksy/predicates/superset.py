"""Weaken predicates with `Unsure` parts, so that they match at least the same rows.

Other tools evaluate filters by their own rules. If a part of a filter has no counterpart here that
is certainly true for the same rows, its translation contains an `Unsure`.
"""

from __future__ import annotations

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.tree import Always, Leaf, Predicate, Unsure, leaves, replaced
from paimon_ksy.types.schema import Schema


def superset(predicate: Predicate, schema: Schema) -> tuple[Predicate, bool]:
    """Return a bound predicate that is true for all matching rows, and whether it is exact.

    Leaves that do not fit the schema count as `Unsure` too. The result has none.
    """

    def fitting(leaf: Leaf) -> Predicate:
        try:
            bind(leaf, schema)
        except PredicateError:
            return Unsure(leaf.column)
        return leaf

    bound = bind(replaced(predicate, fitting), schema)
    if not any(isinstance(leaf, Unsure) for leaf in leaves(bound)):
        return bound, True
    known = replaced(bound, lambda leaf: Always(True) if isinstance(leaf, Unsure) else leaf)
    return bind(known, schema), False
