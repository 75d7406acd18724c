"""Where the deletion vectors of very many data files are."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.manifests.index_files import IndexFiles, read_index_files
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.manifests.vectors import (
    VectorPlaces,
    file_keys,
    of_keys,
)
from paimon_ksy.table.model.digests import Digests, digests
from paimon_ksy.table.model.files import IndexFile, VectorPlace
from paimon_ksy.types.schema import Schema
from tests.support.manifests import INDEXES, avro, index_entry, orc, parquet
from tests.support.memory import kept_by

SCHEMA = Schema.parse("day STRING, rate DOUBLE, kind CHAR(2)")
ROWS = [
    write_row(values, [column.type for column in SCHEMA])
    for values in (
        ("mon", 0.0, "a"),
        ("mon", -0.0, "a"),
        ("mon", 0.0, "a "),
        ("mon", math.nan, "a"),
        ("mon", None, "a"),
        (None, None, None),
    )
]
NAMES = ("a.parquet", "b.parquet", "b.parquet\x00", "ä.orc", "")
FILES = st.tuples(st.sampled_from(range(len(ROWS))), st.integers(-2, 2), st.sampled_from(NAMES))
RANGES = st.fixed_dictionaries(
    {
        "f0": st.sampled_from(NAMES),
        "f1": st.integers(0, 2**31 - 1),
        "f2": st.integers(0, 2**31 - 1),
        "_CARDINALITY": st.none() | st.integers(0, 2**62),
    }
)
INDEX_FILES = st.builds(
    lambda row, **fields: index_entry(_PARTITION=ROWS[row], **fields),
    st.sampled_from(range(len(ROWS))),
    _KIND=st.sampled_from((0, 0, 0, 1)),
    _BUCKET=st.integers(-2, 2),
    _INDEX_TYPE=st.sampled_from(("DELETION_VECTORS", "DELETION_VECTORS", "HASH", "btree")),
    _DELETIONS_VECTORS_RANGES=st.none() | st.lists(RANGES, max_size=4),
    _EXTERNAL_PATH=st.none() | st.sampled_from(("oss://a/index", "oss://b/index")),
)


def read(records: list[Any], write: Any = avro) -> list[IndexFiles]:
    return list(read_index_files(write(INDEXES, records), "index", Partitions(SCHEMA)))


def path_of(file: IndexFile) -> str:
    return file.external_path or f"{file.partition_row!r}/{file.bucket}/{file.file_name}"


def keys_of(files: list[tuple[int, int, str]]) -> Digests:
    """The keys of data files as another process finds them, which numbers partitions otherwise."""
    partitions = Partitions(SCHEMA)
    rows = [ROWS[row] for row, _, _ in files]
    numbers = partitions.numbers(pa.array(rows, pa.large_binary()))
    columns = [
        pa.array([bucket for _, bucket, _ in files], pa.int32()),
        pa.array([name for _, _, name in files], pa.large_string()),
    ]
    batch = pa.RecordBatch.from_arrays(columns, ["_BUCKET", "_FILE_NAME"])
    return file_keys(batch, partitions.hashes(numbers))


Listed = list[tuple[tuple[int, int, str], VectorPlace]]


def listed(records: list[Any]) -> Listed:
    """The vectors in records, each with the number of its row, its bucket and its data file."""
    found = []
    for number, record in enumerate(records):
        if record["_KIND"] or record["_INDEX_TYPE"] != "DELETION_VECTORS":
            continue
        path = record["_EXTERNAL_PATH"] or (
            f"{record['_PARTITION']!r}/{record['_BUCKET']}/{record['_FILE_NAME']}"
        )
        for each in record["_DELETIONS_VECTORS_RANGES"] or ():
            key = ROWS.index(record["_PARTITION"]), record["_BUCKET"], each["f0"]
            place = VectorPlace(path, each["f1"], each["f2"], each["_CARDINALITY"])
            found.append((key, place))
        assert record["_FILE_NAME"] == f"index-{number}"
    return found


@given(
    st.lists(INDEX_FILES, max_size=6),
    st.lists(FILES, max_size=8),
    st.sampled_from((avro, orc, parquet)),
    st.integers(0, 6),
)
def test_each_file_has_its_last_vector(
    records: list[Any], others: list[Any], write: Any, split: int
) -> None:
    records = [{**record, "_FILE_NAME": f"index-{number}"} for number, record in enumerate(records)]
    parts = [part for part in (records[:split], records[split:]) if part]
    files = [files for part in parts for files in read(part, write)]
    vectors = listed(records)
    wanted = dict(vectors)
    places = VectorPlaces(files, path_of)
    assert len(places) == len(wanted)
    assert bool(places) == bool(wanted)
    keys = [*wanted, *others]
    numbers = places.find(keys_of(keys))
    deleted = places.deleted_rows(numbers).to_pylist()
    assert deleted == [wanted[key].cardinality if key in wanted else 0 for key in keys]
    for key, number in zip(keys, numbers.tolist(), strict=True):
        assert (None if number < 0 else places.place(number)) == wanted.get(key)
    names = [key for key, _ in vectors]
    doubles = sorted({key for key in names if names.count(key) > 1})
    assert places.doubles.tolist() == sorted(keys_of(doubles).tolist())


@given(st.lists(INDEX_FILES, max_size=6), st.lists(FILES, max_size=4))
def test_some_vectors_are_selected(records: list[Any], wanted: list[Any]) -> None:
    def selected(select: Any) -> list[str]:
        found = []
        for files in read(records):
            mask = select(files)
            found += [files.vectors.names[at].as_py() for at in np.flatnonzero(mask).tolist()]
        return found

    every = [
        ((ROWS.index(record["_PARTITION"]), record["_BUCKET"], each["f0"]))
        for record in records
        if not record["_KIND"]
        for each in record["_DELETIONS_VECTORS_RANGES"] or ()
    ]
    assert selected(of_keys(keys_of(wanted))) == [key[2] for key in every if key in wanted]


def test_no_index_file() -> None:
    places = VectorPlaces((), path_of)
    assert len(places) == 0
    assert places.find(digests(["a"])).tolist() == [-1]
    assert (
        len(file_keys(pa.RecordBatch.from_pylist([], pa.schema([])), np.empty(0, np.uint64))) == 0
    )


def test_a_file_that_no_vector_is_asked_of_may_be_elsewhere() -> None:
    """Paths are derived of the index files that a query needs, each once."""
    records = [
        index_entry(
            f"index-{number}",
            _PARTITION=ROWS[0],
            _INDEX_TYPE="DELETION_VECTORS",
            _DELETIONS_VECTORS_RANGES=[
                {"f0": f"{number}-{at}", "f1": at, "f2": 1, "_CARDINALITY": 1} for at in range(3)
            ],
        )
        for number in range(3)
    ]
    asked: list[str] = []

    def path(file: IndexFile) -> str:
        asked.append(file.file_name)
        return file.file_name

    places = VectorPlaces(read(records), path)
    assert asked == []
    for number in places.find(keys_of([(0, 0, "1-0"), (0, 0, "1-2")])).tolist():
        assert places.place(number).path == "index-1"
    assert asked == ["index-1"]


def test_vectors_take_few_bytes_each() -> None:
    files, number = 50, 100_000
    records = [
        index_entry(
            f"index-{file}",
            _PARTITION=ROWS[0],
            _INDEX_TYPE="DELETION_VECTORS",
            _DELETIONS_VECTORS_RANGES=[
                {"f0": f"data-{file}-{at:040}.parquet", "f1": at, "f2": 22, "_CARDINALITY": 1}
                for at in range(number // files)
            ],
        )
        for file in range(files)
    ]
    data = avro(INDEXES, records)
    del records

    def read() -> VectorPlaces:
        places = VectorPlaces(read_index_files(data, "index", Partitions(SCHEMA)), path_of)
        assert len(places) == number
        return places

    assert kept_by(read) < 45 * number
