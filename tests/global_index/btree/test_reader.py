"""Answers of BTree indexes: those of brute force, in at most three requests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ksykit.runtime.types import type_of

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.evaluation.selection import bitmap
from paimon_ksy.generated.structs.btree_index import BtreeFooter as BtreeFooterStruct
from paimon_ksy.generated.views.btree_index import BtreeFooter, places_btree_footer
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.btree.writer import Options, write_index
from paimon_ksy.global_index.registry import open_global_index
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.types.data_type import Field
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.global_index.test_sorted_keys import TYPES, as_texts
from tests.support.brute_force import matching_rows
from tests.support.global_indexes import (
    Counted,
    in_key_order,
    index_file,
    parts_of,
    postings_of,
    selection_of,
)
from tests.support.selections import selected_rows
from tests.support.strategies import Table, arrow_column, predicates, tables

OPTIONS = st.builds(
    Options,
    version=st.sampled_from([1, 2]),
    block_size=st.sampled_from([1, 40, 1 << 16]),
    compression=st.sampled_from(list(BlockCompression)[:3]),
    has_bloom_filter=st.booleans(),
)
TABLES = tables([parse_type(text) for text in TYPES])
FAR = 1 << 33
"""Rows before the first one that has a value, in a range of more than 2^32 rows."""


@examples(300)
@given(
    TABLES.filter(lambda table: table.num_rows),
    OPTIONS,
    st.lists(st.integers(0, 30), max_size=2),
    st.booleans(),
    st.booleans(),
    st.data(),
)
def test_answers_are_those_of_brute_force(
    table: Table,
    options: Options,
    cuts: list[int],
    is_far: bool,
    has_metadata: bool,
    data: st.DataObject,
) -> None:
    """Of one column or several, in one file or several, also in rows that take 64 bits."""
    fields = list(table.schema)
    arrays = [arrow_column(f.type, table.columns[f.name]) for f in fields]
    before = FAR if is_far else 0
    num_rows = table.num_rows + before
    files = []
    for rows in parts_of(in_key_order(arrays, fields), cuts):
        taken = [array.take(pa.array(rows)) for array in arrays]
        written = write_index(taken, fields, options, np.array(rows) + before)
        metadata = written.metadata if has_metadata else None
        files.append(index_file(written.data, fields, written.num_rows, metadata, num_rows))
    reader = open_global_index(files, deleted=before)
    assert reader is not None and reader.num_rows == num_rows
    predicate = data.draw(predicates(table.schema, table.columns, max_leaves=3))
    expected = [row + before for row in _matching(predicate, table)]
    selection = selection_of(predicate, reader, table.schema)
    if not is_far or selection.kind != "all":
        assert selection.num_rows in (None, num_rows)
        if selection.kind == "all":
            found = set(range(table.num_rows))
        else:
            there = bitmap(num_rows, np.arange(before, num_rows))
            found = set() if selection.matching is None else set(selection.matching & there)
        assert found >= set(expected)
        assert not selection.exact or found == set(expected)
    batches = [batch for file in files for batch in postings_of(file)]
    assert sorted(row for batch in batches for row in batch.rows.tolist()) == [
        row + before for row in range(table.num_rows)
    ]
    for batch in batches:
        rows = pa.array(batch.rows - before)
        for key, array in zip(batch.keys, arrays, strict=True):
            keys = key.take(pa.array(np.repeat(np.arange(len(key)), batch.counts)))
            assert as_texts(keys.cast(array.type)) == as_texts(array.take(rows))


def _matching(predicate: Any, table: Table) -> list[int]:
    return matching_rows(predicate, table.columns, table.schema, num_rows=table.num_rows)


INT = Field("id", parse_type("INT"))
SCHEMA = Schema((INT,))


def large() -> Any:
    return write_index([pa.array(range(0, 200_000, 2), pa.int32())], [INT])


def test_a_look_up_takes_three_requests() -> None:
    written, num_rows = large(), 100_000
    remote = Counted(written.data)
    file = index_file(b"", [INT], num_rows, written.metadata, num_rows)
    reader = open_global_index([replace(file, open=remote.open)])
    assert reader is not None and not remote.requests
    for sql, expected in (("id = 86420", [43_210]), ("id = 7", []), ("id = -1", [])):
        selection = selection_of(parse_predicate(sql), reader, SCHEMA)
        assert selected_rows(selection) == expected and selection.exact
    assert len(remote.requests) == 4  # the footer, the directory, two blocks
    assert sum(length for _, length in remote.requests) < len(written.data) // 4
    del remote.requests[:]
    assert selection_of(parse_predicate("id >= 100000"), reader, SCHEMA).count == 50_000
    assert len(remote.requests) == 1


def test_files_without_the_keys_are_not_read() -> None:
    written = large()
    remote = Counted(written.data)
    file = index_file(b"", [INT], 100_000, written.metadata, 100_000)
    reader = open_global_index([replace(file, open=remote.open)])
    assert reader is not None
    for sql in ("id = 199999", "id < 0", "id IS NULL", "id IN (-3, 200000)"):
        assert selection_of(parse_predicate(sql), reader, SCHEMA).kind == "skip"
    assert not remote.requests


def edited(data: bytes, **numbers: int) -> bytes:
    """The file with other numbers in its footer."""
    at = len(data) - places_btree_footer().end
    footer = BtreeFooter(data, 0, at)
    names = [field.name for field in type_of(BtreeFooterStruct).seq if field.name != "magic"]
    values = {name: getattr(footer, name) for name in names} | numbers
    return data[:at] + BtreeFooterStruct.pack(**values)


def one_file(data: bytes, kind: str = "INT", length: int = 3) -> Any:
    """The reader of a file of three rows."""
    return open_global_index([index_file(data, [Field("id", parse_type(kind))], 3, None, length)])


def test_what_cannot_be_answered_is_declined() -> None:
    written = write_index([pa.array([1, 2, None], pa.int32())], [INT])
    equals = parse_predicate("id = 1")
    assert selected_rows(selection_of(equals, one_file(written.data), SCHEMA)) == [0]
    other_version = one_file(edited(written.data, version=3))
    assert not selection_of(equals, other_version, SCHEMA).exact
    wide = Schema((Field("id", parse_type("BIGINT")),))
    assert not selection_of(equals, one_file(written.data, "BIGINT"), wide).exact
    by_metadata = index_file(written.data, list(wide), 3, written.metadata, 3)
    assert open_global_index([by_metadata]) is None
    assert one_file(written.data, length=4) is None  # a row is missing
    preview = written.data[:-8] + bytes.fromhex("526cd80b")
    assert not selection_of(equals, one_file(preview), SCHEMA).exact
    with pytest.raises(CorruptFileError, match="not a BTree index"):
        selection_of(equals, one_file(written.data[:-1]), SCHEMA)


def test_corrupt_files_are_named() -> None:
    written = large()
    bad = bytearray(written.data)
    bad[1000] ^= 1
    file = index_file(bytes(bad), [INT], 100_000, written.metadata, 100_000)
    reader = open_global_index([file])
    assert reader is not None
    with pytest.raises(CorruptFileError, match="checksum of a block") as raised:
        selection_of(parse_predicate("id = 2"), reader, SCHEMA)
    error = raised.value
    assert (error.column, error.offset) == ("id", 0) and "build it again" in str(error.remedy)
    assert selected_rows(selection_of(parse_predicate("id = 199998"), reader, SCHEMA)) == [99_999]
