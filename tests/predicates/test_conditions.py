"""The conditions that are compared with Spark follow SQL's logic of three values."""

from collections import Counter
from random import Random

import pyarrow as pa
import pytest

from kit_support import examples
from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.sql import parse_predicate
from tests.spark.test_conditions import CONDITIONS, SCHEMA, rows
from tools.conditions import rows as drawn
from tools.conditions.grammar import Grammar


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_each_row_is_true_false_or_null(zone: str) -> None:
    data: pa.Table = rows()
    refused, others = [], []
    for text in CONDITIONS:
        forms = text, f"NOT ({text})", f"({text}) IS NULL"
        try:
            found = [parse_predicate(each, SCHEMA, time_zone=zone) for each in forms]
            masks = [mask(each, data).to_pylist() for each in found]
        except PredicateError:
            refused.append(text)
            continue
        if any(sum(of_row) != 1 for of_row in zip(*masks, strict=True)):
            others.append((text, masks))
    assert not others
    assert len(refused) <= 8, refused


@pytest.mark.parametrize("zone", drawn.ZONES)
def test_drawn_conditions_have_one_answer_for_each_row(zone: str) -> None:
    """It is true, false or null, or an error of ours, whatever other rows there are."""
    random = Random(f"{examples.seed} {zone}")
    grammar, outcomes = Grammar(random), Counter[bool]()
    for _ in range(2):
        data = drawn.draw_rows(random, 4, 0.1)
        grammar.start()
        grammar.waiting += [grammar.value() for _ in range(90)]
        for text in [grammar.test().sql for _ in range(90) if grammar.waiting]:
            forms = text, f"NOT ({text})", f"({text}) IS NULL"
            try:
                found = [parse_predicate(each, drawn.SCHEMA, time_zone=zone) for each in forms]
                masks = [mask(each, data).to_pylist() for each in found]
            except PredicateError:
                outcomes[False] += 1
                continue
            outcomes[True] += 1
            assert all(sum(of_row) == 1 for of_row in zip(*masks, strict=True)), text
            alone = pa.chunked_array([mask(found[0], data.slice(at, 1)) for at in range(len(data))])
            assert alone.to_pylist() == masks[0], text
    assert outcomes[True] > 60, outcomes
