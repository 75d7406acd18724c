"""Unscaled values of decimals, as Parquet and Arrow have them: many at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

_WORD = np.dtype(np.int64)
_HIGHEST_FIRST = _WORD.newbyteorder(">")
_WORD_BITS = 8 * _WORD.itemsize
_ROWS = 1 << 16  # what is made of them stays in the processor's caches


def from_parquet(column: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """The decimals of `arrow_type`, of 128 bits, whose bytes a fixed-size binary column has.

    Parquet has the highest byte first. Arrow takes three times as long to make decimals of them.
    """
    count, width = len(column), column.type.byte_width
    validity, values = column.buffers()
    data = np.frombuffer(values or b"", np.uint8)[column.offset * width :][: count * width]
    made = np.empty((count, 2), _WORD)  # the lower word first
    low, high = made.T
    for start in range(0, count, _ROWS):
        part, here = data[start * width : (start + _ROWS) * width], slice(start, start + _ROWS)
        low[here] = _numbers(part, width, width)
        high[here] = (
            low[here] >> (_WORD_BITS - 1)
            if width <= _WORD.itemsize
            else _numbers(part, width, width - _WORD.itemsize)
        )
    if column.null_count and column.offset:
        validity = pa.array(column.is_valid()).buffers()[1]
    return pa.Array.from_buffers(
        arrow_type, count, [validity, pa.py_buffer(made)], column.null_count
    )


def _numbers(data: NDArray[np.uint8], width: int, end: int) -> NDArray[np.int64]:
    """The numbers that end `end` bytes from the start of each entry of `width` bytes: words, or if
    an entry has fewer bytes up to there, all of these."""
    before = np.concatenate([np.zeros(_WORD.itemsize, np.uint8), data])
    # Words that overlap: of each the bytes of the entry before go out at its upper end.
    words = np.ndarray(len(data) // width, _HIGHEST_FIRST, before, end, (width,))
    numbers = words.astype(_WORD)
    if (above := _WORD_BITS - 8 * end) > 0:
        numbers <<= above
        numbers >>= above
    return numbers


def unscaled(column: pa.Array) -> tuple[NDArray[np.int64], bool]:
    """Unscaled values of decimals of 128 bits without nulls, and whether 64 bits hold them all."""
    words = np.frombuffer(column.buffers()[1] or b"", _WORD).reshape(-1, 2)
    low, high = words[column.offset : column.offset + len(column)].T
    numbers = np.empty(len(column), _WORD)
    fit = True
    for start in range(0, len(column), _ROWS):
        here = slice(start, start + _ROWS)
        numbers[here] = low[here]
        fit = fit and bool((numbers[here] >> (_WORD_BITS - 1) == high[here]).all())
    return numbers, fit


def raw_columns(metadata: Any, schema: pa.Schema) -> set[str]:
    """Columns of a Parquet file that are decimals of 128 bits, and bytes in the file."""
    found = set()
    for column in map(metadata.schema.column, range(metadata.num_columns)):
        at = schema.get_field_index(column.path)
        if (
            at >= 0
            and "." not in column.path  # else it may be that of a nested column
            and column.physical_type == "FIXED_LEN_BYTE_ARRAY"
            and pa.types.is_decimal128(schema.field(at).type)
            and 8 * column.length <= schema.field(at).type.bit_width
        ):
            found.add(column.path)
    return found
