"""What a global index was built from: read, written, and compared with the live files."""

from __future__ import annotations

import pytest
from ksykit.runtime.errors import FormatError

from paimon_ksy.global_index.source_metadata import (
    LiveFile,
    SourceFile,
    SourceMetadata,
    read_source_metadata,
    source_problems,
    write_source_metadata,
)
from tests.support.damage import each_flipped

FILES = SourceMetadata(None, 5, (SourceFile("data-ä\0.orc", 10), SourceFile("b.orc", 3)))


def test_both_forms_come_back() -> None:
    data = write_source_metadata(FILES)
    assert data[:12] == bytes([0, 0, 0, 1, 0, 0, 0, 5, 0, 0, 0, 2])
    assert read_source_metadata(data) == FILES
    assert (FILES.starts, FILES.num_rows) == ([0, 10], 13)
    snapshot = write_source_metadata(SourceMetadata(7))
    assert snapshot == b"DEIX\0\0\0\1" + (7).to_bytes(8, "big")
    assert read_source_metadata(snapshot) == SourceMetadata(7)


def test_changed_bytes_give_other_metadata_or_an_error() -> None:
    for at, bad in each_flipped(write_source_metadata(FILES)):
        try:
            assert read_source_metadata(bad) != FILES, at
        except FormatError:
            continue


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data[:-1], "8 bytes are needed"),
        (lambda data: data + b"x", "bytes follow the metadata"),
        (lambda data: b"\0\0\0\2" + data[4:], "the field kind cannot be 2"),
        (lambda data: data[:7] + b"\0" + data[8:], "the field level cannot be 0"),
        (lambda data: data[:8] + b"\x7f\xff\xff\xff" + data[12:], "bytes are needed"),
        (lambda data: data[:14] + b"\xff" + data[15:], "a name is not modified UTF-8"),
        (lambda data: b"", "4 bytes are needed"),
    ],
)
def test_malformed_metadata_is_refused(change: object, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        read_source_metadata(change(write_source_metadata(FILES)))  # type: ignore[operator]


def test_indexes_that_do_not_fit_the_live_files_are_named() -> None:
    live = {"data-ä\0.orc": LiveFile(5, 10), "b.orc": LiveFile(5, 3)}
    assert not [*source_problems(FILES, 0, 12, live)]
    assert [*source_problems(FILES, 0, 13, live)] == [
        "it covers positions 0 to 13, but its data files have 13 rows"
    ]
    live["b.orc"] = LiveFile(5, 4)
    assert [*source_problems(FILES, 0, 12, live)] == ["data file b.orc has 4 rows, not 3"]
    live["b.orc"] = LiveFile(4, 3)
    assert [*source_problems(FILES, 0, 12, live)] == ["data file b.orc is at level 4, not 5"]
    del live["b.orc"]
    assert [*source_problems(FILES, 0, 12, live)] == ["data file b.orc is not live any more"]
    assert not [*source_problems(SourceMetadata(7), 0, 3, {})]
