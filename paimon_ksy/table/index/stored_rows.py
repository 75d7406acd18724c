"""Columns of a data file as they are stored, without deletions or casts."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from paimon_ksy.data_files.open import RESTORE, columns_of, open_data_file, read_columns
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import with_raw_decimals
from paimon_ksy.types.decimals import raw_decimals as raw_decimals_of
from paimon_ksy.types.schema import Field, Schema

if TYPE_CHECKING:
    import pyarrow as pa


def read_rows(
    storage: Storage,
    file: DataFile,
    columns: Schema,
    names: Sequence[str],
    most: int | None = None,
    *,
    raw_decimals: bool = False,
) -> tuple[pa.Table, int]:
    """Read columns of a data file as they are stored.

    Args:
        storage: Where the file is.
        file: The data file.
        columns: The columns of the schema that the file was written with.
        names: The columns to read.
        most: Read no more than the first rows, as many as this.
        raw_decimals: Return decimals as the bytes that Parquet has, where it has some. Indexes can
            be built from these, too.

    Returns:
        The rows, and the number of bytes read.

    Raises:
        CorruptFileError: The file is malformed, or the manifest counts other rows.
        PaimonKsyError: The file cannot be read.
    """
    own = [field for field in columns if field.name in names]
    change = partial(_with_raw_decimals, own) if raw_decimals else None
    with storage.open(file.path) as source:
        data_file = open_data_file(source, dictionaries=True, metadata=change)
        part = columns_of(data_file, file.path, names, columns)
        rows = read_columns(data_file, file.path, part, most=most, types=columns)
        wanted = file.num_rows if most is None else min(most, file.num_rows)
        if names and rows.num_rows != wanted:
            raise CorruptFileError(
                f"has {rows.num_rows} rows, but {file.num_rows} according to the manifest",
                remedy=RESTORE,
            )
        return rows, source.bytes_read


def _with_raw_decimals(columns: Sequence[Field], metadata: Any, schema: pa.Schema) -> Any:
    raw = raw_decimals_of(metadata, schema, columns)
    return with_raw_decimals(metadata, raw) if raw else metadata
