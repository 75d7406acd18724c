"""Open data files, with one interface for all formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from paimon_ksy.types.data_type import DataType

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 1 << 17

Types: TypeAlias = Mapping[str, DataType]
"""Paimon types of columns, which ORC does not store in full."""
NO_TYPES: Types = {}


@dataclass(frozen=True)
class DataFile(AbstractContextManager["DataFile"]):
    """An open data file.

    Attributes:
        format: `Parquet`, `ORC` or `Avro`.
        schema: The Arrow schema, of all columns.
        num_rows: The number of rows; None if it is only known after reading the whole file.
        batches: Reads the columns of these names, and no others, in batches, as these types if
            they are known. Columns of nanoseconds may be WIDE.
    """

    format: str
    schema: pa.Schema
    num_rows: int | None
    batches: Callable[..., Iterator[pa.RecordBatch]]
    _closing: ExitStack

    def __exit__(self, *exc: object) -> None:
        self._closing.close()
