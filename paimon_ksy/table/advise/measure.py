"""Measure the data that indexes of a data file would skip; workers of an engine do this.

This builds the indexes. Then it evaluates each predicate by them, by minimum and maximum, and by
the data.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.errors import OptionError, SchemaError, UnsupportedError
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.file_index.builder import assemble, build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.statistics import Bounds, ManyBounds, may_match
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.advise.layout import Layout, ReadSize, layout_of
from paimon_ksy.table.advise.sample import (
    Existing,
    Key,
    SampleJob,
    least_and_greatest,
    plain,
    read_columns,
)
from paimon_ksy.table.model.columns import columns_of, tested_names
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.types.data_type import DataType


@dataclass(frozen=True)
class TrialPredicate:
    """A predicate that rows of the file may match.

    Attributes:
        number: The position of the question.
        predicate: The predicate, in terms of the file.
        combinations: The combinations of indexes to evaluate it with.
    """

    number: int
    predicate: Predicate
    combinations: tuple[frozenset[Key], ...]


@dataclass(frozen=True)
class Trial:
    """The indexes to try on a data file, in its own terms, and predicates on their columns."""

    file: DataFile
    specs: Mapping[Key, IndexSpec]
    predicates: tuple[TrialPredicate, ...]


@dataclass(frozen=True)
class Answer:
    """The size that a predicate reads in a file.

    Attributes:
        number: The position of the question.
        rows: The number of rows that match.
        now: The size read with the file's existing index.
        bounds: The size read if minimum and maximum of the file, row groups and pages are known.
        found: The sizes read with combinations of indexes, alone and with the bounds.
    """

    number: int
    rows: int
    now: ReadSize
    bounds: ReadSize
    found: Mapping[frozenset[Key], tuple[ReadSize, ReadSize]]


@dataclass(frozen=True)
class FileMeasurement:
    """The measurements of a file.

    Attributes:
        rows: The number of rows read.
        sizes: The bytes of the indexes.
        seconds: The seconds of one core to build them.
        refused: The reason why an index could not be built.
        answers: The sizes that the predicates read.
    """

    rows: int
    sizes: Mapping[Key, int]
    seconds: Mapping[Key, float]
    refused: Mapping[Key, str]
    answers: tuple[Answer, ...]


def measure(job: SampleJob, trial: Trial) -> FileMeasurement:
    """Build indexes of a data file, and evaluate predicates with them.

    Raises:
        PaimonKsyError: The file cannot be measured; the error names it.
    """
    file = trial.file
    schema = job.schemas[file.schema_id]
    names = [spec.column for spec in trial.specs.values()]
    for question in trial.predicates:
        names += columns_of(question.predicate, schema.columns)
    layout = layout_of(job.storage, file, job.most_rows)
    data = pa.table(dict(read_columns(job, file, schema, names)))
    built: dict[Key, _Built] = {}
    refused: dict[Key, str] = {}
    for key, spec in trial.specs.items():
        try:
            built[key] = _Built.of(spec, data, schema)
        except (UnsupportedError, OptionError, SchemaError) as error:
            refused[key] = str(error).removeprefix(f"column {key[0]!r}: ")
    answers: tuple[Answer, ...] = ()
    if trial.predicates:
        with _FileQuestions(job, file, schema, layout, data, built) as questions:
            answers = tuple(map(questions.answer, trial.predicates))
    return FileMeasurement(
        layout.rows,
        {key: len(index.body) for key, index in built.items()},
        {key: index.seconds for key, index in built.items()},
        refused,
        answers,
    )


@dataclass(frozen=True)
class _Built:
    """A file index with a single index, and its body, which is empty if the index is EMPTY."""

    spec: IndexSpec
    made: bytes
    body: bytes
    is_empty: bool
    seconds: float

    @classmethod
    def of(cls, spec: IndexSpec, data: pa.Table, schema: TableSchema) -> _Built:
        started = time.thread_time()
        made = build_file_index(data, schema.columns, FileIndexOptions((spec,)))
        seconds = time.thread_time() - started
        with FileIndex.open(made) as opened:
            entry = opened.places[spec.name][spec.index_type]
            if entry.is_empty:
                return cls(spec, made, b"", True, seconds)
            body = made[entry.ofs_body : entry.ofs_body + entry.len_body]
        return cls(spec, made, body, False, seconds)


class _FileQuestions:
    """Evaluator of predicates on a file, which keeps the file's own index open."""

    def __init__(
        self,
        job: SampleJob,
        file: DataFile,
        schema: TableSchema,
        layout: Layout,
        data: pa.Table,
        built: Mapping[Key, _Built],
    ) -> None:
        self._file, self._schema, self._layout, self._built = file, schema, layout, built
        self._data = data
        self._bounds: dict[str, tuple[list[Bounds], ...]] = {}
        self._existing = Existing(job, file, schema)
        self._index: FileIndex | None = None

    def __enter__(self) -> _FileQuestions:
        self._index = self._existing.__enter__()
        return self

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._existing.__exit__(kind, error, trace)

    def answer(self, question: TrialPredicate) -> Answer:
        predicate, layout = question.predicate, self._layout
        may = self._pages_by_bounds(predicate)
        bounds = layout.read_size(may, _rows_of(layout, may))
        found = {}
        for combination in question.combinations:
            indexes = [self._built[key] for key in sorted(combination & self._built.keys())]
            if not indexes:
                found[combination] = layout.all, bounds
                continue
            with FileIndex.open(_joined(indexes), self._schema.columns) as opened:
                selection = opened.evaluate(predicate, num_rows=layout.rows)
                read = opened.bytes_read
            pages = layout.pages_of(selection)
            rows = _count(selection, layout)
            found[combination] = (
                layout.read_size(pages, rows, read),
                layout.read_size(pages & may, rows, read),
            )
        matching = mask(predicate, self._data)
        return Answer(
            question.number,
            int(pc.sum(matching).as_py() or 0),
            self._now(predicate),
            bounds,
            found,
        )

    def _now(self, predicate: Predicate) -> ReadSize:
        if self._index is None:
            return self._layout.all
        before = self._index.bytes_read
        selection = self._index.evaluate(predicate, num_rows=self._file.num_rows)
        read = 0 if self._file.embedded_index is not None else self._index.bytes_read - before
        return self._layout.read_size(
            self._layout.pages_of(selection), _count(selection, self._layout), read
        )

    def _pages_by_bounds(self, predicate: Predicate) -> NDArray[np.bool_]:
        """Return which pages may match, according to the minimum and maximum of each part."""
        layout = self._layout
        for name in tested_names(predicate):
            known = name in self._bounds or name not in self._data.schema.names
            if not known and not self._schema.columns[name].fields:
                column = plain(self._data[name], self._schema.columns[name])
                whole = np.array([0, layout.rows])
                starts = whole, layout.group_starts, layout.page_starts
                self._bounds[name] = tuple(_bounds_of_parts(column, at) for at in starts)

        def may(level: int, count: int) -> NDArray[np.bool_]:
            def of_column(name: str, data_type: DataType) -> ManyBounds | None:
                known = self._bounds.get(name)
                return None if known is None else ManyBounds.of(known[level], data_type)

            return may_match(predicate, of_column, count)

        groups = may(0, 1) & may(1, layout.num_groups)
        pages = may(2, len(layout.group_of_page))
        return pages & groups[layout.group_of_page] & bool(layout.rows)


def _joined(indexes: Sequence[_Built]) -> bytes:
    """Return a file index that contains all these indexes."""
    if len(indexes) == 1:
        return indexes[0].made
    columns: dict[str, list[tuple[str, list[bytes] | None]]] = {}
    for index in indexes:
        body = None if index.is_empty else [index.body]
        columns.setdefault(index.spec.name, []).append((index.spec.index_type, body))
    return assemble(columns.items())


def _count(selection: Selection, layout: Layout) -> int:
    if selection.rows is None:
        return layout.rows if selection.kind == "all" else 0
    return int(np.searchsorted(np.asarray(selection.rows.to_array()), layout.rows))


def _rows_of(layout: Layout, pages: NDArray[np.bool_]) -> int:
    return int(np.diff(layout.page_starts)[pages].sum())


def _bounds_of_parts(column: pa.Array, starts: NDArray[np.int64]) -> list[Bounds]:
    """Return the bounds of each part of a column; `starts` are their first rows and the end."""
    found = []
    for start, end in itertools.pairwise(starts.tolist()):
        part = column.slice(start, end - start)
        least, greatest = least_and_greatest(part)
        found.append(Bounds(least, greatest, part.null_count, len(part)))
    return found
