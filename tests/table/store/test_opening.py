"""Tables of a folder, by any name."""

from pathlib import Path

import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import ordered, rows_of
from tests.support.query_tables import LOCAL, found_rows, made_table


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table of orders, by regions."""
    return made_table(tmp_path_factory.mktemp("tables"), "regions")[0].location


def test_tables_by_their_folder(path: str) -> None:
    table = Table.at(path)
    assert ordered(rows_of(query(path, "status = 'PENDING'"))) == found_rows(
        table, "status = 'PENDING'"
    )
    assert count(path, "status = 'PENDING'") == count(table, "status = 'PENDING'")
    assert count(Path(path), "status = 'PENDING'") == count(table, "status = 'PENDING'")
    assert rewrite_index(Path(path), dry_run=True, engine=LOCAL).files > 0
    assert explain(path, "status = 'PENDING'") == explain(table, "status = 'PENDING'")
    with pytest.raises(PaimonKsyError, match="cannot open a Paimon table there"):
        plan_query(f"{path}/bucket-0", Query())
    with pytest.raises(PaimonKsyError, match=r"URI: http; pypaimon reads tables of local folders"):
        Table.at("http://host.example/t")
