"""Stripes of ORC files, with the values that Java reads: any year, and CHARs without padding."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np
import pyarrow as pa
import pyarrow.orc as orc
import pytest

from paimon_ksy.data_files.open import columns_of, open_data_file, read_columns
from paimon_ksy.data_files.orc.footers import OrcFooters
from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.check import check_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.generated.views.orc_metadata import OrcMetadata
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.read import query
from paimon_ksy.types.schema import Schema
from paimon_ksy.types.timestamps import WIDE
from tools import jvm

MICROS = pa.timestamp("us")
SCHEMA = Schema.parse(
    "a TIMESTAMP(6), z TIMESTAMP(9) WITH LOCAL TIME ZONE, l ARRAY<TIMESTAMP(6)>, "
    "r ROW<y CHAR(2), x TIMESTAMP(3)>, c CHAR(5)"
)
SOME = [253_402_300_799_999_999, -62_135_596_800_000_000, None, 0, -1, 1]  # the years 9999 and 1
SOME += [10**18, -(10**18), -9_223_372_036_854_776, 9_223_372_036_854_775, 9_223_372_036_854_776]


def written(compression: str) -> Source:
    millis = [None if value is None else value // 1000 for value in SOME]
    pairs = [{"y": "q ", "x": value} for value in millis]
    data = pa.table(
        {
            "a": pa.array(SOME, MICROS),
            "z": pa.array(SOME, pa.timestamp("us", "UTC")),
            "l": pa.array([[value, 7] for value in SOME], pa.list_(MICROS)),
            "r": pa.array(pairs, pa.struct([("y", "string"), ("x", pa.timestamp("ms"))])),
            "c": ["c "] * len(SOME),
        }
    )
    out = io.BytesIO()
    orc.write_table(data, out, compression=compression)
    return open_source(out.getvalue())


Test = TypeVar("Test", bound=Callable[..., None])


def of_far_years(test: Test) -> Test:
    """Let a test end where this version of Arrow refuses timestamps of such years in ORC files."""

    @wraps(test)
    def wrapped(*arguments: Any, **options: Any) -> None:
        try:
            test(*arguments, **options)
        except UnsupportedError as error:
            with pytest.raises(pa.ArrowInvalid, match="out of range"):
                orc.ORCFile(pa.BufferReader(far_year())).read()
            assert "this version of pyarrow" in str(error)

    return cast(Test, wrapped)


def far_year() -> bytes:
    """Return an ORC file with a timestamp in the year 9999."""
    out = io.BytesIO()
    times = pa.array([253_402_300_799 * 10**6]).cast(MICROS)
    orc.write_table(pa.table({"a": times}), out)
    return out.getvalue()


@of_far_years
@pytest.mark.parametrize("compression", ["uncompressed", "zlib", "snappy", "lz4", "zstd"])
def test_timestamps_of_any_year(compression: str) -> None:
    """Arrow alone reads the year 9999 as 1816."""
    with open_data_file(written(compression)) as file:
        columns = columns_of(file, "x", SCHEMA.names, SCHEMA)
        found = read_columns(file, "x", columns, types=SCHEMA)
        untyped = read_columns(file, "x", columns_of(file, "x", ["a"]))
    assert found["a"].cast(pa.int64()).to_pylist() == SOME
    nanos = [None if value is None else value * 1000 for value in SOME]
    for column in (found["z"], untyped["a"]):
        assert (column.type, column.to_pylist()) == (WIDE, nanos)
    assert found["l"].cast(pa.list_(pa.int64())).to_pylist() == [[value, 7] for value in SOME]
    assert found["r"].combine_chunks().field(1).cast(pa.int64()).to_pylist() == [
        None if value is None else value // 1000 for value in SOME
    ]
    assert set(found["r"].combine_chunks().field(0).to_pylist()) == {"q"}
    assert set(found["c"].to_pylist()) == {"c"}


@of_far_years
def test_each_stripe_has_its_seconds() -> None:
    rng = np.random.default_rng(1)
    micros = rng.integers(-(2**55), 2**58, 20_000)
    data, out = pa.table({"a": pa.array(micros).cast(MICROS)}), io.BytesIO()
    orc.write_table(data, out, compression="zstd", stripe_size=64 << 10, batch_size=1024)
    assert orc.ORCFile(out).nstripes > 1
    with open_data_file(open_source(out.getvalue())) as file:
        assert pa.Table.from_batches(file.batches(["a"]))["a"].to_pylist() == [
            int(value) * 1000 for value in micros
        ]


AROUND_1970 = [hour * 3600 + half for hour in range(-14, 15) for half in (0, 1800)]
OFFSETS_CHANGE = [-21_506_400, -21_502_800, -5_785_200, -5_781_600, -933_638_400, -778_291_200]
OFFSETS_CHANGE += [-779_803_200, 1_710_039_600, 1_729_990_800]
OLD = [-2_208_988_800, -2_207_000_000, -2_180_000_000, -2_177_452_800, -2_600_000_000]
OLD += [-4_000_000_000, -14_831_769_600, -62_135_596_800, 253_402_300_799]
FRACTIONS = [-1_500_000, -1_000_000, -999_999, -999, -1, 0, 1, 999, 1_000, 500_000, 999_999]


@pytest.mark.java
@pytest.mark.library
@pytest.mark.parametrize(
    "zone", ["UTC", "Asia/Shanghai", "America/New_York", "Europe/Berlin", "Asia/Kolkata"]
)
def test_times_are_those_of_a_java_writer_in_any_zone(zone: str, tmp_path: Path) -> None:
    """Arrow takes the sign and the offset of another moment, and other offsets before 1901."""
    seconds = [*AROUND_1970, *OFFSETS_CHANGE, *OLD]
    times = sorted({second * 10**6 + micros for second in seconds for micros in FRACTIONS})
    columns = [("id", "INT"), ("t", "TIMESTAMP(6)"), ("l", LIST_OF_TIMES)]
    rows = [[at, micros, [micros, None]] for at, micros in enumerate(times)]
    path = str(tmp_path / "t")
    with jvm.session("Tables", zone=zone) as java:
        made = {"columns": [{"name": name, "type": kind} for name, kind in columns]}
        java.ask({"op": "create", "path": path, **made, "keys": [], "options": ORC})
        java.ask({"op": "write", "rows": rows, "compact": False})
        theirs = [row[1] for row in sorted(java.ask({"op": "read", "predicate": None})["rows"])]
    assert len([1 for one, other in zip(times, theirs, strict=True) if one == other]) > 400
    found = query(path, engine=local_engine(1))
    assert found["t"].cast(pa.int64()).to_pylist() == theirs
    nested = found["l"].combine_chunks().flatten().cast(pa.int64()).to_pylist()
    assert nested[::2] == theirs


ORC = {"file.format": "orc", "bucket": "-1"}
LIST_OF_TIMES = '{"type": "ARRAY", "element": "TIMESTAMP(6)"}'


def test_nested_nanoseconds_have_to_fit() -> None:
    with open_data_file(written("zstd")) as file:
        columns = columns_of(file, "x", ["l"])
        message = "x: (column 'l': )?contains timestamps before 1677-09-21 or after 2262-04-11"
        with pytest.raises(UnsupportedError, match=message):
            read_columns(file, "x", columns)


@of_far_years
def test_the_seconds_have_to_be_those_of_the_timestamps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were another version of Arrow to read overflows in another way, they were no timestamps."""
    monkeypatch.setattr(OrcMetadata, "epoch", 0)
    with open_data_file(written("zstd")) as file, pytest.raises(CorruptFileError):
        read_columns(file, "x", columns_of(file, "x", ["a"]))


def test_a_version_of_arrow_that_refuses_overflows(monkeypatch: pytest.MonkeyPatch) -> None:
    read = orc.ORCFile.read_stripe

    def strict(file: orc.ORCFile, n: int, columns: list[str] | None = None) -> pa.RecordBatch:
        if any("timestamp" in str(field.type) for field in file.schema):
            raise pa.ArrowInvalid("ORC timestamp (1s + 0ns) is out of range for nanoseconds")
        return read(file, n, columns)

    monkeypatch.setattr(orc.ORCFile, "read_stripe", strict)
    with open_data_file(written("zstd")) as file, pytest.raises(UnsupportedError) as error:
        read_columns(file, "x", columns_of(file, "x", ["a"]))
    assert "this version of pyarrow" in str(error.value)


def test_footers_that_cannot_be_unpacked_are_refused() -> None:
    with written("zstd") as source:
        footers = OrcFooters(source)
        footers._footer, footers._kind = None, 3
        with pytest.raises(UnsupportedError, match=r"timestamps of ORC files .* lzo"):
            footers.with_longs()


@pytest.mark.parametrize("kind", ["bitmap", "range-bitmap", "bloom-filter"])
def test_an_index_that_java_made_of_padded_values_is_sound(kind: str, tmp_path: Path) -> None:
    """It indexes what it writes, of which ORC keeps no spaces; other values are told."""
    schema = Schema.parse("c CHAR(5)")
    wanted = {f"file-index.{kind}.columns": "c"}
    written = build_file_index(pa.table({"c": ["a ", None, "bc", "a", ""]}), schema, wanted)
    read = pa.table({"c": ["a", None, "bc", "a", ""]})
    with FileIndex.open(written) as opened:
        assert list(check_index(opened, 5, schema, data=lambda: read)) == []
        other = pa.table({"c": ["x", None, "bc", "a", ""]})
        assert len(list(check_index(opened, 5, schema, data=lambda: other))) == 1
