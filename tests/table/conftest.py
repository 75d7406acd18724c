"""What tests of reading data files share."""

import pytest

from paimon_ksy.table.formats import parquet


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of these files are found one by one."""
    monkeypatch.setattr(parquet, "_PAGE_ROWS", 64)
