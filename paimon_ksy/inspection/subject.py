"""The file that `verify` checks, and its data file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from paimon_ksy.data_files.data_file import DataFile
from paimon_ksy.data_files.open import columns_of, read_columns
from paimon_ksy.file_index.check import NO_OPTIONS
from paimon_ksy.file_index.options import FileIndexOptions
from paimon_ksy.io.source import Source
from paimon_ksy.types.schema import Schema

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Limits:
    """Limits of the work: the total bytes of all indexes, and the total of their rows."""

    bytes: int
    rows: int


@dataclass(frozen=True)
class Subject:
    """The file, and the facts that the caller knows about it."""

    source: Source
    schema: Schema | None = None
    num_rows: int | None = None
    offset: int | None = None
    length: int | None = None
    cardinality: int | None = None
    options: FileIndexOptions = NO_OPTIONS
    limits: Limits | None = None

    @property
    def path(self) -> str:
        """The file's path, for messages."""
        return self.source.name


@dataclass(frozen=True)
class Data:
    """An open data file."""

    path: str
    file: DataFile
    num_rows: int

    def read(self, names: Sequence[str], types: Schema | None) -> pa.Table:
        """Return these columns. Raises SchemaError if one does not exist."""
        part = columns_of(self.file, self.path, names, types)
        return read_columns(self.file, self.path, part, types=types)
