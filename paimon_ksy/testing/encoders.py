"""Test an encoder of an index on columns with edge cases."""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st
from ksykit.runtime.objects import to_json
from ksykit.runtime.types import type_named

from paimon_ksy import generated
from paimon_ksy.errors import OptionError, UnsupportedError, none_of
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.builder import assemble
from paimon_ksy.file_index.container import FileIndex, IndexIgnoredWarning
from paimon_ksy.file_index.index_type import IndexType
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.inspection.verify import verify
from paimon_ksy.messages.findings import ERROR
from paimon_ksy.predicates.bind import bind
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.tree import Predicate, col
from paimon_ksy.testing.columns import arrow_column, columns, values
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Field, Schema

_COLUMN = "c"
_MOST_LITERALS = 8


def assert_encodes(
    encode: Callable[[pa.Array], bytes],
    *,
    index: str,
    column_type: str,
    options: Mapping[str, str] | None = None,
    java: bool = False,
    max_examples: int = 100,
) -> None:
    """Check that an encoder writes sound indexes, on columns with edge cases.

    Hypothesis draws the columns. For each one, the parser of the spec must read the index, `verify`
    must find no error when it compares the index with the rows, and predicates on the index must
    return the rows for which they are true.

    Args:
        encode: The encoder. It gets a column as an Arrow array, and returns the body of an index.
        index: The index type, such as `bitmap`.
        column_type: The type of the column, such as `INT`.
        options: The options of the index, with which `java` compares.
        java: Whether the bytes must equal those that the Java library writes.
        max_examples: The number of columns that Hypothesis draws.

    Raises:
        AssertionError: The encoder writes something else. The message names the check, and
            Hypothesis prints the smallest column for which it fails.
        OptionError: There is no such index type or option.
        UnsupportedError: The index type does not support the column.
    """
    if index not in INDEX_TYPES:
        choices = none_of(index, "there are", INDEX_TYPES)
        raise OptionError(f"no index type {index!r}{choices}")
    case = _Case(encode, INDEX_TYPES[index], parse_type(column_type), options or {}, java)
    for column in _edges(case.data_type):
        try:
            case.check(column)
        except AssertionError as error:
            error.add_note(f"The column has {len(column)} rows: {column[:8].to_pylist()} ..")
            raise

    @settings(max_examples=max_examples, database=None, deadline=None)
    @given(columns(case.data_type))
    def check(column: list[object]) -> None:
        case.check(arrow_column(case.data_type, column))

    check()


def _edges(data_type: DataType) -> Iterator[pa.Array]:
    """Yield columns that are long, or without values or nulls."""

    @settings(max_examples=1, database=None, derandomize=True)
    @given(st.lists(values(data_type), min_size=2, max_size=2, unique_by=repr))
    def draw(pair: list[object]) -> None:
        drawn[:] = pair

    drawn: list[object] = []
    draw()
    one, other = drawn
    for column in (
        [],
        [None],
        [one],
        [None, None],
        [one] * 5000,
        [one, None, one, None],
        [None if row % 7 == 0 else (one, other)[row % 2] for row in range(70_000)],
    ):
        yield arrow_column(data_type, column)


class _Case:
    """An encoder, and the index that it should write."""

    def __init__(
        self,
        encode: Callable[[pa.Array], bytes],
        kind: IndexType,
        data_type: DataType,
        options: Mapping[str, str],
        java: bool,
    ) -> None:
        self.encode, self.kind, self.data_type = encode, kind, data_type
        self.schema = Schema((Field(_COLUMN, data_type),))
        self.builder = kind.new_builder(data_type, options)  # refuses what cannot be indexed
        self.java = java

    def check(self, column: pa.Array) -> None:
        """Check the index of a column. Raises AssertionError."""
        try:
            expected = b"".join(bytes(part) for part in self.builder.build(column))
        except UnsupportedError:  # for example, a bsi index cannot contain -2^63
            return
        body = bytes(self.encode(column))
        self._parse(body)
        table = pa.table([column], schema=self.schema.to_arrow())
        file = assemble([(_COLUMN, [(self.kind.name, [body])])])
        self._verify(file, table)
        with FileIndex.open(file, self.schema) as opened:
            for predicate in _predicates(column):
                self._answer(opened, predicate, table)
        if self.java:
            pairs = zip(body, expected, strict=False)
            same = next((i for i, (a, b) in enumerate(pairs) if a != b), len(body))
            sizes = f"{len(body)} bytes instead of {len(expected)}"
            assert body == expected, f"Java writes other bytes from byte {same} on: {sizes}"

    def _parse(self, body: bytes) -> None:
        """Read each field with the parser of the spec."""
        arguments = self.kind.arguments(self.data_type, len(body)) or {}
        type_ = type_named(generated.__name__, self.kind.spec)
        try:
            given_ = {name: arguments[name] for name in type_.params}
            document = to_json(type_.read(body, 0, given_))
        except Exception as error:  # any error is a fault of the encoder
            raise AssertionError(f"the parser refuses the index: {error}") from error
        unreadable = next(_unreadable(document), None)
        assert unreadable is None, f"the parser refuses a part of the index: {unreadable}"

    def _verify(self, file: bytes, table: pa.Table) -> None:
        data = io.BytesIO()
        pq.write_table(table, data)
        errors = [f for f in verify(file, self.schema, data=data) if f.severity == ERROR]
        assert not errors, f"verify finds: {errors[0].message}"

    def _answer(self, opened: FileIndex, predicate: Predicate, table: pa.Table) -> None:
        """Compare the rows of an answer with those for which the predicate is true."""
        matches = mask(bind(predicate, self.schema), table).to_pylist()
        expected = {row for row, is_match in enumerate(matches) if is_match}
        with warnings.catch_warnings():
            warnings.simplefilter("error", IndexIgnoredWarning)
            answer = opened.evaluate(predicate, num_rows=table.num_rows)
        rows = _rows(answer, table.num_rows)
        wrong = expected ^ rows if answer.exact else expected - rows
        assert not wrong, f"{predicate}: the answer is wrong in row {min(wrong)}"


def _unreadable(document: Any) -> Iterator[str]:
    """Yield why parts of an object are unreadable."""
    if isinstance(document, dict):
        if document.keys() == {"unreadable"}:
            yield document["unreadable"]
        document = list(document.values())
    if isinstance(document, list):
        for each in document:
            yield from _unreadable(each)


def _rows(answer: Selection, num_rows: int) -> set[int]:
    if answer.kind == "all":
        return set(range(num_rows))
    return set(answer.rows)


def _predicates(column: pa.Array) -> Iterator[Predicate]:
    """Yield tests of the column with some of its values."""
    target = col(_COLUMN)
    yield target.is_null()
    yield target.is_not_null()
    for value in column.unique().drop_null()[:_MOST_LITERALS]:
        yield target == value
        yield target != value
        yield target < value
        yield target >= value
