"""Rows read from data files: those of golden tables, selections of them, and what reading takes."""

from dataclasses import replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap

from paimon_ksy import build_file_index
from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.table.formats import ReadRequest, read_table
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from tests.support.data_files import (
    COLUMNS,
    KINDS,
    NUM_ROWS,
    SCHEMA,
    STORAGE,
    data_file,
    live,
    read,
    read_rows,
    written,
)
from tests.support.golden_tables import (
    expected,
    golden_table,
    golden_table_names,
    rows_of,
    same_rows,
)
from tools.tables import make_table

APPEND = [name for name in golden_table_names() if not name.startswith("pk_")]


@pytest.mark.parametrize("name", APPEND)
def test_append_tables_have_the_rows_that_java_reads(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    files = list(table.data_files.of(table.snapshot()))
    found = pa.concat_tables([read(table, file, rows=live(table, file)) for file in files])
    assert found.schema == table.schema.columns.to_arrow()
    found.validate(full=True)
    assert same_rows(found, expected(name).rows)


@pytest.mark.parametrize("name", golden_table_names())
def test_any_rows_of_any_columns(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    columns = table.schema.columns.names
    for file in table.data_files.of(table.snapshot()):
        everything = rows_of(read(table, file))
        assert len(everything) == file.num_rows
        for rows in ([0], [file.num_rows - 1], range(0, file.num_rows, 3), range(2, 5), []):
            rows = [row for row in rows if row < file.num_rows]
            for names in (columns, columns[-1:], columns[::-2], ()):
                at = [columns.index(name) for name in names]
                wanted = [tuple(everything[row][column] for column in at) for row in rows]
                found = read(table, file, names, BitMap(rows))
                assert found.schema.names == list(names)
                assert not names or repr(rows_of(found)) == repr(wanted)
            schema = table.schema_at(file.schema_id)
            batches = read_rows(table.storage, file, schema, table.schema, (), BitMap(rows))
            assert sum(batch.num_rows for batch in batches) == len(rows)


TYPES: dict[str, tuple[pa.DataType, Any]] = {
    "boolean": (pa.bool_(), True),
    "tinyint": (pa.int8(), -128),
    "smallint": (pa.int16(), 32767),
    "int": (pa.int32(), -(2**31)),
    "bigint": (pa.int64(), 2**63 - 1),
    "float": (pa.float32(), 0.5),
    "double": (pa.float64(), -1e300),
    "string": (pa.string(), "é中😀"),
    "bytes": (pa.binary(), b"\xff\0"),
    "decimal": (pa.decimal128(10, 2), Decimal("-12.34")),
    "long_decimal": (pa.decimal128(38, 5), Decimal("123456789012345678901234567890.12345")),
    "date": (pa.date32(), date(1960, 1, 2)),
    "time": (pa.time32("ms"), time(1, 2, 3, 4000)),
    "ts0": (pa.timestamp("s"), datetime(1965, 1, 2, 3, 4, 5)),
    "ts3": (pa.timestamp("ms"), datetime(1965, 1, 2, 3, 4, 5, 678000)),
    "ts6": (pa.timestamp("us"), datetime(1965, 1, 2, 3, 4, 5, 678901)),
    "ltz3": (pa.timestamp("ms", "UTC"), datetime(2024, 1, 2, 3, 4, 5, 678000, UTC)),
    "ltz6": (pa.timestamp("us", "UTC"), datetime(1965, 1, 2, 3, 4, 5, 678901, UTC)),
    "row": (pa.struct([("x", pa.int32()), ("y", pa.timestamp("us"))]), {"x": 1, "y": None}),
    # Not in Avro: pypaimon does not write them.
    "ts9": (pa.timestamp("ns"), datetime(1965, 1, 2, 3, 4, 5, 678901)),
    "array": (pa.list_(pa.string()), ["a", None]),
    "map": (pa.map_(pa.string(), pa.int64()), [("a", 1), ("b", None)]),
    "numbers": (pa.map_(pa.int32(), pa.string()), [(1, "x"), (2, None)]),
    "rows": (pa.list_(pa.struct([("d", pa.decimal128(5, 1))])), [{"d": Decimal("1.5")}, None]),
}


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
def test_types_that_pypaimon_writes(kind: str, tmp_path: Path) -> None:
    names = [name for name in TYPES if kind != "avro" or list(TYPES).index(name) < 19]
    written = pa.table(
        [pa.array([TYPES[name][1], None, TYPES[name][1]], TYPES[name][0]) for name in names], names
    )
    table = Table.at(make_table(tmp_path, "t", [written], {"file.format": kind}))
    (file,) = table.data_files.of(table.snapshot())
    found = read(table, file)
    assert found.to_pydict() == written.to_pydict()
    assert read(table, file, rows=BitMap([2])).to_pydict() == written.slice(2).to_pydict()


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("kind", KINDS)
def test_broken_files(kind: str, tmp_path: Path) -> None:
    file = written(tmp_path, kind)
    path = Path(file.path)
    content = path.read_bytes()

    def everything(file: DataFile, rows: Any = None) -> int:
        found = read_rows(STORAGE, file, SCHEMA, SCHEMA, COLUMNS.names, rows)
        return sum(batch.num_rows for batch in found)

    for damaged in (b"", b"x", content[: len(content) // 2], content[:-3], b"\0" * 5000):
        path.write_bytes(damaged)
        with pytest.raises(CorruptFileError, match=path.name):
            everything(file)
    path.write_bytes(content)
    with pytest.raises(CorruptFileError, match=r"has 20,000 rows, but 20,001 according"):
        everything(replace(file, num_rows=NUM_ROWS + 1))
    with pytest.raises(PaimonKsyError, match="has 20,000 rows, but row"):
        everything(file, BitMap([NUM_ROWS]))
    path.unlink()
    with pytest.raises(PaimonKsyError, match="no such file"):
        everything(file)


def test_columns_that_the_file_lacks(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"a": [1, 2, 3]}), path)
    columns = Schema.parse("a BIGINT, dt STRING, ts TIMESTAMP(3), b INT")
    ids = {n: i for i, n in enumerate(columns.names)}
    schema = TableSchema(0, columns, ids, ("dt", "ts"), (), {})
    file = data_file(path, 3, partition=("2024", 10**15))
    found = pa.Table.from_batches(
        list(read_rows(STORAGE, file, schema, schema, ("ts", "a", "dt"), BitMap([0, 2])))
    )
    assert found.to_pydict() == {
        "ts": [datetime(1970, 1, 12, 13, 46, 40)] * 2,
        "a": [1, 3],
        "dt": ["2024"] * 2,
    }
    with pytest.raises(CorruptFileError, match="lacks the column 'b'"):
        list(read_rows(STORAGE, file, schema, schema, ("b",)))
    part = replace(file, write_columns=("a",))
    with pytest.raises(UnsupportedError, match="in another file of the same rows"):
        list(read_rows(STORAGE, part, schema, schema, ("b",)))
    other = replace(file, format="lance")
    with pytest.raises(UnsupportedError, match="format 'lance'"):
        list(read_rows(STORAGE, other, schema, schema, ("a",)))


def test_files_of_tables_with_a_primary_key(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    kinds = pa.array([0, 1, 2, 3, 0], pa.int8())
    numbers = pa.array([5, 6, 7, 8, 9], pa.int64())
    ids = pa.array([1, 2, 2, 3, 4], pa.int32())
    names = ["_KEY_id", "_SEQUENCE_NUMBER", "_VALUE_KIND", "id"]
    pq.write_table(pa.table([ids, numbers, kinds, ids], names), path)
    schema = TableSchema(0, Schema.parse("id INT NOT NULL"), {"id": 0}, (), ("id",), {})
    file = data_file(path, 5)

    def rows(columns: Any, **more: Any) -> dict[str, list[Any]]:
        found = list(read_rows(STORAGE, file, schema, schema, columns, **more))
        return dict(pa.Table.from_batches(found).to_pydict())

    assert rows(["id"]) == {"id": [1, 2, 2, 3, 4]}
    assert rows(["_VALUE_KIND", "id", "_SEQUENCE_NUMBER"], rows=BitMap([1, 3])) == {
        "_VALUE_KIND": [1, 3],
        "id": [2, 3],
        "_SEQUENCE_NUMBER": [6, 8],
    }


@pytest.mark.parametrize("kind", KINDS)
def test_what_indexes_are_built_from_are_the_values_of_queries(kind: str, tmp_path: Path) -> None:
    file = written(tmp_path, kind)
    names = ("id", "name", "kind", "at", "clock")
    options = {"file-index.bitmap.columns": ",".join(names), "file-index.bsi.columns": "amount"}
    wanted = (*names, "amount", "m")
    found = read_table(ReadRequest.of_indexes(STORAGE, file, SCHEMA, wanted))
    plain = read_table(ReadRequest(STORAGE, file, SCHEMA, SCHEMA, wanted))
    is_dictionary = pa.types.is_dictionary(found.schema.field("kind").type)
    assert is_dictionary == kind.startswith("parquet")
    assert plain.schema.field("kind").type == pa.string()
    due = build_file_index(plain, COLUMNS, options)
    assert build_file_index(found, COLUMNS, options) == due


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_rows(kind: str, tmp_path: Path) -> None:
    file, columns = written(tmp_path, kind), ("id", "kind")
    whole = read_table(ReadRequest(STORAGE, file, SCHEMA, SCHEMA, columns))
    short = replace(file, num_rows=NUM_ROWS + 2)
    for most in (1, 4096, NUM_ROWS - 1, NUM_ROWS, NUM_ROWS + 1):
        request, effort = (
            ReadRequest(STORAGE, file, SCHEMA, SCHEMA, columns, most=most),
            ReadStats(),
        )
        assert read_table(request, effort).equals(whole.slice(0, most))
        if most == 1:
            assert effort.groups_read == 1  # nothing after them is decoded
        if most > NUM_ROWS:
            with pytest.raises(CorruptFileError, match="has 20,000 rows, but 20,002 according to"):
                read_table(replace(request, file=short))
        else:
            assert read_table(replace(request, file=short)).num_rows == most


def test_a_file_without_rows_has_its_columns(tmp_path: Path) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(COLUMNS.to_arrow().empty_table(), path)
    found = read_table(ReadRequest.of_indexes(STORAGE, data_file(path, 0), SCHEMA, ("m", "id")))
    assert found.schema == pa.schema([COLUMNS.to_arrow().field(name) for name in ("m", "id")])
    assert found.num_rows == 0
