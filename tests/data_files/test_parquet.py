"""Parquet files as Arrow reads them: how much of them, and which columns are dictionaries."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paimon_ksy.data_files.parquet import ParquetFile, column_bytes, tail_bytes
from paimon_ksy.io.source import open_source

ROWS = 20_000


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Columns of few texts, of many, of numbers, and a nested one; in two row groups."""
    rows = range(ROWS)
    table = pa.table(
        {
            "few": [f"kind {row % 3}" for row in rows],
            "many": [f"text {row}" for row in rows],
            "n": rows,
            "r": [{"x": row, "y": "z"} for row in rows],
            "a.b": [0] * ROWS,
        }
    )
    path = tmp_path_factory.mktemp("parquet") / "x.parquet"
    pq.write_table(table, path, row_group_size=ROWS // 2)
    return path


@pytest.mark.parametrize("dictionaries", [False, True])
def test_columns_of_few_texts_are_dictionaries_if_that_is_asked_for(
    dictionaries: bool, path: Path
) -> None:
    with ParquetFile(open_source(path), dictionaries=dictionaries) as file:
        assert (file.format, file.num_rows) == ("Parquet", ROWS)
        read = pa.Table.from_batches(file.batches(["n", "few", "many", "r", "a.b"]))
        types = {field.name: pa.types.is_dictionary(field.type) for field in read.schema}
        assert types == {"n": False, "few": dictionaries, "many": False, "r": False, "a.b": False}
        assert read["n"].to_pylist() == [*range(ROWS)]
        assert read["few"].cast(pa.string()).to_pylist() == [f"kind {n % 3}" for n in range(ROWS)]


def test_bytes_are_those_of_the_columns_asked_for(path: Path) -> None:
    group = pq.read_metadata(path).row_group(0)
    size = {
        group.column(at).path_in_schema: group.column(at).total_compressed_size
        for at in range(group.num_columns)
    }
    assert column_bytes(group, ["n"]) == size["n"]
    assert column_bytes(group, ["r"]) == size["r.x"] + size["r.y"]  # nested ones whole
    assert column_bytes(group, ["a.b"]) == size["a.b"]
    assert column_bytes(group, []) == column_bytes(group, ["x"]) == 0
    with open_source(path) as source, ParquetFile(source) as file:
        before = source.bytes_read
        assert sum(batch.num_rows for batch in file.batches(["n", "many"])) == ROWS
        groups = [pq.read_metadata(path).row_group(at) for at in range(2)]
        assert source.bytes_read - before == sum(column_bytes(g, ["n", "many"]) for g in groups)


def test_the_end_of_a_file_is_read_at_once(path: Path) -> None:
    metadata = pq.read_metadata(path)
    assert tail_bytes(metadata, 1 << 30) == max(metadata.serialized_size, 64 << 10)
    assert tail_bytes(metadata, 1000) == 1000  # no more than there is
