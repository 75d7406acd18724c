"""Rows read from data files: those of golden tables, selections of them, and what reading takes."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pyarrow.fs
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap

from paimon_ksy.data_files.open import columns_of, open_data_file, read_columns
from paimon_ksy.data_files.orc.timestamps import fit
from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.generated.parsers.parquet_metadata import ParquetMetadata
from paimon_ksy.generated.runtime import to_bytes
from paimon_ksy.generated.writers.parquet_metadata import make_parquet_metadata
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.statistics import Bounds, may_match
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.formats import parquet
from paimon_ksy.table.formats.open_file import ReadStats
from paimon_ksy.table.formats.reader import ReadRequest, stored
from paimon_ksy.table.formats.reader import read as read_request
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.evolve import to_file_schema
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table, with_raw_decimals
from paimon_ksy.table_index.deletion_vector_file import read_vector
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.golden_tables import (
    expected,
    golden_table,
    golden_table_names,
    rows_of,
    same_rows,
)
from tools.tables import append, make_table


def live(table: Table, file: DataFile) -> BitMap:
    rows = BitMap(range(file.num_rows))
    if (place := file.deletion_vector) is not None:
        with table.storage.open(place.path) as source:
            rows -= BitMap(read_vector(source, place.offset, place.length, place.cardinality))
    return rows


def read_rows(*asked: Any, stats: ReadStats | None = None, **more: Any) -> Iterator[pa.RecordBatch]:
    return read_request(ReadRequest(*asked, **more), stats)


def read(
    table: Table, file: DataFile, columns: Any = None, rows: Any = None, **more: Any
) -> pa.Table:
    names = table.schema.columns.names if columns is None else columns
    schema = table.schema_at(file.schema_id)
    found = read_rows(table.storage, file, schema, table.schema, names, rows, **more)
    return pa.Table.from_batches(list(found), schema_of(table.schema, names))


def schema_of(schema: TableSchema, names: Any) -> pa.Schema:
    own = schema.columns.to_arrow()
    return pa.schema([own.field(name) for name in names])


APPEND = [name for name in golden_table_names() if not name.startswith("pk_")]


@pytest.mark.parametrize("name", APPEND)
def test_append_tables_have_the_rows_that_java_reads(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    files = list(table.files(table.snapshot()))
    found = pa.concat_tables([read(table, file, rows=live(table, file)) for file in files])
    assert found.schema == table.schema.columns.to_arrow()
    found.validate(full=True)
    assert same_rows(found, expected(name).rows)


@pytest.mark.parametrize("name", APPEND)
def test_what_predicates_select(name: str, tmp_path: Path) -> None:
    """Statistics and indexes of each file, asked in its schema, and then the rows, as Java's."""
    table = Table.at(golden_table(name, tmp_path))
    files = list(table.files(table.snapshot()))
    everything = {file: read(table, file, rows=live(table, file)) for file in files}
    skipped = 0
    for case in expected(name).cases:
        bound = bind(case.predicate, table.schema.columns)
        found = []
        for file in files:
            rows = everything[file].filter(mask(bound, everything[file]))
            found.append(rows)
            schema = table.schema_at(file.schema_id)
            devolved = to_file_schema(bound, table.schema, schema)
            kept = may_match(devolved, bounds_of(file))
            assert kept or not rows.num_rows
            if file.index is None:
                continue
            index = table.storage.open(file.index) if isinstance(file.index, str) else file.index
            with FileIndex.open(index, schema.columns) as opened:
                selection = opened.evaluate(devolved, num_rows=file.num_rows)
            selected = BitMap(range(file.num_rows)) if selection.rows is None else selection.rows
            if selection.kind == "skip":
                selected = BitMap()
            skipped += not selected or not kept
            again = read(table, file, rows=selected & live(table, file))
            if not selection.exact:
                again = again.filter(mask(bound, again))
            assert repr(rows_of(again)) == repr(rows_of(rows))
        assert same_rows(pa.concat_tables(found), case.rows), case.predicate
    assert skipped


def bounds_of(file: DataFile) -> Callable[[str], Bounds | None]:
    known = file.statistics

    def bounds(name: str) -> Bounds | None:
        if name not in known.columns:
            return None
        at = known.columns.index(name)
        low, high = known.min_values[at], known.max_values[at]
        return Bounds(low, high, known.null_counts[at], file.num_rows)

    return bounds


@pytest.mark.parametrize("name", golden_table_names())
def test_any_rows_of_any_columns(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    columns = table.schema.columns.names
    for file in table.files(table.snapshot()):
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
    (file,) = table.files(table.snapshot())
    found = read(table, file)
    assert found.to_pydict() == written.to_pydict()
    assert read(table, file, rows=BitMap([2])).to_pydict() == written.slice(2).to_pydict()


def test_timestamps_of_orc_that_are_no_nanoseconds(tmp_path: Path) -> None:
    """Of the years 1 to 9999, to the microsecond; Arrow's nanoseconds overflow."""
    first, last = -62_135_596_800_000_000, 253_402_300_799_999_999
    values = [first, last, -1, 0, 2**63 // 1000 + 1]
    values += [random.Random(1).randint(first, last) for _ in range(500)]
    micros = pa.array([None, *values], pa.timestamp("us"))
    millis = pa.array([None, *(value // 1000 for value in values)], pa.int64())
    one = pa.array(range(len(micros) + 1), pa.int32())
    data = pa.table(
        {
            "t6": micros,
            "z6": micros.cast(pa.timestamp("us", "UTC")),
            "t3": millis.cast(pa.timestamp("ms")),
            "s": pa.StructArray.from_arrays([micros], ["x"], mask=micros.is_null()),
            "l": pa.ListArray.from_arrays(one, micros),
            "m": pa.MapArray.from_arrays(one, ["k"] * len(micros), micros),
        }
    )
    path = make_table(tmp_path, "t", [data], {"file.format": "orc"})
    options = {"file-index.bitmap.columns": "t6,m[k]", "file-index.bsi.columns": "z6,t3"}
    rewrite_index(path, set=options, engine=local_engine(1))
    table = Table.at(path)
    (file,) = table.files(table.snapshot())
    found = read(table, file)
    assert found.cast(data.schema) == data
    assert read(table, file, ["m", "t3"], BitMap([0, 2])) == found.select(["m", "t3"]).take([0, 2])
    for column in ("t6", "z6", "t3", "m['k']"):
        asked = count(table, f"{column} >= TIMESTAMP '2500-01-01'", engine=local_engine(1))
        late = sum(value >= 16_725_225_600_000_000 for value in values)
        assert (asked.count, asked.origin) == (late, "index"), column


def test_nanoseconds_of_orc_that_others_wrote() -> None:
    """They are no proof of an overflow, so no value of the column is taken for one."""
    nanos = pa.array([1_816, 1_001, None], pa.timestamp("ns"))
    assert fit(nanos, pa.timestamp("us")).cast(pa.int64()).to_pylist() == [1, 1, None]


# What is read -----------------------------------------------------------------------------------

COLUMNS = Schema.parse(
    "id BIGINT NOT NULL, name STRING, amount DECIMAL(10, 2), at TIMESTAMP(6), clock TIME(3), "
    "tags ARRAY<STRING>, m MAP<STRING, INT>, kind STRING"
)
SCHEMA = TableSchema(0, COLUMNS, {n: i for i, n in enumerate(COLUMNS.names)}, (), (), {})
NUM_ROWS = 20_000


@cache
def data() -> pa.Table:
    ids = range(NUM_ROWS)
    columns = [
        list(ids),
        [None if n % 7 == 0 else f"name-{n * 7919 % 5003}" for n in ids],
        [Decimal(n) / 4 for n in ids],
        [n * 1_000_003 for n in ids],
        [n * 1000 for n in ids],
        [None if n % 11 == 0 else [f"t{n % 3}"] * (n % 4) for n in ids],
        [None if n % 5 == 0 else [("k", n), ("j", None)] for n in ids],
        [None if n % 13 == 0 else f"kind {n * n % 17}" for n in ids],
    ]
    arrays = [
        pa.array(column, f.type) for column, f in zip(columns, COLUMNS.to_arrow(), strict=True)
    ]
    return pa.Table.from_arrays(arrays, schema=COLUMNS.to_arrow())


class LocalFileIO:
    """A file system of local paths, as pypaimon has it."""

    def to_filesystem_path(self, path: str) -> str:
        return path


class ArrowFileIO(LocalFileIO):
    """One that goes through an Arrow file system, as object stores do."""

    filesystem = pa.fs.LocalFileSystem()


STORAGE = Storage(LocalFileIO())


def data_file(path: Path, num_rows: int = NUM_ROWS, **more: Any) -> DataFile:
    given = {"path": str(path), "name": path.name, "format": path.suffix[1:], "num_rows": num_rows}
    empty = dict.fromkeys(field.name for field in fields(DataFile))
    return DataFile(**{**empty, "partition": (), **given, **more})


def written(folder: Path, kind: str) -> DataFile:
    """The data in several row groups, stripes or blocks."""
    path = folder / f"data.{kind.partition('-')[0]}"
    if kind.startswith("parquet"):
        pages = (
            {"data_page_size": 2000, "write_page_index": True, "use_dictionary": ["kind"]}
            if kind.endswith("pages")
            else {}
        )
        groups = NUM_ROWS if kind.endswith("pages") else 3000
        pq.write_table(data(), path, row_group_size=groups, **pages)
    elif kind == "orc":
        clock = COLUMNS.names.index("clock")
        plain = data().set_column(clock, "clock", data()["clock"].cast(pa.int32()))
        orc.write_table(plain, path, stripe_size=256 << 10, batch_size=4000)
    else:
        write_avro(path)
    return data_file(path)


def write_avro(path: Path) -> None:
    def nullable(kind: Any) -> Any:
        return ["null", kind]

    schema = {
        "type": "record",
        "name": "record",
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "name", "type": nullable("string")},
            {
                "name": "amount",
                "type": nullable(
                    {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
                ),
            },
            {"name": "at", "type": nullable({"type": "long", "logicalType": "timestamp-micros"})},
            {"name": "clock", "type": nullable({"type": "int", "logicalType": "time-millis"})},
            {"name": "tags", "type": nullable({"type": "array", "items": nullable("string")})},
            {"name": "m", "type": nullable({"type": "map", "values": nullable("int")})},
            {"name": "kind", "type": nullable("string")},
        ],
    }
    rows = (
        data()
        .set_column(3, "at", data()["at"].cast(pa.int64()))
        .set_column(4, "clock", data()["clock"].cast(pa.int32()))
    )
    records = [
        {**row, "m": None if row["m"] is None else dict(row["m"])} for row in rows.to_pylist()
    ]
    with path.open("wb") as file:
        fastavro.writer(file, schema, records, sync_interval=20_000)


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of these files are worth to be found, and columns to be read by threads."""
    monkeypatch.setattr(parquet, "_WORTH_LOCAL_PAGES", 0)
    monkeypatch.setattr(parquet, "_WORTH_THREADS", 0)
    monkeypatch.setattr(parquet, "_PAGE_ROWS", 64)


KINDS = ("parquet", "parquet-pages", "orc", "avro")
SELECTED = {
    "all": None,
    "none": [],
    "first": [0],
    "last": [NUM_ROWS - 1],
    "near": range(10_000, 10_040),
    "ends": [0, 1, 7, 9_999, 10_000, NUM_ROWS - 1],
    "holes": [*range(4_000, 4_050, 3), 9_000, 9_001, *range(15_000, 15_010)],
    "scattered": range(5, NUM_ROWS, 997),
    "often": range(3, NUM_ROWS, 50),
    "many": [n for n in range(NUM_ROWS) if n % 3],
}


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("rows", SELECTED.values(), ids=SELECTED)
@pytest.mark.parametrize("kind", KINDS)
def test_selections(kind: str, rows: Any, tmp_path: Path) -> None:
    file = written(tmp_path, kind)
    for names in (COLUMNS.names, ("m", "id"), ("tags",), ("kind",), ("kind", "amount"), ()):
        effort = ReadStats()
        wanted = data() if rows is None else data().take(pa.array(list(rows), pa.int64()))
        bitmap = None if rows is None else BitMap(rows)
        found = list(read_rows(STORAGE, file, SCHEMA, SCHEMA, names, bitmap, stats=effort))
        assert sum(batch.num_rows for batch in found) == wanted.num_rows
        if names and found:
            table = pa.Table.from_batches(found)
            assert table.equals(wanted.select(names).cast(table.schema))
            table.validate(full=True)


def test_metadata_of_parquet() -> None:
    """Decimals are bytes in it, and all else is as it was; its frame is that of the spec."""
    cents = pa.array([Decimal("1.23"), None], pa.decimal128(10, 2))
    data, metadata = pa.BufferOutputStream(), pa.BufferOutputStream()
    pq.write_table(pa.table({"a": cents, "b": cents, "c": ["x", "y"]}), data)
    before = pq.read_metadata(pa.BufferReader(data.getvalue()))
    before.write_metadata_file(metadata)
    written = metadata.getvalue().to_pybytes()
    parsed = ParquetMetadata.from_bytes(written)
    assert to_bytes(make_parquet_metadata(footer=parsed.footer)) == written
    after = with_raw_decimals(before, {"b"})
    assert [str(after.schema.column(i).logical_type) for i in range(3)] == [
        "Decimal(precision=10, scale=2)",
        "None",
        "String",
    ]
    assert after.schema.column(1).length == before.schema.column(1).length
    for column in (0, 2):
        assert after.row_group(0).column(column) == before.row_group(0).column(column)
    offset = before.row_group(0).column(1).data_page_offset
    assert after.row_group(0).column(1).data_page_offset == offset


@pytest.mark.parametrize("rows", [[0], [3, 4, 5], [*range(0, 400, 7)], [399], [*range(400)]])
@pytest.mark.parametrize("as_integers", [False, True])
def test_decimals(rows: list[int], as_integers: bool, tmp_path: Path) -> None:
    """Of few rows they are made from the bytes that Parquet has: any precision, negative, null."""
    chosen = random.Random(4)
    kinds = {"a": (1, 0), "b": (5, 5), "c": (10, 2), "d": (18, 3), "e": (19, 0), "f": (38, 10)}

    def number(precision: int, scale: int) -> Decimal | None:
        top = 10**precision - 1
        some = chosen.choice([0, 1, -1, top, -top, chosen.randint(-top, top), None])
        digits = tuple(map(int, str(abs(some or 0))))
        return None if some is None else Decimal((int(some < 0), digits, -scale))

    columns = {
        name: pa.array([number(*kind) for _ in range(400)], pa.decimal128(*kind))
        for name, kind in kinds.items()
    }
    inner = pa.StructArray.from_arrays([columns["c"]], ["d"])  # another column of the name `d`
    table = pa.table({**columns, "inner": inner, "none": pa.nulls(400, pa.decimal128(9, 1))})
    path = tmp_path / "data.parquet"
    pq.write_table(table, path, row_group_size=150, store_decimal_as_integer=as_integers)
    schema = TableSchema(0, Schema.from_arrow(table.schema), {}, (), (), {})
    schema = replace(schema, ids={name: at for at, name in enumerate(table.schema.names)})
    file = data_file(path, num_rows=400)
    found = pa.Table.from_batches(
        read_rows(STORAGE, file, schema, schema, table.schema.names, BitMap(rows))
    )
    found.validate(full=True)
    assert found.equals(table.take(pa.array(rows)))


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("kind", KINDS)
def test_no_more_is_read_than_needed(kind: str, tmp_path: Path) -> None:
    file = written(tmp_path, kind)

    def effort(rows: Any, names: Any = COLUMNS.names) -> ReadStats:
        found = ReadStats()
        for _ in read_rows(STORAGE, file, SCHEMA, SCHEMA, names, rows, stats=found):
            pass
        return found

    size = Path(file.path).stat().st_size
    everything, few = effort(None), effort(BitMap([10_000, 10_001]))
    assert everything.groups_skipped == 0
    # Arrow reads ORC in small pieces here and there, some of them twice.
    assert 0.9 * size < everything.bytes_read < (1.5 if kind == "orc" else 1.1) * size + 64_000
    if kind == "parquet-pages":
        assert few.groups_read == everything.groups_read == 1
        assert few.bytes_read < size / 3
    else:
        assert everything.groups_read > 3
        assert few.groups_read == 1
        assert few.groups_skipped >= 2
        assert few.bytes_read < size * 0.8
    if kind != "avro":
        assert effort(None, ["id"]).bytes_read < size / 2
    assert effort(BitMap()) == ReadStats()


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("version", ["1.0", "2.0"])
@pytest.mark.parametrize("storage", [STORAGE, Storage(ArrowFileIO())], ids=["local", "store"])
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


@pytest.mark.usefixtures("small_pages")
@pytest.mark.parametrize("kind", KINDS)
def test_an_object_store(kind: str, tmp_path: Path) -> None:
    file, storage = written(tmp_path, kind), Storage(ArrowFileIO())
    for rows in (None, BitMap(range(10_000, 10_010)), BitMap(range(0, NUM_ROWS, 1000))):
        effort = ReadStats()
        found = list(read_rows(storage, file, SCHEMA, SCHEMA, ("m", "id"), rows, stats=effort))
        table = pa.Table.from_batches(found)
        wanted = data() if rows is None else data().take(pa.array(list(rows), pa.int64()))
        assert table.equals(wanted.select(["m", "id"]).cast(table.schema))
        assert 0 < effort.bytes_read < Path(file.path).stat().st_size + (64 << 10)


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
    with pytest.raises(CorruptFileError, match=r"has 20,000 of the 20,001 rows"):
        everything(replace(file, num_rows=NUM_ROWS + 1))
    with pytest.raises(PaimonKsyError, match="has 20000 rows, but row"):
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
    assert rows(["id"], drop_deleted=True) == {"id": [1, 2, 4]}
    assert rows(["_VALUE_KIND", "id", "_SEQUENCE_NUMBER"], rows=BitMap([1, 3])) == {
        "_VALUE_KIND": [1, 3],
        "id": [2, 3],
        "_SEQUENCE_NUMBER": [6, 8],
    }
    found = list(read_rows(STORAGE, file, schema, schema, (), drop_deleted=True))
    assert sum(batch.num_rows for batch in found) == 3


def test_avro_of_records_that_may_be_null(tmp_path: Path) -> None:
    """As Java writes it where BLOBs are in files of their own."""
    fields = [{"name": name, "type": ["null", "int"], "default": None} for name in ("a", "b")]
    schema: Any = ["null", {"type": "record", "name": "record", "fields": fields}]
    path = tmp_path / "data.avro"
    with path.open("wb") as file:
        fastavro.writer(file, schema, [{"a": 1, "b": None}, {"a": None, "b": 2}])
    with open_data_file(str(path)) as opened:
        columns = columns_of(opened, str(path), ["b", "a"])
        found = read_columns(opened, str(path), columns)
    assert found.to_pylist() == [{"b": None, "a": 1}, {"b": 2, "a": None}]


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
