"""What is known to hold of all rows that match a predicate some parts of which are `Unsure`.

Other tools evaluate filters by rules of their own. Where a part of a filter has no counterpart here
that is surely true for the same rows, its translation has an `Unsure`.
"""

from __future__ import annotations

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.tree import Always, Leaf, Predicate, Unsure, leaves, replaced
from paimon_ksy.types.schema import Schema


def superset(predicate: Predicate, schema: Schema) -> tuple[Predicate, bool]:
    """Return a bound predicate that is true for all rows that match, and whether for no others.

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
    return bind(replaced(bound, _known), schema), False


def _known(leaf: Leaf) -> Predicate:
    return Always(True) if isinstance(leaf, Unsure) else leaf
