"""Columns and predicates between versions of a schema."""

import math
from collections.abc import Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.errors import SchemaError, UnsupportedError
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.row_filter import holds, mask
from paimon_ksy.predicates.statistics import Bounds, may_match, of_one_file
from paimon_ksy.predicates.tree import Always, Predicate, Unsure, col
from paimon_ksy.table.model.casts import cast
from paimon_ksy.table.model.evolve import evolve, file_columns, to_file_schema
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.arrow_values import internal
from tests.support.brute_force import matching_rows
from tests.support.casts import CHANGES
from tests.support.selections import selected_rows
from tests.support.strategies import arrow_column, columns, leaves, predicates


def schema(number: int, text: str, ids: Sequence[int]) -> TableSchema:
    parsed = Schema.parse(text)
    return TableSchema(number, parsed, dict(zip(parsed.names, ids, strict=True)), (), (), {})


OLD = schema(0, "a INT, b STRING, c DOUBLE, m MAP<STRING, INT>", [0, 1, 2, 3])
NEW = schema(1, "b BIGINT, a STRING, n STRING, m2 MAP<STRING, BIGINT>, x FLOAT", [0, 1, 4, 3, 2])


def test_columns_by_id() -> None:
    assert [f.name for f in file_columns(NEW, OLD, ["a", "n", "b"])] == ["b", "a"]
    batch = pa.record_batch({"b": ["x", None], "a": pa.array([1, 2], pa.int32())})
    found = evolve(batch, OLD, NEW, ["a", "n", "b"])
    assert found.to_pydict() == {"a": ["x", None], "n": [None, None], "b": [1, 2]}
    assert found.schema.types == [pa.string(), pa.string(), pa.int64()]
    assert evolve(batch, OLD, NEW, []).num_columns == 0
    for file in (OLD, NEW):  # a key of a map is not a column, whatever the file's schema
        with pytest.raises(SchemaError, match="no column 'm2"):
            file_columns(NEW, file, ["m2[k]"])


def test_predicates_by_id() -> None:
    def devolved(predicate: Predicate) -> str:
        return repr(to_file_schema(bind(predicate, NEW.columns), NEW, OLD))

    assert devolved(col("a") == "x") == "b = 'x'"
    assert devolved(col("b") >= 10**12) == "FALSE"
    assert devolved(col("b") < 10**12) == "a IS NOT NULL"
    assert devolved(col("b").is_in([1, 2, 10**12])) == "a IN (1, 2)"
    assert devolved(col("n").is_null() & (col("b") == 3)) == "a = 3"
    assert devolved(col("n") != "x") == "FALSE"
    assert devolved(col("m2")["k"] > 5) == "`m[k]` > 5"
    assert devolved((col("x") > 1) & col("x").is_not_null()) == "unsure(c) AND c IS NOT NULL"
    assert to_file_schema(Always(True), NEW, OLD) == Always(True)


@pytest.mark.parametrize(("before", "after"), CHANGES, ids=str)
@examples(30)
@given(st.data())
def test_a_devolved_predicate_means_the_same(before: str, after: str, data: st.DataObject) -> None:
    source, target = parse_type(before), parse_type(after)
    old, new = schema(0, f"o {before}", [7]), schema(1, f"n {after}", [7])
    column = data.draw(columns(source))
    assume(source.root != "DATE" or all(d is None or abs(d) < 100_000 for d in column))
    values = arrow_column(source, column)
    try:
        changed = cast(values, source, target)
    except pa.ArrowInvalid:
        assume(False)
    assert changed.type == to_arrow(target) and len(changed) == len(values)
    changed.validate(full=True)
    known = internal(changed, target)
    predicate = data.draw(leaves("n", target, known) | predicates(new.columns, {"n": known}))
    check_devolved(old, new, column, predicate)
    if (before, after) in EXACT:
        assert "unsure(" not in repr(to_file_schema(bind(predicate, new.columns), new, old))


def check_devolved(
    old: TableSchema, new: TableSchema, column: Sequence[Any], predicate: Predicate
) -> list[int]:
    """That a test of `n` means the same of `o`, which has these values; the rows that match."""
    source, target = old.columns["o"], new.columns["n"]
    values = arrow_column(source, column)
    known = internal(cast(values, source, target), target)
    expected = matching_rows(predicate, {"n": known}, new.columns)
    devolved = to_file_schema(bind(predicate, new.columns), new, old)
    found = mask(devolved, pa.record_batch([values], ["o"])).to_pylist()
    rows = [row for row, hit in enumerate(found) if hit]
    assert set(rows) >= set(expected)
    if "unsure(" not in repr(devolved):
        assert rows == expected
    return expected


@pytest.mark.parametrize(
    ("before", "after", "value", "predicate"),
    [
        # Values that are not what they were: what finds them now does not find them in the file.
        ("INT", "FLOAT", 2**24 + 1, col("n") == float(2**24)),
        ("INT", "FLOAT", -(2**24) - 1, col("n").is_in([float(-(2**24))])),
        ("INT", "FLOAT", 2**31 - 1, col("n") >= float(2**31)),
        ("BIGINT", "FLOAT", 2**24 + 1, col("n") <= float(2**24)),
        ("BIGINT", "DOUBLE", 2**53 + 1, col("n") == float(2**53)),
        ("BIGINT", "DOUBLE", 2**63 - 1, col("n") >= float(2**63)),
        ("BIGINT", "INT", 2**32 + 7, col("n") == 7),
        ("INT", "TINYINT", 300, col("n") < 50),
        ("INT", "BOOLEAN", 7, col("n") == True),  # noqa: E712
        ("DOUBLE", "FLOAT", 0.1, col("n") == float(np.float32(0.1))),
        ("DOUBLE", "INT", math.nan, col("n") == 0),
        ("DOUBLE", "INT", -1.9, col("n") == -1),
        ("BIGINT", "DECIMAL(10, 2)", 10**9, col("n").is_null()),
        ("DECIMAL(10, 2)", "DECIMAL(10, 1)", Decimal("-0.05"), col("n") == Decimal("-0.1")),
        ("DECIMAL(10, 2)", "INT", Decimal("-1.99"), col("n") == -1),
        ("STRING", "VARCHAR(2)", "abc", col("n") == "ab"),
        ("STRING", "VARCHAR(2)", "abc", col("n").endswith("b")),
        ("VARCHAR(3)", "CHAR(5)", "a ", col("n") == "a"),
        ("CHAR(5)", "STRING", "a    ", col("n") == "a    "),
        ("TIMESTAMP(6)", "TIMESTAMP(0)", -316_317_000, col("n") == datetime(1970, 1, 1)),
        ("TIMESTAMP(6)", "TIMESTAMP(3)", -1_000, col("n") < datetime(1970, 1, 1)),
        ("TIMESTAMP(6)", "DATE", -1_000, col("n") == date(1970, 1, 1)),
        # Literals that the file's type cannot hold.
        ("INT", "BIGINT", 5, col("n") < 2**40),
        ("FLOAT", "DOUBLE", float(np.float32(0.1)), col("n") > 0.1),
        ("TINYINT", "DECIMAL(5, 2)", 1, col("n") < Decimal("1.01")),
        ("TIMESTAMP(0)", "TIMESTAMP(6)", 0, col("n") < datetime(1970, 1, 1, 0, 0, 0, 1)),
    ],
    ids=repr,
)
def test_known_hazards_of_changed_types(
    before: str, after: str, value: Any, predicate: Predicate
) -> None:
    old, new = schema(0, f"o {before}", [7]), schema(1, f"n {after}", [7])
    assert 1 in check_devolved(old, new, [None, value], predicate)


EXACT = {
    ("TINYINT", "SMALLINT"),
    ("INT", "BIGINT"),
    ("INT", "DOUBLE"),
    ("BIGINT", "DECIMAL(38, 5)"),
    ("DECIMAL(10, 2)", "DECIMAL(20, 4)"),
    ("VARCHAR(5)", "STRING"),
    ("DATE", "TIMESTAMP(3)"),
    ("TIMESTAMP(6)", "TIMESTAMP(9)"),
}


"""Some changes after which each test can be put to the old values."""


def test_a_change_that_is_not_known() -> None:
    old, new = schema(0, "a ARRAY<INT>", [0]), schema(1, "a STRING", [0])
    with pytest.raises(UnsupportedError, match=r"ARRAY<INT> cannot be read as STRING"):
        evolve(pa.record_batch({"a": [[1]]}), old, new, ["a"])
    assert to_file_schema(bind(col("a") == "x", new.columns), new, old) == Unsure("a")
    old, new = schema(0, "a BOOLEAN", [0]), schema(1, "a DATE", [0])
    with pytest.raises(UnsupportedError, match="column 'a': a BOOLEAN cannot be read as DATE") as e:
        evolve(pa.record_batch({"a": [True]}), old, new, ["a"])
    assert "compact" in str(e.value.remedy)
    old, new = schema(0, "a STRING", [0]), schema(1, "a INT", [0])
    with pytest.raises(UnsupportedError, match=r"column 'a': .* as INT: 'x' is not an integer"):
        evolve(pa.record_batch({"a": ["x"]}), old, new, ["a"])


def test_what_cannot_be_told_is_never_sure() -> None:
    columns = Schema.parse("a INT, b INT")
    data = pa.record_batch({"a": pa.array([1, 2, None], pa.int32()), "b": pa.array([1] * 3)})
    options = {"file-index.bitmap.columns": "a"}
    index = build_file_index(data.select(["a"]), Schema.parse("a INT"), options)
    one = bind(col("a") == 1, columns)
    # The name may be that of another column in the file.
    for unsure in (Unsure("a"), Unsure("gone")):
        assert bind(~(unsure & unsure), columns) == unsure
        assert mask(unsure, data).to_pylist() == [True] * 3
        assert may_match(unsure, of_one_file({"a": Bounds(1, 2, 0, 3)}.get))
        assert holds(unsure, {"a": 1}) is None
        with FileIndex.open(index, columns) as opened:
            assert opened.evaluate(unsure) == Selection("all", False)
            both = opened.evaluate(bind(unsure & one, columns))
            assert selected_rows(both) == [0] and not both.exact
            either = opened.evaluate(bind(unsure | one, columns))
            assert either.kind == "all" and not either.exact
