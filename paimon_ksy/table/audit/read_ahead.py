"""Columns of small Parquet files, which Arrow's own threads read while files before are looked at.

They need Python's lock just to hand over what they read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pyarrow as pa

from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.schema import Schema

_FILES = 2  # that are read at once


class ReadAhead:
    """Columns of files of one schema, which are asked for in the order in which they are expected.

    Those of the first one are read elsewhere, and tell which. What is not as expected is not given:
    who reads such a file tells why. It is for one thread.
    """

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._schema: pa.Schema | None = None
        self._found: Iterator[Any] = iter(())
        self._next: Any = None

    def expect(self, paths: Iterable[str]) -> None:
        """That these files, on this machine, are asked for next, and no others."""
        self._places = {path: place for place, path in enumerate(paths)}
        self._schema, self._found, self._next = None, iter(()), None

    def start(self, after: str, read: pa.Schema, columns: Schema) -> None:
        """Start with the file that follows one of which this schema was read."""
        import pyarrow.dataset as ds
        from pyarrow.fs import LocalFileSystem

        if self._schema is not None or after not in self._places:
            return
        self._schema = pa.schema([])
        paths = list(self._places)[self._places[after] + 1 :]
        if not paths or not read.names or any(map(pa.types.is_nested, read.types)):
            return
        for field in read:
            raw = pa.types.is_fixed_size_binary(field.type)  # as decimals may come
            kind = to_arrow(columns[field.name]) if raw else field.type
            self._schema = self._schema.append(pa.field(field.name, kind))
        texts = {field.name for field in read if pa.types.is_dictionary(field.type)}
        options = ds.ParquetReadOptions(dictionary_columns=texts)
        files = ds.FileSystemDataset.from_paths(
            paths,
            schema=self._schema,
            format=ds.ParquetFileFormat(read_options=options),
            filesystem=LocalFileSystem(),
        )
        # Reading starts here, and is waited for when the first of it is asked for.
        self._found = files.scanner(read.names, fragment_readahead=_FILES).scan_batches()

    def table(self, path: str, num_rows: int, names: Sequence[str]) -> pa.Table | None:
        """These columns of a file that has so many rows; None if that was not read."""
        place, schema = self._places.get(path, -1), self._schema
        if schema is None or not set(names) <= set(schema.names):
            return None
        batches, own = [], None
        if self._next is None:
            self._advance()
        while self._next is not None and self._place() <= place:
            if self._place() == place:
                batches.append(self._next.record_batch)
                own = self._next.fragment.physical_schema
            self._advance()
        if own is None or sum(batch.num_rows for batch in batches) != num_rows:
            return None
        if any(own.field(name).type != schema.field(name).type for name in names):
            return None
        return pa.Table.from_batches(batches).select(list(names))

    def _place(self) -> int:
        return self._places.get(self._next.fragment.path, len(self._places))

    def _advance(self) -> None:
        try:
            self._next = next(self._found, None)
        except Exception:  # Arrow's, of all kinds: over a file of which no more is read
            self._found, self._next = iter(()), None
