"""Single pages of Parquet files, and VARIANT columns, whole and shredded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.formats import stored
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store.parquet import is_plain
from paimon_ksy.types.parse import parse_type
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
from tools.tables import append

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


def test_shredded_variants_are_put_together(tmp_path: Path) -> None:
    """As Java writes them by variant.inferShreddingSchema; the parts of others in any order."""
    from pypaimon import CatalogFactory
    from pypaimon import Schema as PaimonSchema
    from pypaimon.data.generic_variant import GenericVariant
    from pypaimon.schema.data_types import AtomicType, DataField

    parts = [{"id": 1, "name": "a", "type": "BIGINT"}, {"id": 2, "name": "b", "type": "STRING"}]
    shredding = {"id": 0, "name": "v", "type": {"type": "ROW", "fields": parts}}
    options = {"variant.shreddingSchema": json.dumps({"type": "ROW", "fields": [shredding]})}
    fields = [DataField(0, "id", AtomicType("BIGINT")), DataField(1, "v", AtomicType("VARIANT"))]
    values = [{"a": 1, "b": "x", "c": [1, {"d": None}]}, None, {"b": "y"}, [1, 2], "s", {}]
    variants = [None if value is None else GenericVariant.from_python(value) for value in values]
    data = pa.table({"id": range(6), "v": GenericVariant.to_arrow_array(variants)})
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    catalog.create_database("default", True)
    catalog.create_table("default.t", PaimonSchema(fields=fields, options=options), False)
    append(catalog.get_table("default.t"), data)
    [file] = tmp_path.rglob("*.parquet")
    assert "typed_value" in str(pq.read_schema(file))
    found = query(tmp_path / "default.db" / "t", "id <> 4", engine=local_engine(1))
    assert found["id"].to_pylist() == [0, 1, 2, 3, 5]
    read = [v and GenericVariant.from_arrow_struct(v).to_python() for v in found["v"].to_pylist()]
    assert read == values[:4] + values[5:]
    whole = pa.StructArray.from_arrays(
        [found["v"].combine_chunks().field(part) for part in ("metadata", "value")],
        names=["metadata", "value"],
        mask=found["v"].combine_chunks().is_null(),
    )
    assert stored(whole, parse_type("VARIANT")).to_pylist() == found["v"].to_pylist()
