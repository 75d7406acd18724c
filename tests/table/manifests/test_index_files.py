"""Index manifests, also of older versions of Paimon and in other formats."""

import io
import math
from dataclasses import replace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.manifests.index_files import read_index_files
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.files import GlobalIndex, IndexFile, VectorRange
from paimon_ksy.types.schema import Schema
from tests.support.manifests import CODECS, INDEXES, avro, index_entry, orc, parquet, without

SCHEMA = Schema.parse("day STRING, rate DOUBLE")
TYPES = [column.type for column in SCHEMA]
ROWS = [write_row(values, TYPES) for values in (("mon", 1.5), ("tue", math.nan))]

RECORDS = [
    index_entry(_PARTITION=ROWS[0]),
    index_entry(
        "index-1",
        _PARTITION=ROWS[1],
        _BUCKET=-2,
        _INDEX_TYPE="DELETION_VECTORS",
        _DELETIONS_VECTORS_RANGES=[
            {"f0": "b.parquet", "f1": 1, "f2": 20, "_CARDINALITY": 7},
            {"f0": "a.parquet", "f1": 29, "f2": 22, "_CARDINALITY": None},
        ],
        _EXTERNAL_PATH="oss://elsewhere/index-1",
    ),
    index_entry(
        "index-2",
        _PARTITION=ROWS[1],
        _INDEX_TYPE="btree",
        _GLOBAL_INDEX={
            "_ROW_RANGE_START": 5,
            "_ROW_RANGE_END": 9,
            "_INDEX_FIELD_ID": 1,
            "_EXTRA_FIELD_IDS": [2, 3],
            "_INDEX_META": b"meta",
            "_SOURCE_META": None,
        },
    ),
]
WANTED = [
    IndexFile(("mon", 1.5), ROWS[0], 0, "HASH", "index-0", 12, 3),
    IndexFile(
        ("tue", math.nan),
        ROWS[1],
        -2,
        "DELETION_VECTORS",
        "index-1",
        12,
        3,
        {"b.parquet": VectorRange(1, 20, 7), "a.parquet": VectorRange(29, 22, None)},
        "oss://elsewhere/index-1",
    ),
    IndexFile(
        ("tue", math.nan),
        ROWS[1],
        0,
        "btree",
        "index-2",
        12,
        3,
        global_index=GlobalIndex(5, 9, 1, (2, 3), b"meta", None),
    ),
]
FORMATS = pytest.mark.parametrize("write", [avro, orc, parquet])


@pytest.mark.parametrize("codec", CODECS)
def test_each_codec(codec: str) -> None:
    found = files_in(avro(INDEXES, RECORDS, codec))
    assert found == WANTED
    assert [list(file.vectors) for file in found] == [list(file.vectors) for file in WANTED]


@FORMATS
def test_each_format(write: Any) -> None:
    assert files_in(write(INDEXES, RECORDS)) == WANTED


@FORMATS
def test_versions_before_each_field(write: Any) -> None:
    lacking = ["_GLOBAL_INDEX"]  # up to 1.3
    hash_index, vectors, other = WANTED
    assert read(write, lacking) == [hash_index, vectors, replace(other, global_index=None)]
    lacking += ["_EXTERNAL_PATH"]  # up to 1.2
    vectors = replace(vectors, external_path=None)
    assert read(write, lacking)[1] == vectors
    lacking += ["_CARDINALITY"]  # up to 0.9
    ranges = {name: place._replace(cardinality=None) for name, place in vectors.vectors.items()}
    assert read(write, lacking)[1] == replace(vectors, vectors=ranges)
    lacking += ["_DELETIONS_VECTORS_RANGES"]  # up to 0.7
    assert read(write, lacking)[1] == replace(vectors, vectors={})


def read(write: Any, lacking: list[str]) -> list[IndexFile]:
    return files_in(write(without(INDEXES, lacking), RECORDS))


def files_in(data: bytes) -> list[IndexFile]:
    return [file for files in read_index_files(data, "index", Partitions(SCHEMA)) for file in files]


def test_what_is_deleted_is_left_out() -> None:
    records = [RECORDS[0], {**RECORDS[1], "_KIND": 1}, RECORDS[2]]
    assert files_in(avro(INDEXES, records)) == [WANTED[0], WANTED[2]]


@FORMATS
@pytest.mark.parametrize("name", sorted(index_entry()))
def test_a_field_that_all_versions_have(write: Any, name: str) -> None:
    with pytest.raises(CorruptFileError, match=f"^index: an index file has no '{name}'"):
        read(write, [name])


def test_null_where_there_must_be_a_value() -> None:
    data = orc(INDEXES, [index_entry(_FILE_SIZE=None)])
    with pytest.raises(CorruptFileError, match=r"^index: an index file has no '_FILE_SIZE'"):
        files_in(data)


def test_another_version() -> None:
    data = avro(INDEXES, [{**RECORDS[0], "_VERSION": 2}])
    with pytest.raises(CorruptFileError, match=r"^index: its entries have version 2, but Paimon"):
        files_in(data)


def test_a_partition_of_other_columns() -> None:
    with pytest.raises(CorruptFileError, match=r"^index: "):
        files_in(avro(INDEXES, [index_entry()]))


@pytest.mark.parametrize("name", ["", "..", "a/b"])
def test_names_of_files_elsewhere(name: str) -> None:
    data = avro(INDEXES, [{**RECORDS[0], "_FILE_NAME": name}])
    with pytest.raises(CorruptFileError, match="not a valid file name"):
        files_in(data)


def test_files_by_number() -> None:
    [files] = read_index_files(avro(INDEXES, RECORDS), "index", Partitions(SCHEMA))
    assert len(files) == len(WANTED)
    assert [files.file(number) for number in (2, 0, 1)] == [WANTED[2], WANTED[0], WANTED[1]]
    vectors = files.file(1).vectors
    assert (len(vectors), vectors["a.parquet"]) == (2, VectorRange(29, 22, None))
    bare = files.without_vectors()
    assert list(bare) == [replace(file, vectors={}) for file in WANTED]
    assert len(bare.vectors.files) == 0
    assert list(files) == WANTED


@FORMATS
@pytest.mark.parametrize("name", ["f0", "f1", "f2"])
def test_a_field_that_each_vector_has(write: Any, name: str) -> None:
    message = f"^index: an index file has no '{name}'"
    with pytest.raises(CorruptFileError, match=message):
        read(write, [name])
    if write is avro:  # in whose schema it must not be null
        return
    [vector, *_] = RECORDS[1]["_DELETIONS_VECTORS_RANGES"]
    record = {**RECORDS[1], "_DELETIONS_VECTORS_RANGES": [{**vector, name: None}]}
    with pytest.raises(CorruptFileError, match=message):
        files_in(write(INDEXES, [record]))


@FORMATS
@pytest.mark.parametrize("name", ["_ROW_RANGE_START", "_ROW_RANGE_END", "_INDEX_FIELD_ID"])
def test_a_field_that_each_global_index_has(write: Any, name: str) -> None:
    with pytest.raises(CorruptFileError, match=f"^index: an index file has no '{name}'"):
        read(write, [name])


@pytest.mark.parametrize(
    "name", ["_PARTITION", "_BUCKET", "_ROW_COUNT", "_DELETIONS_VECTORS_RANGES", "_GLOBAL_INDEX"]
)
def test_values_of_another_type(name: str) -> None:
    """Of a file that another program wrote: an error with its path, and no other exception."""
    table = pa.Table.from_pylist([{**RECORDS[1], name: [{"x": "text"}]}])
    sink = io.BytesIO()
    pq.write_table(table, sink)
    with pytest.raises(CorruptFileError, match=r"^index: "):
        files_in(sink.getvalue())


def test_a_vector_beyond_what_java_reads() -> None:
    """Its positions are INT there."""
    [vector, *_] = RECORDS[1]["_DELETIONS_VECTORS_RANGES"]
    record = {**RECORDS[1], "_DELETIONS_VECTORS_RANGES": [{**vector, "f1": 1 << 31}]}
    sink = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([record]), sink)
    with pytest.raises(CorruptFileError, match=r"^index: .*2147483648"):
        files_in(sink.getvalue())
