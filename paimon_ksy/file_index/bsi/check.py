"""Check that a BSI is sound: read all of it, and check that each row has at most one number."""

from __future__ import annotations

import numpy as np

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.bsi.reader import BsiReader
from paimon_ksy.file_index.content import Content, numbers_of_slices
from paimon_ksy.roaring.bits import marked_rows


def check(reader: BsiReader, place: int, end: int) -> Content:
    """Read the whole index from byte `place` to `end`, and return its content row by row.

    Raises:
        CorruptFileError: The index is contradictory, or does not end there.
    """
    both = reader.positive.rows & reader.negative.rows
    if both:
        message = f"row {both.min()} is both below zero and not"
        raise CorruptFileError(message, offset=place)
    numbers = np.zeros(reader.num_rows, np.int64)
    for part, sign in ((reader.positive, 1), (reader.negative, -1)):
        if not part.head.has_rows:
            continue
        starts = [start for start, _ in part.slice_extents]
        values = numbers_of_slices(part.slice_rows(), part.rows, reader.num_rows, starts)
        if len(values) and int(values.max()) > part.head.max - part.head.min:
            raise CorruptFileError("a number above the greatest", offset=place)
        values = values.astype(np.int64)
        if part.head.min:  # from another writer, because Java starts at 0
            values += marked_rows(part.rows, reader.num_rows) * np.int64(part.head.min)
        numbers += sign * values
    if reader.negative.end != end:
        raise CorruptFileError(f"it ends at byte {reader.negative.end}, not {end}", offset=place)
    return Content(None, numbers, ~marked_rows(reader.not_null(), reader.num_rows))
