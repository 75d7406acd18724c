"""Look-ups in damaged bitmap indexes: an error, or the right rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.global_index.bitmap import index
from paimon_ksy.global_index.bitmap.index import open_bitmap_index
from paimon_ksy.global_index.bitmap.writer import JAVA, PYPAIMON, PYPAIMON_RUST, BitmapIndexWriter
from paimon_ksy.global_index.index_type import GlobalIndexFile
from paimon_ksy.global_index.metadata import write_metadata
from paimon_ksy.io.source import open_source
from paimon_ksy.predicates.tree import Comparison, In, IsNull
from paimon_ksy.types.data_type import Field
from paimon_ksy.types.parse import parse_type
from tests.support.damage import each_flipped

FIELD = Field("c", parse_type("INT"))
COLUMN = pa.array([None if i % 10 == 9 else i * 7 % 13 for i in range(120)], pa.int32())
LEAVES: list[Any] = [
    *(Comparison(op, "c", value) for op in ("=", "<>", "<", ">=") for value in (0, 5)),
    In("c", (1, 5, 30), False),
    IsNull("c"),
]


def answers(data: bytes, metadata: bytes) -> list[list[int] | None]:
    """The rows of each leaf; None scans the data. Raises CorruptFileError."""
    count = len(COLUMN)
    file = GlobalIndexFile(
        *(lambda: open_source(data), "x", "bitmap", (FIELD,), 0, count - 1, count, metadata)
    )
    reader = open_bitmap_index([file])
    assert reader is not None
    found = map(reader.answer, LEAVES)
    return [None if selection is None else [*selection.rows] for selection in found]


@pytest.mark.parametrize("style", [JAVA, PYPAIMON, PYPAIMON_RUST])
def test_no_flipped_bit_gives_other_rows(style: Any) -> None:
    data, metadata = BitmapIndexWriter(FIELD, style, 40).write(COLUMN)
    meta, refused = write_metadata(metadata), 0
    right = answers(data, meta)
    assert None not in right
    for at, bad in each_flipped(data):
        try:
            found = answers(bad, meta)
        except CorruptFileError:
            refused += 1
        else:  # of an unknown version or compression, it answers nothing
            assert all(got in (None, rows) for got, rows in zip(found, right, strict=True)), at
    assert len(data) - 15 < refused < len(data)


def test_a_large_file_is_checked_where_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A value without rows, or a row with two values that are read, are errors."""
    monkeypatch.setattr(index, "MOST_CHECKED", 0)
    data, metadata = BitmapIndexWriter(FIELD, PYPAIMON).write(COLUMN)
    meta, found = write_metadata(metadata), set[str]()
    for _, bad in each_flipped(data):
        try:
            answers(bad, meta)
        except CorruptFileError as error:
            found.add(error.message)
    assert "a row has two values" in found
