"""BSI and range bitmap: the same bytes as Java's, and answers against Java's and a scan."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from kaitaistruct import KaitaiStream
from pyroaring import BitMap

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.range_bitmap.reader import stored_type
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.parsers.bsi_index import BsiIndex
from paimon_ksy.generated.parsers.file_index import FileIndex as Container
from paimon_ksy.generated.parsers.range_bitmap_index import RangeBitmapIndex
from paimon_ksy.generated.writers import type_named
from paimon_ksy.predicates.tree import Comparison
from paimon_ksy.roaring.bits import serialized_rows
from paimon_ksy.runtime.objects import from_json, gaps, to_bytes, to_json
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.golden import Answer, GoldenIndex, golden_indexes
from tests.support.brute_force import matching_rows
from tests.support.golden_json import (
    columns_from_spec,
    is_predicate,
    predicate_from_json,
    schema_from_spec,
)
from tests.support.ordered_indexes import opened, reader
from tests.support.selections import selected_rows
from tests.support.strategies import (
    BITMAP_TYPES,
    arrow_column,
    columns,
    examples,
    leaves,
    literal_of,
)

TYPES = ("bsi", "range-bitmap")
CASES = {(kind, case.name): case for kind in TYPES for case in golden_indexes(kind)}
DECIMALS = tuple(map(parse_type, ("DECIMAL(10, 2)", "DECIMAL(18, 0)")))
pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")


def takes(kind: str, data_type: DataType) -> bool:
    try:
        INDEX_TYPES[kind].new_builder(data_type, {})
    except UnsupportedError:
        return False
    return True


def bodies(case: GoldenIndex, kind: str) -> Iterator[tuple[str, DataType, dict[str, str], bytes]]:
    """Column, type, options and body of each index of that kind."""
    columns_of = {column["name"]: column for column in case.columns}
    for column in Container.from_bytes(case.data).head.columns:
        name = column.name.value.decode()
        for entry in column.indexes:
            is_there = not entry.is_empty and name in columns_of
            if entry.index_type.value.decode() == kind and is_there:
                listed = columns_of[name].get("indexes", [])
                options = next((i.get("options") or {} for i in listed if i["type"] == kind), {})
                yield name, parse_type(columns_of[name]["type"]), options, entry.body


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_golden_bytes(kind: str, name: str) -> None:
    case = CASES[kind, name]
    values = columns_from_spec(case.spec)
    for column, data_type, options, body in bodies(case, kind):
        built = (
            INDEX_TYPES[kind]
            .new_builder(data_type, options)
            .build(arrow_column(data_type, values[column]))
        )
        assert b"".join(built) == body
        if kind == "bsi":
            parsed = BsiIndex.from_bytes(body)
        else:
            stored = stored_type(data_type)
            assert stored is not None
            parsed = RangeBitmapIndex(stored, KaitaiStream(BytesIO(body)))
        assert to_bytes(parsed) == body
        assert gaps(parsed, body) == []
        document = to_json(parsed)
        assert to_bytes(from_json(type_named(document["$type"]), document)) == body


DIFFERENCES = {
    "remain": "NOT BETWEEN, startswith and CHARs are answered; Java reads all rows",
    "least long": "Java takes the absolute value of -9223372036854775808, which has none",
    "cut timestamps": "TIMESTAMP(7..9): Java compares microseconds and loses rows",
    "zeros": "0.0 and -0.0 are one value in SQL; Java finds the one asked for",
    "null rows": "IS NULL without any value is all rows; Java returns the first and the last",
    "null literal": "NOT IN of nothing is true of each row",
    "padding": "ranges of CHARs hold with and without padding",
}


def difference(answer: Answer, kind: str, java: set[int], ours: set[int], column: list[Any]) -> str:
    text = str(answer.predicate)
    if answer.result == "REMAIN":
        return "remain"
    if "-9223372036854775808" in text and kind == "BIGINT":
        return "least long"
    if kind == "TIMESTAMP(9)":
        return "cut timestamps" if ours >= java else "unnamed"
    if kind in ("FLOAT", "DOUBLE") and all(column[row] == 0 for row in ours ^ java):
        return "zeros"
    if kind.startswith("CHAR") and ours > java:
        return "padding"
    if all(value is None for value in column):
        return "null rows"
    if "'values': []" in text:
        return "null literal"
    return "unnamed"


@cache
def differences(index_type: str, name: str) -> Counter[str]:
    case = CASES[index_type, name]
    schema, data = schema_from_spec(case.spec), columns_from_spec(case.spec)
    everything = set(range(len(case.rows)))
    found: Counter[str] = Counter()
    types = {column["name"]: column["type"] for column in case.columns}
    with FileIndex.open(case.data, schema) as index:
        for answer in case.answers:
            if not is_predicate(answer.predicate):
                continue
            column = _column_of(answer.predicate)
            if column not in types:
                continue
            tree = predicate_from_json(answer.predicate, schema)
            selection = index.evaluate(tree)
            ours = set(selected_rows(selection, len(case.rows)))
            scanned = set(matching_rows(tree, data, schema, num_rows=len(case.rows)))
            assert ours >= scanned, answer
            assert ours == scanned or not selection.exact, answer
            if answer.error is not None or name.startswith("c_"):
                continue  # in the latter other indexes answer too
            java = everything if answer.result == "REMAIN" else set(answer.rows or ())
            reason = "same"
            if java != ours:
                reason = difference(answer, types[column], java, ours, data[column])
                assert reason in DIFFERENCES, (answer, sorted(ours))
            found[reason] += 1
    return found


def _column_of(node: Mapping[str, Any]) -> str:
    while "col" not in node:
        node = node["args"][0] if "args" in node else node["arg"]
    name: str = node["col"]
    return name


@pytest.mark.parametrize(("kind", "name"), CASES)
def test_golden_answers(kind: str, name: str) -> None:
    assert set(differences(kind, name)) <= {"same", *DIFFERENCES}


def test_each_difference_is_there() -> None:
    total: Counter[str] = sum((differences(*case) for case in CASES), Counter())
    assert set(total) == {"same", *DIFFERENCES}
    assert total["same"] > 2000


RANDOM = [
    (kind, data_type)
    for kind in TYPES
    for data_type in (*BITMAP_TYPES, *DECIMALS)
    if takes(kind, data_type)
]


@pytest.mark.parametrize(("kind", "data_type"), RANDOM, ids=str)
@examples(25)
@given(st.data(), st.sampled_from(["0", "5b", "16b", "16kb"]))
def test_random(kind: str, data_type: DataType, data: st.DataObject, chunk_size: str) -> None:
    column = data.draw(columns(data_type).filter(lambda c: kind != "bsi" or -(2**63) not in c))
    options = {"chunk-size": chunk_size} if kind == "range-bitmap" else {}
    schema = Schema.parse(f"c {data_type}")
    with FileIndex.open(opened(kind, data_type, column, options), schema) as index:
        for _ in range(3):
            predicate = data.draw(leaves("c", data_type, column))
            selection = index.evaluate(predicate)
            scanned = matching_rows(predicate, {"c": column}, schema, num_rows=len(column))
            found = selected_rows(selection, len(column))
            assert set(found) >= set(scanned)
            assert list(found) == scanned or not selection.exact
            asked = isinstance(predicate, Comparison) and data_type.root != "CHAR"
            assert selection.exact or not asked or (data_type.precision or 0) > 6


@pytest.mark.parametrize(("kind", "data_type"), RANDOM, ids=str)
@examples(25)
@given(st.data(), st.integers(0, 12), st.booleans(), st.booleans(), st.booleans())
def test_top_n(
    kind: str,
    data_type: DataType,
    data: st.DataObject,
    k: int,
    descending: bool,
    nulls_first: bool,
    with_selection: bool,
) -> None:
    """Each row that comes before the k-th one or ties with it is there."""
    column = data.draw(columns(data_type).filter(lambda c: kind != "bsi" or -(2**63) not in c))
    rows = BitMap(range(len(column)))
    selection = data.draw(st.sets(st.integers(0, 40)).map(BitMap)) if with_selection else None
    if selection is not None:
        rows &= selection
    found = reader(opened(kind, data_type, column, {}), data_type, kind).top_n(
        k, descending=descending, nulls_first=nulls_first, selection=selection
    )
    assert found <= rows
    schema = Schema.parse(f"c {data_type}")
    before: dict[int, set[int]] = {}
    for row in rows:  # the rows that are strictly before this one
        if column[row] is None:
            values = {r for r in rows if column[r] is not None}
            before[row] = set() if nulls_first else values
            continue
        op = ">" if descending else "<"
        test = Comparison(op, "c", literal_of(column[row], data_type))
        less = set(matching_rows(test, {"c": column}, schema, num_rows=len(column))) & set(rows)
        nulls = {r for r in rows if column[r] is None}
        before[row] = less | (nulls if nulls_first else set())
    wanted = {row for row in rows if len(before[row]) < k}
    assert set(found) >= wanted
    cut = data_type.is_timestamp and (data_type.precision or 0) > 6
    if data_type.root != "CHAR" and not cut:
        assert set(found) == wanted


@pytest.mark.parametrize("kind", ["FLOAT", "DOUBLE"])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("zeros", [[-0.0, 0.0, 0.0, -0.0], [0.0, 0.0], [-0.0], [0.0, -0.0]])
def test_zeros_tie_in_a_top_n(zeros: list[float], descending: bool, kind: str) -> None:
    """-0.0 and 0.0 are two values in the index, next to each other, and one in SQL."""
    after = [-2.5, -1.0, None] if descending else [None, 1.0, 2.5]
    column = [*after[:1], *zeros, *after[1:]]
    data_type = parse_type(kind)
    found = reader(opened("range-bitmap", data_type, column, {}), data_type)
    due = {row for row, value in enumerate(column) if value == 0}
    for k in range(1, len(zeros) + 1):
        assert set(found.top_n(k, descending=descending, nulls_first=False)) == due
    among = BitMap([row for row in range(len(column)) if row != min(due)])
    top = found.top_n(1, descending=descending, nulls_first=False, selection=among)
    expected = due - {min(due)}
    assert set(top) == expected if expected else len(top) == 1


@given(st.lists(st.tuples(st.integers(0, 200_000), st.integers(1, 70_000)), max_size=5))
@examples(60)
def test_rows_of_runs_bitsets_and_arrays(spans: list[tuple[int, int]]) -> None:
    chosen = np.zeros(300_000, np.bool_)
    for i, (start, length) in enumerate(spans):
        chosen[start : start + length : (1, 2, 40)[i % 3]] = True
    bitmap = BitMap(np.flatnonzero(chosen).tolist())
    bitmap.run_optimize()
    assert serialized_rows(chosen) == bitmap.serialize()
