"""What the findings on a sample come to: which indexes are worth while, and why the others not.

An index is worth while if it leaves out more than what is known without it: of the bytes that its
predicates read although they know the smallest and largest values of files, row groups and pages,
the share that it saves, less its own bytes as a share of the data, has to be MIN_WORTH at least.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from paimon_ksy.file_index.builder import assemble
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec
from paimon_ksy.predicates.tree import Predicate
from paimon_ksy.table.advise.layout import Kept
from paimon_ksy.table.advise.measure import Measured
from paimon_ksy.table.advise.profile import Profiled
from paimon_ksy.table.advise.questions import Summary
from paimon_ksy.table.advise.report import AskedOf, ColumnAdvice, IndexFigures, Skipped
from paimon_ksy.table.advise.sample import Key
from paimon_ksy.table.model.files import DataFile, TableSchema
from paimon_ksy.table.query.plan import Size

MIN_WORTH = 0.1
"""What an index has to be worth, as a share of the bytes that its predicates read."""

TINY = 1 << 20
"""Bytes of a table that is read in no time, with or without indexes."""

MOST = 0.5
"""Bytes of all indexes that are advised if no predicate is given, as a share of the data."""

_ALIKE = 0.05  # types that are worth about the same: those that tell rows exactly come first
_KEPT_FOR = 0.1  # by how much another type has to be better than one that is there
_COSTLY = 0.1  # share of the data from which an index is taken away without a given predicate
_EMBEDDED, _ALL_EMBEDDED = 8 << 10, 16 << 20  # bytes in manifests: of a file, of the table

THRESHOLD = "file-index.in-manifest-threshold"
_NOTHING = Kept()


@dataclass(frozen=True)
class Question:
    """A predicate, bound to the table; `counts` tells if it decides which index is advised."""

    predicate: Predicate
    sql: str
    what: str | None
    weight: int
    names: tuple[str, ...]
    counts: bool = True


@dataclass
class Totals:
    """What has to be read of the sample for a question, summed over its files.

    `cost` are bytes of pages and index where bounds help too.
    """

    rows: int = 0
    now: Kept = _NOTHING
    bounds: Kept = _NOTHING
    found: dict[frozenset[Key], Kept] = field(default_factory=dict)
    cost: dict[frozenset[Key], int] = field(default_factory=dict)


@dataclass(frozen=True)
class Findings:
    """What was found out about a table and a sample of its files.

    `unfit` says of columns why they take no index. `wanted` are the indexes that the table's
    options ask for, `candidates` those that were tried, by column in the order of preference,
    `untried` others that files have. Of each file of the sample there is one of `profiled` and some
    of `measured`.
    """

    schema: TableSchema
    size: Size
    files: Sequence[DataFile]
    names: tuple[str, ...]
    unfit: Mapping[str, str]
    is_typical: bool
    wanted: FileIndexOptions
    summaries: Mapping[str, Summary]
    questions: Sequence[Question]
    totals: Sequence[Totals]
    candidates: Mapping[Key, IndexSpec]
    untried: Mapping[Key, IndexSpec]
    profiled: Sequence[Profiled]
    measured: Sequence[Sequence[Measured]]


class Verdict:
    """What the findings come to."""

    def __init__(self, found: Findings) -> None:
        self.found = found
        self.whole = Kept()
        for profiled in found.profiled:
            self.whole = self.whole.plus(profiled.size)
        self.rows = self.whole.rows
        self.bytes = self.whole.bytes
        self.has_groups = all(profiled.has_groups for profiled in found.profiled)
        self.sizes: dict[Key, int] = {}
        self.seconds: dict[Key, float] = {}
        self.built_of: dict[Key, Kept] = {}
        """Of which files an index was built: all of them, or just some if nothing asks for it."""
        self.refused: dict[Key, str] = {}
        for profiled, of_file in zip(found.profiled, found.measured, strict=True):
            for made in of_file:
                for key, size in made.sizes.items():
                    self.sizes[key] = self.sizes.get(key, 0) + size
                    self.seconds[key] = self.seconds.get(key, 0.0) + made.seconds[key]
                    self.built_of[key] = self.built_of.get(key, _NOTHING).plus(profiled.size)
                self.refused |= made.refused
        self.wanted = {(spec.name, spec.index_type): spec for spec in found.wanted.indexes}
        self.there: dict[Key, int] = {}
        for profiled in found.profiled:
            for key in profiled.existing:
                self.there[key] = self.there.get(key, 0) + 1
        self.is_tiny = found.size.bytes < TINY

    def of_table(self, key: Key, figure: float) -> float:
        """What a figure of an index, of the files of which it was built, is of the whole table."""
        built_of = self.built_of.get(key, _NOTHING)
        return figure * self.found.size.rows / max(built_of.rows, 1)

    # What indexes save --------------------------------------------------------------------------

    def cost(self, at: int, indexes: frozenset[Key]) -> int:
        """Bytes to read for a question with these indexes, of the sample."""
        costs = self.found.totals[at].cost
        return min((cost for way, cost in costs.items() if way <= indexes), default=0)

    def saved(self, key: Key, beside: frozenset[Key] = frozenset()) -> float | None:
        """The share of the bytes of its predicates that an index saves, beside others.

        None if no predicate asks for its column.
        """
        asked = [
            (at, question.weight)
            for at, question in enumerate(self.found.questions)
            if question.counts and key[0] in question.names
        ]
        if not asked:
            return None
        total = 0.0
        for at, weight in asked:
            base = self.cost(at, frozenset())
            if base:
                gain = self.cost(at, beside) - self.cost(at, beside | {key})
                total += weight * gain / base
        return total / sum(weight for _, weight in asked)

    def size(self, key: Key) -> float:
        """The bytes of an index as a share of the data."""
        return self.sizes.get(key, 0) / max(self.built_of.get(key, _NOTHING).bytes, 1)

    def worth(self, key: Key, beside: frozenset[Key] = frozenset()) -> float:
        """What an index saves, less what it takes; more if it is there already."""
        saved = self.saved(key, beside)
        if saved is None or key not in self.sizes or key in self.refused:
            return -1.0
        return saved - self.size(key) + (_KEPT_FOR if self.exists(key) else 0.0)

    def exists(self, key: Key) -> bool:
        """Whether the options ask for the index, or a file of the sample has it."""
        return key in self.wanted or key in self.there

    @cached_property
    def chosen(self) -> frozenset[Key]:
        """The indexes that are worth while, one of a column."""
        chosen: frozenset[Key] = frozenset()
        while not self.is_tiny:
            names = {name for name, _ in chosen}
            room = MOST - sum(map(self.size, chosen)) if self.found.is_typical else 1e9
            left = [
                key
                for key in self.found.candidates
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
        """Indexes that are there, and of which nothing says that they are of no use."""
        for key in {*self.wanted, *self.found.untried, *self.found.candidates}:
            if not self.exists(key):
                continue
            is_known = key[0] in self.found.summaries
            is_cheap = self.is_tiny or self.size(key) < _COSTLY
            if not is_known or (self.found.is_typical and (is_cheap or self.saved(key) is None)):
                yield key

    # Columns ------------------------------------------------------------------------------------

    def column(self, name: str) -> ColumnAdvice:
        """The verdict on a column."""
        found = self.found
        there = {kind for own, kind in {*self.wanted, *self.there} if own == name}
        advised = {kind for own, kind in self.advised if own == name}
        if advised and there:
            verdict = "keep" if advised == there else "replace"
        else:
            verdict = "add" if advised else "drop" if there else "none"
        data_type = str(found.schema.columns[name])
        why = found.unfit.get(name)
        summary = found.summaries.get(name)
        kinds = tuple(sorted(advised))
        if why is not None or summary is None:
            why = why or "no file of the sample stores it with this type"
            return ColumnAdvice(name, data_type, verdict, kinds, why)
        indexes = tuple(self._figures(key) for key in found.candidates if key[0] == name)
        return ColumnAdvice(
            name=name,
            type=data_type,
            verdict=verdict,
            advised=kinds,
            why=self._why(name, summary, advised, there, indexes),
            nulls=summary.nulls / max(summary.rows, 1),
            distinct=summary.distinct,
            distinct_in_file=summary.distinct_in_file,
            is_estimate=not summary.is_exact,
            in_files=summary.in_files,
            in_row_groups=summary.in_groups if self.has_groups else None,
            in_pages=summary.in_pages if self.has_groups else None,
            in_bounds=summary.held,
            indexes=indexes,
        )

    def _figures(self, key: Key) -> IndexFigures:
        size, seconds = self.sizes.get(key, 0), self.seconds.get(key, 0.0)
        return IndexFigures(
            type=key[1],
            options=dict(self.found.candidates[key].options),
            bytes=size,
            files=self.built_of.get(key, _NOTHING).files,
            table_bytes=round(self.of_table(key, size)),
            seconds=round(seconds, 6),
            table_seconds=round(self.of_table(key, seconds), 6),
            size=self.size(key),
            saved=self.saved(key),
            exists=self.exists(key),
            refused=None if key in self.sizes else self.refused.get(key, "not built"),
        )

    def _why(
        self,
        name: str,
        summary: Summary,
        advised: set[str],
        there: set[str],
        indexes: Sequence[IndexFigures],
    ) -> str:
        built = [index for index in indexes if index.refused is None]
        if advised:
            gains = [self._gain_of(name, index) for index in built if index.type in advised]
            told = (
                gains[0].partition(" ")[2] if len(gains) == len(advised) == 1 else "; ".join(gains)
            )
            if not self.found.is_typical or name in dict(self.chosen):
                return told
            return f"{told}; it may be useful: give --predicates to find out".strip("; ")
        if not built:
            reasons = [index.refused for index in indexes if index.refused]
            is_asked = any(name in question.names for question in self.found.questions)
            if not self.found.is_typical and not is_asked:
                return "no predicate tests it"
            return reasons[0] if reasons else f"no index type supports {summary.type}"
        best = max(built, key=lambda index: (index.saved or 0.0) - index.size)
        asked = [
            at
            for at, question in enumerate(self.found.questions)
            if question.counts and name in question.names
        ]
        if self.is_tiny:
            return (
                f"the whole table has only {amount(self.found.size.bytes)}, so an index saves "
                "nothing"
            )
        if not asked:
            if self.found.is_typical and summary.is_text:
                return (
                    "predicates seldom compare long, distinct texts as a whole; if yours do, "
                    f"give --predicates: {_takes(best)}"
                )
            if self.found.is_typical:
                return "such a column has no typical predicates: give --predicates"
            return f"no predicate tests it; {_takes(best)}"
        weights = sum(self.found.questions[at].weight for at in asked)
        read = sum(self.cost(at, frozenset()) * self.found.questions[at].weight for at in asked)
        bounds = 1 - read / max(self.whole.page_bytes * weights, 1)
        saved = max(0.0, *(index.saved or 0.0 for index in built))
        if saved < MIN_WORTH and bounds >= 0.3:
            return (
                f"minimum and maximum exclude {percent(bounds)}, and no index saves "
                f"{_more_than(saved)} of the rest"
            )
        if saved < MIN_WORTH:
            return f"matching rows are in most files and pages: no index saves {_more_than(saved)}"
        if self.found.is_typical and self.worth((name, best.type)) >= MIN_WORTH:
            return (
                f"{self._gain(best)}, but indexes on all such columns would take more than "
                f"{percent(MOST)}: give --predicates to choose"
            )
        beside = self.saved((name, best.type), self.advised)
        if beside is not None and beside < MIN_WORTH <= (best.saved or 0.0):
            return f"{self._gain(best)}, but the other indexes already save most of it"
        return f"{self._gain(best)}: not worth it"

    def _gain_of(self, name: str, index: IndexFigures) -> str:
        """Of an index that is advised: beside the others, if it is for them that it is worth it."""
        key = name, index.type
        beside = self.saved(key, self.advised - {key})
        if index.saved is None or beside is None or not index.saved < MIN_WORTH <= beside:
            return self._gain(index)
        return self._gain(replace(index, saved=beside), " beside the other indexes")

    def _gain(self, index: IndexFigures, beside: str = "") -> str:
        saved = ""
        if index.saved is not None:
            saved = f"saves {percent(max(index.saved, 0))} of bytes{beside} and "
        return (
            f"{index.type} {saved}takes {percent(index.size)} of the data, "
            f"{amount(index.bytes / max(index.files, 1))} a file"
        )

    # Questions ----------------------------------------------------------------------------------

    def skipped(self, kept: Kept) -> Skipped:
        """The shares of the sample that are not among what is kept."""
        whole = self.whole

        def share(part: int, of: int) -> float:
            return round(1 - part / of, 6) if of else 0.0

        return Skipped(
            files=share(kept.files, whole.files),
            row_groups=share(kept.groups, whole.groups) if self.has_groups else None,
            bytes=share(kept.bytes, whole.bytes),
            page_bytes=share(kept.page_bytes, whole.page_bytes),
            rows=share(kept.rows, whole.rows),
        )

    def asked(self, at: int) -> AskedOf:
        """What a question reads, now and with indexes."""
        question, totals = self.found.questions[at], self.found.totals[at]
        singles = {
            f"{key[1]}:{key[0]}": self.skipped(kept)
            for way, kept in totals.found.items()
            if len(way) == 1
            for key in way
            if key not in self.refused
        }
        ways = [way for way in totals.found if way <= self.advised]
        best = min(ways, key=lambda way: (totals.found[way].page_bytes, -len(way)), default=None)
        return AskedOf(
            sql=question.sql,
            what=question.what,
            columns=question.names,
            weight=question.weight,
            rows=totals.rows / max(self.rows, 1),
            now=self.skipped(totals.now),
            bounds=self.skipped(totals.bounds),
            indexes=singles,
            advised=self.skipped(Kept() if best is None else totals.found[best]),
        )

    # Options ------------------------------------------------------------------------------------

    def index_options(self) -> dict[str, str | None]:
        """The options of file indexes that have to be changed, None to be taken away."""
        own = self.found.schema.options
        changes: dict[str, str | None] = {}
        place = {name: at for at, name in enumerate(self.found.names)}
        types = dict.fromkeys(kind for _, kind in (*self.wanted, *sorted(self.advised)))
        for kind in types:
            option = f"file-index.{kind}.columns"
            before = [n.strip() for n in own.get(option, "").split(",") if n.strip()]
            wanted = {name for name, k in self.advised if k == kind}
            new = sorted(wanted - set(before), key=lambda name: (place.get(name, len(place)), name))
            after = [name for name in before if name in wanted] + new
            if after != before:
                changes[option] = ",".join(after) or None
            left = {name.partition("[")[0] for name in after} | set(after)
            for key in own:
                parts = key.split(".")
                is_of_column = key.startswith(f"file-index.{kind}.") and len(parts) == 4
                if is_of_column and parts[2] not in left:
                    changes[key] = None
            for name in new:
                spec = {**self.found.untried, **self.found.candidates}[name, kind]
                for key, value in spec.options.items():
                    changes[f"file-index.{kind}.{name}.{key}"] = value
        threshold = self._threshold()
        if threshold is not None:
            changes[THRESHOLD] = threshold
        return changes

    def is_missing(self) -> bool:
        """Whether files of the sample lack an index that is advised."""
        for key in self.advised:
            files = sum(any(key in m.sizes for m in of_file) for of_file in self.found.measured)
            if self.there.get(key, 0) < files:
                return True
        return False

    @property
    def is_left(self) -> bool:
        """Whether files of the sample have an index that is not advised."""
        return any(key not in self.advised for key in self.there)

    def _threshold(self) -> str | None:
        """The size up to which indexes are embedded in manifests, if a larger one does good: no
        other file is opened then."""
        sizes = []
        for file, of_file in zip(self.found.files, self.found.measured, strict=True):
            bodies = {
                key: size
                for made in of_file
                for key, size in made.sizes.items()
                if key in self.advised and made.rows == file.num_rows
            }
            if bodies:
                sizes.append(file_size(bodies))
        most = max(sizes, default=0)
        if not self.found.wanted.in_manifest_threshold < most <= _EMBEDDED:
            return None
        wanted = -(-most * 5 // 4 // 1024) * 1024
        if wanted * self.found.size.files > _ALL_EMBEDDED:
            return None
        return f"{wanted >> 10}kb"

    def missing_statistics(self) -> list[str]:
        """The columns whose smallest and largest values would leave out files, and are unknown."""
        found = []
        for name, summary in self.found.summaries.items():
            unknown = sum(name not in file.statistics.columns for file in self.found.files)
            if not unknown or summary.files < 2 or self.is_tiny:
                continue
            gains = [
                (question.weight, totals.now.files - totals.bounds.files)
                for question, totals in zip(self.found.questions, self.found.totals, strict=True)
                if question.counts and name in question.names
            ]
            weights = sum(weight for weight, _ in gains)
            if weights and sum(w * gain for w, gain in gains) >= (
                MIN_WORTH * weights * len(self.found.files)
            ):
                found.append(name)
        return found


def file_size(bodies: Mapping[Key, int]) -> int:
    """Bytes of a file index with bodies of these sizes."""
    columns: dict[str, list[tuple[str, list[bytes] | None]]] = {}
    for name, kind in bodies:
        columns.setdefault(name, []).append((kind, None))
    return len(assemble(columns.items())) + sum(bodies.values())


def percent(share: float) -> str:
    """`12 %`, `0.4 %`."""
    number = 100 * share
    if 0 < number < 0.1:
        return "<0.1 %"
    return f"{number:.1f} %" if 0 < number < 9.95 and round(number, 1) % 1 else f"{number:.0f} %"


def amount(size: float) -> str:
    """`950 bytes`, `12 kB`, `3.4 MB`."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 999.5 or unit == "GB":
            break
        size /= 1000
    return f"{size:.1f} {unit}" if size < 9.95 and unit != "bytes" else f"{size:,.0f} {unit}"


def _more_than(share: float) -> str:
    return f"more than {percent(share)}" if share else "anything"


def _takes(index: IndexFigures) -> str:
    return f"a {index.type} would take {percent(index.size)} of the data"
