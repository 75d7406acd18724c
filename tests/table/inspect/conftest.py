"""A table that tests of reports share."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from tests.support.table_reports import KEYED
from tests.support.tables import catalog_at
from tools.tables import append


@pytest.fixture
def keyed(tmp_path: Path) -> tuple[Any, str]:
    """A primary-key table with two snapshots that keeps a changelog."""
    from pypaimon import Schema

    options = {"bucket": "2", "changelog-producer": "input"}
    catalog = catalog_at(tmp_path)
    schema = Schema.from_pyarrow_schema(KEYED, primary_keys=["k"], options=options)
    catalog.create_table("default.keyed", schema, False)
    table = catalog.get_table("default.keyed")
    append(table, pa.Table.from_pylist([{"k": k, "v": f"v{k}"} for k in range(10)], schema=KEYED))
    append(table, pa.Table.from_pylist([{"k": 3, "v": None}], schema=KEYED))
    return table, str(tmp_path / "default.db" / "keyed")
