"""Casts of columns, as Paimon casts values of older schemas."""

from datetime import UTC, date, datetime, time, timedelta, tzinfo
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.table.model.casts import cast
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema


def from_micros(micros: int, zone: tzinfo | None = None) -> datetime:
    return datetime(1970, 1, 1, tzinfo=zone) + timedelta(microseconds=micros)


MICROS = [from_micros(n) for n in (-1, -316_317, -999_999, -1_000_001, -1_500_000, 1, 99, 123_456)]

CUT = {
    0: [0, 0, -1_000_000, -1_000_000, -1_000_000, 0, 0, 0],
    1: [0, -300_000, -1_000_000, -1_000_000, -1_500_000, 0, 0, 100_000],
    2: [0, -310_000, -1_000_000, -1_000_000, -1_500_000, 0, 0, 120_000],
    3: [-1_000, -317_000, -1_000_000, -1_001_000, -1_500_000, 0, 0, 123_000],
    4: [-100, -316_400, -999_999, -1_000_100, -1_500_000, 1, 0, 123_400],
    5: [-10, -316_320, -999_999, -1_000_010, -1_500_000, 1, 99, 123_450],
}
"""By precision, what Java makes of these; 1,000 nanoseconds have no more than 4 digits."""


@pytest.mark.parametrize(
    ("before", "after", "values", "wanted"),
    [
        ("BIGINT", "INT", [2**31, -1, None], [-(2**31), -1, None]),
        ("INT", "TINYINT", [383, -129], [127, 127]),
        ("DOUBLE", "INT", [1.9, -1.9, 1e30, float("nan")], [1, -1, 2**31 - 1, 0]),
        ("DOUBLE", "TINYINT", [300.5, None], [44, None]),
        ("DOUBLE", "BIGINT", [1e30, -1e30], [2**63 - 1, -(2**63)]),
        ("BIGINT", "DECIMAL(4, 1)", [999, 1000, None], [Decimal("999.0"), None, None]),
        ("DECIMAL(5, 2)", "DECIMAL(4, 1)", ["1.25", "-1.25", "999.95"], ["1.3", "-1.3", None]),
        ("DOUBLE", "DECIMAL(4, 1)", [1.25, 0.05], [Decimal("1.3"), Decimal("0.1")]),
        ("FLOAT", "DECIMAL(12, 9)", [0.5], [Decimal("0.500000000")]),
        ("DECIMAL(5, 2)", "INT", ["1.99", "-1.99"], [1, -1]),
        ("DECIMAL(5, 2)", "FLOAT", ["1.25"], [1.25]),
        ("BOOLEAN", "DECIMAL(3, 1)", [True, False, None], [Decimal("1.0"), Decimal("0.0"), None]),
        ("STRING", "CHAR(3)", ["a", "abcd", "äöüß", None], ["a  ", "abc", "äöü", None]),
        ("STRING", "VARCHAR(2)", ["a", "abc"], ["a", "ab"]),
        ("DOUBLE", "STRING", [1.0, 1e10, 1.5e-5, 12.75], ["1.0", "1.0E10", "1.5E-5", "12.75"]),
        ("DOUBLE", "STRING", [1e-3, 2e-4, 999999.0, 1e7], ["0.001", "2.0E-4", "999999.0", "1.0E7"]),
        ("FLOAT", "STRING", [float(np.float32(0.1)), -0.0], ["0.1", "-0.0"]),
        (
            "TIMESTAMP(6)",
            "STRING",
            [datetime(1969, 12, 31, 23, 59, 58, 500_000), datetime(2024, 1, 2)],
            ["1969-12-31 23:59:58.500000", "2024-01-02 00:00:00.000000"],
        ),
        # Up to the millisecond towards earlier times, from there towards 1970.
        *(
            ("TIMESTAMP(6)", f"TIMESTAMP({precision})", MICROS, [from_micros(n) for n in wanted])
            for precision, wanted in CUT.items()
        ),
        (
            "TIMESTAMP(3) WITH LOCAL TIME ZONE",
            "TIMESTAMP(1)",
            [from_micros(-317_000, UTC), from_micros(317_000, UTC)],
            [from_micros(-300_000), from_micros(300_000)],
        ),
        ("TIMESTAMP(3)", "TIMESTAMP(0)", [from_micros(-1_316_000)], [from_micros(-1_000_000)]),
        ("TIMESTAMP(6)", "DATE", [from_micros(-1)], [date(1970, 1, 1)]),
        ("TIMESTAMP(6)", "DATE", [from_micros(-86_400_001_000)], [date(1969, 12, 31)]),
        ("TIME(0)", "STRING", [time(3, 4, 5), None], ["03:04:05", None]),
        (
            "TIME(3)",
            "STRING",
            [time(0), time(1, 2, 3, 120_000), time(1, 2, 3, 5_000)],
            ["00:00:00.0", "01:02:03.12", "01:02:03.005"],
        ),
        ("TIME(2)", "STRING", [time(1, 2, 3, 105_000)], ["01:02:03.10"]),
        ("BOOLEAN", "STRING", [True, False], ["true", "false"]),
        ("INT", "VARCHAR(2)", [123], ["12"]),
        ("DECIMAL(5, 2)", "STRING", ["1.50"], ["1.50"]),
    ],
    ids=str,
)  # fmt: skip
def test_casts_as_java_has_them(
    before: str, after: str, values: list[Any], wanted: list[Any]
) -> None:
    source, target = parse_type(before), parse_type(after)
    if source.root == "DECIMAL":
        values = [Decimal(value) for value in values]
    if target.root == "DECIMAL":
        wanted = [None if value is None else Decimal(value) for value in wanted]
    wanted = [float(value) if value == "NaN" else value for value in wanted]
    found = cast(pa.array(values, to_arrow(source)), source, target)
    assert repr(found.to_pylist()) == repr(wanted)
    # A slice gives its part.
    twice = pa.concat_arrays([pa.array(values, to_arrow(source))] * 2)
    assert repr(cast(twice[len(values) :], source, target).to_pylist()) == repr(wanted)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("BOOLEAN", "DATE"),
        ("DOUBLE", "TIMESTAMP(3)"),
        ("SMALLINT", "TIMESTAMP(0)"),
        ("DATE", "INT"),
    ],
)
def test_types_without_a_cast_are_refused_by_name(before: str, after: str) -> None:
    source = parse_type(before)
    with pytest.raises(UnsupportedError, match=r"cannot be read as ") as raised:
        cast(pa.nulls(1, to_arrow(source)), source, parse_type(after))
    assert "compact the table" in str(raised.value.remedy)


@pytest.mark.parametrize("nested", ["ARRAY<INT>", "MAP<STRING, INT>"])
def test_texts_and_nested_types_are_refused_by_name(nested: str) -> None:
    for before, after in (("STRING", nested), (nested, "STRING")):
        source, target = parse_type(before), parse_type(after)
        with pytest.raises(UnsupportedError, match=r"cannot be read as "):
            cast(pa.nulls(1, to_arrow(source)), source, target)


@pytest.mark.parametrize(
    ("after", "text", "why"),
    [
        ("INT", "x" * 1000, f"'{'x' * 80}' is not an integer"),
        ("TINYINT", "128", "'128' is not an integer of 8 bits"),
        ("BOOLEAN", "on", "'on' is not a BOOLEAN"),
        ("DOUBLE", "0x1p3", "is not a decimal number"),
        ("DECIMAL(4, 1)", "1_0", "is not a decimal number"),
        ("DATE", "2023-02-29", "is not a date"),
        ("TIME(0)", "24:00:00", "is not a time of day"),
        ("TIMESTAMP(3)", "2024--01", "is not a timestamp"),
        ("TIMESTAMP(1)", "12", r"cannot be cast to TIMESTAMP\(1\)"),
    ],
)
def test_texts_that_are_not_such_values(after: str, text: str, why: str) -> None:
    """Nulls stay nulls, and a text that does not fit is an error, as in Java."""
    source, target = parse_type("STRING"), parse_type(after)
    assert cast(pa.array([None], pa.string()), source, target).to_pylist() == [None]
    with pytest.raises(ValueError, match=why):
        cast(pa.array([None, text]), source, target)


def test_other_casts_that_java_answers_otherwise() -> None:
    source, target = parse_type("TIMESTAMP(3)"), parse_type("TIME(3)")
    with pytest.raises(ValueError, match="negative times of day"):
        cast(pa.array([-1], pa.timestamp("ms")), source, target)
    with pytest.raises(pa.ArrowInvalid, match="UTF8"):
        cast(pa.array([b"\xff"]), parse_type("BYTES"), parse_type("STRING"))


def test_nested_types() -> None:
    def kind(fields: list[dict[str, Any]]) -> DataType:
        node = {"id": 0, "name": "r", "type": {"type": "ROW", "fields": fields}}
        return Schema.from_paimon_json({"fields": [node]})["r"]

    before = kind([{"id": 1, "name": "a", "type": "INT"}, {"id": 2, "name": "b", "type": "STRING"}])
    after = kind(
        [
            {"id": 2, "name": "c", "type": "STRING"},
            {"id": 3, "name": "d", "type": "INT"},
            {"id": 1, "name": "a", "type": "BIGINT"},
        ]
    )
    rows = pa.array([{"a": 1, "b": "x"}, None, {"a": None, "b": "y"}], to_arrow(before))
    wanted = [{"c": "x", "d": None, "a": 1}, None, {"c": "y", "d": None, "a": None}]
    assert cast(rows, before, after).to_pylist() == wanted
    assert cast(rows[1:], before, after).to_pylist() == wanted[1:]

    lists = pa.array([[1, 2], None, [], [3]], pa.list_(pa.int32()))
    ints, longs = parse_type("ARRAY<INT>"), parse_type("ARRAY<BIGINT>")
    assert cast(lists, ints, longs).to_pylist() == lists.to_pylist()
    assert cast(lists[2:], ints, longs).to_pylist() == [[], [3]]
    maps = pa.array([[("a", 1)], None, [("b", None), ("c", 2)]], pa.map_(pa.string(), pa.int32()))
    found = cast(maps[1:], parse_type("MAP<STRING, INT>"), parse_type("MAP<STRING, DOUBLE>"))
    assert found.to_pylist() == [None, [("b", None), ("c", 2.0)]]
