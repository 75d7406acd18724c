"""Unscaled values of decimals, as Parquet and Arrow have them: many at a time."""

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
_ROWS = 1 << 17  # what is made of them stays in the processor's caches


def from_parquet(column: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """Return the decimals of `arrow_type`, of 128 bits, whose bytes a fixed-size binary column has.

    Parquet has the highest byte first. Arrow takes three times as long to make decimals of them.
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
    """Return the unscaled values of decimals without nulls, and whether 64 bits hold them all.

    Args:
        column: Decimals of 128 bits, or what `from_parquet` takes.
    """
    numbers = np.empty(len(column), _WORD)
    fit = True
    for _, low, high in _words(column, numbers):
        fit = fit and (high is None or bool((low >> _SIGN == high).all()))
    return numbers, fit


def _words(
    column: pa.Array, lower: _Words | None = None
) -> Iterator[tuple[int, _Words, _Words | None]]:
    """Yield parts of a column: the first row of each, lower words, and upper ones if any.

    The lower words are put into `lower` if it is given.
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
    """Fill in the numbers that end `end` bytes from the start of each entry of `width` bytes.

    They are words, or if an entry has fewer bytes up to there, all of these.
    """
    size = _WORD.itemsize
    # Words that overlap: of each the bytes of the entry before go out at its upper end. Before the
    # first ones there are none.
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
    """Return those wanted columns of a Parquet file that `from_parquet` takes.

    They are decimals that the file has as bytes, of the type that they are to have.
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
