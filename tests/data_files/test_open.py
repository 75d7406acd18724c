"""Data files, read in batches."""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest

from paimon_ksy.data_files.open import open_data_file
from paimon_ksy.data_files.orc.footers import OrcFooters
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.io.source import open_source


def test_build_reads_only_the_columns_it_needs(tmp_path: Path) -> None:
    from paimon_ksy.data_files.open import columns_of, open_data_file, read_columns

    path = tmp_path / "data.parquet"
    big = pa.array([os.urandom(1000) for _ in range(2000)])
    pq.write_table(pa.table({"small": pa.array(range(2000)), "big": big}), path)
    told: list[int] = []
    with open_data_file(str(path)) as file:
        assert file.num_rows == 2000
        found = read_columns(file, str(path), columns_of(file, str(path), ["small"]), told.append)
    assert found.column_names == ["small"]
    assert sum(told) == 2000


def test_an_empty_file_is_none() -> None:
    with open_source(b"") as source, pytest.raises(CorruptFileError, match="empty"):
        OrcFooters(source)
    with pytest.raises(CorruptFileError), open_data_file(open_source(b"ORC")):
        pass
