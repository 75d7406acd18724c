"""The report on a range bitmap."""

from paimon_ksy.file_index.range_bitmap.report import RangeBitmapReport


def test_values_are_there_only_if_the_type_is_known() -> None:
    assert not RangeBitmapReport(1, 2, 1).has_values
    assert RangeBitmapReport(1, 0, 0, nulls=0, slices=()).has_values
