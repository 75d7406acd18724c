"""The advice on each column and predicate: a verdict, its reason, and the figures."""

from __future__ import annotations

from collections.abc import Sequence

from paimon_ksy.errors import amount
from paimon_ksy.table.advise.choose import MIN_WORTH, MOST, Choice
from paimon_ksy.table.advise.layout import NOTHING, ReadSize
from paimon_ksy.table.advise.report import (
    ColumnAdvice,
    IndexFigures,
    PredicateAdvice,
    Skipped,
    percent,
)
from paimon_ksy.table.advise.sample import Key

_BOUNDS_SUFFICE = 0.3  # minimum share that minimum and maximum exclude to be named as a reason


_VERDICTS = {
    (True, True): "replace",
    (True, False): "add",
    (False, True): "drop",
    (False, False): "none",
}
"""The verdict on a column, by whether an index is advised, and whether one exists."""


def column_advice(choice: Choice, name: str) -> ColumnAdvice:
    """Return the advice on a column."""
    existing = {kind for own, kind in {*choice.listed, *choice.existing} if own == name}
    advised = {kind for own, kind in choice.advised if own == name}
    verdict = _VERDICTS[bool(advised), bool(existing)]
    if verdict == "replace" and advised == existing:
        verdict = "keep"
    profile = choice.columns.get(name)
    indexes = tuple(_figures(choice, key) for key in choice.candidates if key[0] == name)
    return ColumnAdvice(
        column=name,
        type=str(choice.schema.columns[name]),
        verdict=verdict,
        advised=tuple(sorted(advised)),
        why=_why(choice, name, advised, indexes),
        nulls=None if profile is None else profile.nulls / max(profile.rows, 1),
        distinct_in_file=None if profile is None else profile.distinct,
        indexes=indexes,
    )


def _figures(choice: Choice, key: Key) -> IndexFigures:
    size = choice.sizes[key]
    return IndexFigures(
        index_type=key[1],
        options=dict(choice.candidates[key].options),
        bytes=size,
        table_bytes=round(choice.of_table(size)),
        size=choice.size(key),
        saved=choice.saved(key),
        exists=choice.exists(key),
        refused=choice.refused.get(key, None if key in choice.sizes else "not built"),
    )


def _why(choice: Choice, name: str, advised: set[str], indexes: Sequence[IndexFigures]) -> str:
    """Return the reason for the verdict on a column: the first of these that applies."""
    if name not in choice.columns:
        return choice.unfit.get(name, "no file of the sample stores it with this type")
    if advised:
        return _why_advised(choice, name, advised, indexes)
    if name not in choice.tests:
        return _why_untested(choice, name)
    if built := [index for index in indexes if index.refused is None]:
        return _why_none(choice, name, built)
    unsupported = f"no index type supports {choice.schema.columns[name]}"
    return next((index.refused for index in indexes if index.refused), unsupported)


def _why_advised(
    choice: Choice, name: str, advised: set[str], indexes: Sequence[IndexFigures]
) -> str:
    built = [i for i in indexes if i.refused is None and i.index_type in advised]
    gains = "; ".join(_gain(choice, name, index) for index in built)
    if len(advised) == 1:
        gains = gains.partition(" ")[2]
    if choice.is_typical and name not in dict(choice.chosen):
        gains += "; it may be useful: pass --predicates to find out"
    return gains.removeprefix("; ")


def _why_untested(choice: Choice, name: str) -> str:
    if not choice.is_typical:
        return "no predicate tests it"
    if choice.columns[name].is_text:
        return "predicates seldom compare long, distinct texts as a whole: pass --predicates"
    return "such a column has no typical predicates: pass --predicates"


def _why_none(choice: Choice, name: str, built: Sequence[IndexFigures]) -> str:
    """Return why none of the indexes that were built is worth it."""
    if choice.is_tiny:
        size = amount(choice.sample.size.bytes)
        return f"the whole table has only {size}, so an index saves nothing"
    saved = max(0.0, *(index.saved or 0.0 for index in built))
    if saved < MIN_WORTH:
        return _why_little(choice, name, saved)
    best = max(built, key=lambda index: (index.saved or 0.0) - index.size)
    key, gain = (name, best.index_type), _gain(choice, name, best)
    if choice.is_typical and choice.worth(key) >= MIN_WORTH:
        most = f"indexes on all such columns would take more than {percent(MOST)}"
        return f"{gain}, but {most}: pass --predicates to choose"
    if (choice.saved(key, choice.advised) or 0.0) < MIN_WORTH:
        return f"{gain}, but the other indexes already save most of it"
    return f"{gain}: not worth it"


def _why_little(choice: Choice, name: str, saved: float) -> str:
    more = f"more than {percent(saved)}" if saved else "anything"
    read = choice.mean(name, lambda at: choice.cost(at, frozenset())) or 0.0
    excluded = 1 - read / max(choice.whole.bytes, 1)  # share of bytes
    if excluded >= _BOUNDS_SUFFICE:
        by = f"minimum and maximum exclude {percent(excluded)}"
        return f"{by}, and no index saves {more} of the rest"
    return f"matching rows are in most files and pages: no index saves {more}"


def _gain(choice: Choice, name: str, index: IndexFigures) -> str:
    """Return the saving and cost of an index, as text.

    If an index saves enough only together with the others, this is its saving beside them.
    """
    files = max(len(choice.sample.files), 1)
    takes = f"takes {percent(index.size)} of the data, {amount(index.bytes / files)} a file"
    if index.saved is None:
        return f"{index.index_type} {takes}"
    key = name, index.index_type
    beside = choice.saved(key, choice.advised - {key}) or 0.0
    if index.saved < MIN_WORTH <= beside:
        return f"{index.index_type} saves {percent(beside)} of bytes beside the others and {takes}"
    return f"{index.index_type} saves {percent(max(index.saved, 0))} of bytes and {takes}"


def predicate_advice(choice: Choice, at: int) -> PredicateAdvice:
    """Return the advice on the question at position `at`, now and with indexes."""
    question, reads = choice.questions[at], choice.reads[at]
    alone = {used: read for used, (read, _) in reads.indexes.items()}
    singles = {
        f"{key[1]}:{key[0]}": _skipped(choice, read)
        for used, read in alone.items()
        if len(used) == 1
        for key in used - choice.refused.keys()
    }
    possible = [used for used in alone if used <= choice.advised]
    best = min(possible, key=lambda used: (alone[used].bytes, -len(used)), default=None)
    return PredicateAdvice(
        sql=question.sql,
        what=question.what,
        columns=question.names,
        weight=question.weight,
        rows=reads.rows / max(choice.whole.rows, 1),
        now=_skipped(choice, reads.now),
        bounds=_skipped(choice, reads.bounds),
        indexes=singles,
        advised=_skipped(choice, NOTHING if best is None else alone[best]),
    )


def _skipped(choice: Choice, read: ReadSize) -> Skipped:
    """Return the shares of the sample that are skipped."""
    files, rows, size = (
        round(1 - part / of, 6) if of else 0.0
        for part, of in zip(read[:3], choice.whole[:3], strict=True)
    )
    return Skipped(files, size, rows)
