"""Row groups and pages of a file that a predicate leaves."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from paimon_ksy.table.advise.advise import advise
from tests.support.advice import LOCAL, ROWS, column, part
from tools.tables import make_table


def test_one_file(tmp_path: Path) -> None:
    path = make_table(tmp_path, "t", [pa.concat_tables(part(at) for at in range(4))])
    advice = advise(path, engine=LOCAL)
    assert (len(advice.sample), advice.files) == (1, 1)
    assert not column(advice, "id").is_estimate
    assert column(advice, "id").distinct == 4 * ROWS
    # In the only row group pages are left out still.
    [rare] = [asked for asked in advice.predicates if asked.sql == "status = 'PENDING'"]
    assert rare.indexes["bitmap:status"].files == 0
    assert rare.indexes["bitmap:status"].page_bytes > 0.3
    assert rare.indexes["bitmap:status"].rows == pytest.approx(1 - 100 / (4 * ROWS))
