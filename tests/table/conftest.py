"""What tests of tables share; no test changes a table that is made here."""

from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.data_files import parquet
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.store import Table
from tests.support.query_tables import LOCAL, TABLES, Made, made_table
from tools.tables import make_table


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Made]:
    """The tables of `TABLES`."""
    folder = tmp_path_factory.mktemp("tables")
    return {name: made_table(folder, name) for name in TABLES}


@pytest.fixture(scope="session")
def many(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """100,000 rows in 5 files: one value on 2% of the rows of one file, the rest at random."""
    chosen = np.random.default_rng(5)
    commits = []
    for number in range(5):
        status = np.array(["DONE", "SHIPPED", "CANCELLED"])[chosen.integers(0, 3, 20_000)]
        if number == 3:
            status[5_000:5_400] = "PENDING"
        commits.append(
            pa.table(
                {
                    "id": np.arange(20_000) + number * 20_000,
                    "status": status,
                    "amount": chosen.integers(0, 1_000_000, 20_000),
                }
            )
        )
    path = make_table(
        tmp_path_factory.mktemp("many"), "orders", commits, {"metadata.stats-mode": "full"}
    )
    set_ = {"file-index.bitmap.columns": "status", "file-index.range-bitmap.columns": "amount"}
    rewrite_index(path, set={**set_, "file-index.in-manifest-threshold": "1 b"}, engine=LOCAL)
    return Table.at(path)


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of these files are found one by one."""
    monkeypatch.setattr(parquet, "_PAGE_ROWS", 64)
