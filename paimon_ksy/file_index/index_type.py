"""The interface of an index type: one record, which each type's package fills in.

A record is imported when an index of its type is used. Its functions that need Arrow import their
modules when they are called, because queries of single files need no Arrow.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from paimon_ksy.errors import UnsupportedError, check_options
from paimon_ksy.io.source import Source
from paimon_ksy.java import modified_utf8
from paimon_ksy.types.data_type import DataType, column_type

if TYPE_CHECKING:
    import pyarrow as pa
    from ksykit.runtime.arrays import Buffer

    from paimon_ksy.evaluation.evaluate import LeafOrRange
    from paimon_ksy.evaluation.selection import Selection
    from paimon_ksy.file_index.content import Content
    from paimon_ksy.generated.views.file_index import FileIndexColumn
    from paimon_ksy.io.file_format import FieldBytes, FilePart, Range


_UNSCALED = DataType("BIGINT")
"""The form in which an index stores a DECIMAL."""


class IndexReader(Protocol):
    """A reader of one index of one column, which reads only the bytes that an answer needs.

    A reader may also have `top_n`, `keys_of` and `bounds`; see `IndexType`.
    """

    @property
    def num_rows(self) -> int | None:
        """The number of rows in the data file; None if the index does not store it."""

    def answer(self, leaf: LeafOrRange) -> Selection | None:
        """Return the rows for which the leaf may be true; None if they cannot be determined."""


class Builder(Protocol):
    """A builder of indexes of one type, for columns of one type."""

    def build(self, column: pa.Array | pa.ChunkedArray) -> Sequence[Buffer]:
        """Return the body of the index of a column, in consecutive parts."""
        ...


class IndexPlace(NamedTuple):
    """The place of an index in its file, from the head."""

    is_empty: bool
    ofs_body: int
    len_body: int

    @property
    def end(self) -> int:
        """The byte after the index."""
        return self.ofs_body + self.len_body


def listed_indexes(column: FileIndexColumn) -> Iterator[tuple[bytes, IndexPlace]]:
    """Yield the type and the place of each index that a column in the head lists."""
    for i, index_type in enumerate(column.indexes_index_type):
        place = column.place_indexes_body(i)
        yield index_type, IndexPlace(column.indexes_is_empty(i), *place)


def text(name: bytes) -> str:
    """Return a name in the head of a file index; bytes that are not modified UTF-8 are escaped."""
    try:
        return modified_utf8.decode(name)
    except UnicodeDecodeError:
        return bytes(name).decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class IndexType:
    """An index type. All positions are byte offsets in the file; `length` is the size of the body.

    Attributes:
        name: The name in the head of a file index and in table options.
        is_typed: Whether the bytes can be read only with the column's type.
        takes: Returns whether columns of a type can be indexed.
        options: The options of the index type; `new_builder` refuses others.
        reader: Opens an index: (source, position, column, type of the column, length).
        builder: Makes a builder: (type of the column, options). Only `new_builder` calls it.
        check: Reads a whole index: (reader, position, end). Returns its content row by row, or
            None if the type does not store rows. Raises CorruptFileError.
        fields: Yields the fields of a large index: see `FilePart.fields`.
        inspect: Returns the report on an index: (source, position, length, column, its type or
            None, number of values to list or None for all). The report is an `Answer`.
        spec: The spec of the body. Its parameters are among those of `arguments`.
        num_rows: Reads the number of rows: (source, position). None if it is not stored.
        stored_options: Returns the options that the bytes show: (source, position, length, column).
        versions: The values of the option `version`, if it exists, the default first.
        compare: Compares an index with a column: (reader, name, column, type, format of the file).
            Raises CorruptFileError or ShiftedError. Types whose `check` returns rows need none.
        asked_last: Whether another index of the column excludes all rows that it excludes.
        can_sort: Whether readers have `top_n`.
        has_values: Whether readers have `keys_of`, which returns the values of rows.
        has_bounds: Whether readers have `bounds`, the least and greatest value, and `num_values`.
        preference: The order in which `advise` chooses among types that are worth the same.
        loses_rows: Whether Java's reader loses rows of a column of this type.
        options_for: Returns the options that `advise` recommends for a number of distinct values;
            without it, none. `advise` skips columns for which these options cannot be set.
    """

    name: str
    takes: Callable[[DataType], bool]
    reader: Callable[[Source, int, str, DataType, int], IndexReader]
    builder: Callable[[DataType, Mapping[str, str]], Builder]
    check: Callable[[Any, int, int], Content | None]
    inspect: Callable[[Source, int, int, str, DataType | None, int | None], Any]
    spec: str
    preference: int
    is_typed: bool = True
    options: tuple[str, ...] = ()
    num_rows: Callable[[Source, int], int] | None = None
    stored_options: Callable[[Source, int, int, str], dict[str, str]] = lambda *_: {}
    versions: tuple[str, ...] = ()
    compare: Callable[[Any, str, pa.ChunkedArray, DataType, str], None] | None = None
    asked_last: bool = False
    can_sort: bool = False
    has_values: bool = False
    has_bounds: bool = False
    loses_rows: Callable[[DataType], bool] = lambda _: False
    options_for: Callable[[int], Mapping[str, str]] | None = None
    fields: Callable[[Source, FilePart, Range], Iterator[FieldBytes]] | None = None

    def new_builder(self, data_type: DataType, options: Mapping[str, str]) -> Builder:
        """Return a builder for columns of a type.

        Raises:
            UnsupportedError: Such columns cannot be indexed.
            OptionError: An option is unknown, or has a bad value.
        """
        if not self.takes(data_type):
            raise UnsupportedError(f"a {self.name} index cannot be built on type {data_type}")
        check_options(self.name, options, *self.options)
        return self.builder(data_type, options)

    def arguments(self, data_type: DataType | None, length: int) -> dict[str, int] | None:
        """Return the values of the parameters that specs of bodies may have, by name.

        Args:
            data_type: The type of the column; None if it is unknown.
            length: The size of the body in bytes.

        Returns:
            `column_type`, the stored form of the column's values (0 if unknown), and `len_body`.
            None if bytes of such a column cannot be read.
        """
        if self.is_typed and (data_type is None or not self.takes(data_type)):
            return None
        stored = None if data_type is None else column_type(data_type)
        if stored is None and data_type is not None and data_type.root == "DECIMAL":
            stored = column_type(_UNSCALED)
        return {"column_type": stored or 0, "len_body": length}
