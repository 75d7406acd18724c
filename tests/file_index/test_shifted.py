"""Timestamps that Java's ORC writer changed are a note, and no damage."""

import pytest

from paimon_ksy.data_files.orc.shifted import ShiftedError, ticks_per_second
from paimon_ksy.messages.findings import NOTE
from paimon_ksy.types.parse import parse_type


def test_its_finding_is_a_note_on_the_column() -> None:
    found = ShiftedError("at").finding("x.index", "embedded index: ")
    assert (found.severity, found.file, found.column, found.byte) == (NOTE, "x.index", "at", None)
    assert found.message.startswith("embedded index: Java's ORC writer shifted")
    assert "nothing needs repair" in found.remedy


@pytest.mark.parametrize(("precision", "ticks"), [(0, 1000), (3, 1000), (4, 10**6), (6, 10**6)])
def test_timestamps_are_stored_in_one_of_two_units(precision: int, ticks: int) -> None:
    assert ticks_per_second(parse_type(f"TIMESTAMP({precision})")) == ticks
