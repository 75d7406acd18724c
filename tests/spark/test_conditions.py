"""Conditions that SQL users write select the rows that Spark selects, or are refused by name."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paimon_ksy.errors import PredicateError
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.types.schema import Schema

pytestmark = pytest.mark.java

SCHEMA = Schema.parse(
    "id INT, status STRING, note STRING, digits STRING, amount INT, other INT, big BIGINT, "
    "flag BOOLEAN, price DECIMAL(10, 2), d DOUBLE, e DOUBLE, day DATE, day2 DATE, "
    "ts TIMESTAMP(6), ltz TIMESTAMP_LTZ(6), m MAP<STRING, INT>, s ROW<aa INT, bb STRING>, "
    "tags ARRAY<STRING>"
)
NAN, INF = float("nan"), float("inf")
LEAP, OLD = date(2024, 2, 29), date(1969, 12, 31)
COLUMNS: dict[str, list[Any]] = {
    "status": ["PENDING", "DONE", None, "done", "a_b", "it's", "D\nNE", "PENDING7"],
    "note": ["x", "x", "Straße", None, " x ", "x\ny", "xyz", ""],
    "digits": ["12", "7", None, "-3", "007", "0", " 12 ", "99"],
    "amount": [1, 1, 7, None, -7, 100, 2, 3],
    "other": [2, 1, 0, 5, 5, None, 0, 6],
    "big": [1, 3 * 10**9, None, -(2**63), 7, 100, 2, -3],
    "flag": [True, False, None, True, False, None, True, False],
    "price": [
        None,
        *map(Decimal, ["10.50", "12.25", "0.00", "-10.50", "99999.99", "11.00", "10.00"]),
    ],
    "d": [1.5, NAN, None, 0.0, -0.0, INF, -2.5, 2.675],
    "e": [1.5, NAN, NAN, -0.0, 1.0, -INF, None, 2.0],
    "day": [date(2024, 1, 31), LEAP, None, OLD, date(2024, 12, 31), LEAP, LEAP, date(2023, 3, 1)],
    "day2": [date(2024, 1, 31), None, OLD, OLD, LEAP, date(2024, 1, 1), LEAP, LEAP],
    "ts": [
        *(datetime(2024, 3, 31, 2, 30), datetime(2024, 1, 31, 23, 59, 59, 999999), None),
        *(datetime(1969, 12, 31, 23, 59, 59, 5), datetime(2024, 3, 1), datetime(2024, 10, 27, 2)),
        *(datetime(2024, 2, 29), datetime(1900, 1, 1, 13)),
    ],
    "ltz": [
        *(datetime(2024, 1, 31, 23, 30, tzinfo=UTC), datetime(2024, 10, 27, 0, 30, tzinfo=UTC)),
        *(datetime(2024, 10, 27, 1, 30, tzinfo=UTC), None, datetime(2024, 3, 31, 1, tzinfo=UTC)),
        *(datetime(1969, 12, 31, 23, 0, 0, 7, tzinfo=UTC), datetime(2024, 10, 26, tzinfo=UTC)),
        datetime(2024, 2, 29, 2, tzinfo=UTC),
    ],
    "m": [[("k", 1)], [("k", None)], None, [], [("x", 5)], [("k", 1), ("x", 0)], [], None],
    "s": [
        *({"aa": 1, "bb": "x"}, {"aa": 2, "bb": None}, None, {"aa": None, "bb": "xy"}),
        *({"aa": 1, "bb": "x"}, {"aa": 101, "bb": ""}, None, {"aa": 3, "bb": "y"}),
    ],
    "tags": [["a", "b"], ["a"], None, ["b"], [None, "b"], ["a", None], ["c"], ["a"]],
}
CONDITIONS = [
    line
    for line in Path(__file__).with_name("conditions.sql").read_text().splitlines()
    if not line.startswith("--")
]


def rows() -> pa.Table:
    return pa.table({"id": range(8), **COLUMNS}, schema=SCHEMA.to_arrow())


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_conditions(zone: str, spark: Any, tmp_path: Path) -> None:
    pq.write_table(rows(), tmp_path / "rows.parquet")
    assert spark.conf.get("spark.sql.ansi.enabled") == "true"
    listed = [f"({text}) AS c{at}" for at, text in enumerate(CONDITIONS)]
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        frame = spark.read.parquet(str(tmp_path)).selectExpr("id", *listed)
        of_spark = frame.orderBy("id").toArrow()
    finally:
        spark.conf.set("spark.sql.session.timeZone", "UTC")
    different, refused = [], []
    for at, text in enumerate(CONDITIONS):
        try:
            ours = mask(parse_predicate(text, SCHEMA, time_zone=zone), rows()).to_pylist()
        except PredicateError:
            refused.append(text)
            continue
        expected = [value is True for value in of_spark[f"c{at}"].to_pylist()]
        if ours != expected:
            different.append((text, ours, expected))
    assert not different
    assert len(CONDITIONS) == 192 and len(refused) <= 8, refused
