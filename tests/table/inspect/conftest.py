"""A table that tests of reports share."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.table_reports import KEYED, catalog_at, write


@pytest.fixture
def keyed(tmp_path: Path) -> tuple[Any, str]:
    """A primary-key table with two snapshots that keeps a changelog."""
    from pypaimon import Schema

    options = {"bucket": "2", "changelog-producer": "input"}
    catalog = catalog_at(tmp_path)
    schema = Schema.from_pyarrow_schema(KEYED, primary_keys=["k"], options=options)
    catalog.create_table("default.keyed", schema, False)
    table = catalog.get_table("default.keyed")
    write(table, [{"k": k, "v": f"v{k}"} for k in range(10)], KEYED)
    write(table, [{"k": 3, "v": None}], KEYED)
    return table, str(tmp_path / "default.db" / "keyed")
