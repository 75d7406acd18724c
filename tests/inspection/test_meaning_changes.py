"""What a difference means: runs of rows, and why values are not known."""

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.inspection import meaning_changes
from paimon_ksy.inspection.meaning_changes import IndexChange, OneIndex, Rows, index_change, rows_of
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema


def index(values: list[int | None], kind: str = "bitmap") -> OneIndex:
    data = build_file_index(
        pa.table({"i": pa.array(values, pa.int32())}),
        Schema.parse("i INT"),
        {f"file-index.{kind}.columns": "i"},
    )
    opened = FileIndex.open(data)
    return OneIndex(opened, opened.places["i"][kind])


def change(
    old: OneIndex, new: OneIndex, data_type: str | None = "INT", kind: str = "bitmap", most: int = 9
) -> IndexChange:
    known: DataType | None = None if data_type is None else parse_type(data_type)
    return index_change([old, new], "i", kind, known, most)


def test_rows_are_runs_of_which_the_first_are_listed() -> None:
    assert rows_of(np.empty(0, np.int64), 3) == Rows(0, (), 0)
    assert rows_of(np.array([1, 2, 3, 7, 9, 10]), 9) == Rows(6, ((1, 3), (7, 7), (9, 10)), 3)
    assert rows_of(np.array([1, 2, 3, 7, 9, 10]), 1) == Rows(6, ((1, 3),), 3)
    assert rows_of(np.array([4]), 0) == Rows(1, (), 1)


def test_a_bsi_is_compared_without_a_type() -> None:
    found = change(index([3, None], "bsi"), index([3, 4], "bsi"), None, "bsi")
    assert {(value.text, value.gained, value.lost) for value in found.values} == {
        ("4", 1, 0),
        ("NULL", 0, 1),
    }


def test_why_values_are_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = index([1, 2]), index([1, 3])
    assert "--schema" in (change(old, new, None).note or "")
    assert "support DECIMAL" in (change(old, new, "DECIMAL(9, 2)").note or "")
    blooms = index([1], "bloom-filter"), index([2], "bloom-filter")
    assert "no values" in (change(*blooms, kind="bloom-filter").note or "")
    assert "unknown" in (change(old, new, kind="strange").note or "")
    monkeypatch.setattr(meaning_changes, "MAX_ROWS", 1)
    assert "2 rows, too many" in (change(old, new).note or "")


def test_most_values_are_counted_but_not_listed() -> None:
    found = change(index([1, 2, 3, 4]), index([5, 6, 7, 8]), most=2)
    assert (len(found.values), found.num_values) == (2, 8)


def test_the_same_values_in_another_version() -> None:
    """Bytes differ, and the meaning does not."""
    table, schema = pa.table({"i": pa.array([1, 2], pa.int32())}), Schema.parse("i INT")
    options = {"file-index.bitmap.columns": "i", "file-index.bitmap.i.version": "1"}
    opened = FileIndex.open(build_file_index(table, schema, options))
    found = change(OneIndex(opened, opened.places["i"]["bitmap"]), index([1, 2]))
    assert found.num_values == 0
    assert found.rows == Rows(0, (), 0)
    assert ("version", 1, 2) in [(fact.name, fact.old, fact.new) for fact in found.facts]


def test_a_broken_index_has_an_error_and_no_values() -> None:
    old, new = index([1, 2, 1]), index([1, 2, 2])
    found = change(old, new, "STRING")
    assert len(found.errors) == 2
    assert found.values == ()
