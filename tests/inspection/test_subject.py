"""The file that `verify` checks, and the columns of the data file beside it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

from paimon_ksy.data_files.open import open_data_file
from paimon_ksy.errors import CorruptFileError, SchemaError
from paimon_ksy.inspection.verify_index import Data, Subject
from paimon_ksy.io.source import open_source
from paimon_ksy.types.schema import Schema

ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int32()),
        "status": ["PAID", None, "NEW"],
        "at": pa.array([0, 1000, None], pa.int32()),
    }
)


@contextmanager
def data_of(path: Path) -> Iterator[Data]:
    """Open a data file of `ROWS`."""
    with open_data_file(str(path)) as file:
        yield Data(str(path), file, ROWS.num_rows)


@pytest.fixture(params=["parquet", "orc"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A data file of `ROWS`, in each format."""
    file = tmp_path / f"data.{request.param}"
    (pq.write_table if request.param == "parquet" else orc.write_table)(ROWS, file)
    return file


def test_a_subject_has_the_path_of_its_source(tmp_path: Path) -> None:
    file = tmp_path / "x.index"
    file.write_bytes(b"x")
    with open_source(str(file)) as source:
        assert Subject(source).path == str(file)


def test_columns_come_in_the_order_asked_for(path: Path) -> None:
    with data_of(path) as data:
        assert data.read(["status", "id"], None).equals(ROWS.select(["status", "id"]))
        assert data.read(["id"], None).equals(ROWS.select(["id"]))


def test_types_of_the_schema_win_over_stored_ones(path: Path) -> None:
    """A time of day may be stored as an integer of milliseconds."""
    with data_of(path) as data:
        [at] = data.read(["at"], Schema.parse("at TIME(3)")).columns
        assert at.type == pa.time32("ms")
        assert at.cast(pa.int32()).to_pylist() == ROWS["at"].to_pylist()
        assert data.read(["at"], Schema.parse("id INT")).schema == ROWS.select(["at"]).schema


def test_chars_of_orc_come_without_padding(tmp_path: Path) -> None:
    """Java's index has them without, so they would differ from it."""
    file = tmp_path / "data.orc"
    orc.write_table(ROWS.set_column(1, "status", [["PAID ", None, "NEW  "]]), file)
    with data_of(file) as data:
        for kind, values in (
            ("CHAR(5)", ["PAID", None, "NEW"]),
            ("STRING", ["PAID ", None, "NEW  "]),
        ):
            found = data.read(["status"], Schema.parse(f"status {kind}"))
            assert found["status"].to_pylist() == values


def test_a_column_that_the_file_lacks(path: Path) -> None:
    with data_of(path) as data, pytest.raises(SchemaError) as raised:
        data.read(["id", "statsu"], None)
    assert f"{path} has no column 'statsu' (did you mean 'status'?)" in str(raised.value)


def test_damaged_values_name_the_file(path: Path) -> None:
    """The footer is sound, so the file opens, but its values cannot be read."""
    whole = path.read_bytes()
    start, end = 4, {".parquet": 64, ".orc": len(whole) // 3}[path.suffix]
    path.write_bytes(whole[:start] + b"\xff" * (end - start) + whole[end:])
    with data_of(path) as data, pytest.raises(CorruptFileError) as raised:
        data.read(["id"], None)
    assert raised.value.path == str(path)
    assert raised.value.remedy is not None
