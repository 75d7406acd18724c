"""Measure the data that indexes of the sample's files would skip; workers of an engine do this.

They build indexes of a data file in memory, and evaluate each predicate by them, by minimum and
maximum, and by the data.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice, pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from paimon_ksy.errors import OptionError, SchemaError, UnsupportedError
from paimon_ksy.file_index.builder import assemble, build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec
from paimon_ksy.predicates.row_filter import mask
from paimon_ksy.predicates.statistics import Bounds, ManyBounds, may_match, of_one_file
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.advise.layout import NOTHING, Layout, ReadSize, layout_of
from paimon_ksy.table.advise.questions import Question
from paimon_ksy.table.advise.sample import (
    Key,
    SampleJob,
    SampleTask,
    existing_index,
    least_and_greatest,
    plain,
    read_columns,
)
from paimon_ksy.table.index.options import WantedIndexes
from paimon_ksy.table.model.columns import columns_of, tested_names
from paimon_ksy.table.model.evolve import to_file_schema
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.prune import bounds_of, folded
from paimon_ksy.types.data_type import DataType

_COMBINATIONS = 64  # of several indexes, tried for a question


@dataclass(frozen=True)
class Trials:
    """The indexes to try, and the predicates to evaluate with them."""

    candidates: Mapping[Key, IndexSpec]
    questions: Sequence[Question]

    def combinations(self, question: Question) -> tuple[frozenset[Key], ...]:
        """Return the combinations of indexes to try for a question: each alone, then several."""
        keys = [key for key in self.candidates if key[0] in question.names]
        sets = (
            frozenset(some)
            for size in range(len(question.names) + 1)
            for some in combinations(keys, size)
            if len({name for name, _ in some}) == size
        )
        return tuple(islice(sets, len(keys) + _COMBINATIONS))


@dataclass(frozen=True)
class Reads:
    """The sizes that a predicate reads in a file, or in several.

    Attributes:
        rows: The number of rows that match.
        now: The size read with the existing indexes.
        indexes: The sizes read with combinations of indexes, alone, and if minimum and maximum of
            each block are known.
    """

    rows: int = 0
    now: ReadSize = NOTHING
    indexes: Mapping[frozenset[Key], tuple[ReadSize, ReadSize]] = field(default_factory=dict)

    @property
    def bounds(self) -> ReadSize:
        """The size read without indexes, if minimum and maximum of each block are known."""
        return self.indexes.get(frozenset(), (NOTHING, NOTHING))[1]

    def plus(self, other: Reads) -> Reads:
        """Return the sum of both sizes."""
        indexes = dict(self.indexes)
        for used, (alone, bounded) in other.indexes.items():
            before = indexes.get(used, (NOTHING, NOTHING))
            indexes[used] = before[0].plus(alone), before[1].plus(bounded)
        return Reads(self.rows + other.rows, self.now.plus(other.now), indexes)


@dataclass(frozen=True)
class FileMeasurement:
    """The measurements of a file.

    `refused` has the reasons why indexes could not be built. `reads` are by the position of the
    question.
    """

    sizes: Mapping[Key, int]
    refused: Mapping[Key, str]
    reads: Mapping[int, Reads]


def spec_in_file(spec: IndexSpec, table: TableSchema, file: TableSchema) -> IndexSpec | None:
    """Return an index in terms of a data file's schema; None if it cannot be built there."""
    specs = WantedIndexes(table, FileIndexOptions((spec,))).at(file).options.indexes
    return specs[0] if specs else None


def measure(job: SampleJob, trials: Trials, task: SampleTask) -> FileMeasurement:
    """Build indexes of a data file, and evaluate predicates with them."""
    file, schema = task.file, job.schemas[task.file.schema_id]
    specs = {
        key: own
        for key, spec in trials.candidates.items()
        if key[0] in task.names and (own := spec_in_file(spec, job.table, schema)) is not None
    }
    predicates = dict(_predicates(job, trials, task))
    names = [spec.column for spec in specs.values()]
    for predicate in predicates.values():
        names += columns_of(predicate, schema.columns)
    layout = layout_of(job.storage, file, job.most_rows)
    data = pa.table(dict(read_columns(job, task, names)))
    built: dict[Key, _Built] = {}
    refused: dict[Key, str] = {}
    for key, spec in specs.items():
        try:
            built[key] = spec, _body(spec, data, schema)
        except (UnsupportedError, OptionError, SchemaError) as error:
            refused[key] = str(error).removeprefix(f"column {key[0]!r}: ")
    measured = _MeasuredFile(schema, layout, data, built)
    with existing_index(job, file) as index:
        reads = {}
        for at, predicate in predicates.items():
            now = layout.all
            if index is not None and not task.others:
                selection = index.evaluate(predicate, num_rows=file.num_rows)
                now = layout.read_size(*layout.selected(selection))
            tried = trials.combinations(trials.questions[at])
            matching = int(pc.sum(mask(predicate, data)).as_py() or 0)
            reads[at] = Reads(matching, now, measured.reads(predicate, tried))
    return FileMeasurement(
        {key: len(body or b"") for key, (_, body) in built.items()},
        refused,
        reads,
    )


def _predicates(
    job: SampleJob, trials: Trials, task: SampleTask
) -> Iterator[tuple[int, Predicate]]:
    """Yield the predicates that rows of a file may match, in its terms, and their positions."""
    file, schema = task.file, job.schemas[task.file.schema_id]
    bounds = of_one_file(bounds_of(file, schema))
    for at, question in enumerate(trials.questions):
        if question.names[0] in task.names:
            in_partition = folded(question.predicate, job.table, file.partition)
            predicate = to_file_schema(in_partition, job.table, schema)
            if task.others or may_match(predicate, bounds)[0]:
                yield at, predicate


_Built = tuple[IndexSpec, bytes | None]
"""An index and its body, None if it is EMPTY."""


def _body(spec: IndexSpec, data: pa.Table, schema: TableSchema) -> bytes | None:
    container = build_file_index(data, schema.columns, FileIndexOptions((spec,)))
    with FileIndex.open(container) as opened:
        entry = opened.places[spec.name][spec.index_type]
    end = entry.ofs_body + entry.len_body
    return None if entry.is_empty else container[entry.ofs_body : end]


@dataclass(frozen=True)
class _MeasuredFile:
    """The data of a file, with indexes in memory."""

    schema: TableSchema
    layout: Layout
    data: pa.Table
    built: Mapping[Key, _Built]
    bounds: dict[str, list[Bounds]] = field(default_factory=dict)

    def reads(
        self, predicate: Predicate, tried: Iterable[frozenset[Key]]
    ) -> dict[frozenset[Key], tuple[ReadSize, ReadSize]]:
        """Return what a predicate reads with combinations of indexes (see `Reads`)."""
        layout = self.layout
        may = self._blocks_in_bounds(predicate)
        bounds = layout.read_size(may, int(np.diff(layout.starts)[may].sum()))
        indexes = {}
        for combination in tried:
            columns: defaultdict[str, list[tuple[str, list[bytes] | None]]] = defaultdict(list)
            for key in sorted(combination & self.built.keys()):
                spec, body = self.built[key]
                columns[spec.name].append((spec.index_type, None if body is None else [body]))
            if not columns:
                indexes[combination] = layout.all, bounds
                continue
            with FileIndex.open(assemble(columns.items()), self.schema.columns) as opened:
                selection = opened.evaluate(predicate, num_rows=layout.rows)
                read = opened.bytes_read
            blocks, rows = layout.selected(selection)
            indexes[combination] = (
                layout.read_size(blocks, rows, read),
                layout.read_size(blocks & may, rows, read),
            )
        return indexes

    def _blocks_in_bounds(self, predicate: Predicate) -> NDArray[np.bool_]:
        """Return which blocks may match, according to the minimum and maximum of each."""
        for name in tested_names(predicate):
            is_new = name not in self.bounds and name in self.data.schema.names
            if is_new and not self.schema.columns[name].fields:
                column = plain(self.data[name], self.schema.columns[name])
                self.bounds[name] = [
                    Bounds(*least_and_greatest(part), part.null_count, len(part))
                    for start, end in pairwise(self.layout.starts.tolist())
                    for part in (column.slice(start, end - start),)
                ]

        def of_column(name: str, data_type: DataType) -> ManyBounds | None:
            bounds = self.bounds.get(name)
            return None if bounds is None else ManyBounds.of(bounds, data_type)

        return may_match(predicate, of_column, len(self.layout.sizes))
