"""Tables that the tests of advice share; no test changes one."""

from __future__ import annotations

import pytest

from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.index.rewrite import rewrite_index
from tests.support.advice import FILES, LOCAL, orders_table, part
from tools.tables import make_table


@pytest.fixture(scope="session")
def orders(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of orders in 8 files, without indexes or statistics."""
    return orders_table(tmp_path_factory.mktemp("advise"))


@pytest.fixture(scope="session")
def typical(orders: str) -> Advice:
    """The advice on it, nothing being known of what is asked."""
    return advise(orders, sample=FILES, engine=LOCAL)


EXISTING = {
    "file-index.bitmap.columns": "region,status,user_id",
    "file-index.bitmap.region.version": "1",
    "file-index.bsi.columns": "id",
}


@pytest.fixture(scope="session")
def indexed(orders: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same table with indexes, which are not all of use."""
    folder = tmp_path_factory.mktemp("indexed")
    path = make_table(folder, "orders", map(part, range(4)), EXISTING)
    rewrite_index(path, engine=LOCAL)
    return path
