"""What a BSI answers, and what it reads for it."""

import pyarrow as pa
import pytest
from pyroaring import BitMap

from paimon_ksy.evaluation.top_n import TopN
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.inspection.verify import verify
from paimon_ksy.io.source import open_source
from paimon_ksy.predicates.tree import Comparison
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.reference.bsi_index import BsiIndex
from tests.support.brute_force import matching_rows
from tests.support.file_indexes import stream_of
from tests.support.ordered_indexes import INT, bytes_read, large, opened
from tests.support.selections import selected_rows
from tests.support.strategies import literal_of

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")


@pytest.mark.parametrize("least", [1, 60, 2**40])
def test_a_bsi_whose_minimum_is_not_zero(least: int) -> None:
    """Java's writer starts at 0 always; the format, and Java's reader, have others too."""
    small = [0, 5, None, 3, 5, -4, -7, 0, -4]
    column = [v if v is None else v + least if v >= 0 else v - least for v in small]
    schema, data_type = Schema.parse("c BIGINT"), parse_type("BIGINT")
    document = dump_file(open_source(opened("bsi", data_type, small, {})), schema)
    for part in ("positive", "negative"):
        head = document["parts"][1][part]["head"]
        head["min"] += least
        head["max"] += least
    index = assemble(document)
    assert index.count(least.to_bytes(8, "big")) >= 2
    numbers = sorted({v for v in column if v is not None})
    with FileIndex.open(index, schema) as found:
        for value in [v + d for v in numbers for d in (-1, 0, 1)]:
            for op in ("=", "<>", "<", "<=", ">", ">="):
                predicate = Comparison(op, "c", literal_of(value, data_type))
                rows = matching_rows(predicate, {"c": column}, schema, num_rows=len(column))
                selection = found.evaluate(predicate)
                assert list(selection.rows or []) == rows
                assert selection.exact
        for order, greatest in (("c DESC NULLS LAST", True), ("c ASC NULLS LAST", False)):
            for k in (1, 2, 4):
                ranked = sorted((v for v in column if v is not None), reverse=greatest)
                last = ranked[k - 1]
                due = [
                    row
                    for row, v in enumerate(column)
                    if v is not None and (v >= last if greatest else v <= last)
                ]
                assert list(found.evaluate(top_n=TopN.parse(order, k)).rows or []) == due
        assert found.values("c", BitMap(range(len(column)))) == column
    assert verify(index, schema, num_rows=len(column)) == []


def test_slices_begin_after_their_count() -> None:
    data = opened("bsi", parse_type("BIGINT"), [1, 2, 4], {})
    slices = BsiIndex(stream_of(data)).positive.slices
    assert slices.num_bitmaps == 3
    assert slices.bitmaps_start.at == slices.bitmaps[0].bitmap_start.at


def test_top_n_of_a_bsi_is_pushed_down() -> None:
    column = [5, None, -7, 0, 5, -7, -2, 9]
    with FileIndex.open(opened("bsi", INT, column, {}), Schema.parse("c INT")) as index:
        for order, k, rows in (
            ("c DESC NULLS LAST", 2, [0, 4, 7]),
            ("c ASC NULLS LAST", 3, [2, 5, 6]),
            ("c ASC NULLS FIRST", 2, [1, 2, 5]),
        ):
            selection = index.evaluate(top_n=TopN.parse(order, k))
            assert (selected_rows(selection), selection.limited) == (rows, True)


def test_bytes_read_of_a_bsi() -> None:
    assert bytes_read("bsi", "c > 1000000") < 200
    above = bytes_read("bsi", "c > 17")
    assert above < len(large("bsi")) * 3 // 4  # nothing of the negative numbers
    assert bytes_read("bsi", "c IS NULL") < len(large("bsi")) // 5


def test_the_least_long_as_a_literal() -> None:
    schema = Schema.parse("c BIGINT")
    data = build_file_index(pa.table({"c": [-5, None, 0]}), schema, {"file-index.bsi.columns": "c"})
    with FileIndex.open(data, schema) as index:
        assert selected_rows(index.evaluate(f"c > {-(2**63)}")) == [0, 2]
        assert index.evaluate(f"c <= {-(2**63)}").kind == "skip"
        assert index.num_rows == 3
