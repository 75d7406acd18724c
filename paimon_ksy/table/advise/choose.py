"""Choose the worthwhile indexes from the measurements of a sample.

An index is worthwhile if it skips enough data that other means do not skip. With the minimum and
maximum of files, row groups and pages, the predicates on its column still read some bytes. The
share of these bytes that the index saves, less its own bytes as a share of the data, has to be at
least MIN_WORTH.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec
from paimon_ksy.table.advise.layout import ReadSize
from paimon_ksy.table.advise.measure import FileMeasurement
from paimon_ksy.table.advise.profile import FileProfile
from paimon_ksy.table.advise.questions import Question
from paimon_ksy.table.advise.sample import Key
from paimon_ksy.table.advise.summary import ColumnSummary
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.steps import Size

MIN_WORTH = 0.1
"""Minimum worth of an index, as a share of the bytes that its predicates read."""

MOST = 0.5
"""Maximum bytes of all recommended indexes without given predicates, as a share of the data."""

_TINY = 1 << 20  # bytes of a table that is read quickly, with or without indexes
_ALIKE = 0.05  # difference in worth up to which types that select exact rows come first
_KEPT_FOR = 0.1  # by how much another type has to be better than an existing one
_COSTLY = 0.1  # share of the data from which an index is dropped without given predicates
_NOTHING = ReadSize()


@dataclass
class QuestionTotals:
    """The parts of the sample that a question reads, summed over files.

    Attributes:
        rows: Rows that match.
        now: The size read with the existing indexes.
        bounds: The size read if minimum and maximum were known.
        found: The size read with combinations of indexes alone.
        cost: Bytes of pages and indexes read with combinations of indexes and the bounds.
    """

    rows: int = 0
    now: ReadSize = _NOTHING
    bounds: ReadSize = _NOTHING
    found: dict[frozenset[Key], ReadSize] = field(default_factory=dict)
    cost: dict[frozenset[Key], int] = field(default_factory=dict)


@dataclass(frozen=True)
class SampleResults:
    """The results for a table, measured on a sample of its files.

    Attributes:
        schema: The table's schema.
        size: The size of all files that indexes could help.
        files: The files of the sample.
        names: The columns to consider.
        unfit: The reason why a column supports no index, by its name.
        is_typical: Whether the predicates are typical ones, because none were given.
        wanted: The indexes that the table's options ask for.
        summaries: The columns that files of the sample have.
        questions: The predicates.
        totals: The size that each question reads.
        candidates: The indexes that were tried, in order of preference for each column.
        untried: Other indexes that files have.
        profiles: The profile of each file.
        measurements: The measurements of each file.
    """

    schema: TableSchema
    size: Size
    files: Sequence[DataFile]
    names: tuple[str, ...]
    unfit: Mapping[str, str]
    is_typical: bool
    wanted: FileIndexOptions
    summaries: Mapping[str, ColumnSummary]
    questions: Sequence[Question]
    totals: Sequence[QuestionTotals]
    candidates: Mapping[Key, IndexSpec]
    untried: Mapping[Key, IndexSpec]
    profiles: Sequence[FileProfile]
    measurements: Sequence[Sequence[FileMeasurement]]


class IndexChoice:
    """The indexes that a table should have, with the savings and costs of each.

    Attributes:
        results: The measurements.
        whole: The size of the sample.
        has_groups: Whether all files of the sample have row groups.
        sizes: Bytes of the indexes that were built.
        seconds: Seconds to build them.
        built_of: The size of the files for which each index was built: all files of the sample,
            or some if no predicate tests the column.
        refused: The reason why an index could not be built.
        wanted: The indexes that the table's options ask for.
        existing: The number of files of the sample that have an index.
        is_tiny: Whether the table is read quickly anyway.
    """

    def __init__(self, results: SampleResults) -> None:
        """Sum up the results."""
        self.results = results
        self.whole = _NOTHING
        for profile in results.profiles:
            self.whole = self.whole.plus(profile.size)
        self.has_groups = all(profile.has_groups for profile in results.profiles)
        self.sizes: dict[Key, int] = {}
        self.seconds: dict[Key, float] = {}
        self.built_of: dict[Key, ReadSize] = {}
        self.refused: dict[Key, str] = {}
        for profile, of_file in zip(results.profiles, results.measurements, strict=True):
            for measured in of_file:
                for key, size in measured.sizes.items():
                    self.sizes[key] = self.sizes.get(key, 0) + size
                    self.seconds[key] = self.seconds.get(key, 0.0) + measured.seconds[key]
                    self.built_of[key] = self.built_of.get(key, _NOTHING).plus(profile.size)
                self.refused |= measured.refused
        self.wanted = {(spec.name, spec.index_type): spec for spec in results.wanted.indexes}
        self.existing: dict[Key, int] = {}
        for profile in results.profiles:
            for key in profile.existing:
                self.existing[key] = self.existing.get(key, 0) + 1
        self.is_tiny = results.size.bytes < _TINY

    def of_table(self, key: Key, figure: float) -> float:
        """Scale a figure of an index from the files for which it was built to the whole table."""
        return figure * self.results.size.rows / max(self.built_of.get(key, _NOTHING).rows, 1)

    def questions_on(self, name: str) -> list[int]:
        """Return the positions of the questions that test a column and decide on its index."""
        return [
            at
            for at, question in enumerate(self.results.questions)
            if question.counts and name in question.names
        ]

    def cost(self, at: int, indexes: frozenset[Key]) -> int:
        """Return the bytes of the sample that a question reads with these indexes."""
        costs = self.results.totals[at].cost
        return min((cost for used, cost in costs.items() if used <= indexes), default=0)

    def saved(self, key: Key, beside: frozenset[Key] = frozenset()) -> float | None:
        """Return the share of its predicates' bytes that an index saves in addition to others.

        None if no predicate tests its column.
        """
        questions = self.questions_on(key[0])
        if not questions:
            return None
        weights = {at: self.results.questions[at].weight for at in questions}
        total = 0.0
        for at, weight in weights.items():
            base = self.cost(at, frozenset())
            if base:
                gain = self.cost(at, beside) - self.cost(at, beside | {key})
                total += weight * gain / base
        return total / sum(weights.values())

    def size(self, key: Key) -> float:
        """Return the bytes of an index as a share of the data."""
        return self.sizes.get(key, 0) / max(self.built_of.get(key, _NOTHING).bytes, 1)

    def worth(self, key: Key, beside: frozenset[Key] = frozenset()) -> float:
        """Return the savings of an index less its cost, plus a bonus if it exists already."""
        saved = self.saved(key, beside)
        if saved is None or key not in self.sizes or key in self.refused:
            return -1.0
        return saved - self.size(key) + (_KEPT_FOR if self.exists(key) else 0.0)

    def exists(self, key: Key) -> bool:
        """Return whether the options ask for the index, or a file of the sample has it."""
        return key in self.wanted or key in self.existing

    @cached_property
    def chosen(self) -> frozenset[Key]:
        """The worthwhile indexes, one for each column."""
        chosen: frozenset[Key] = frozenset()
        while not self.is_tiny:
            names = {name for name, _ in chosen}
            room = MOST - sum(map(self.size, chosen)) if self.results.is_typical else 1e9
            left = [
                key
                for key in self.results.candidates
                if key[0] not in names and (self.size(key) <= room or self.exists(key))
            ]
            worth = {key: self.worth(key, chosen) for key in left}
            best = max(worth.values(), default=-1.0)
            if best < MIN_WORTH:
                break
            key = next(key for key in left if worth[key] == best)
            if not self.exists(key):
                alike = (k for k in left if k[0] == key[0] and worth[k] >= best - _ALIKE)
                key = next(alike)
            chosen |= {key}
        return chosen

    @cached_property
    def advised(self) -> frozenset[Key]:
        """The indexes that the table should have."""
        kept = (key for key in self._kept_anyway() if key[0] not in dict(self.chosen))
        return self.chosen | set(kept)

    def _kept_anyway(self) -> Iterator[Key]:
        """Yield the existing indexes that no measurement shows to be useless."""
        results = self.results
        for key in {*self.wanted, *results.untried, *results.candidates}:
            if not self.exists(key) or key in self.refused:
                continue
            is_known = key[0] in results.summaries
            is_cheap = self.is_tiny or self.size(key) < _COSTLY
            if not is_known or (results.is_typical and (is_cheap or self.saved(key) is None)):
                yield key
