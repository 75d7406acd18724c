"""Data files, manifests and schemas as plain values."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, SchemaError
from paimon_ksy.rows.binary_row import read_row, write_row
from paimon_ksy.table.model.files import (
    DataFile,
    Statistics,
    TableSchema,
    format_of,
    internal_row,
    shared_rows,
)
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from tests.support.binary_rows import rows as binary_rows
from tests.support.golden_tables import golden_table
from tests.support.tables import files, make, rows


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("data-1.parquet", "parquet"),
        ("data-1.ORC", "orc"),
        ("data-1.csv.gz", "csv"),
        ("data-1.json.zst", "json"),
        ("gz.parquet", "parquet"),
        ("data.gz", "gz"),  # there is no format before it
    ],
)
def test_the_format_is_that_below_a_compression(name: str, kind: str) -> None:
    assert format_of(name) == kind


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> DataFile:
    options = {"metadata.stats-mode": "full"}
    [found] = files(make(tmp_path_factory.mktemp("files"), [rows(0, 3)], options))
    return found


def test_an_embedded_index_comes_before_a_file_and_there_is_one_file(file: DataFile) -> None:
    assert file.index is None
    beside = replace(file, index_files=("x.index",))
    assert beside.index == "x.index"
    assert replace(beside, embedded_index=b"index").index == b"index"
    assert replace(file, embedded_index=b"").index == b""
    with pytest.raises(PaimonKsyError, match=r"has 2 index files.*: x, y; rewrite its index"):
        _ = replace(file, index_files=("x", "y")).index


def test_a_file_without_statistics_is_the_same_file(file: DataFile) -> None:
    light = file.without_statistics()
    assert (light.key, light.state, light.num_rows) == (file.key, file.state, file.num_rows)
    assert light.statistics == Statistics()
    assert len(pickle.dumps(light)) < len(pickle.dumps(file))


def test_schemas_are_parsed_once_and_sent_as_they_are(tmp_path: Path) -> None:
    text = Path(golden_table("evolution", tmp_path), "schema", "schema-0").read_text()
    parsed = TableSchema.parse(text)
    assert TableSchema.parse(text) is parsed
    assert pickle.loads(pickle.dumps(parsed)) == parsed
    assert set(parsed.ids) == set(parsed.columns.names)
    document = json.loads(text)
    del document["fields"]
    for broken in ("{", json.dumps(document), "[]"):
        with pytest.raises(SchemaError, match="not a schema file of Paimon"):
            TableSchema.parse(broken)


@given(binary_rows())
def test_statistics_have_the_values_of_their_rows(
    case: tuple[list[DataType], list[object]],
) -> None:
    types, values = case
    row, nothing = write_row(values, types), (None,) * len(types)
    names = tuple(map(str, range(len(types))))
    statistics = Statistics(names, tuple(types), row, row, nothing)
    for name, value, kind in zip(names, read_row(row, types), types, strict=True):
        if kind.root == "CHAR" and isinstance(value, str):
            value = value.rstrip(" ")
        least, greatest, nulls = statistics.of(name) or ("", "", 0)
        assert repr(least) == repr(greatest) and nulls is None
        assert least == value or (least != least and value != value)
    assert statistics.of("other") is None


def test_statistics_that_are_unknown() -> None:
    integer, text, nested = map(parse_type, ("INT", "STRING", "ARRAY<INT>"))
    types = integer, text, integer
    row = write_row((1, "a", 2), types)
    some = Statistics(("a", "b", "c"), (integer, None, nested), row, row[:-8], (0, 1, None))
    assert [some.of(name) for name in "abc"] == [(1, None, 0), (None, None, 1), (None, None, None)]
    data = write_row(("longer than a word",), (text,))[:-8]
    assert Statistics(("a",), (text,), data, data, (0,)).of("a") == (None, None, 0)
    with pytest.raises(CorruptFileError):
        internal_row(data, (text,))


def test_internal_values_have_no_padding_and_no_negative_zero() -> None:
    types = parse_type("CHAR(3)"), parse_type("DOUBLE")
    assert repr(internal_row(write_row(("a  ", -0.0), types), types)) == "('a', 0.0)"


@given(st.lists(st.tuples(st.integers(-1, 30), st.integers(0, 12)), max_size=12))
def test_rows_in_several_files_are_counted_once(files: list[tuple[int, int]]) -> None:
    first_ids, counts = (np.array([file[at] for file in files], np.int64) for at in (0, 1))
    without = sum(count for first, count in files if first < 0)
    ids = {at for first, count in files if first >= 0 for at in range(first, first + count)}
    shared = shared_rows(first_ids, counts)
    assert (shared >= 0).all()
    assert int((counts - shared).sum()) == without + len(ids)
