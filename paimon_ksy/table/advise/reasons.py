"""The advice on each column and predicate: figures, a verdict, and the reason for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from paimon_ksy.table.advise.choose import MIN_WORTH, MOST, IndexChoice
from paimon_ksy.table.advise.layout import ReadSize
from paimon_ksy.table.advise.report import (
    ColumnAdvice,
    IndexFigures,
    PredicateAdvice,
    Skipped,
    amount,
    percent,
)
from paimon_ksy.table.advise.sample import Key
from paimon_ksy.table.advise.summary import ColumnSummary

_BOUNDS_SUFFICE = 0.3  # minimum share that minimum and maximum exclude to be named as a reason


def column_advice(choice: IndexChoice, name: str) -> ColumnAdvice:
    """Return the advice on a column."""
    results = choice.results
    existing = {kind for own, kind in {*choice.wanted, *choice.existing} if own == name}
    advised = {kind for own, kind in choice.advised if own == name}
    if advised and existing:
        verdict = "keep" if advised == existing else "replace"
    else:
        verdict = "add" if advised else "drop" if existing else "none"
    data_type = str(results.schema.columns[name])
    unfit = results.unfit.get(name)
    summary = results.summaries.get(name)
    types = tuple(sorted(advised))
    if unfit is not None or summary is None:
        why = unfit or "no file of the sample stores it with this type"
        return ColumnAdvice(name, data_type, verdict, types, why)
    indexes = tuple(_figures(choice, key) for key in results.candidates if key[0] == name)
    return ColumnAdvice(
        column=name,
        type=data_type,
        verdict=verdict,
        advised=types,
        why=_why(_Case(choice, name, summary, frozenset(advised), indexes)),
        nulls=summary.nulls / max(summary.rows, 1),
        distinct=summary.distinct,
        distinct_in_file=summary.distinct_in_file,
        is_estimate=not summary.is_exact,
        in_files=summary.in_files,
        in_row_groups=summary.in_groups if choice.has_groups else None,
        in_pages=summary.in_pages if choice.has_groups else None,
        in_bounds=summary.in_bounds,
        indexes=indexes,
    )


def _figures(choice: IndexChoice, key: Key) -> IndexFigures:
    size, seconds = choice.sizes.get(key, 0), choice.seconds.get(key, 0.0)
    return IndexFigures(
        index_type=key[1],
        options=dict(choice.results.candidates[key].options),
        bytes=size,
        files=choice.built_of.get(key, ReadSize()).files,
        table_bytes=round(choice.of_table(key, size)),
        seconds=round(seconds, 6),
        table_seconds=round(choice.of_table(key, seconds), 6),
        size=choice.size(key),
        saved=choice.saved(key),
        exists=choice.exists(key),
        refused=choice.refused.get(key, None if key in choice.sizes else "not built"),
    )


# Reasons ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Case:
    """A column, as input of the rules: the recommended index types, and those that were tried."""

    choice: IndexChoice
    name: str
    summary: ColumnSummary
    advised: frozenset[str]
    indexes: Sequence[IndexFigures]

    @cached_property
    def built(self) -> list[IndexFigures]:
        return [index for index in self.indexes if index.refused is None]

    @cached_property
    def best(self) -> IndexFigures:
        """The most worthwhile index among those built."""
        return max(self.built, key=lambda index: (index.saved or 0.0) - index.size)

    @cached_property
    def saved(self) -> float:
        """The largest share that an index saves."""
        return max(0.0, *(index.saved or 0.0 for index in self.built))

    @cached_property
    def questions(self) -> list[int]:
        return self.choice.questions_on(self.name)

    @property
    def is_typical(self) -> bool:
        return self.choice.results.is_typical

    @property
    def is_tested(self) -> bool:
        """Whether a predicate tests the column, even one that does not decide."""
        return any(self.name in question.names for question in self.choice.results.questions)

    @property
    def is_chosen(self) -> bool:
        return self.name in dict(self.choice.chosen)

    @cached_property
    def excluded_by_bounds(self) -> float:
        """The share of bytes that minimum and maximum exclude."""
        choice = self.choice
        weights = {at: choice.results.questions[at].weight for at in self.questions}
        read = sum(choice.cost(at, frozenset()) * weight for at, weight in weights.items())
        return 1 - read / max(choice.whole.page_bytes * sum(weights.values()), 1)

    @property
    def is_crowded_out(self) -> bool:
        """Whether the index would be chosen if there were room for it."""
        key = self.name, self.best.index_type
        return self.is_typical and self.choice.worth(key) >= MIN_WORTH

    @property
    def is_saved_by_others(self) -> bool:
        beside = self.choice.saved((self.name, self.best.index_type), self.choice.advised)
        return beside is not None and beside < MIN_WORTH <= (self.best.saved or 0.0)

    def gains(self) -> str:
        """Return the savings and costs of the recommended indexes, as text."""
        gains = [self._gain_of(index) for index in self.built if index.index_type in self.advised]
        if len(gains) == len(self.advised) == 1:
            return gains[0].partition(" ")[2]
        return "; ".join(gains)

    def _gain_of(self, index: IndexFigures) -> str:
        """Return the savings of an index, or those beside the others if only these suffice."""
        key = self.name, index.index_type
        beside = self.choice.saved(key, self.choice.advised - {key})
        if index.saved is None or beside is None or not index.saved < MIN_WORTH <= beside:
            return _gain(index)
        return _gain(replace(index, saved=beside), " beside the other indexes")

    def refusal(self) -> str:
        """Return why no index could be built."""
        reasons = [index.refused for index in self.indexes if index.refused]
        return reasons[0] if reasons else f"no index type supports {self.summary.type}"


# The first rule whose condition is true determines the reason for a verdict.
_RULES: Sequence[tuple[Callable[[_Case], bool], Callable[[_Case], str]]] = (
    (lambda case: bool(case.advised) and (not case.is_typical or case.is_chosen), _Case.gains),
    (
        lambda case: bool(case.advised),
        lambda case: f"{case.gains()}; it may be useful: pass --predicates to find out".strip("; "),
    ),
    (
        lambda case: not case.built and not case.is_typical and not case.is_tested,
        lambda case: "no predicate tests it",
    ),
    (lambda case: not case.built, _Case.refusal),
    (
        lambda case: case.choice.is_tiny,
        lambda case: (
            f"the whole table has only {amount(case.choice.results.size.bytes)}, so an index "
            "saves nothing"
        ),
    ),
    (
        lambda case: not case.questions and case.is_typical and case.summary.is_text,
        lambda case: (
            "predicates seldom compare long, distinct texts as a whole; if yours do, "
            f"pass --predicates: {_takes(case.best)}"
        ),
    ),
    (
        lambda case: not case.questions and case.is_typical,
        lambda case: "such a column has no typical predicates: pass --predicates",
    ),
    (
        lambda case: not case.questions,
        lambda case: f"no predicate tests it; {_takes(case.best)}",
    ),
    (
        lambda case: case.saved < MIN_WORTH and case.excluded_by_bounds >= _BOUNDS_SUFFICE,
        lambda case: (
            f"minimum and maximum exclude {percent(case.excluded_by_bounds)}, and no index saves "
            f"{_more_than(case.saved)} of the rest"
        ),
    ),
    (
        lambda case: case.saved < MIN_WORTH,
        lambda case: (
            f"matching rows are in most files and pages: no index saves {_more_than(case.saved)}"
        ),
    ),
    (
        lambda case: case.is_crowded_out,
        lambda case: (
            f"{_gain(case.best)}, but indexes on all such columns would take more than "
            f"{percent(MOST)}: pass --predicates to choose"
        ),
    ),
    (
        lambda case: case.is_saved_by_others,
        lambda case: f"{_gain(case.best)}, but the other indexes already save most of it",
    ),
    (lambda case: True, lambda case: f"{_gain(case.best)}: not worth it"),
)


def _why(case: _Case) -> str:
    return next(words(case) for holds, words in _RULES if holds(case))


def _gain(index: IndexFigures, beside: str = "") -> str:
    saved = ""
    if index.saved is not None:
        saved = f"saves {percent(max(index.saved, 0))} of bytes{beside} and "
    return (
        f"{index.index_type} {saved}takes {percent(index.size)} of the data, "
        f"{amount(index.bytes / max(index.files, 1))} a file"
    )


def _more_than(share: float) -> str:
    return f"more than {percent(share)}" if share else "anything"


def _takes(index: IndexFigures) -> str:
    return f"a {index.index_type} would take {percent(index.size)} of the data"


# Predicates -------------------------------------------------------------------------------------


def predicate_advice(choice: IndexChoice, at: int) -> PredicateAdvice:
    """Return the advice on the question at position `at`, now and with indexes."""
    question, totals = choice.results.questions[at], choice.results.totals[at]
    singles = {
        f"{key[1]}:{key[0]}": _skipped(choice, read)
        for used, read in totals.found.items()
        if len(used) == 1
        for key in used
        if key not in choice.refused
    }
    possible = [used for used in totals.found if used <= choice.advised]
    best = min(possible, key=lambda used: (totals.found[used].page_bytes, -len(used)), default=None)
    return PredicateAdvice(
        sql=question.sql,
        what=question.what,
        columns=question.names,
        weight=question.weight,
        rows=totals.rows / max(choice.whole.rows, 1),
        now=_skipped(choice, totals.now),
        bounds=_skipped(choice, totals.bounds),
        indexes=singles,
        advised=_skipped(choice, ReadSize() if best is None else totals.found[best]),
    )


def _skipped(choice: IndexChoice, read: ReadSize) -> Skipped:
    """Return the shares of the sample that are skipped."""
    whole = choice.whole

    def share(part: int, of: int) -> float:
        return round(1 - part / of, 6) if of else 0.0

    return Skipped(
        files=share(read.files, whole.files),
        row_groups=share(read.groups, whole.groups) if choice.has_groups else None,
        bytes=share(read.bytes, whole.bytes),
        page_bytes=share(read.page_bytes, whole.page_bytes),
        rows=share(read.rows, whole.rows),
    )
