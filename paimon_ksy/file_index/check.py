"""Check that a file index is sound: read all of it, and compare it with the data if possible.

Without the data, a check finds malformed bitmaps, rows that are not in the file, and rows that do
not have exactly one value or null. With the data, it finds every wrong row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from paimon_ksy.data_files.orc.shifted import ShiftedError, is_shifted, may_be_stored_as_others
from paimon_ksy.errors import CorruptFileError, PaimonKsyError, counted
from paimon_ksy.file_index.builder import build_file_index, values_of_key
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.content import Content, Rows
from paimon_ksy.file_index.index_type import IndexPlace, IndexType, listed_indexes
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec, spec_named
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema

NO_OPTIONS = FileIndexOptions()


def check_index(
    opened: FileIndex,
    num_rows: int,
    schema: Schema,
    options: FileIndexOptions = NO_OPTIONS,
    data: Callable[[], pa.Table] | None = None,
    *,
    deep: bool = True,
    file_format: str = "",
) -> Iterator[PaimonKsyError]:
    """Yield one error for each corrupt index in a file index.

    The whole index is read. If it is wrong, it is rebuilt from the data to find the first wrong
    byte. A bloom filter must not exclude any value of the data.

    Args:
        opened: The index.
        num_rows: The rows of the data file.
        schema: The schema that the data file was written with.
        options: The table's options, with which an index is rebuilt.
        data: Returns the indexed columns, for a comparison row by row. It may raise.
        deep: Whether to compare sound indexes, too; without it, the data only locates damage.
        file_format: The format of the data file. A sound index of an ORC file may have other
            timestamps than the file, which yields a ShiftedError.
    """
    known = {(spec.name, spec.index_type): spec for spec in options.indexes}
    yield from _check_end(opened)
    for name, kind, entry in entries_of(opened):
        spec = known.get((name, kind)) or spec_named(kind, name)
        check = partial(index_error, opened, spec, entry, num_rows, schema)
        compares = data is not None and kind in INDEX_TYPES and name in schema
        error = None if compares and deep else check()
        if data is not None and compares and (deep or error is not None):
            error = check(data(), file_format)
        if error is not None:
            yield error


def index_error(
    opened: FileIndex,
    spec: IndexSpec,
    entry: IndexPlace,
    num_rows: int,
    schema: Schema,
    rows: pa.Table | None = None,
    file_format: str = "",
) -> PaimonKsyError | None:
    """Return the error of one index, like `check_index`; None if it is sound.

    `entry` is the index's entry in the head. `rows` contains its column, for a comparison.
    """
    index = _Index(opened, spec, entry, num_rows, schema)
    try:
        with CorruptErrors(opened.source, spec.name):
            content = index.check()
            if rows is not None:
                _compare(index, content, index.column(rows), file_format)
    except CorruptFileError as error:
        return _placed(error, index, None if rows is None else _built(index, rows))
    except PaimonKsyError as error:
        return error
    return None


@dataclass(frozen=True)
class _Index:
    """An index, with the facts that it must agree with: its file's rows, and the schema."""

    opened: FileIndex
    spec: IndexSpec
    entry: IndexPlace
    num_rows: int
    schema: Schema

    @property
    def kind(self) -> IndexType:
        """The record of the index type."""
        return INDEX_TYPES[self.spec.index_type]

    @property
    def data_type(self) -> DataType:
        """The type of its column."""
        return self.schema[self.spec.name]

    @property
    def start(self) -> int:
        """The byte at which the body starts."""
        return self.entry.ofs_body

    @property
    def end(self) -> int:
        """The byte after the body."""
        return self.entry.end

    @cached_property
    def body(self) -> bytes | None:
        """The bytes of the body; b"" if the index is EMPTY, None if it exceeds the file."""
        if self.entry.is_empty:
            return b""
        with suppress(PaimonKsyError):
            check_extent(self.opened, self.entry)
            return bytes(self.opened.source.read(self.entry.ofs_body, self.entry.len_body))
        return None

    def reader(self) -> Any:
        """Return a new reader for the index."""
        source, length = self.opened.source, self.entry.len_body
        return self.kind.reader(source, self.start, self.spec.name, self.data_type, length)

    def check(self) -> Content | None:
        """Read the whole index, and return its content row by row.

        Returns None for types that do not store rows, unknown types and EMPTY indexes. Raises
        CorruptFileError.
        """
        if self.entry.is_empty and self.spec.key is None and self.num_rows:
            raise CorruptFileError(
                f"it is EMPTY, so readers skip the file, which has {counted(self.num_rows, 'row')}",
                offset=0,
            )
        check_extent(self.opened, self.entry)
        is_known = self.spec.index_type in INDEX_TYPES and self.spec.name in self.schema
        if not is_known or self.entry.is_empty:
            return None
        reader = self.reader()
        if reader.num_rows not in (None, self.num_rows):
            raise CorruptFileError(
                f"it counts {counted(reader.num_rows, 'row')}, but the data file has "
                f"{self.num_rows}: it is the index of another file",
                offset=self.start,
            )
        return self.kind.check(reader, self.start, self.end)

    def column(self, rows: pa.Table) -> pa.ChunkedArray:
        """Return the indexed column; for a key of a map, the values at this key."""
        column = rows.column(self.spec.column)
        return column if self.spec.key is None else values_of_key(column, self.spec.key)

    def options(self) -> dict[str, str]:
        """Return the options that follow from its bytes. Raises CorruptFileError."""
        place = self.entry.ofs_body, self.entry.len_body
        return self.kind.stored_options(self.opened.source, *place, self.spec.name)


def _check_end(opened: FileIndex) -> Iterator[PaimonKsyError]:
    """Check that no bytes follow the last index in the head."""
    size, head = opened.source.size, opened.head  # the head may name an index twice
    listed = (place for column in head.head.columns for _, place in listed_indexes(column))
    end = max((place.end for place in listed if not place.is_empty), default=head.len_head)
    if head.len_head <= end < size:
        yield CorruptFileError(
            f"{counted(size - end, 'byte', 'follow')} the last index", offset=end
        )


def _placed(error: CorruptFileError, index: _Index, built: bytes | None) -> CorruptFileError:
    """Return the error with the byte where the index is wrong.

    That is the first byte that differs from the index `built` from the data, if known. Otherwise,
    it is where reading stopped, or the start of the index if that is outside the index.
    """
    if error.offset is None or not index.start <= error.offset < index.end:
        error.offset = min(max(index.start, 0), index.opened.source.size)
    there = index.body
    if built is not None and there is not None and len(built) == len(there):
        pairs = enumerate(zip(there, built, strict=True))
        error.offset = index.start + next((at for at, (one, other) in pairs if one != other), 0)
    return error


def _built(index: _Index, rows: pa.Table) -> bytes | None:
    """Build the index again from the data, in its own version.

    None if that is not known: the sizes of bloom filters do not follow from the data.
    """
    if index.kind.compare is not None:
        return None
    versions: list[dict[str, str]] = [{}]
    if index.kind.versions and not index.entry.is_empty:
        versions = [{"version": version} for version in index.kind.versions]
        with suppress(PaimonKsyError), CorruptErrors(index.opened.source):
            versions.sort(key=index.options().__ne__)
    size = 0 if index.entry.is_empty else index.entry.len_body
    bodies = []
    for version in versions:
        with suppress(PaimonKsyError):
            bodies.append(_rebuilt(index, rows, version).body)
    return next((body for body in bodies if body is not None and len(body) == size), None)


def _rebuilt(index: _Index, rows: pa.Table, options: dict[str, str]) -> _Index:
    """Return the index as it is built of the data, with these options beside its own."""
    spec = replace(index.spec, options={**index.spec.options, **options})
    opened = FileIndex.open(build_file_index(rows, index.schema, FileIndexOptions((spec,))))
    [(_, _, entry)] = entries_of(opened)
    return replace(index, opened=opened, entry=entry)


def entries_of(opened: FileIndex) -> Iterator[tuple[str, str, IndexPlace]]:
    """Yield of each index the column's name, the type, and the entry in the head."""
    for name, entries in opened.places.items():
        for kind, entry in entries.items():
            yield name, kind, entry


def check_extent(opened: FileIndex, entry: IndexPlace) -> None:
    """Raise CorruptFileError if the index does not lie in the file."""
    if entry.is_empty:
        return
    size = opened.source.size
    if entry.ofs_body < 0 or entry.len_body < 0 or entry.end > size:
        raise CorruptFileError(
            f"the index takes bytes {entry.ofs_body} to {entry.end}, but the file has {size}",
            offset=min(max(entry.ofs_body, 0), size),
        )


# With the data ----------------------------------------------------------------------------------


def _compare(
    index: _Index, content: Content | None, column: pa.ChunkedArray, file_format: str
) -> None:
    """Raise the difference between a sound index, with this content, and its column, if any."""
    kind, spec, data_type = index.kind, index.spec, index.data_type
    if index.entry.is_empty:
        if len(column):
            raise CorruptFileError("it is EMPTY, but the data contains values")
        return
    if kind.compare is not None:
        kind.compare(index.reader(), spec.name, column, data_type, file_format)
        return
    assert content is not None
    if len(column) != len(content.places):
        raise CorruptFileError(
            f"it counts {counted(len(content.places), 'row')}, but the data has {len(column)}"
        )
    data = Content.of_column(column, data_type)
    apart = content.differs(data)
    if data_type.root == "CHAR":
        # Java indexes the original strings, but ORC does not store trailing spaces.
        apart = apart[[_unpadded(content, row) != _unpadded(data, row) for row in apart.tolist()]]
    if len(apart) and is_shifted(data_type, file_format):
        apart = apart[~_may_be_shifted(content, data, apart, data_type)]
        if not len(apart):
            raise ShiftedError(spec.name)
    if len(apart):
        row = int(apart[0])
        raise CorruptFileError(
            f"{len(apart)} of {len(column)} rows differ from the data; the first is row {row}, "
            f"with {_shown(content, row)} instead of {_shown(data, row)}"
        )


def _may_be_shifted(
    index: Content, data: Content, rows: Rows, data_type: DataType
) -> NDArray[np.bool_]:
    """Return, for rows that differ, whether Java may have stored another timestamp."""
    stored = np.array([data.value(row) or 0 for row in rows.tolist()], np.int64)
    seconds = stored // (10**9 // data_type.stored_nanos)
    return ~(index.nulls[rows] | data.nulls[rows]) & may_be_stored_as_others(seconds, data_type)


def _unpadded(content: Content, row: int) -> bytes | None:
    value = content.value(row)
    return value.rstrip(b" ") if isinstance(value, bytes) else None


def _shown(content: Content, row: int) -> str:
    value = content.value(row)
    if value is None:
        return "null"
    return repr(value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else value)
