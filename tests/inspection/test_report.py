"""What is in a file, as plain values."""

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.inspection.report import ColumnReport, FileIndexReport, IndexReport


def test_errors_are_those_of_all_indexes_in_their_order() -> None:
    errors = [CorruptFileError("first"), CorruptFileError("second")]
    sound = IndexReport("bitmap", False, 10, 5)
    broken = [IndexReport("bsi", False, 20, 5, error=error) for error in errors]
    columns = (
        ColumnReport("a", None, (sound, broken[0])),
        ColumnReport("b", None, ()),
        ColumnReport("c", None, (broken[1],)),
    )
    assert FileIndexReport(1, 10, 0, columns).errors == errors
    assert FileIndexReport(1, 10, 0, columns[1:2]).errors == []
