"""Answers of indexes on random columns against a scan of the rows; bitmap: test_properties.py."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyroaring import BitMap

from kit_support.examples import examples
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.predicates.tree import Comparison
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.brute_force import matching_rows
from tests.support.ordered_indexes import opened, reader
from tests.support.selections import selected_rows
from tests.support.strategies import BITMAP_TYPES, columns, leaves, literal_of

TYPES = ("bsi", "range-bitmap")
DECIMALS = tuple(map(parse_type, ("DECIMAL(10, 2)", "DECIMAL(18, 0)")))
pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")


def takes(kind: str, data_type: DataType) -> bool:
    try:
        INDEX_TYPES[kind].new_builder(data_type, {})
    except UnsupportedError:
        return False
    return True


RANDOM = [
    (kind, data_type)
    for kind in TYPES
    for data_type in (*BITMAP_TYPES, *DECIMALS)
    if takes(kind, data_type)
]
BLOOM_FILTERS = [
    ("bloom-filter", data_type)
    for data_type in (*BITMAP_TYPES, parse_type("BYTES"))
    if takes("bloom-filter", data_type)
]


OPTIONS: dict[str, list[dict[str, str]]] = {
    "bsi": [{}],
    "range-bitmap": [{"chunk-size": size} for size in ("0", "5b", "16b", "16kb")],
    "bloom-filter": [{"items": items} for items in ("1", "30", "1000000", "auto", "distinct")],
}


@pytest.mark.parametrize(("kind", "data_type"), [*RANDOM, *BLOOM_FILTERS], ids=str)
@examples(25)
@given(data=st.data())
def test_random(kind: str, data_type: DataType, data: st.DataObject) -> None:
    column = data.draw(columns(data_type).filter(lambda c: kind != "bsi" or -(2**63) not in c))
    options = data.draw(st.sampled_from(OPTIONS[kind]))
    schema = Schema.parse(f"c {data_type}")
    with FileIndex.open(opened(kind, data_type, column, options), schema) as index:
        for _ in range(3):
            predicate = data.draw(leaves("c", data_type, column))
            selection = index.evaluate(predicate)
            scanned = matching_rows(predicate, {"c": column}, schema, num_rows=len(column))
            found = selected_rows(selection, len(column))
            assert set(found) >= set(scanned)
            assert list(found) == scanned or not selection.exact
            if kind == "bloom-filter":
                assert selection.kind in ("all", "skip")
                continue
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
