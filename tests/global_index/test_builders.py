"""Which builder cuts the keys of which type: each one builds an index of each type."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from datetime import date, time
from decimal import Decimal
from math import inf
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.evaluation.key_ranges import KeyRanges
from paimon_ksy.global_index.builders import BUILDERS, cut_unit, some_uncut, widened
from paimon_ksy.global_index.registry import GLOBAL_INDEX_TYPES
from paimon_ksy.global_index.sorted_keys import _KINDS, KeyForm
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import open_source
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import DataType, Field
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.arrow_values import internal
from tests.support.golden_json import value_to_json
from tests.support.newer_tables import EVOLUTION
from tools import jvm
from tools.tables import build_index, make_table

_NANOS = [-1_000_000_001, 5, 1_000_001_001, 1_000_000_999]
TIMESTAMPS = [
    f"{root}({digits})" for root in ("TIMESTAMP", "TIMESTAMP_LTZ") for digits in range(10)
]
VALUES: Mapping[str, list[Any]] = {
    "BOOLEAN": [True, False],
    "TINYINT": [-128, 127],
    "SMALLINT": [-(2**15), 2**15 - 1],
    "INT": [-(2**31), 2**31 - 1],
    "BIGINT": [-(2**63), 2**63 - 1],
    "FLOAT": [1.1, -0.0, inf],
    "DOUBLE": [1e300, 5e-324, -0.0],
    "DATE": [date(1, 1, 1), date(9999, 12, 31)],
    "TIME(3)": [time(23, 59, 59, 999_000), time()],
    "DECIMAL(4, 2)": [Decimal("99.99"), Decimal("-99.99")],
    "DECIMAL(18, 2)": [Decimal("9" * 16 + ".99"), Decimal("-0.01")],
    "DECIMAL(38, 38)": [Decimal("0." + "9" * 38), Decimal("-0." + "1" * 38)],
    "STRING": ["a ", "", "é\U0001f600", "x" * 300],
}
"""Values of each type that cutting, padding or rounding would change."""


def column_of(text: str) -> pa.Array:
    """The values of a type; of a TIMESTAMP, times that take all its digits."""
    arrow = to_arrow(parse_type(text))
    if text not in VALUES:
        unit = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}[arrow.unit]
        return pa.array([nanos // unit for nanos in _NANOS], pa.int64()).view(arrow)
    return pa.array([*VALUES[text], None], arrow)


def key_of(column: pa.Array, kind: DataType) -> list[Any]:
    form = KeyForm.of([Field("c", kind)])
    assert form is not None
    return list(form.keys(form.stored(column)))


def keys_by_row(data: bytes, kind: DataType, index_type: str, num_rows: int) -> dict[int, Any]:
    """The key of each row that is not null, in a checked file."""
    subject = Subject(
        open_source(data),
        Schema((Field("c", kind),)),
        index_type=index_type,
        row_range=(0, num_rows - 1),
    )
    keys: dict[int, Any] = {}
    for part in GLOBAL_INDEX_TYPES[index_type]().postings(subject):
        if pa.types.is_null(part.keys[0].type):
            continue
        rows = iter(part.rows.tolist())
        for key, count in zip(key_of(part.keys[0], kind), part.counts.tolist(), strict=True):
            keys |= {next(rows): key for _ in range(count)}
    return keys


def by_pypaimon(path: str, index_type: str) -> None:
    from paimon_ksy.table.store import Table

    assert Table.at(path).pypaimon.create_global_index("c", index_type=index_type)


def by_rust(path: str, index_type: str) -> None:
    build_index(path, "c", index_type)


TABLES: list[tuple[str, Callable[[str, str], None]]] = [
    ("pypaimon 2.1", by_pypaimon),
    ("pypaimon-rust 0.4", by_rust),
]
MADE = [*VALUES, *(text for text in TIMESTAMPS if text[-2] in "0369")]
"""The types that pypaimon makes of those of Arrow."""


def compare(name: str, text: str, keys: dict[int, Any]) -> None:
    """Compare keys with the values, cut as the table of builders states."""
    [builder] = [each for each in BUILDERS if each.name == name]
    kind, column = parse_type(text), column_of(text)
    unit = builder.timestamp_unit if cut_unit(kind) > 1 else 1
    values = key_of(column.drop_null(), kind)
    expected = [value // unit * unit if unit > 1 else value for value in values]
    assert [keys[row] for row in range(len(values))] == expected
    assert len(keys) == len(values)


@pytest.mark.parametrize("text", MADE)
@pytest.mark.parametrize(("name", "build"), TABLES)
@pytest.mark.parametrize("index_type", ["btree", "bitmap"])
def test_keys_of_tables(
    name: str, build: Callable[[str, str], None], index_type: str, text: str, tmp_path: Path
) -> None:
    column = column_of(text)
    path = make_table(tmp_path, "t", [pa.table({"c": column})], EVOLUTION)
    build(path, index_type)
    [file] = Path(path, "index").iterdir()
    compare(name, text, keys_by_row(file.read_bytes(), parse_type(text), index_type, len(column)))


@pytest.mark.java
@pytest.mark.library
def test_keys_of_the_java_library() -> None:
    with jvm.session("Kit") as java:
        for text in [*VALUES, *TIMESTAMPS]:
            kind, column = parse_type(text), column_of(text)
            request = {
                "op": "build_global_index",
                "index_type": "btree",
                "columns": [{"name": "c", "type": text}],
                "options": {},
                "rows": [[value_to_json(kind, value)] for value in values_of(column, kind)],
            }
            data = base64.b64decode(java.ask(request)["bytes"])
            keys = keys_by_row(data, kind, "btree", len(column))
            compare("Paimon's Java library 1.4", text, keys)


def values_of(column: pa.Array, kind: DataType) -> list[Any]:
    """The values in the form of the library's programs: a TIME is in milliseconds."""
    return internal(column.cast(pa.int32()) if kind.root == "TIME" else column, kind)


def test_each_type_of_keys_is_tried() -> None:
    """Except CHAR, whose padding ranges ignore, and bytes, which only composite keys have."""
    roots = {parse_type(text).root for text in [*VALUES, *TIMESTAMPS]}
    others = {"CHAR", "BINARY", "VARBINARY"}
    assert roots == {*_KINDS, "DECIMAL", "TIMESTAMP", "TIMESTAMP_LTZ"} - others


@pytest.mark.parametrize(
    ("ranges", "keys", "exact"),
    [
        (KeyRanges.of_keys([1001]), [1000, 1001], False),
        (KeyRanges.of_keys([2000]), [2000], False),
        (KeyRanges.of_range(1001, 3000), [1000, 1001, 2999], False),
        (KeyRanges.of_range(1000, 3001), [1000, 3000], False),
        (KeyRanges.of_range(-inf, 3000), [-1, 0, 2999], True),
        (KeyRanges.of_range(1000, inf), [1000, 5000], True),
    ],
)
def test_ranges_are_widened(ranges: KeyRanges, keys: list[int], exact: bool) -> None:
    for text in ("TIMESTAMP(7)", "TIMESTAMP_LTZ(9)"):
        wide = widened(ranges, parse_type(text))
        assert all(map(wide.holds, keys)) and wide.exact == exact
        assert not wide.holds(999 if ranges.lows[0] != -inf else 3000)
    assert widened(ranges, parse_type("TIMESTAMP(6)")) is ranges


def test_keys_that_are_certainly_not_cut() -> None:
    nanos, text = Field("a", parse_type("TIMESTAMP(9)")), Field("b", parse_type("STRING"))
    assert some_uncut([nanos], [1000, 1001])
    assert not some_uncut([nanos], [1000, 2000])
    assert some_uncut([text, nanos], [((1, b"x"), (1, 1001))])
    assert not some_uncut([text, nanos], [((1, b"x"), (0,))])
