"""Pages of Parquet files: which are read, and which need the dictionary."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap

from paimon_ksy.table.formats.open_file import ReadStats
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.store.parquet_pages import is_plain
from tests.support.data_files import (
    COLUMNS,
    NUM_ROWS,
    SCHEMA,
    STORAGE,
    ArrowFileIO,
    data,
    data_file,
    read_rows,
)

NUMBERS = pa.table({"c": pa.array(range(1000), pa.int64())})


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize(
    "storage", [STORAGE, Storage.of(ArrowFileIO(), "/")], ids=["local", "store"]
)
def test_dictionaries_that_grew_too_long(version: str, storage: Storage, tmp_path: Path) -> None:
    """Pages from before, from after, and of both; those after do not need the dictionary."""
    path = tmp_path / "data.parquet"
    pq.write_table(
        data(),
        path,
        row_group_size=NUM_ROWS,
        data_page_size=2000,
        data_page_version=version,
        dictionary_pagesize_limit=30_000,
        write_page_index=True,
        write_batch_size=64,
    )
    chunk = pq.read_metadata(path).row_group(0).column(0)
    assert {"PLAIN", "RLE_DICTIONARY"} <= set(chunk.encodings)
    len_dictionary = chunk.data_page_offset - chunk.dictionary_page_offset
    read = {}
    for at in (10, 3000, 9000, 19_900):
        effort = ReadStats()
        rows = BitMap(range(at, at + 60))
        found = read_rows(storage, data_file(path), SCHEMA, SCHEMA, ("id",), rows, stats=effort)
        table = pa.Table.from_batches(found)
        assert table.equals(data().slice(at, 60).select(["id"]).cast(table.schema))
        read[at] = effort.bytes_read
    assert read[9000] < read[10] - len_dictionary / 2
    for rows in (BitMap([*range(3000, 3020), *range(9000, 9020)]), BitMap(range(3600, 3900, 7))):
        table = pa.Table.from_batches(
            read_rows(storage, data_file(path), SCHEMA, SCHEMA, COLUMNS.names, rows)
        )
        wanted = data().take(pa.array(rows.to_array(), pa.int64()))
        assert table.equals(wanted.cast(table.schema))


def first_page(**options: Any) -> memoryview:
    """Return a file from its first page of data on."""
    sink = pa.BufferOutputStream()
    pq.write_table(NUMBERS, sink, compression="none", **options)
    data = sink.getvalue()
    chunk = pq.read_metadata(pa.BufferReader(data)).row_group(0).column(0)
    return memoryview(data.to_pybytes())[chunk.data_page_offset :]


@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize(
    ("encoding", "expected"),
    [
        (None, False),
        ("PLAIN", True),
        ("DELTA_BINARY_PACKED", True),
        ("BYTE_STREAM_SPLIT", True),
    ],
)
def test_encodings(version: str, encoding: str | None, expected: bool) -> None:
    options: dict[str, Any] = {"data_page_version": version}
    if encoding is not None:
        options |= {"use_dictionary": False, "column_encoding": {"c": encoding}}
    page = first_page(**options)
    assert is_plain(page) is expected
    assert not any(is_plain(page[:end]) for end in range(12))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "00",
        "58" + "0161" + "00",  # the header of the page is text
        "5c" + "28" + "0161" + "0000",  # its encoding is text
        "5c" + "1500" + "0000",  # it has no encoding
        "59fc" + "ff" * 9 + "01",  # a list of 2^64 - 1 structs
        "5c" + "2500" + "00" + "19f1ffff7f" + "01" * 100_000,  # a longer header than any
    ],
)
def test_other_headers_need_the_dictionary(text: str) -> None:
    assert not is_plain(memoryview(bytes.fromhex(text)))
