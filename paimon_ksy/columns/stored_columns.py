"""Convert Arrow columns to the values that an index stores: numbers, or distinct strings.

No step runs Python code for each row.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as at
from numpy.typing import NDArray

from paimon_ksy.errors import SchemaError, UnsupportedError, first_line
from paimon_ksy.java.hash_codes import Indices
from paimon_ksy.types.arrays import bytes_of, to_numpy
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.timestamps import WIDE, in_type


def stored_numbers(
    column: pa.Array | pa.ChunkedArray, data_type: DataType
) -> tuple[NDArray[Any], Indices | None]:
    """Return the numbers that an index stores for a column of any type but strings.

    Returns:
        The stored values of the rows that are not null, and these rows; None for the rows if no row
        is null. A DECIMAL is its unscaled value; for other types see `Postings.keys`.

    Raises:
        SchemaError: The column does not contain values of that type.
        UnsupportedError: The unscaled value of a DECIMAL takes more than 64 bits.
    """
    column = _stored(_checked(column, data_type), data_type)
    values, rows = not_null(column)
    if data_type.is_timestamp and at.is_timestamp(column.type):
        values = values // 1000  # rounds down, like Timestamp.toMicros
    return values, rows


def stored_codes(
    column: pa.Array | pa.ChunkedArray, data_type: DataType
) -> tuple[NDArray[np.int32], pa.Array]:
    """Encode a column of strings as indexes into an array of its distinct values.

    Returns:
        The index of each row's value, and the values as large_binary. For null, the index is the
        number of values.

    Raises:
        SchemaError: The column does not contain values of that type.
    """
    codes, texts = distinct_texts(column, data_type)
    codes = codes.cast(pa.int32())
    if codes.null_count:
        codes = pc.fill_null(codes, len(texts))
    return to_numpy(codes), texts


def distinct_texts(
    column: pa.Array | pa.ChunkedArray, data_type: DataType
) -> tuple[pa.ChunkedArray, pa.Array]:
    """Encode strings as indexes into an array of distinct large_binary values without null.

    Raises:
        SchemaError: The column does not contain values of that type.
    """
    column = _checked(column, data_type)
    if at.is_dictionary(column.type):
        column = column.unify_dictionaries()
        texts = column.chunk(0).dictionary if column.num_chunks else None
        if texts is None or texts.null_count or len(texts.unique()) < len(texts):
            column = column.cast(column.type.value_type)
    if not at.is_dictionary(column.type):
        column = column.dictionary_encode()
    if not column.num_chunks:
        return pa.chunked_array([], pa.int32()), pa.nulls(0, pa.large_binary())
    texts = column.chunk(0).dictionary.cast(pa.large_binary())
    return pa.chunked_array([chunk.indices for chunk in column.chunks]), texts


def stored_texts(
    column: pa.Array | pa.ChunkedArray, data_type: DataType
) -> Iterator[tuple[NDArray[np.uint8], Indices]]:
    """Yield the parts of a column of strings or bytes without nulls, in the form of `bytes_of`.

    A value of a dictionary may come only once for many rows. Raises SchemaError.
    """
    for chunk in _checked(column, data_type).chunks:
        if at.is_dictionary(chunk.type):
            chunk = chunk.dictionary.take(chunk.indices.unique())
        elif at.is_string_view(chunk.type) or at.is_binary_view(chunk.type):
            chunk = chunk.cast(pa.binary())
        texts = chunk.cast(pa.large_binary())
        if len(texts) > texts.null_count:
            yield bytes_of(texts.drop_null())


def _is_bytes(arrow_type: pa.DataType) -> bool:
    return any(
        test(arrow_type)
        for test in (
            at.is_string,
            at.is_large_string,
            at.is_string_view,
            at.is_binary,
            at.is_large_binary,
            at.is_binary_view,
        )
    )


_ACCEPTED = {
    "BOOLEAN": at.is_boolean,
    "TINYINT": at.is_integer,
    "SMALLINT": at.is_integer,
    "INT": at.is_integer,
    "BIGINT": at.is_integer,
    "FLOAT": lambda t: at.is_float16(t) or at.is_float32(t),
    "DOUBLE": at.is_floating,
    "CHAR": _is_bytes,
    "VARCHAR": _is_bytes,
    "BINARY": lambda t: _is_bytes(t) or at.is_fixed_size_binary(t),
    "VARBINARY": lambda t: _is_bytes(t) or at.is_fixed_size_binary(t),
    "DATE": at.is_date,
    "TIME": at.is_time,
    "DECIMAL": at.is_decimal,
    "TIMESTAMP": lambda t: at.is_timestamp(t) and t.tz in (None, "UTC", "+00:00", "Etc/UTC"),
    "TIMESTAMP_LTZ": at.is_timestamp,
}
_STORED = {
    "BOOLEAN": pa.uint8(),
    "TINYINT": pa.int8(),
    "SMALLINT": pa.int16(),
    "INT": pa.int32(),
    "BIGINT": pa.int64(),
    "FLOAT": pa.float32(),
    "DOUBLE": pa.float64(),
}


def _checked(column: pa.Array | pa.ChunkedArray, data_type: DataType) -> pa.ChunkedArray:
    """Unwrap a column, and check that its Arrow type can represent values of `data_type`."""
    if isinstance(column, pa.Array):
        column = pa.chunked_array([column])
    if isinstance(column.type, pa.BaseExtensionType):
        chunks = [chunk.storage for chunk in column.chunks]
        column = pa.chunked_array(chunks, column.type.storage_type)
    if at.is_run_end_encoded(column.type):
        column = pc.run_end_decode(column)
    if data_type.is_timestamp and column.type == WIDE:
        micros = [in_type(chunk, pa.timestamp("us")) for chunk in column.chunks]
        column = pa.chunked_array(micros, pa.timestamp("us"))
    inner = column.type
    if at.is_dictionary(inner):
        inner = inner.value_type
        if not (data_type.is_string or data_type.is_binary):
            column = column.cast(inner)
    if at.is_null(inner):
        is_bytes = data_type.is_string or data_type.is_binary
        return column.cast(pa.string() if is_bytes else pa.int8())
    if not _ACCEPTED[data_type.root](inner):
        raise SchemaError(f"an Arrow column of type {inner} cannot be {data_type}: cast it")
    return column


def _stored(column: pa.ChunkedArray, data_type: DataType) -> pa.ChunkedArray:
    """Return the column as the numbers that an index stores.

    The results are still in nanoseconds if the index truncates them to microseconds.
    """
    root = data_type.root
    try:
        if root in _STORED or column.null_count == len(column):
            return column.cast(
                _STORED.get(root, pa.int64() if data_type.is_timestamp else pa.int32())
            )
        if root == "DATE":
            return column.cast(pa.date32()).cast(pa.int32())
        if root == "TIME":
            return column.cast(pa.time32("ms")).cast(pa.int32())
        if root == "DECIMAL":
            return _unscaled(column.cast(to_arrow(data_type)))
        if data_type.is_cut and column.type.unit == "ns":
            return column
        unit = "ms" if data_type.stored_nanos == 10**6 else "us"
        return column.cast(pa.timestamp(unit, column.type.tz)).cast(pa.int64())
    except pa.ArrowInvalid as error:
        reason = first_line(error)
        raise SchemaError(f"the column's values do not fit {data_type}: {reason}") from None


def _unscaled(column: pa.ChunkedArray) -> pa.ChunkedArray:
    whole = pa.decimal128(38)
    parts = [pa.Array.from_buffers(whole, len(c), c.buffers(), -1, c.offset) for c in column.chunks]
    try:
        return pa.chunked_array(parts, whole).cast(pa.int64())
    except pa.ArrowInvalid:
        raise UnsupportedError(
            "it cannot be built: an index of a DECIMAL stores unscaled values of up to 64 bits, "
            "but one is larger"
        ) from None


def not_null(column: pa.ChunkedArray) -> tuple[NDArray[Any], Indices | None]:
    """Return the values that are not null, and their rows, or None if these are all rows."""
    rows = None
    if column.null_count:
        rows = np.flatnonzero(to_numpy(column.is_valid()))
        column = column.drop_null()
    if at.is_timestamp(column.type):
        column = column.cast(pa.int64())
    return to_numpy(column), rows
