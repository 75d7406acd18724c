"""What type checkers know of Arrow's results. What a class here lacks is Any.

With stubs of pyarrow, results are also of its classes.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import pyarrow

def __getattr__(name: str) -> Any: ...
def table(data: Any, schema: Any = ...) -> Table: ...

class _Rows:
    num_rows: int
    num_columns: int
    nbytes: int
    column_names: list[str]
    schema: Any

    def __len__(self) -> int: ...
    def select(self, columns: Sequence[str] | Sequence[int]) -> Self: ...
    def filter(self, mask: Any, null_selection_behavior: str = ...) -> Self: ...
    def take(self, indices: Any) -> Self: ...
    def slice(self, offset: int = ..., length: int | None = ...) -> Self: ...
    def to_pydict(self) -> dict[str, list[Any]]: ...
    def to_pylist(self) -> list[dict[str, Any]]: ...

class RecordBatch(_Rows, pyarrow.RecordBatch):  # type: ignore[misc]
    """A batch of rows."""

    @classmethod
    def from_arrays(cls, arrays: Any, names: Any = ..., schema: Any = ...) -> Self: ...

class Table(_Rows, pyarrow.Table):  # type: ignore[misc]
    """A table of rows."""

    @classmethod
    def from_batches(cls, batches: Iterable[Any], schema: Any = ...) -> Self: ...
    def to_batches(self, max_chunksize: int | None = ...) -> list[RecordBatch]: ...
