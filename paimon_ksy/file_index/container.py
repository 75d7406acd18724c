"""A file index: the indexes of one data file, opened by its head and asked with predicates."""

from __future__ import annotations

import gc
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property
from traceback import walk_tb
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from kaitaistruct import (
    EndOfStreamError,
    KaitaiStructError,
    ValidationFailedError,
    ValidationNotAnyOfError,
    ValidationNotEqualError,
)

from paimon_ksy.errors import CorruptFileError, PaimonKsyError, PredicateError, SchemaError
from paimon_ksy.evaluation.evaluate import ALL, Question, evaluate
from paimon_ksy.evaluation.key_ranges import holds_values, value_of
from paimon_ksy.evaluation.selection import Selection, narrow
from paimon_ksy.evaluation.top_n import TopN, first_rows, live_rows
from paimon_ksy.file_index.bitmap import reader as bitmap
from paimon_ksy.file_index.bloom_filter import reader as bloom_filter
from paimon_ksy.file_index.bsi import reader as bsi
from paimon_ksy.file_index.range_bitmap import reader as range_bitmap
from paimon_ksy.generated.errors import UNUSUAL
from paimon_ksy.generated.flat import file_index as flat
from paimon_ksy.generated.parsers.file_index import FileIndex as Container
from paimon_ksy.generated.runtime import to_bytes
from paimon_ksy.generated.serializers.file_index import make_file_index, make_file_index_head
from paimon_ksy.io.file_kind import INDEX, other_kind
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.java import modified_utf8 as java_utf8
from paimon_ksy.messages.commands import REBUILD
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.tree import IsNotNull, IsNull, Predicate, Unsure
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Schema, checked_schema

if TYPE_CHECKING:
    from pyroaring import BitMap

    from paimon_ksy.table_index.deletion_vector import DeletionVector


class IndexIgnoredWarning(UserWarning):
    """An index that this library cannot read was left out; answers are right, but less narrow."""


class IndexReader(Protocol):
    """Reads one index of one column, and no more of it than an answer needs."""

    @property
    def num_rows(self) -> int | None:
        """Rows of the data file, if the index knows."""

    def answer(self, leaf: Question) -> Selection | None:
        """The rows for which the leaf may be true; None if this index cannot tell."""


READERS: dict[str, Callable[..., IndexReader]] = {
    "bitmap": bitmap.BitmapReader,
    "bsi": bsi.BsiReader,
    "range-bitmap": range_bitmap.RangeBitmapReader,
    "bloom-filter": bloom_filter.BloomFilterReader,
}
"""By index type: what makes the reader, from source, start of the body, column and its type."""

_SIZED = {"bloom-filter"}  # do not know their own end: their readers take the `length` too
_ASKED_LAST = {"bloom-filter"}  # tell nothing that another index of the column does not tell

NUM_ROWS: dict[str, Callable[[Source, int], int]] = {
    "bitmap": bitmap.num_rows,
    "bsi": bsi.num_rows,
    "range-bitmap": range_bitmap.num_rows,
}
"""By index type, if it knows: the rows of the data file, from source and start of the body."""

# A file index of no column.
_NO_INDEX = bytes(to_bytes(make_file_index(head=make_file_index_head(columns=[], redundant=b""))))

# What malformed bytes raise below: Kaitai's runtime, the codecs' FormatError (a ValueError), numpy.
_MALFORMED = (KaitaiStructError, EOFError, ValueError, IndexError, OverflowError)


class FileIndex:
    """The indexes of one data file. Use it as a context manager, or close it.

    Opening reads the head. Predicates need `schema`, because the file does not store the types of
    its columns. Use an index from one thread at a time.
    """

    def __init__(self, source: Source, schema: Schema | None = None) -> None:
        self.source = source
        self.schema = schema
        self._readers: dict[tuple[str, str], IndexReader | None] = {}
        self._counted: int | None = None  # rows, by the first index that was asked
        self._given: int | None = None  # rows, by who asks
        self._places: dict[str, dict[str, Place]]
        data, start = source.window(0, 1)
        try:
            self._places = _places(flat.FileIndex(data, start, 0).head)
        except (*UNUSUAL, UnicodeDecodeError):
            self._places = {
                name: {kind: Place(e.is_empty, e.ofs_body, e.len_body) for kind, e in found.items()}
                for name, found in self.indexes.items()
            }

    @cached_property
    def head(self) -> Container:
        """The head as a Kaitai object. Raises CorruptFileError."""
        collecting = gc.isenabled()
        gc.disable()  # it would walk the objects of a long head again and again
        try:
            with CorruptErrors(self.source):
                self.source.stream.seek(0)
                return Container(self.source.stream)
        finally:
            if collecting:
                gc.enable()

    @classmethod
    def open(cls, source: Any, schema: Schema | None = None) -> FileIndex:
        """Open a path, a URL, bytes, a seekable binary file, or (pyarrow file system, path).

        Raises:
            CorruptFileError: The file is not a file index.
            PaimonKsyError: The file cannot be opened.
        """
        opened = open_source(source)
        try:
            return cls(opened, schema)
        except BaseException:
            opened.close()
            raise

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the indexed columns in the order of the file; a key of a map is `m[key]`."""
        return tuple(self._places)

    @property
    def places(self) -> Mapping[str, Mapping[str, Place]]:
        """Return the same as `indexes`, with positions instead of readers; cheaper to compute."""
        return self._places

    @cached_property
    def indexes(self) -> Mapping[str, Mapping[str, Any]]:
        """By column and index type, the entry in the head.

        A column named twice has the indexes of both, and of an index type named twice the last one
        counts, as in Java's FileIndexFormat.
        """
        with CorruptErrors(self.source):
            return _entries(self.head)

    @property
    def bytes_read(self) -> int:
        """Bytes fetched from the source so far."""
        return self.source.bytes_read

    @property
    def num_rows(self) -> int | None:
        """Rows of the data file, if an index knows."""
        for name, entries in self._places.items():
            for index_type, entry in entries.items():
                if not entry.is_empty and index_type in NUM_ROWS:
                    with CorruptErrors(self.source, name):
                        return NUM_ROWS[index_type](self.source, entry.ofs_body)
        return None

    def evaluate(
        self,
        predicate: Any = None,
        *,
        deletion_vector: DeletionVector | tuple[Any, ...] | None = None,
        limit: int | None = None,
        top_n: TopN | None = None,
        num_rows: int | None = None,
    ) -> Selection:
        """Return the rows that may match a predicate.

        Args:
            predicate: SQL text, a predicate tree, or a pyarrow.compute expression. Without one, all
                rows match.
            deletion_vector: Only live rows are selected. A vector of either kind, or its place
                (source, offset, length) for `read_vector`.
            limit: The number of rows needed. Other rows are left out if the answer is exact.
            top_n: The order of the rows needed. All rows that tie for the last place stay.
            num_rows: The number of rows in the data file, if no index contains it.

        Raises:
            PredicateError: The predicate does not fit the schema.
            CorruptFileError: The index or vector is malformed.
            PaimonKsyError: The vector belongs to another file.

        Warns:
            IndexIgnoredWarning: An index cannot be used.
        """
        if limit is not None and top_n is not None:
            raise PredicateError("a TopN has its own limit: give one of both")
        if top_n is not None and not isinstance(top_n, TopN):
            raise PredicateError(
                "top_n must be a TopN such as TopN.parse('amount DESC', 10), not a "
                f"{type(top_n).__name__}"
            )
        bound = None if predicate is None else bound_predicate(predicate, self.schema)
        self._given = num_rows
        try:
            if bound is None:
                found = Selection("all", True)
            else:
                found = evaluate(bound, self._ask, self._is_free)
            if deletion_vector is None and limit is None and top_n is None and num_rows is None:
                return found
            if found.num_rows is None:
                known = num_rows is not None or found.kind == "skip"
                found = replace(found, num_rows=num_rows if known else self.num_rows)
            if num_rows not in (None, found.num_rows):
                raise CorruptFileError(
                    f"its indexes count {found.num_rows} rows, but the data file has "
                    f"{num_rows}: it is the index of another file",
                    remedy=REBUILD,
                )
            found = live_rows(found, deletion_vector)
            if limit is not None:
                return first_rows(found, limit)
            return found if top_n is None else self._top(found, top_n)
        except CorruptFileError as error:
            error.path = error.path or self.source.name
            error.remedy = error.remedy or INDEX_REMEDY
            raise

    def _top(self, among: Selection, top: TopN) -> Selection:
        """The rows that can be among the first; all where no index can tell."""
        if self.schema is None:
            raise PredicateError("a TopN needs the column's type: FileIndex.open(source, schema)")
        try:
            field, *_ = (self.schema.column(name, ignore_case=True) for name in top.columns)
        except SchemaError as error:
            raise PredicateError(str(error)) from None
        if not top.k:
            return first_rows(among, 0)
        if not among.exact or (among.count is not None and among.count <= top.k):
            return among
        leaf = IsNotNull(field.name, field.type)
        for index_type, entry in self._places.get(field.name, {}).items():
            if entry.is_empty or not hasattr(READERS.get(index_type), "top_n"):
                continue
            with CorruptErrors(self.source, field.name):
                reader: Any = self._reader(leaf, index_type, entry)
                if among.num_rows not in (None, reader.num_rows):
                    raise CorruptFileError(
                        f"its indexes count different numbers of rows: {among.num_rows} and "
                        f"{reader.num_rows}"
                    )
                rows = reader.top_n(
                    top.k,
                    descending=top.descending,
                    nulls_first=top.has_nulls_first,
                    selection=among.rows,
                )
            if len(rows) == (reader.num_rows if among.rows is None else len(among.rows)):
                return among
            return replace(Selection.of(rows, reader.num_rows, True), limited=True)
        return among

    def values(self, column: str, rows: BitMap) -> list[Any] | None:
        """The internal values of a column in these rows, None of a null.

        None if no index of the column holds its values as they are. Raises CorruptFileError.
        """
        if (found := self._reader_with("keys_of", column)) is None:
            return None
        reader, data_type = found
        with CorruptErrors(self.source, column):
            keys = reader.keys_of(rows)
        return [None if key is None else value_of(key, data_type) for key in keys]

    def bounds(self, column: str) -> tuple[Any, Any] | None:
        """Return internal values that enclose all values of a column, from the head of its index.

        Returns None if no index of the column contains them.

        Raises:
            CorruptFileError: The head is malformed.
        """
        if (found := self._reader_with("bounds", column)) is None:
            return None
        reader, data_type = found
        with CorruptErrors(self.source, column):
            if not reader.num_values:
                return None
            least, greatest = reader.bounds
        return value_of(least, data_type), value_of(greatest, data_type)

    def _reader_with(self, name: str, column: str) -> tuple[Any, DataType] | None:
        """A reader that has what is of this name, of an index of the column; and its type."""
        data_type = None if self.schema is None else self.schema[column]
        if data_type is None or not holds_values(data_type):
            return None
        leaf = IsNotNull(column, data_type)
        for index_type, entry in self._places.get(column, {}).items():
            if not entry.is_empty and hasattr(READERS.get(index_type), name):
                with CorruptErrors(self.source, column):
                    return self._reader(leaf, index_type, entry), data_type
        return None

    def close(self) -> None:
        """Close the source, unless it was handed over open."""
        self.source.close()

    def __enter__(self) -> FileIndex:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _is_free(self, leaf: Question) -> bool:
        entries = self._places.get(leaf.column, {}).items()
        return isinstance(leaf, Unsure) or all(
            entry.is_empty or index_type not in READERS for index_type, entry in entries
        )

    def _ask(self, leaf: Question) -> Selection:
        if isinstance(leaf, Unsure):
            return ALL
        told: Selection | None = None
        entries = self._places.get(leaf.column, {})
        in_turn = entries if len(entries) < 2 else sorted(entries, key=_ASKED_LAST.__contains__)
        for index_type in in_turn:
            entry = entries[index_type]
            if entry.is_empty:
                answer = _answer_empty(leaf)
                if self._given and answer is not None and not leaf.column.endswith("]"):
                    raise CorruptFileError(
                        f"the index is EMPTY, but the data file has {self._given} rows",
                        path=self.source.name,
                        column=leaf.column,
                        remedy=REBUILD,
                    )
            else:
                try:
                    reader = self._reader(leaf, index_type, entry)
                    answer = None if reader is None else reader.answer(leaf)
                except Exception as error:  # dearer than CorruptErrors only if there is one
                    CorruptErrors(self.source, leaf.column).tell(error)
                    raise
            if answer is not None:
                self._check_count(answer, leaf.column)
                told = answer if told is None else narrow(told, answer)
                if told.exact or told.kind == "skip":
                    break
        return ALL if told is None else told

    def _check_count(self, answer: Selection, column: str) -> None:
        """Raises CorruptFileError if an index counts other rows than one that was asked before."""
        count = answer.num_rows
        if count is None or count == self._counted:
            return
        if self._counted is not None:
            raise CorruptFileError(
                f"its indexes count different numbers of rows: {self._counted} and {count}",
                path=self.source.name,
                column=column,
            )
        self._counted = count

    def _reader(self, leaf: Question, index_type: str, entry: Place) -> IndexReader | None:
        assert leaf.type is not None
        key = leaf.column, index_type  # a column has one type: the schema's
        reader = self._readers.get(key)
        if reader is None and key not in self._readers:
            factory = READERS.get(index_type)
            if factory is None:
                _warn_ignored(leaf.column, index_type)
            else:
                length = (entry.len_body,) if index_type in _SIZED else ()
                reader = factory(self.source, entry.ofs_body, leaf.column, leaf.type, *length)
            self._readers[key] = reader
        return reader


def select_rows(
    index: Any,
    schema: Schema | None,
    predicate: Any = None,
    *,
    deletion_vector: DeletionVector | tuple[Any, ...] | None = None,
    limit: int | None = None,
    top_n: TopN | None = None,
    num_rows: int | None = None,
) -> Selection:
    """Return the rows of a data file to read: `FileIndex.evaluate` in one call.

    Args:
        index: An argument of `FileIndex.open`, such as the bytes of an embedded index. None if the
            file has no index.
        deletion_vector: A vector, or its place (source, offset, length) in the index manifest.
    """
    with FileIndex.open(_NO_INDEX if index is None else index, schema) as opened:
        return opened.evaluate(
            predicate,
            deletion_vector=deletion_vector,
            limit=limit,
            top_n=top_n,
            num_rows=num_rows,
        )


def _entries(head: Container) -> dict[str, dict[str, Any]]:
    columns: dict[str, dict[str, Any]] = {}
    for column in head.head.columns:
        entries = columns.setdefault(java_utf8.decode(column.name.value), {})
        for entry in column.indexes:
            entries[java_utf8.decode(entry.index_type.value)] = entry
    return columns


class Place(NamedTuple):
    """Of an index, what is needed of its entry in the head."""

    is_empty: bool
    ofs_body: int
    len_body: int


def _places(head: flat.FileIndexHead) -> dict[str, dict[str, Place]]:
    columns: dict[str, dict[str, Place]] = {}
    for column in head.columns:
        places = columns.setdefault(java_utf8.decode(column.name), {})
        for i, index_type in enumerate(column.indexes_index_type):
            places[java_utf8.decode(index_type)] = Place(
                column.indexes_is_empty(i), *column.place_indexes_body(i)
            )
    return columns


def _answer_empty(leaf: Question) -> Selection | None:
    """Java writes an EMPTY index if no row was written to it, so there is no value in it.

    Java skips the file for `=`, ranges, IN, IS NOT NULL and the like. So do `<>`, NOT IN and LIKE
    here, since they are not true of null either. IS NULL alone reads the file.
    """
    return None if isinstance(leaf, IsNull) else Selection("skip", True)


def _warn_ignored(column: str, index_type: str) -> None:
    warnings.warn(
        f"column {column!r}: unknown index type {index_type!r}; queries ignore it",
        IndexIgnoredWarning,
        stacklevel=6,
    )


# Predicates -------------------------------------------------------------------------------------

_BOUND_LIMIT = 256
_bound: dict[tuple[Any, int], tuple[Any, Schema, Predicate]] = {}


def bound_predicate(predicate: Any, schema: Schema | None) -> Predicate:
    """The predicate bound to the schema; remembered, since one is asked of many files.

    Raises PredicateError.
    """
    if schema is None:
        raise PredicateError(
            "a predicate needs the columns' types: FileIndex.open(source, schema) with "
            "Schema.parse('name TYPE, ..')"
        )
    # By identity: equal trees are rare, and comparing IN lists costs more than binding a leaf.
    key = (predicate if isinstance(predicate, str) else id(predicate)), id(schema)
    known = _bound.get(key)
    if known is not None:
        return known[2]
    checked_schema(schema)
    if isinstance(predicate, str):
        from paimon_ksy.predicates.sql import parse_predicate

        tree = parse_predicate(predicate, schema)
    elif isinstance(predicate, Predicate):
        tree = predicate
    else:
        from paimon_ksy.predicates.from_arrow import predicate_from_arrow

        tree = predicate_from_arrow(predicate)
    bound = bind(tree, schema)
    if len(_bound) >= _BOUND_LIMIT:
        _bound.clear()
    _bound[key] = predicate, schema, bound  # holds both, so that no other object gets their ids
    return bound


# Errors -----------------------------------------------------------------------------------------

_MAGIC = "/seq/0"
_VERSIONS = {
    (True, "/seq/1"): ("file", "1"),
    (False, "/seq/0"): ("bitmap", "1 and 2"),
    (False, "/types/bsi_head/seq/0"): ("bsi", "1"),
}
"""What a version is of, by whether it is that of the file and by its place in the spec."""

INDEX_REMEDY = f"the file is corrupt, or was written with another schema; {REBUILD}"
_OTHER_KIND = "give the index of a data file; `paimon-ksy inspect FILE` shows what this file is"


class CorruptErrors:
    """Turns what malformed bytes raise into CorruptFileError with path, column and byte."""

    __slots__ = ("column", "source")

    def __init__(self, source: Source, column: str | None = None) -> None:
        self.source = source
        self.column = column

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self.tell(error)

    def tell(self, error: BaseException) -> None:
        """Raises CorruptFileError for what malformed bytes raise; completes one that is."""
        if isinstance(error, CorruptFileError):
            error.path = error.path or self.source.name
            error.column = error.column or self.column
            error.remedy = error.remedy or INDEX_REMEDY
        elif isinstance(error, _MALFORMED) and not isinstance(error, PaimonKsyError):
            message, offset = self._describe(error)
            is_other = self.column is None and getattr(error, "src_path", None) == _MAGIC
            if is_other and (found := other_kind(self.source, INDEX)):
                raise found from error
            raise CorruptFileError(
                message,
                path=self.source.name,
                column=self.column,
                offset=offset,
                remedy=_OTHER_KIND if is_other else INDEX_REMEDY,
            ) from error

    def _describe(self, error: BaseException) -> tuple[str, int | None]:
        if isinstance(error, UnicodeDecodeError):
            return f"a name is not modified UTF-8 ({error.reason})", None
        offset = getattr(error, "offset", None)
        if offset is None:
            stream = getattr(error, "io", None)
            offset = self._position(stream)
            if isinstance(error, ValidationFailedError):  # tell its start, not where it ends
                offset -= getattr(stream, "last_length", 0)
        if isinstance(error, EndOfStreamError | EOFError):
            return f"the file ends too early: {_line(error)}", offset
        if isinstance(error, ValidationFailedError):
            return self._describe_invalid(error), offset
        return _line(error).removeprefix(f"byte {offset}: "), offset

    def _describe_invalid(self, error: Any) -> str:
        of_file = self.column is None
        if of_file and error.src_path == _MAGIC:
            return "not a Paimon file index: it does not start with the magic number"
        found = _VERSIONS.get((of_file, error.src_path))
        if found and isinstance(error, ValidationNotAnyOfError | ValidationNotEqualError):
            what, known = found
            return f"unsupported version {error.actual} of the {what} index; supported: {known}"
        field = _field_of(error)
        if isinstance(error, ValidationNotEqualError):
            return f"the field {field} is {error.actual!r} instead of {error.expected!r}"
        if hasattr(error, "actual"):
            return f"the field {field} cannot be {error.actual!r}"
        return f"the field {field}: {_line(error).rpartition('validation failed: ')[2]}"

    def _position(self, stream: Any) -> int:
        """Where reading stopped, in the file also if it was in the head's own stream."""
        position = int(self.source.stream.pos())
        if stream is None or stream is self.source.stream:
            return position
        return position - int(stream.size()) + int(stream.pos())


def _field_of(error: BaseException) -> str:
    """Return the name of the field that a parser had just read when it raised this."""
    *_, (frame, _) = walk_tb(error.__traceback__)
    read = getattr(frame.f_locals.get("self"), "__dict__", {})
    return next((name for name in reversed(read) if not name.startswith("_")), "?")


def _line(error: BaseException) -> str:
    return " ".join(str(error).split())
