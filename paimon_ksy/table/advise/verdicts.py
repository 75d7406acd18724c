"""The advice on each column and predicate: a verdict, its reason, and the figures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

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
    """Return the reason for the verdict on a column."""
    if name not in choice.columns:
        return choice.unfit.get(name, "no file of the sample stores it with this type")
    built = [index for index in indexes if index.refused is None]
    if advised:
        return _why_advised(choice, name, filter(lambda index: index.index_type in advised, built))
    if name not in choice.tests:
        typical = "its values have no typical predicates: pass --predicates"
        return typical if choice.is_typical else "no predicate tests it"
    if not built:
        refused = (str(index.refused) for index in indexes)
        return next(refused, f"no index type supports {choice.schema.columns[name]}")
    if choice.is_tiny:
        size = amount(choice.sample.size.bytes)
        return f"the whole table has only {size}, so an index saves nothing"
    return _why_not(choice, name, built)


def _why_advised(choice: Choice, name: str, indexes: Iterable[IndexFigures]) -> str:
    """Return the reason for indexes of a column."""
    reasons = [_gain(choice, name, index) for index in indexes]
    if len(reasons) == 1:
        reasons = [reasons[0].partition(" ")[2]]
    if choice.is_typical and name not in dict(choice.chosen):
        reasons.append("it may be useful: pass --predicates to find out")
    return "; ".join(reasons)


def _why_not(choice: Choice, name: str, built: Sequence[IndexFigures]) -> str:
    """Return the reason why no index of a column is worth its bytes."""
    saved = max(index.saved or 0.0 for index in built)
    if saved < MIN_WORTH:
        more = f"more than {percent(saved)}" if saved > 0 else "anything"
        read = choice.mean(name, lambda at: choice.cost(at, frozenset())) or 0.0
        excluded = 1 - read / max(choice.whole.bytes, 1)  # share of bytes
        if excluded >= _BOUNDS_SUFFICE:
            share = percent(excluded)
            return f"minimum and maximum exclude {share}, and no index saves {more} of the rest"
        return f"matching rows are in most files and pages: no index saves {more}"
    best = max(built, key=lambda index: choice.worth((name, index.index_type)))
    gain = _gain(choice, name, best)
    if choice.is_typical and choice.worth((name, best.index_type)) >= MIN_WORTH:
        return (
            f"{gain}, but indexes on all such columns would take more than {percent(MOST)}: pass "
            "--predicates to choose"
        )
    return f"{gain}: not worth it beside the others"


def _gain(choice: Choice, name: str, index: IndexFigures) -> str:
    """Return the saving and cost of an index, as text; with the others, it may save more."""
    files = max(len(choice.sample.files), 1)
    takes = f"takes {percent(index.size)} of the data, {amount(index.bytes / files)} a file"
    key = name, index.index_type
    saved = max(index.saved or 0.0, choice.saved(key, choice.advised - {key}) or 0.0)
    saves = "" if index.saved is None else f"saves {percent(saved)} of bytes and "
    return f"{index.index_type} {saves}{takes}"


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
