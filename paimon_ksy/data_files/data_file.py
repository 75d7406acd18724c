"""Open data files, with one interface for all formats."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

BATCH_ROWS = 1 << 17


@dataclass(frozen=True)
class DataFile(AbstractContextManager["DataFile"]):
    """An open data file.

    Attributes:
        format: `Parquet`, `ORC` or `Avro`.
        schema: The Arrow schema, of all columns.
        num_rows: The number of rows; None if it is only known after reading the whole file.
        batches: Reads the columns of these names, and no others, in batches.
        whole: Reads the columns of these names as one table.
    """

    format: str
    schema: pa.Schema
    num_rows: int | None
    batches: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]
    whole: Callable[[Sequence[str]], pa.Table]
    _closing: ExitStack

    def __exit__(self, *exc: object) -> None:
        self._closing.close()


def all_at_once(
    schema: pa.Schema, batches: Callable[[Sequence[str]], Iterator[pa.RecordBatch]]
) -> Callable[[Sequence[str]], pa.Table]:
    """Return a function that reads a file as one table, given one that reads it in batches."""
    import pyarrow as pa

    def whole(names: Sequence[str]) -> pa.Table:
        part = pa.schema([schema.field(name) for name in names])
        return pa.Table.from_batches(batches(names), part)

    return whole
