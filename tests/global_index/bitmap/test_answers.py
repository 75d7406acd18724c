"""Answers of bitmap indexes: those of brute force, of all writers, in one file or several."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.evaluation.evaluate import ALL
from paimon_ksy.global_index.bitmap.writer import JAVA, BitmapIndexWriter, Style
from paimon_ksy.global_index.metadata import write_metadata
from paimon_ksy.global_index.registry import GLOBAL_INDEX_TYPES, open_global_index
from paimon_ksy.io.source import open_source
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.tree import IsNotNull, IsNull, col
from paimon_ksy.types.data_type import Field
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.global_index.bitmap.test_reader import STYLES
from tests.global_index.test_sorted_keys import TYPES
from tests.support.brute_force import matching_rows
from tests.support.global_indexes import (
    in_key_order,
    index_file,
    parts_of,
    postings_of,
    selection_of,
)
from tests.support.selections import selected_rows
from tests.support.strategies import (
    Table,
    arrow_column,
    lists_of,
    literal_of,
    literals,
    predicates,
    tables,
)

TABLES = tables([parse_type(text) for text in TYPES]).filter(lambda table: table.num_rows)


@examples(120)
@given(TABLES, st.sampled_from(STYLES), st.lists(st.integers(0, 30), max_size=2), st.data())
def test_answers_are_those_of_brute_force(
    table: Table, style: Style, cuts: list[int], data: st.DataObject
) -> None:
    [field, *_] = table.schema
    column = arrow_column(field.type, table.columns[field.name])
    files = []
    for rows in parts_of(in_key_order([column], [field]), cuts):
        writer = BitmapIndexWriter(field, style, data.draw(st.integers(1, 100)))
        written, metadata = writer.write(column.take(pa.array(rows)), rows)
        file = index_file(written, [field], len(rows), write_metadata(metadata), len(column))
        files.append(replace(file, index_type="bitmap"))
    reader = open_global_index(files)
    assert reader is not None
    schema, columns = Schema((field,)), {field.name: table.columns[field.name]}
    predicate = data.draw(predicates(schema, columns, max_leaves=3))
    expected = matching_rows(predicate, columns, schema, num_rows=len(column))
    selection = selection_of(predicate, reader, schema)
    rows_of = set(selected_rows(selection, len(column)))
    assert rows_of >= set(expected) and (not selection.exact or rows_of == set(expected))


ARRAYS = Schema.parse("c ARRAY<INT>")


def test_multivalue_indexes_know_elements_alone() -> None:
    """Null arrays, empty ones and null elements leave nothing, so they cannot be told apart."""
    arrays = pa.array([[1, 2], None, [], [2, None]], pa.list_(pa.int32()))
    [field] = Schema.parse("c INT").fields
    data, metadata = BitmapIndexWriter(field).write_elements(arrays)
    file = index_file(data, list(ARRAYS), 4, write_metadata(metadata), 4)
    reader = open_global_index([replace(file, index_type="multivalue")])
    assert reader is not None
    for leaf in (IsNull, IsNotNull):
        assert reader.answer(leaf("c", ARRAYS["c"])) is None
    assert selection_of(~col("c").array_contains(2), reader, ARRAYS) == ALL
    both = selection_of(col("c").arrays_overlap([1, 2]), reader, ARRAYS)
    assert both.exact and selected_rows(both, 4) == [0, 3]
    many = selection_of(col("c").arrays_overlap(range(100)), reader, ARRAYS)
    assert many.exact and selected_rows(many, 4) == [0, 3]
    [batch] = postings_of(replace(file, index_type="multivalue"))
    assert (batch.keys[0].to_pylist(), batch.counts.tolist()) == ([1, 2], [1, 2])
    assert batch.rows.tolist() == [0, 0, 3]
    assert open_global_index([replace(file, index_type="bitmap")]) is None


@examples(120)
@given(TABLES, st.sampled_from(STYLES), st.data())
def test_elements_are_those_of_brute_force(table: Table, style: Style, data: st.DataObject) -> None:
    """array_contains and arrays_overlap are exact, of each type and in each order of keys."""
    [field, *_] = (each for each in table.schema)
    elements = table.columns[field.name]
    if field.type.root == "CHAR":
        return
    element = st.sampled_from([*elements, None])
    rows = data.draw(st.lists(st.none() | st.lists(element, max_size=4), min_size=1, max_size=20))
    column = lists_of(field.type, rows)
    writer = BitmapIndexWriter(field, style, data.draw(st.integers(1, 100)))
    written, metadata = writer.write_elements(column)
    schema = Schema((Field(field.name, parse_type(f"ARRAY<{field.type}>")),))
    file = index_file(written, list(schema), len(rows), write_metadata(metadata), len(rows))
    reader = open_global_index([replace(file, index_type="multivalue")])
    assert reader is not None
    known = [literal_of(each, field.type) for each in elements if each is not None] or [None]
    values = data.draw(st.lists(st.sampled_from(known) | literals(field.type), max_size=3))
    predicate = col(field.name).arrays_overlap(values)
    expected = matching_rows(predicate, {field.name: rows}, schema)
    selection = selection_of(predicate, reader, schema)
    assert selection.exact and selected_rows(selection, len(rows)) == expected


def test_what_cannot_be_answered_is_declined() -> None:
    """Another version, and what Paimon 1.4 wrote under the same type."""
    schema = Schema.parse("c INT")
    data, metadata = BitmapIndexWriter(schema.fields[0], JAVA).write(pa.array([1], pa.int32()))
    file = index_file(data, list(schema), 1, write_metadata(metadata), 1)
    equals = parse_predicate("c = 1", schema)
    for wrong in (data[:-5] + b"\2" + data[-4:], b"\1 some bytes" * 9):
        other = partial(open_source, wrong)
        reader = open_global_index([replace(file, index_type="bitmap", open=other)])
        assert reader is not None and selection_of(equals, reader, schema) == ALL
    cut = replace(file, index_type="bitmap", open=lambda: open_source(b"\xff" * 90 + data[-8:]))
    reader = open_global_index([cut])
    assert reader is not None
    with pytest.raises(CorruptFileError, match="column 'c'"):
        selection_of(equals, reader, schema)
    version = GLOBAL_INDEX_TYPES["bitmap"]().version
    assert version is not None and version(open_source(data), ())[0] == 1
