"""Choose the indexes that are worth their bytes, by the measurements of a sample.

With the minimum and maximum of row groups and pages, the predicates on a column still read some
bytes. The worth of an index is the share of these bytes that it saves, less its own bytes as a
share of the data. It has to be at least MIN_WORTH.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.table.advise.layout import NOTHING, ReadSize
from paimon_ksy.table.advise.measure import FileMeasurement, Reads, spec_in_file
from paimon_ksy.table.advise.profile import ColumnProfile, FileProfile
from paimon_ksy.table.advise.questions import Question
from paimon_ksy.table.advise.sample import Key, Sample
from paimon_ksy.table.model.files import TableSchema

TYPES = tuple(kind.name for kind in sorted(INDEX_TYPES.values(), key=lambda kind: kind.preference))
"""Index types to try. If several are worth the same, the first one is chosen. Other types are tried
only if such an index exists already."""

MIN_WORTH = 0.1
"""Minimum worth of an index, as a share of the bytes that its predicates read."""

MOST = 0.5
"""Maximum bytes of all recommended indexes without given predicates, as a share of the data."""

_TINY = 1 << 20  # bytes of a table that is read quickly, with or without indexes
_ALIKE = 0.05  # difference in worth up to which types that select exact rows come first
_KEPT_FOR = 0.1  # by how much another type has to be better than an existing one
_COSTLY = 0.1  # share of the data from which an index is dropped without given predicates


def why_unfit(name: str, schema: TableSchema) -> str | None:
    """Return why a column supports no index at all; None if it supports one."""
    column, key = schema.columns.split(name)
    data_type = schema.columns[name]
    if column.name in schema.partition_keys:
        return "a partition column: partition pruning already skips its files"
    if data_type.root == "MAP":
        return "a MAP: indexes are built on its keys, if a predicate names them"
    if data_type.fields or data_type.root in ("VARIANT", "BLOB") or data_type.text is not None:
        return f"no index supports {data_type.root}"
    if "," in name or name != name.strip() or (key is None and re.search(r"\[.*\]$", name)):
        return "table options cannot contain its name"
    return None


def candidate_indexes(
    schema: TableSchema,
    options: FileIndexOptions,
    columns: Mapping[str, ColumnProfile],
    questions: Sequence[Question],
    existing: set[Key],
) -> dict[Key, IndexSpec]:
    """Return the indexes to try, in order of preference: on tested columns, and existing ones.

    `existing` are those of files of the sample, and `options` those of the table.
    """
    tested = {name for question in questions for name in question.names}
    listed = {(spec.name, spec.index_type): spec for spec in options.indexes}
    candidates = {}
    for name, profile in columns.items():
        fit = [kind for kind in TYPES if not INDEX_TYPES[kind].loses_rows(schema.columns[name])]
        there = sorted(kind for own, kind in existing | listed.keys() if own == name)
        for kind in dict.fromkeys([*fit, *there] if name in tested else there):
            spec = listed.get((name, kind)) or _new_spec(schema, name, kind, profile.distinct)
            if spec is not None and spec_in_file(spec, schema, schema) is not None:
                candidates[name, kind] = spec
    return candidates


def _new_spec(schema: TableSchema, name: str, kind: str, distinct: int) -> IndexSpec | None:
    """Return an index to try; None if the options that it needs cannot be set."""
    options_for = INDEX_TYPES[kind].options_for if kind in INDEX_TYPES else None
    if options_for is not None and "." in name:
        return None  # its size would be 600 kB
    own = {} if options_for is None else options_for(_round_up(distinct))
    column, key = schema.columns.split(name)
    return IndexSpec(kind, column.name, key, own)


def _round_up(count: int) -> int:
    """Return a round number that is larger by at least a tenth."""
    least = max(1, -(-count * 11 // 10))
    digits = max(0, len(str(least)) - 2)
    return int(-(-least // 10**digits) * 10**digits)


@dataclass(frozen=True)
class Choice:
    """The indexes that a table should have, by the measurements of a sample of its files.

    Attributes:
        schema: The table's schema.
        sample: The files of the sample.
        names: The columns to consider.
        unfit: The reason why a column supports no index, by its name.
        is_typical: Whether the predicates are typical ones, because none were given.
        options: The indexes that the table's options ask for.
        columns: The columns that files of the sample have.
        questions: The predicates.
        candidates: The indexes that were tried, in order of preference for each column.
        profiles: The profiles of files, several for a large one.
        measurements: The measurements of files, several for a large one.
    """

    schema: TableSchema
    sample: Sample
    names: tuple[str, ...]
    unfit: Mapping[str, str]
    is_typical: bool
    options: FileIndexOptions
    columns: Mapping[str, ColumnProfile]
    questions: Sequence[Question]
    candidates: Mapping[Key, IndexSpec]
    profiles: Sequence[FileProfile]
    measurements: Sequence[FileMeasurement]

    @cached_property
    def whole(self) -> ReadSize:
        """The size of the sample."""
        sizes = {profile.number: profile.size for profile in self.profiles}
        return reduce(ReadSize.plus, sizes.values(), NOTHING)

    @cached_property
    def reads(self) -> list[Reads]:
        """The size that each question reads in the sample."""
        totals = [Reads() for _ in self.questions]
        for measured in self.measurements:
            for at, reads in measured.reads.items():
                totals[at] = totals[at].plus(reads)
        return totals

    @cached_property
    def sizes(self) -> Counter[Key]:
        """Bytes of the indexes that were built."""
        sizes: Counter[Key] = Counter()
        for measured in self.measurements:
            sizes.update(measured.sizes)
        return sizes

    @cached_property
    def refused(self) -> dict[Key, str]:
        """The reason why an index could not be built."""
        return {key: why for measured in self.measurements for key, why in measured.refused.items()}

    @cached_property
    def listed(self) -> set[Key]:
        """The indexes that the table's options list."""
        return {(spec.name, spec.index_type) for spec in self.options.indexes}

    @cached_property
    def existing(self) -> Counter[Key]:
        """The number of files of the sample that have an index."""
        of_files = {profile.number: profile.existing for profile in self.profiles}
        return Counter(key for keys in of_files.values() for key in keys)

    @property
    def is_tiny(self) -> bool:
        """Whether the table is read quickly anyway."""
        return self.sample.size.bytes < _TINY

    def of_table(self, figure: float) -> float:
        """Scale a figure from the sample to the whole table."""
        return figure * self.sample.size.rows / max(self.whole.rows, 1)

    def exists(self, key: Key) -> bool:
        """Return whether the options list the index, or a file of the sample has it."""
        return key in self.listed or key in self.existing

    @cached_property
    def tests(self) -> Mapping[str, Sequence[int]]:
        """The positions of the questions that test a column."""
        tests: dict[str, list[int]] = {}
        for at, question in enumerate(self.questions):
            for name in question.names:
                tests.setdefault(name, []).append(at)
        return tests

    def size(self, key: Key) -> float:
        """Return the bytes of an index as a share of the data."""
        return self.sizes[key] / max(self.whole.bytes, 1)

    def cost(self, at: int, indexes: frozenset[Key]) -> int:
        """Return the bytes of the sample that a question reads with these indexes."""
        reads = (read for used, (_, read) in self.reads[at].indexes.items() if used <= indexes)
        return min((read.bytes + read.index_bytes for read in reads), default=0)

    def mean(self, name: str, figure: Callable[[int], float]) -> float | None:
        """Return the weighted mean of a figure of the questions that test a column, if any do."""
        weights = {at: self.questions[at].weight for at in self.tests.get(name, ())}
        total = sum(weight * figure(at) for at, weight in weights.items())
        return total / sum(weights.values()) if weights else None

    def saved(self, key: Key, beside: frozenset[Key] = frozenset()) -> float | None:
        """Return the share of its predicates' bytes that an index saves in addition to others.

        None if no predicate tests its column.
        """

        def share(at: int) -> float:
            gain = self.cost(at, beside) - self.cost(at, beside | {key})
            return gain / max(self.cost(at, frozenset()), 1)

        return self.mean(key[0], share)

    def worth(self, key: Key, beside: frozenset[Key] = frozenset()) -> float:
        """Return the savings of an index less its cost, plus a bonus if it exists already."""
        saved = self.saved(key, beside)
        if saved is None or key not in self.sizes or key in self.refused:
            return -1.0
        return saved - self.size(key) + (_KEPT_FOR if self.exists(key) else 0.0)

    @cached_property
    def chosen(self) -> frozenset[Key]:
        """The worthwhile indexes, one for each column."""
        chosen: frozenset[Key] = frozenset()
        while (best := self._best(chosen)) is not None:
            chosen |= {best}
        return chosen

    def _best(self, chosen: frozenset[Key]) -> Key | None:
        """Return the index that is worth most beside those already chosen."""
        names = {name for name, _ in chosen}
        room = MOST - sum(map(self.size, chosen)) if self.is_typical else 1e9
        worth = {
            key: self.worth(key, chosen)
            for key in (() if self.is_tiny else self.candidates)
            if key[0] not in names and (self.size(key) <= room or self.exists(key))
        }
        best = max(worth, key=worth.__getitem__, default=None)
        if best is None or worth[best] < MIN_WORTH:
            return None
        if self.exists(best):
            return best
        alike = worth[best] - _ALIKE
        return next(key for key in worth if key[0] == best[0] and worth[key] >= alike)

    @cached_property
    def advised(self) -> frozenset[Key]:
        """The indexes that the table should have."""
        kept = (key for key in self._kept_anyway() if key[0] not in dict(self.chosen))
        return self.chosen | set(kept)

    def _kept_anyway(self) -> Iterator[Key]:
        """Yield the existing indexes that no measurement shows to be useless."""
        for key in {*self.listed, *self.candidates}:
            if not self.exists(key) or key in self.refused:
                continue
            is_cheap = self.is_tiny or self.size(key) < _COSTLY
            is_unknown = key[0] not in self.columns
            if is_unknown or (self.is_typical and (is_cheap or key[0] not in self.tests)):
                yield key
