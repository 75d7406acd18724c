"""Entries of manifests as columns, also of older versions of Paimon and in other formats."""

from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.manifests.entries import SCHEMA, read_entries
from tests.support.manifests import CODECS, EMPTY, ENTRIES, avro, entry, orc, parquet, without
from tests.support.older_metadata import SINCE

LATER = [name for name in SINCE if name in str(ENTRIES) and name != "_TOTAL_BUCKETS"]
RECORDS = [
    entry(),
    entry(
        1,
        bucket=3,
        _FILE_NAME="b.orc",
        _EXTRA_FILES=["b.index"],
        _DELETE_ROW_COUNT=4,
        _EMBEDDED_FILE_INDEX=b"index",
        _FILE_SOURCE=1,
        _VALUE_STATS_COLS=["c"],
        _EXTERNAL_PATH="file:/b.orc",
        _FIRST_ROW_ID=9,
        _WRITE_COLS=["c", "d"],
        _WRITE_COLS_SEQUENCES=[3, 4],
    ),
]


def read(data: bytes) -> list[dict[str, Any]]:
    found = [entries for entries, _ in read_entries([(data, "m")])]
    assert all(batch.schema == SCHEMA for batch in found)
    records: list[dict[str, Any]] = pa.Table.from_batches(found, SCHEMA).to_pylist()
    return records


WANTED = read(avro(ENTRIES, RECORDS))


def test_fields() -> None:
    first, second = WANTED
    assert (first["_KIND"], second["_KIND"], second["_BUCKET"]) == (0, 1, 3)
    assert first["_CREATION_TIME"] == 1_700_000_000_123
    assert {name: second[name] for name in LATER if name in second} == {
        name: RECORDS[1]["_FILE"][name] for name in LATER if name in second
    }
    assert all(first[name] is None for name in LATER if name in first)


@pytest.mark.parametrize("lacking", [[], *([name] for name in LATER), LATER], ids=",".join)
@pytest.mark.parametrize("codec", CODECS)
def test_fields_that_older_versions_lack(codec: str, lacking: list[str]) -> None:
    wanted = [{**each, **{name: None for name in lacking if name in each}} for each in WANTED]
    assert read(avro(without(ENTRIES, lacking), RECORDS, codec)) == wanted


@pytest.mark.parametrize("lacking", [[], LATER], ids=len)
@pytest.mark.parametrize("write", [orc, parquet])
def test_other_formats(write: Any, lacking: list[str]) -> None:
    wanted = [{**each, **{name: None for name in lacking if name in each}} for each in WANTED]
    if lacking and write is orc:  # up to 0.5, Paimon wrote statistics of other files into ORC
        none = {"_MIN_VALUES": EMPTY, "_MAX_VALUES": EMPTY, "_VALUE_STATS_COLS": []}
        wanted = [{**each, **none, "_NULL_COUNTS": None} for each in wanted]
    assert read(write(without(ENTRIES, lacking), RECORDS)) == wanted


def test_no_entries() -> None:
    assert read(avro(ENTRIES, [])) == []


@pytest.mark.parametrize(
    "name", ["_KIND", "_PARTITION", "_BUCKET", "_FILE", "_FILE_NAME", "_LEVEL", "_VALUE_STATS"]
)
@pytest.mark.parametrize("write", [avro, orc, parquet])
def test_a_field_that_all_versions_have(write: Any, name: str) -> None:
    with pytest.raises(CorruptFileError, match=rf"^m: its entries have no field ([\w.]+\.)?{name}"):
        read(write(without(ENTRIES, [name]), RECORDS))


@pytest.mark.parametrize("write", [orc, parquet])
def test_null_where_there_must_be_a_value(write: Any) -> None:
    with pytest.raises(CorruptFileError, match=r"^m: an entry has no value of _FILE\._FILE_SIZE"):
        read(write(ENTRIES, [*RECORDS, entry(_FILE_SIZE=None)]))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"_VERSION": 3}, "its entries have version 3, but Paimon reads only version 2"),
        ({"_KIND": 2}, "an entry neither adds nor deletes a file"),
        ({"_KIND": -1}, "an entry neither adds nor deletes a file"),
    ],
)
def test_other_entries(changed: dict[str, int], message: str) -> None:
    with pytest.raises(CorruptFileError, match=f"^m: {message}"):
        read(avro(ENTRIES, [*RECORDS, {**entry(), **changed}]))


@pytest.mark.parametrize("name", ["", ".", "..", "../a", "a/b", "a\0b"])
def test_names_of_files_elsewhere(name: str) -> None:
    with pytest.raises(CorruptFileError, match=r"names the data file .* not a valid file name"):
        read(avro(ENTRIES, [*RECORDS, entry(_FILE_NAME=name)]))
    with pytest.raises(CorruptFileError, match=r"names the file .* not a valid file name"):
        read(avro(ENTRIES, [*RECORDS, entry(_EXTRA_FILES=["a.index", name])]))


def test_fields_of_another_type() -> None:
    fields = [
        {**field, "type": "string"} if field["name"] == "_BUCKET" else field
        for field in ENTRIES["fields"]
    ]
    with pytest.raises(CorruptFileError, match=r"^m: "):
        read(avro({**ENTRIES, "fields": fields}, [{**entry(), "_BUCKET": "one"}]))
