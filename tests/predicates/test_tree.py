import pickle

import pytest

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.tree import Always, And, Comparison, In, Leaf, Not, Or, col, visit
from tests.golden import golden_indexes
from tests.support.brute_force import matching_rows
from tests.support.golden_json import (
    columns_from_spec,
    is_predicate,
    predicate_from_json,
    schema_from_spec,
)


def test_predicates_are_made_with_operators() -> None:
    predicate = (col("s") == "x") & ~(col("a") > 1) | col("m")["k"].is_in([1, 2])
    assert predicate == Or(
        (
            And((Comparison("=", "s", "x"), Not(Comparison(">", "a", 1)))),
            In("m[k]", (1, 2)),
        )
    )
    assert repr(predicate) == "s = 'x' AND NOT (a > 1) OR `m[k]` IN (1, 2)"
    assert predicate == pickle.loads(pickle.dumps(predicate))
    assert len({predicate, pickle.loads(pickle.dumps(predicate))}) == 1


def test_and_within_or_needs_no_parentheses_but_or_within_and_does() -> None:
    a, b, c = col("a") == 1, col("a") == 2, col("a") == 3
    assert repr((a | b) & c) == "(a = 1 OR a = 2) AND a = 3"
    assert repr(a | b & c) == "a = 1 OR a = 2 AND a = 3"
    assert (a & b) & c == And((a, b, c))
    assert repr(Or(())) == "FALSE" and repr(And(())) == "TRUE"


def test_python_operators_that_would_mean_something_else_are_errors() -> None:
    with pytest.raises(TypeError, match="use &"):
        bool(col("a") == 1)
    with pytest.raises(TypeError, match="use &"):
        assert 1 < col("a") < 5
    with pytest.raises(TypeError, match=r"put comparisons in \( \)"):
        (col("a") == 1) & True  # type: ignore[operator]
    for no_list in ("abc", b"abc", 5, None, col("s")):
        for make in (col("s").is_in, col("s").is_not_in):
            with pytest.raises(PredicateError, match="IN needs a list"):
                make(no_list)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not iterable"):
        list(col("m"))  # type: ignore[call-overload]
    with pytest.raises(TypeError):
        hash(col("a"))


def test_a_visitor_sees_children_before_parents() -> None:
    class Counter:
        def always(self, value: bool | None) -> int:
            return 1

        def leaf(self, leaf: Leaf) -> int:
            return 1

        def conjunction(self, children: list[int]) -> int:
            return sum(children)

        def disjunction(self, children: list[int]) -> int:
            return sum(children)

        def negation(self, child: int) -> int:
            return child

    predicate = ~((col("a") == 1) & (col("s") == "x") | Always(None)) & col("a").is_null()
    assert visit(predicate, Counter()) == 4


def test_the_brute_force_scan_agrees_with_java() -> None:
    """The evaluator that all tests trust, against the Java library's answers."""
    compared = 0
    for case in golden_indexes():
        schema, columns = schema_from_spec(case.spec), columns_from_spec(case.spec)
        for answer in case.answers:
            node = answer.predicate
            if not is_predicate(node) or answer.rows is None or "col" not in node:
                continue
            if None in (node.get("value", 0), *node.get("values", ())):
                continue  # Java compares with a null literal as with a value
            predicate = predicate_from_json(node, schema)
            # A map key that no row has is in no column of the file.
            column = columns.setdefault(node["col"], [None] * len(case.rows))
            rows = matching_rows(predicate, columns, schema, num_rows=len(case.rows))
            java = set(answer.rows)
            if node["op"] in ("ne", "notin", "notinleaf") and node.get("values") != []:
                java -= {row for row, value in enumerate(column) if value is None}
            differ = java ^ set(rows)
            if schema[node["col"]].root in ("FLOAT", "DOUBLE"):
                # For Java, -0.0 is not 0.0.
                differ -= {row for row, value in enumerate(column) if value == 0}
            assert not differ, (case.name, node)
            compared += 1
    assert compared > 2000
