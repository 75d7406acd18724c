"""What tests of reading data files share."""

import pytest

from paimon_ksy.table.formats import parquet


@pytest.fixture
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages of these files are worth to be found, and columns to be read by threads."""
    monkeypatch.setattr(parquet, "_WORTH_LOCAL_PAGES", 0)
    monkeypatch.setattr(parquet, "_WORTH_THREADS", 0)
    monkeypatch.setattr(parquet, "_PAGE_ROWS", 64)
