"""Unscaled values of whole columns of decimals, in the layouts of Parquet and Arrow."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.schema import Field

_Words: TypeAlias = NDArray[np.int64]

_WORD = np.dtype(np.int64)
_HIGHEST_FIRST = _WORD.newbyteorder(">")
_WORD_BITS = 8 * _WORD.itemsize
_SIGN = _WORD_BITS - 1
_ROWS = 1 << 17  # so that the results stay in the processor's caches


def from_parquet(column: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """Return the 128-bit decimals whose bytes a fixed-size binary column contains.

    Parquet stores the highest byte first. Arrow takes three times as long for this conversion.
    """
    count = len(column)
    made = np.empty((count, 2), _WORD)  # the lower word first
    for start, low, high in _words(column):
        here = made[start : start + len(low)]
        here[:, 0], here[:, 1] = low, low >> _SIGN if high is None else high
    validity = column.buffers()[0]
    if column.null_count and column.offset:
        validity = pa.array(column.is_valid()).buffers()[1]
    return pa.Array.from_buffers(
        arrow_type, count, [validity, pa.py_buffer(made)], column.null_count
    )


def unscaled(column: pa.Array) -> tuple[_Words, bool]:
    """Return the unscaled values of decimals without nulls, and whether all fit into 64 bits.

    Args:
        column: Decimals of 128 bits, or a binary column for `from_parquet`.
    """
    numbers = np.empty(len(column), _WORD)
    fit = True
    for _, low, high in _words(column, numbers):
        fit = fit and (high is None or bool((low >> _SIGN == high).all()))
    return numbers, fit


def _words(
    column: pa.Array, lower: _Words | None = None
) -> Iterator[tuple[int, _Words, _Words | None]]:
    """Yield parts of a column: the first row of each, its lower words, and upper words if any.

    If `lower` is given, the lower words are stored in it.
    """
    first, width, count = column.offset, column.type.byte_width, len(column)
    data = np.frombuffer(column.buffers()[1] or b"", np.uint8)[first * width :]
    for start in range(0, count, _ROWS):
        stop = min(start + _ROWS, count)
        part = data[start * width : stop * width]
        low = np.empty(stop - start, _WORD) if lower is None else lower[start:stop]
        high = None
        if pa.types.is_decimal(column.type):
            low[:], high = part.view(_WORD).reshape(-1, 2).T
        else:
            _put_numbers(low, part, width, width)
            if width > _WORD.itemsize:
                high = np.empty(len(low), _WORD)
                _put_numbers(high, part, width, width - _WORD.itemsize)
        yield start, low, high


def _put_numbers(numbers: _Words, data: NDArray[np.uint8], width: int, end: int) -> None:
    """Fill `numbers` from entries of `width` bytes: each number ends at byte `end` of its entry.

    A number has the size of a word, or fewer bytes if it would begin before its entry.
    """
    size = _WORD.itemsize
    # The words overlap: a shift removes the bytes of the previous entry at the upper end. The first
    # words have no bytes before them.
    few = min(-(-max(size - end, 0) // width), len(numbers))
    before = np.concatenate([np.zeros(size, np.uint8), data[: few * width]])
    for part, source, at in (
        (numbers[:few], before, end),
        (numbers[few:], data, few * width + end - size),
    ):
        if len(part):
            part[:] = np.ndarray(len(part), _HIGHEST_FIRST, source, at, (width,))
    if (above := _WORD_BITS - 8 * end) > 0:
        numbers <<= above
        numbers >>= above


def raw_decimals(metadata: Any, schema: pa.Schema, wanted: Iterable[Field]) -> set[str]:
    """Return the wanted columns of a Parquet file that `from_parquet` can read.

    These are decimals that the file stores as bytes and with the wanted type.
    """
    columns = {c.path: c for c in map(metadata.schema.column, range(metadata.num_columns))}
    found = set()
    for field in wanted:
        if field.type.root == "DECIMAL" and field.name in columns:
            column, arrow_type = columns[field.name], to_arrow(field.type)
            is_bytes = column.physical_type == "FIXED_LEN_BYTE_ARRAY"
            fits = is_bytes and 8 * column.length <= arrow_type.bit_width
            if fits and schema.field(field.name).type == arrow_type:
                found.add(field.name)
    return found
