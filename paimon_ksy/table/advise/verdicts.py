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
    built = [index for index in indexes if index.refused is None]
    gains = [_gain(choice, name, index) for index in built if index.index_type in advised]
    gained = "; ".join(gains) if len(gains) != 1 else gains[0].partition(" ")[2]
    best = max(built, key=lambda index: (index.saved or 0.0) - index.size, default=None)
    gain = "" if best is None else _gain(choice, name, best)
    saved = max((index.saved or 0.0 for index in built), default=0.0)
    read = choice.mean(name, lambda at: choice.cost(at, frozenset())) or 0.0
    excluded = 1 - read / max(choice.whole.bytes, 1)  # share of bytes
    more = f"more than {percent(saved)}" if saved > 0 else "anything"
    is_tested = name in choice.tests
    is_crowded = best is not None and choice.is_typical
    is_crowded &= any(choice.worth((name, index.index_type)) >= MIN_WORTH for index in built)
    refused = [index.refused for index in indexes if index.refused]
    refused.append(f"no index type supports {choice.schema.columns[name]}")
    is_kept = choice.is_typical and name not in dict(choice.chosen)
    absent = choice.unfit.get(name, "no file of the sample stores it with this type")
    reasons = (
        (name not in choice.columns, absent),
        (advised and is_kept, f"{gained}; it may be useful: pass --predicates to find out"),
        (advised, gained),
        (not is_tested and not choice.is_typical, "no predicate tests it"),
        (not is_tested, "its values have no typical predicates: pass --predicates"),
        (not built, refused[0]),
        (
            choice.is_tiny,
            f"the whole table has only {amount(choice.sample.size.bytes)}, so an index saves "
            "nothing",
        ),
        (
            saved < MIN_WORTH and excluded >= _BOUNDS_SUFFICE,
            f"minimum and maximum exclude {percent(excluded)}, and no index saves {more} of the "
            "rest",
        ),
        (
            saved < MIN_WORTH,
            f"matching rows are in most files and pages: no index saves {more}",
        ),
        (
            is_crowded,
            f"{gain}, but indexes on all such columns would take more than {percent(MOST)}: pass "
            "--predicates to choose",
        ),
        (True, f"{gain}: not worth it beside the others"),
    )
    return next(reason for applies, reason in reasons if applies).removeprefix("; ")


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
