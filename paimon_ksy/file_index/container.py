"""A file index: open the indexes of one data file, and evaluate predicates with them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from paimon_ksy.columns.stored_values import holds_values, value_of
from paimon_ksy.errors import CorruptFileError, PredicateError, SchemaError, counted, with_article
from paimon_ksy.evaluation.evaluate import ALL, LeafOrRange, evaluate
from paimon_ksy.evaluation.selection import Selection, narrow
from paimon_ksy.evaluation.top_n import TopN, first_rows, live_rows
from paimon_ksy.file_index.index_type import IndexPlace, IndexReader, IndexType, listed_indexes
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.views import file_index as views
from paimon_ksy.io.corrupt import INDEX_REMEDY, CorruptErrors
from paimon_ksy.io.source import Source, open_source, read_view
from paimon_ksy.java import modified_utf8
from paimon_ksy.messages.commands import REBUILD
from paimon_ksy.messages.masking import masked
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.per_predicate import Same
from paimon_ksy.predicates.tree import Computed, IsNull, Predicate, Unsure
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.schema import Field, Schema, checked_schema

if TYPE_CHECKING:
    from pyroaring import BitMap

    from paimon_ksy.table_index.deletion_vector import DeletionVector


class IndexIgnoredWarning(UserWarning):
    """An index of an unknown type was ignored; answers are right, but may select more rows."""


_SHOWN = 100  # indexes that a notebook lists


class FileIndex:
    """The indexes of one data file. Use it as a context manager, or close it.

    Opening it reads only the head. Predicates need a schema, because the file does not store the
    types of its columns. An index is not thread-safe.
    """

    def __init__(self, source: Source, schema: Schema | None = None) -> None:
        self.source = source
        self.schema = schema
        self._readers: dict[tuple[str, str], IndexReader | None] = {}
        self._counted: int | None = None  # rows, according to the first index that was read
        self._given: int | None = None  # rows, according to the caller
        try:
            self.head = read_view(source, views.FileIndex, 0)
            self._places = _places(self.head)
        except Exception as error:
            CorruptErrors(source).raise_for(error)
            raise

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

    def __repr__(self) -> str:
        listed = ", ".join(f"{name} {'+'.join(kinds)}" for name, kinds in self._places.items())
        return f"<FileIndex {masked(self.source.name)}: {listed or 'no index'}>"

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the indexed columns in the order of the file; a key of a map is `m[key]`."""
        return tuple(self._places)

    @property
    def places(self) -> Mapping[str, Mapping[str, IndexPlace]]:
        """The place of each index in the file, by column and index type.

        If the head names a column twice, the indexes of both are joined. If it names an index type
        twice, the last one counts, as in Java's FileIndexFormat.
        """
        return self._places

    @property
    def bytes_read(self) -> int:
        """The number of bytes read from the source so far."""
        return self.source.bytes_read

    @property
    def num_rows(self) -> int | None:
        """The number of rows in the data file; None if no index stores it."""
        for name, entries in self._places.items():
            for index_type, entry in entries.items():
                kind = INDEX_TYPES.get(index_type)
                if not entry.is_empty and kind is not None and kind.num_rows is not None:
                    with CorruptErrors(self.source, name):
                        return kind.num_rows(self.source, entry.ofs_body)
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
            deletion_vector: A vector whose rows are left out, of 32 or 64 bits, or its place
                (source, offset, length) for `read_vector`.
            limit: The number of rows needed. An exact answer has at most this many.
            top_n: The order of the rows needed. All rows that tie for the last place stay.
            num_rows: The number of rows in the data file, needed if no index stores it.

        Raises:
            PredicateError: The predicate does not fit the schema.
            CorruptFileError: The index or vector is malformed.
            PaimonKsyError: The vector belongs to another file.

        Warns:
            IndexIgnoredWarning: An index cannot be used.
        """
        if top_n is not None:
            _check_order(top_n, limit)
        bound = None if predicate is None else bound_predicate(predicate, self.schema)
        self._given = num_rows
        try:
            selection = Selection("all", True)
            if bound is not None:
                selection = evaluate(bound, self._ask, self._is_free)
            if deletion_vector is None and limit is None and top_n is None and num_rows is None:
                return selection
            selection = live_rows(self._counted_rows(selection, num_rows), deletion_vector)
            if limit is not None:
                return first_rows(selection, limit)
            return selection if top_n is None else self._top(selection, top_n)
        except CorruptFileError as error:
            error.path = error.path or self.source.name
            error.remedy = error.remedy or INDEX_REMEDY
            raise

    def _counted_rows(self, selection: Selection, num_rows: int | None) -> Selection:
        """Return the selection with the number of rows in the data file.

        Raises CorruptFileError if the index disagrees with `num_rows`.
        """
        if selection.num_rows is None:
            known = num_rows is not None or selection.kind == "skip"
            selection = replace(selection, num_rows=num_rows if known else self.num_rows)
        if num_rows not in (None, selection.num_rows):
            raise CorruptFileError(
                f"its indexes count {counted(selection.num_rows or 0, 'row')}, but the data file "
                f"has {num_rows}: it is the index of another file",
                remedy=REBUILD,
            )
        return selection

    def _top(self, among: Selection, top: TopN) -> Selection:
        """Return the rows that can be among the first; all rows if no index can sort them."""
        field = self._sorted_column(top)
        if not top.k:
            return first_rows(among, 0)
        if not among.exact or (among.count is not None and among.count <= top.k):
            return among
        for index_type, entry in self._places.get(field.name, {}).items():
            kind = INDEX_TYPES.get(index_type)
            if entry.is_empty or kind is None or not kind.can_sort:
                continue
            with CorruptErrors(self.source, field.name):
                reader: Any = self._reader(field.name, field.type, index_type, entry)
                if among.num_rows not in (None, reader.num_rows):
                    raise CorruptFileError(
                        f"its indexes count different numbers of rows: {among.num_rows} and "
                        f"{reader.num_rows}"
                    )
                rows = reader.top_n(
                    top.k,
                    descending=top.descending,
                    nulls_first=top.has_nulls_first,
                    selection=among.matching,
                )
            if len(rows) == (reader.num_rows if among.matching is None else len(among.matching)):
                return among
            return replace(Selection.of(rows, reader.num_rows, True), limited=True)
        return among

    def _sorted_column(self, top: TopN) -> Field:
        """Return the first column of an order. Raises PredicateError if a column does not exist."""
        if self.schema is None:
            raise PredicateError("a TopN needs the column's type: pass a schema to FileIndex.open")
        try:
            field, *_ = (self.schema.column(name, ignore_case=True) for name in top.columns)
        except SchemaError as error:
            raise PredicateError(str(error)) from None
        return field

    def values(self, column: str, rows: BitMap) -> list[Any] | None:
        """Return the internal values of a column in these rows; a null is None.

        Returns:
            None if no index of the column stores its exact values.

        Raises:
            CorruptFileError: The index is malformed.
        """
        if (typed := self._reader_with(attrgetter("has_values"), column)) is None:
            return None
        reader, data_type = typed
        with CorruptErrors(self.source, column):
            keys = reader.keys_of(rows)
        return [None if key is None else value_of(key, data_type) for key in keys]

    def bounds(self, column: str) -> tuple[Any, Any] | None:
        """Return a lower and an upper bound of a column's values, from the head of its index.

        Returns None if no index of the column stores them. Raises CorruptFileError.
        """
        if (typed := self._reader_with(attrgetter("has_bounds"), column)) is None:
            return None
        reader, data_type = typed
        with CorruptErrors(self.source, column):
            if not reader.num_values:
                return None
            least, greatest = reader.bounds
        return value_of(least, data_type), value_of(greatest, data_type)

    def _reader_with(
        self, has: Callable[[IndexType], bool], column: str
    ) -> tuple[Any, DataType] | None:
        """Return a reader and the type of the column, for the first index type that `has` it."""
        data_type = None if self.schema is None else self.schema[column]
        if data_type is None or not holds_values(data_type):
            return None
        for index_type, entry in self._places.get(column, {}).items():
            kind = INDEX_TYPES.get(index_type)
            if not entry.is_empty and kind is not None and has(kind):
                with CorruptErrors(self.source, column):
                    return self._reader(column, data_type, index_type, entry), data_type
        return None

    def _repr_html_(self) -> str:
        from paimon_ksy.pages.render import fragment
        from paimon_ksy.pages.section import Section

        listed = []
        for column, places in self._places.items():
            for kind, place in places.items():
                start = None if place.is_empty else place.ofs_body
                listed.append((column, self._type_text(column), kind, place.len_body, start))
        section = Section(
            masked(self.source.name),
            facts=(("size", counted(self.source.size, "byte")), ("columns", len(self._places))),
            columns=("column", "type", "index", "bytes", "from byte"),
            rows=tuple(listed),
        )
        return fragment(section.bounded(_SHOWN))

    def _type_text(self, column: str) -> str:
        known = self.schema is not None and column in self.schema
        return str(self.schema[column]) if self.schema is not None and known else ""

    def close(self) -> None:
        """Close the source, unless the caller passed it open."""
        self.source.close()

    def __enter__(self) -> FileIndex:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def _is_free(self, leaf: LeafOrRange) -> bool:
        if isinstance(leaf, Unsure) or isinstance(leaf.column, Computed):
            return True
        return all(
            entry.is_empty or index_type not in INDEX_TYPES
            for index_type, entry in self._places.get(leaf.column, {}).items()
        )

    def _ask(self, leaf: LeafOrRange) -> Selection:
        if isinstance(leaf, Unsure) or isinstance(leaf.column, Computed):
            return ALL
        column, selection = leaf.column, None
        entries = self._places.get(column, {})
        in_turn = entries if len(entries) < 2 else sorted(entries, key=_is_asked_last)
        for index_type in in_turn:
            if entries[index_type].is_empty:
                answer = self._of_empty(leaf, column)
            else:
                try:
                    reader = self._reader(column, leaf.type, index_type, entries[index_type])
                    answer = None if reader is None else reader.answer(leaf)
                except Exception as error:
                    CorruptErrors(self.source, column).raise_for(error)
                    raise
            if answer is not None:
                self._check_count(answer, column)
                selection = answer if selection is None else narrow(selection, answer)
                if selection.exact or selection.kind == "skip":
                    break
        return ALL if selection is None else selection

    def _of_empty(self, leaf: LeafOrRange, column: str) -> Selection | None:
        """Return the answer of an EMPTY index, which Java writes for no rows.

        Java skips the file for `=`, ranges, IN and similar predicates. Here, `<>`, NOT IN and LIKE,
        which are not true for null, do, too.
        """
        if isinstance(leaf, IsNull):
            return None
        if self._given and not column.endswith("]"):
            raise CorruptFileError(
                f"the index is EMPTY, but the data file has {counted(self._given, 'row')}",
                path=self.source.name,
                column=column,
                remedy=REBUILD,
            )
        return Selection("skip", True)

    def _check_count(self, answer: Selection, column: str) -> None:
        """Raise CorruptFileError if two indexes disagree about the number of rows."""
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

    def _reader(
        self, column: str, data_type: DataType | None, index_type: str, entry: IndexPlace
    ) -> IndexReader | None:
        assert data_type is not None
        key = column, index_type  # a column has one type: the schema's
        if key not in self._readers:
            kind = INDEX_TYPES.get(index_type)
            if kind is None:
                message = f"unknown index type {index_type!r}; queries ignore it"
                message = f"column {column!r}: {message}"
                warnings.warn(message, IndexIgnoredWarning, stacklevel=5)
                self._readers[key] = None
            else:
                place, length = entry.ofs_body, entry.len_body
                self._readers[key] = kind.reader(self.source, place, column, data_type, length)
        return self._readers[key]


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
    """Return the rows of a data file to read, like `FileIndex.open` and `evaluate` in one call.

    Args:
        index: An argument of `FileIndex.open`, such as the bytes of an embedded index; None for a
            file without an index.
        schema: The table's schema.
        predicate: See `FileIndex.evaluate`, which also describes the arguments below.
        deletion_vector: A vector, or its place (source, offset, length) in the index manifest.
        limit: The number of rows needed.
        top_n: The order of the rows needed.
        num_rows: The number of rows in the data file, if no index contains it.
    """
    with FileIndex.open(_no_index() if index is None else index, schema) as opened:
        return opened.evaluate(
            predicate,
            deletion_vector=deletion_vector,
            limit=limit,
            top_n=top_n,
            num_rows=num_rows,
        )


def _check_order(top_n: object, limit: int | None) -> None:
    """Raise PredicateError if an order is none, or there is another limit."""
    if limit is not None:
        raise PredicateError("a TopN has its own limit: pass only one of them")
    if not isinstance(top_n, TopN):
        kind = with_article(type(top_n))
        message = f"top_n must be a TopN such as TopN.parse('amount DESC', 10), not {kind}"
        raise PredicateError(message)


def _no_index() -> bytes:
    """Return a file index without columns."""
    from ksykit.runtime.objects import to_bytes

    from paimon_ksy.generated.structs.file_index import make_file_index, make_file_index_head

    return to_bytes(make_file_index(head=make_file_index_head(columns=[], redundant=b"")))


def _places(file: views.FileIndex) -> dict[str, dict[str, IndexPlace]]:
    columns: dict[str, dict[str, IndexPlace]] = {}
    for column in file.head.columns:
        places = columns.setdefault(modified_utf8.decode(column.name), {})
        for index_type, place in listed_indexes(column):
            places[modified_utf8.decode(index_type)] = place
    return columns


def _is_asked_last(index_type: str) -> bool:
    kind = INDEX_TYPES.get(index_type)
    return kind is not None and kind.asked_last


# Predicates -------------------------------------------------------------------------------------

_BOUND_LIMIT = 256  # predicates that a schema remembers, to bound its memory


def bound_predicate(
    predicate: Any, schema: Schema | None, time_zone: str | None = "UTC"
) -> Predicate:
    """Bind a predicate to a schema (see `bind`), which remembers it for other files.

    Raises:
        PredicateError: The predicate does not fit the schema.
    """
    if schema is None:
        raise PredicateError(
            "a predicate needs the columns' types: pass a schema to FileIndex.open, such as "
            "Schema.parse('name TYPE, ..')"
        )
    known = checked_schema(schema).remembered
    key = predicate if isinstance(predicate, str) else Same(predicate), time_zone
    bound: Predicate | None = known.get(key)
    if bound is not None:
        return bound
    tree, is_lasting = predicate, True
    if isinstance(predicate, str):
        from paimon_ksy.predicates.sql import parse_lasting

        tree, is_lasting = parse_lasting(predicate, schema)
    elif not isinstance(predicate, Predicate):
        from paimon_ksy.predicates.from_arrow import predicate_from_arrow

        tree = predicate_from_arrow(predicate)
    bound = bind(tree, schema, time_zone=time_zone)
    if is_lasting:
        if len(known) >= _BOUND_LIMIT:
            known.clear()
        known[key] = bound
    return bound
