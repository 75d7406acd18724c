"""The report on a bitmap index."""

import pytest

from paimon_ksy.file_index.bitmap.report import BitmapReport
from paimon_ksy.file_index.report import ValueCount


@pytest.mark.parametrize(
    ("values", "has"), [(None, False), ((), False), ((ValueCount(1, "1", 2),), True)]
)
def test_values_are_there_only_if_they_were_read(
    values: tuple[ValueCount, ...] | None, has: bool
) -> None:
    assert BitmapReport(2, 2, 1, False, 0, 1, values).has_values == has
