"""Check that a BSI is sound: read all of it, and check that each row has at most one number."""

from __future__ import annotations

import numpy as np

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.bsi.reader import BsiReader
from paimon_ksy.file_index.content import Content, marked_rows, numbers_of_slices


def check(reader: BsiReader, place: int, end: int) -> Content:
    """Read the whole index from byte `place` to `end`, and return its content row by row.

    Raises:
        CorruptFileError: The index is contradictory, or does not end there.
    """
    numbers = np.zeros(reader.num_rows, np.int64)
    nulls = np.ones(reader.num_rows, np.bool_)
    for part, sign in ((reader.positive, 1), (reader.negative, -1)):
        if not part.head.has_rows:
            continue
        held = marked_rows(part.rows, reader.num_rows)
        starts = [start for start, _ in part.slice_extents]
        found = numbers_of_slices(part.slice_words(), held, starts)
        if len(found) and int(found.max()) > part.head.max - part.head.min:
            raise CorruptFileError("a number above the greatest", offset=place)
        both = held & ~nulls
        if both.any():
            message = f"row {np.flatnonzero(both)[0]} is both below zero and not"
            raise CorruptFileError(message, offset=place)
        nulls &= ~held
        np.copyto(numbers, found, where=held, casting="unsafe")
        if part.head.min:  # from another writer, because Java starts at 0
            np.add(numbers, int(part.head.min), out=numbers, where=held)
        if sign < 0:
            np.negative(numbers, out=numbers, where=held)
    if reader.negative.end != end:
        raise CorruptFileError(f"it ends at byte {reader.negative.end}, not {end}", offset=place)
    return Content(None, numbers, nulls)
