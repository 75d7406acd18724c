"""Tables that the tests of advice share; no test changes one."""

from __future__ import annotations

import pytest

from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.index.rewrite import rewrite_index
from tests.support.advice import LOCAL, copy, orders_table


@pytest.fixture(scope="session")
def orders(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of orders in 3 files, without indexes or statistics."""
    return orders_table(tmp_path_factory.mktemp("advise"))


@pytest.fixture(scope="session")
def typical(orders: str) -> Advice:
    """The advice on it without predicates."""
    return advise(orders, engine=LOCAL)


@pytest.fixture(scope="session")
def indexed(orders: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same table with indexes, some of them useless."""
    path = copy(orders, tmp_path_factory.mktemp("indexed"))
    options = {
        "file-index.bitmap.columns": "region,status,user_id",
        "file-index.bitmap.region.version": "1",
        "file-index.bsi.columns": "id",
    }
    rewrite_index(path, set=options, save_options=True, engine=LOCAL)
    return path
