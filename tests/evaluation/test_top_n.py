"""Predicates with deletion vectors, limits and TopN, against the rows one by one."""

from contextlib import suppress
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from pyroaring import BitMap, BitMap64

from kit_support.examples import examples
from paimon_ksy import Order, TopN, select_rows
from paimon_ksy.errors import (
    ArgumentError,
    CorruptFileError,
    PaimonKsyError,
    PredicateError,
    UnsupportedError,
)
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.evaluation.top_n import first_rows, live_rows
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.predicates.tree import Predicate, col
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.golden import GoldenIndex, golden_indexes
from tests.support.brute_force import key_of, matching_rows
from tests.support.golden_json import predicate_from_json, schema_from_spec
from tests.support.selections import selected_rows
from tests.support.strategies import Table, predicates, tables

KINDS = [
    *map(parse_type, ["INT", "STRING", "DOUBLE", "BIGINT", "TIMESTAMP(6)", "DATE", "CHAR(3)"]),
    *map(parse_type, ["FLOAT", "DECIMAL(10, 2)", "TIMESTAMP(9)"]),
]


def rows_of(selection: Selection, num_rows: int) -> list[int]:
    if selection.kind == "all":
        return list(range(num_rows))
    return [] if selection.matching is None else list(selection.rows)


# -- the worked examples of the document -----------------------------------------------------------

ORDERS = Schema.parse(
    "order_id BIGINT, user_id BIGINT, status STRING, region STRING, amount DECIMAL(10, 2)"
)
STATUS = "PENDING COMPLETED PENDING CANCELLED COMPLETED PENDING COMPLETED CANCELLED PENDING "
STATUS += "COMPLETED"
AMOUNT = "100 200 150 50 300 120 250 80 180 400"
REGION = "US EU ASIA US EU US ASIA EU ASIA US"


@pytest.fixture
def orders() -> bytes:
    table = pa.table(
        {
            "order_id": range(1001, 1011),
            "user_id": range(1, 11),
            "status": STATUS.split(),
            "region": REGION.split(),
            "amount": pa.array(map(Decimal, AMOUNT.split()), pa.decimal128(10, 2)),
        }
    )
    options = {
        "file-index.bitmap.columns": "status,region",
        "file-index.bitmap.status.version": "2",
        "file-index.bitmap.status.index-block-size": "16kb",
        "file-index.range-bitmap.columns": "amount",
    }
    return build_file_index(table, ORDERS, options)


# -- against the rows one by one -------------------------------------------------------------------

INDEXES = st.fixed_dictionaries({kind: st.booleans() for kind in INDEX_TYPES})


def _taken(kind: str, table: Table) -> list[str]:
    """The columns that an index type can hold."""
    names = []
    for field in table.schema:
        with suppress(UnsupportedError):
            INDEX_TYPES[kind].new_builder(field.type, {})
            if kind != "bsi" or -(2**63) not in table.columns[field.name]:
                names.append(field.name)
    return names


@examples(300)
@given(st.data(), tables(KINDS), st.sampled_from([32, 64]), INDEXES)
def test_live_rows(data: st.DataObject, table: Table, bits: Any, kinds: dict[str, bool]) -> None:
    columns = {kind: _taken(kind, table) for kind, chosen in kinds.items() if chosen}
    options = {f"file-index.{kind}.columns": ",".join(c) for kind, c in columns.items() if c}
    assume(options)  # an index without a column cannot be built
    built = build_file_index(table.to_arrow(), table.schema, options)
    predicate = data.draw(st.none() | predicates(table.schema, table.columns, 3))
    rows = range(table.num_rows)
    deleted = data.draw(st.sets(st.sampled_from(rows))) if rows else set()
    limit = data.draw(st.none() | st.integers(0, 12))
    top = None
    if limit is not None and data.draw(st.booleans()):
        name = data.draw(st.sampled_from(table.schema.names))
        nulls_first = data.draw(st.none() | st.booleans())
        top, limit = TopN(name, limit, data.draw(st.booleans()), nulls_first), None
    matching: Any = rows
    if predicate is not None:
        matching = matching_rows(predicate, table.columns, table.schema, num_rows=len(rows))
    expected = [row for row in matching if row not in deleted]

    counts = any(names for kind, names in columns.items() if kind != "bloom-filter")
    told = data.draw(st.booleans()) or not counts
    selection = select_rows(
        built,
        table.schema,
        predicate,
        deletion_vector=DeletionVector.of(deleted, bits),
        limit=limit,
        top_n=top,
        num_rows=table.num_rows if told else None,
    )
    found = rows_of(selection, table.num_rows)
    assert selection.count == len(found)
    assert not deleted & set(found)
    if selection.exact:
        assert set(found) <= set(expected)
    if not selection.limited:
        assert set(found) >= set(expected)
        assert not selection.exact or found == expected
    elif top is None:
        assert limit is not None
        assert found == expected[:limit]
    else:
        order = _ordered(table, expected, top)
        last = order[: top.k][-1:]
        bound = _place(table, last[0], top) if last else (-1,)
        first = [row for row in expected if _place(table, row, top) <= bound]
        assert set(found) >= set(first)
        # A BSI has TIMESTAMPs in microseconds, so those that tie there stay; as CHARs do that may
        # come in another order with padding.
        cut = str(table.schema[top.column]) in ("TIMESTAMP(9)", "CHAR(3)")
        assert found == first or cut


def _place(table: Table, row: int, top: TopN) -> tuple[Any, ...]:
    value = table.columns[top.column][row]
    if value is None:
        return (not top.has_nulls_first, 0)
    key = key_of(value, table.schema[top.column])
    column = [v for v in table.columns[top.column] if v is not None]
    place = sorted({key_of(v, table.schema[top.column]) for v in column}).index(key)
    return (top.has_nulls_first, -place if top.descending else place)


def _ordered(table: Table, rows: list[int], top: TopN) -> list[int]:
    return sorted(rows, key=lambda row: _place(table, row, top))


@pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")
@pytest.mark.parametrize("case", golden_indexes("range-bitmap"), ids=lambda case: case.name)
def test_top_n_of_golden_files(case: GoldenIndex) -> None:
    """Java's rows are among ours, which hold those too that tie for the last place."""
    schema, num_rows = schema_from_spec(case.spec), len(case.rows)
    if case.name == "range_all_null":
        return  # Java gives the first and the last row for any question
    with FileIndex.open(case.data, schema) as index:
        for answer in case.answers:
            asked = answer.predicate
            if asked["op"] != "topn" or "dir" not in asked or answer.rows is None:
                continue
            nulls_first = {"first": True, "last": False, None: None}[asked.get("nulls")]
            top = TopN(asked["col"], asked["limit"], asked["dir"] == "desc", nulls_first)
            among = asked.get("base", range(num_rows))
            selection = index.evaluate(
                predicate_from_json(asked["filter"], schema) if "filter" in asked else None,
                deletion_vector=DeletionVector.of(set(range(num_rows)) - set(among)),
                top_n=top,
            )
            assert set(rows_of(selection, num_rows)) >= set(answer.rows), answer


def test_limits_of_golden_files() -> None:
    """Java takes the first rows of a file whose rows all match, and so do we."""
    asked = 0
    for case in golden_indexes("range-bitmap"):
        schema, num_rows = schema_from_spec(case.spec), len(case.rows)
        for answer in case.answers:
            if answer.predicate["op"] != "limit":
                continue
            assert (answer.result, answer.predicate["full"]) == ("BITMAP", num_rows)
            with FileIndex.open(case.data, schema) as index:
                for query in (None, _always(schema.names[0])):
                    selection = index.evaluate(query, limit=answer.predicate["limit"])
                    assert selection.rows is not None
                    assert list(selection.rows) == list(answer.rows or ()), case.name
                    assert (selection.exact, selection.limited) == (True, True)
            asked += 1
    assert asked == 15


def _always(name: str) -> Predicate:
    return col(name).is_null() | col(name).is_not_null()


# -- files of any number of rows -------------------------------------------------------------------


def test_a_file_of_more_rows_than_32_bits_can_count() -> None:
    rows = 5 * 2**30
    deleted = DeletionVector.of(range(3), 64).add(2**32 + 1)
    live = select_rows(None, None, deletion_vector=deleted, num_rows=rows)
    assert (live.kind, live.exact, live.count) == ("rows", True, rows - 4)
    first = select_rows(None, None, deletion_vector=deleted, num_rows=rows, limit=2)
    assert selected_rows(first) == [3, 4]
    almost = DeletionVector.of(range(2**32 - 1), 64)
    first = select_rows(None, None, deletion_vector=almost, num_rows=rows, limit=3)
    assert selected_rows(first) == [2**32 - 1, 2**32, 2**32 + 1]


def test_how_many_rows_there_are_is_not_known() -> None:
    """Then it cannot be told which live; what reads the file has to look at the vector."""
    schema = Schema.parse("c INT")
    deleted = DeletionVector.of([1])
    selection = select_rows(None, schema, deletion_vector=deleted, limit=2)
    assert (selection.kind, selection.exact, selection.limited) == ("all", False, False)
    assert select_rows(None, schema, "c = 1", num_rows=4) == Selection("all", False, None, 4)
    assert select_rows(None, schema, "c = NULL", deletion_vector=deleted).kind == "skip"
    assert select_rows(None, schema, limit=2, num_rows=9).count == 2


def test_a_vector_in_a_file(tmp_path: Any, orders: bytes) -> None:
    vectors = {"a": DeletionVector.of([1]), "b": DeletionVector.of([0, 5], 64)}
    written = write_vectors(tmp_path / "vectors", vectors)
    for meta in written.vectors:
        place = (tmp_path / written.name, meta.offset, meta.length, meta.cardinality)
        found = select_rows(orders, ORDERS, "status = 'PENDING'", deletion_vector=place)
        assert selected_rows(found) == ([0, 2, 5, 8] if meta.data_file == "a" else [2, 8])
        given: Any = place
        with FileIndex.open(orders, ORDERS) as index:
            assert index.evaluate("status = 'PENDING'", deletion_vector=given) == found
    for wrong in ([1], {1}, str(tmp_path / "vectors")):
        given = wrong
        with pytest.raises(PaimonKsyError, match="a deletion vector is"):
            select_rows(orders, ORDERS, "status = 'PENDING'", deletion_vector=given)


# -- what is not pushed down, and what is refused --------------------------------------------------


def test_a_limit_of_rows_that_may_not_match_is_not_pushed_down(orders: bytes) -> None:
    unknown = select_rows(orders, ORDERS, "status = 'PENDING' AND user_id = 1", limit=1)
    assert (unknown.exact, unknown.limited, unknown.count) == (False, False, 4)
    top = TopN("amount", 1)
    unknown = select_rows(orders, ORDERS, "status = 'PENDING' AND user_id = 1", top_n=top)
    assert (unknown.exact, unknown.limited, unknown.count) == (False, False, 4)
    known = select_rows(orders, ORDERS, "status = 'PENDING'", top_n=top)
    assert (known.limited, selected_rows(known)) == (True, [0])
    assert not select_rows(orders, ORDERS, top_n=TopN("user_id", 1)).limited


def test_what_does_not_fit_together(orders: bytes) -> None:
    with pytest.raises(PredicateError, match=r"must be a TopN such as TopN.parse"):
        select_rows(orders, ORDERS, top_n="amount DESC")  # type: ignore[arg-type]
    with pytest.raises(PaimonKsyError, match="another file"):
        select_rows(orders, ORDERS, "status = 'NEW'", deletion_vector=DeletionVector.of([10]))
    with pytest.raises(PaimonKsyError, match="another file"):
        select_rows(orders, ORDERS, "status = 'PENDING'", deletion_vector=DeletionVector.of([10]))
    with pytest.raises(CorruptFileError, match="count 10 rows, but the data file has 11"):
        select_rows(orders, ORDERS, "status = 'PENDING'", num_rows=11)
    with pytest.raises(PredicateError, match="its own limit"):
        select_rows(orders, ORDERS, limit=1, top_n=TopN("amount", 1))
    with pytest.raises(PredicateError, match="no column"):
        select_rows(orders, ORDERS, top_n=TopN("size", 1))
    with pytest.raises(PredicateError, match="size"):
        select_rows(orders, ORDERS, top_n=TopN.parse("amount, size", 1))
    for limit in (-1, 1.5, True):
        with pytest.raises((PredicateError, ArgumentError), match="limit"):
            select_rows(orders, ORDERS, limit=limit)  # type: ignore[arg-type]
        with pytest.raises(PredicateError, match="limit"):
            TopN("amount", limit)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "top"),
    [
        ("amount", TopN("amount", 3)),
        (" amount  asc ", TopN("amount", 3)),
        ("amount DESC", TopN("amount", 3, descending=True)),
        ("amount desc nulls first", TopN("amount", 3, descending=True, nulls_first=True)),
        ("`a ``b`` c` NULLS LAST", TopN("a `b` c", 3, nulls_first=False)),
        ("m[key] DESC", TopN("m[key]", 3, descending=True)),
        ("m['a key'] DESC", TopN("m[a key]", 3, descending=True)),
        ('`m n`["it\'s"]', TopN("m n[it's]", 3)),
        ("a, b desc", TopN("a", 3, then=(Order("b", descending=True),))),
        ("`a,b` DESC,m['a, b']", TopN("a,b", 3, True, then=(Order("m[a, b]"),))),
    ],
)
def test_text_of_an_order(text: str, top: TopN) -> None:
    assert TopN.parse(text, 3) == top


@pytest.mark.parametrize("text", ["", "a,", ", a", "a DESC ASC", "a NULLS", "a b", "m['a']['b']"])
def test_text_that_is_no_order(text: str) -> None:
    with pytest.raises(PredicateError, match="not an ORDER BY list"):
        TopN.parse(text, 3)


def test_a_limit_that_all_rows_keep_changes_nothing() -> None:
    selection = Selection.of(BitMap([1, 2]), 3, True)
    assert first_rows(selection, 2) is selection
    assert first_rows(selection, 1) == Selection("rows", True, BitMap([1]), 3, limited=True)
    assert first_rows(selection, 0) == Selection("skip", True, None, 3, limited=True)


@pytest.mark.parametrize(("num_rows", "kind"), [(2**32, BitMap), (2**32 + 1, BitMap64)])
def test_rows_below_2_to_32_are_in_a_small_bitmap(num_rows: int, kind: type) -> None:
    every = Selection("all", True, None, num_rows)
    rows = live_rows(every, DeletionVector.of([5])).rows
    assert type(rows) is kind and rows is not None
    assert len(rows) == num_rows - 1 and 5 not in rows
    assert type(first_rows(replace(every, num_rows=2**33), num_rows).rows) is kind
