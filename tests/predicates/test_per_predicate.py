"""Results that are remembered for a predicate."""

from paimon_ksy.predicates.per_predicate import PerPredicate
from paimon_ksy.predicates.tree import col


def test_a_result_belongs_to_one_predicate() -> None:
    """Also where the caller forgets each predicate, so that the next could get its id."""
    known = PerPredicate[int]()
    for number in range(1000):
        predicate = col("a") == number
        assert known.get(predicate, None, lambda made=number: made) == number  # type: ignore[misc]
        assert known.get(predicate, None, lambda: -1) == number
        assert known.get(predicate, "else", lambda: -1) == -1
