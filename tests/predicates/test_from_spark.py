"""Which conditions of Spark mean the same here; tests/spark/test_table.py compares the rows."""

import pytest

from paimon_ksy.predicates.from_spark import conditions_from_spark
from paimon_ksy.types.schema import Schema

SCHEMA = Schema.parse(
    "i INT, f FLOAT, s STRING, d DATE, t TIMESTAMP(6), n DECIMAL(10, 2), "
    "x DOUBLE, b BOOLEAN, a ARRAY<INT>, l TIMESTAMP_LTZ(6), t9 TIMESTAMP(9)"
)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("CAST(i AS BIGINT) = 5L", "i = 5"),
        ("CAST(i AS SMALLINT) = 5", None),  # another number if it does not fit
        ("CAST(n AS DECIMAL(12, 3)) > 1.505", "n > 1.505"),
        ("f = 0.5D", "f = 0.5"),
        ("f = 0.1D", None),  # Spark compares DOUBLEs
        ("f IN (0.5D)", None),  # Spark distinguishes -0.0
        ("s LIKE 'a%'", "s LIKE 'a%'"),
        ("upper(s) = 'A'", None),
        ("t = TIMESTAMP_NTZ '2024-07-01 12:00:00'", "t = TIMESTAMP_NTZ '2024-07-01 12:00:00'"),
        ("t = TIMESTAMP_NTZ '2024-03-31 02:30:00'", None),  # clocks change near it
        ("d = 'soon'", None),
        ("CAST(f AS DOUBLE) = 0.5D", "f = 0.5"),
        (
            "CAST(t AS TIMESTAMP_NTZ) < TIMESTAMP_NTZ '2024-07-01 12:00:00'",
            "t < TIMESTAMP_NTZ '2024-07-01 12:00:00'",
        ),
        ("CAST(s AS INT) = 5", None),
        ("a IS NULL", None),
        ("s IS NULL", "s IS NULL"),
        ("i = x", None),
        ("t = 'soon'", None),
        ("t = '2024-07-01'", "t = '2024-07-01'"),
        ("t = DATE '2024-07-01'", "t = DATE '2024-07-01'"),
        ("t = 5", None),
        ("t9 = TIMESTAMP_NTZ '2024-07-01 12:00:00'", None),
        ("t = TIMESTAMP_NTZ '9999-12-31 23:59:59'", None),
        ("l = TIMESTAMP_LTZ '2024-07-01 12:00:00'", "l = TIMESTAMP_NTZ '2024-07-01 12:00:00'"),
        ("f = 'x'", None),
        ("d = DATE '2024-07-01'", "d = DATE '2024-07-01'"),
        ("d IN (DATE '2024-07-01')", "d IN (DATE '2024-07-01')"),
        ("n = 'x'", None),
        ("b = true", "b = TRUE"),
        ("NULL", None),  # Spark refuses it
    ],
)
def test_what_means_the_same(text: str, same: str | None) -> None:
    predicate, rest = conditions_from_spark([text, "i > 1"], SCHEMA, "Europe/Berlin")
    assert repr(predicate) == " AND ".join(filter(None, (same, "i > 1")))
    assert len(rest) == (same is None)
