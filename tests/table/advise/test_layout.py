"""Pages and row groups of a file that indexes let readers skip."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paimon_ksy.table.advise.advise import advise
from tests.support.advice import FILES, LOCAL, ROWS, column, data_files, part
from tools.tables import make_table


@pytest.mark.parametrize("has_pages", [True, False])
def test_one_row_group(has_pages: bool, tmp_path: Path) -> None:
    """Without a page index, readers cannot skip pages, so no index saves bytes."""
    path = make_table(tmp_path, "t", [pa.concat_tables(map(part, range(FILES)))])
    [file] = data_files(path)
    data = pq.read_table(file.path)
    pq.write_table(data, file.path, write_page_index=has_pages, compression="zstd")
    advice = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    skipped = advice.predicates[0].indexes["bitmap:status"]
    assert skipped.files == 0
    assert skipped.rows == pytest.approx(1 - 100 / (FILES * ROWS))
    assert (skipped.bytes > 0.3) is has_pages
    assert (column(advice, "status").verdict == "add") is has_pages
