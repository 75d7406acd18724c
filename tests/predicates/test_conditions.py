"""The conditions that are compared with Spark follow SQL's logic of three values."""

import pyarrow as pa
import pytest

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.sql import parse_predicate
from tests.spark.test_conditions import CONDITIONS, SCHEMA, rows


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
