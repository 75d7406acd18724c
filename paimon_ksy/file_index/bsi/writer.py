"""Build BSI indexes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from ksykit.runtime.objects import to_bytes
from numpy.typing import NDArray

from paimon_ksy.columns.stored_columns import (
    stored_numbers,
)
from paimon_ksy.errors import SchemaError, UnsupportedError
from paimon_ksy.file_index.bsi.reader import MAX_ROWS
from paimon_ksy.generated.structs.bsi_index import (
    make_bsi_head,
    make_bsi_index,
    make_bsi_part,
    make_bsi_part_head,
    make_bsi_slices,
)
from paimon_ksy.roaring.bits import serialized_rows, serialized_slices
from paimon_ksy.types.data_type import DataType


@dataclass(frozen=True)
class BsiBuilder:
    """Builds BSIs for columns of one type."""

    data_type: DataType

    def build(self, column: pa.Array | pa.ChunkedArray) -> list[bytes]:
        """Build the index of a column.

        Raises:
            SchemaError: The values are not of the type.
            UnsupportedError: The column contains -9223372036854775808, whose absolute value does
                not fit into 63 bits.
        """
        if len(column) > MAX_ROWS:
            raise SchemaError(f"an index has at most {MAX_ROWS} rows, not {len(column)}")
        values, rows = stored_numbers(column, self.data_type)
        if len(values) and int(values.min()) == -(2**63):
            raise UnsupportedError(
                "a bsi index cannot store the number -9223372036854775808: use 'range-bitmap'"
            )
        values = values.astype(np.int64)  # the absolute value of -128 does not fit into int8
        negative = values < 0
        head = make_bsi_head(num_rows=len(column))
        parts = [
            _part(np.where(chosen, np.abs(values), 0), chosen, rows, len(column))
            for chosen in (~negative, negative)
        ]
        return [to_bytes(make_bsi_index(head=head, positive=parts[0], negative=parts[1]))]


def _part(
    numbers: NDArray[Any], chosen: NDArray[np.bool_], rows: NDArray[np.int64] | None, num_rows: int
) -> Any:
    if not chosen.any():
        return make_bsi_part(head=make_bsi_part_head(has_rows=0))
    greatest = int(numbers.max())
    kind = np.dtype(np.uint32 if greatest < 2**32 else np.uint64)
    numbers = numbers.astype(kind)
    if rows is not None:
        numbers, chosen = _spread(numbers, rows, num_rows), _spread(chosen, rows, num_rows)
    bitmaps: Any = serialized_slices(numbers, greatest.bit_length())
    return make_bsi_part(
        head=make_bsi_part_head(has_rows=1, min=0, max=greatest),
        rows=serialized_rows(chosen),
        slices=make_bsi_slices(bitmaps=bitmaps),
    )


def _spread(values: NDArray[Any], rows: NDArray[np.int64], num_rows: int) -> NDArray[Any]:
    """Return the values at their rows, 0 at all others."""
    spread = np.zeros(num_rows, values.dtype)
    spread[rows] = values
    return spread
