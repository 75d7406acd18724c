"""The report of `advise`: recommended file indexes, and the figures behind them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.messages.sections import Report


@dataclass(frozen=True)
class Skipped(Answer):
    """Shares of the sample, from 0 to 1, that need not be read.

    Attributes:
        files: The share of data files.
        bytes: The approximate share of bytes. Of Parquet files with a page index, pages without
            selected rows are skipped.
        rows: The share of rows.
    """

    files: float
    bytes: float
    rows: float


@dataclass(frozen=True)
class PredicateAdvice(Answer):
    """A predicate, and what it skips.

    Attributes:
        sql: The predicate.
        what: The value that a typical predicate tests; None for a given one.
        columns: The columns that the predicate tests.
        weight: The number of times it was given.
        rows: The share of the sample's rows that match.
        now: The shares skipped with the existing indexes.
        bounds: The shares skipped if the minimum and maximum of all row groups and pages are known.
        indexes: The shares skipped with a single index, such as `bitmap:status`.
        advised: The shares skipped with the recommended indexes.
    """

    sql: str
    what: str | None
    columns: tuple[str, ...] = field(metadata=keyed(text=False))
    weight: int
    rows: float
    now: Skipped
    bounds: Skipped
    indexes: Mapping[str, Skipped]
    advised: Skipped


@dataclass(frozen=True)
class IndexFigures(Answer):
    """An index of a column, built on files of the sample.

    Attributes:
        index_type: The index type.
        options: The options of the index.
        bytes: The size of the index in the files of the sample, in bytes.
        table_bytes: The approximate size in the whole table, in bytes.
        size: The size as a share of the data.
        saved: The share of bytes that it saves for its predicates; None without predicates.
        exists: Whether the options list it, or a file of the sample has it.
        refused: The reason why it could not be built, if any.
    """

    index_type: str
    options: Mapping[str, str] = field(metadata=keyed(text=False))
    bytes: int = field(metadata=keyed(text=False))
    table_bytes: int
    size: float
    saved: float | None
    exists: bool
    refused: str | None = field(default=None, metadata=keyed(text=False))


@dataclass(frozen=True)
class ColumnAdvice(Answer):
    """A column, and whether it should have an index.

    Figures are None if the column was not measured.

    Attributes:
        column: The column.
        type: Its type.
        verdict: `add`, `keep`, `replace`, `drop` or `none`.
        advised: The recommended index types, usually one.
        why: The reason.
        nulls: The share of rows without a value.
        distinct_in_file: The largest number of distinct values in a file.
        indexes: The indexes that were tried.
    """

    column: str
    type: str
    verdict: str = field(metadata=keyed(text=False))
    advised: tuple[str, ...] = field(metadata=keyed(text=False))
    why: str = field(metadata=keyed(text=False))
    nulls: float | None = None
    distinct_in_file: int | None = None
    indexes: tuple[IndexFigures, ...] = ()


@dataclass(frozen=True)
class Advice(Report):
    """The indexes that a table should have, and the reasons.

    Attributes:
        table: The table's location.
        snapshot: The snapshot that was measured; None for a table without one.
        files: The number of data files in the table, or in the selected partitions.
        rows: The number of rows in these files.
        bytes: The size of these files in bytes.
        sample: The paths of the data files that were measured.
        sample_rows: The number of rows read from them.
        sample_bytes: The size of these rows in bytes.
        in_part: Whether only the first rows of some files were read.
        is_typical: Whether the predicates are typical ones, because none were given.
        columns: The advice on each column.
        predicates: What each predicate skips.
        options: The table options to set; None means to remove the option.
        index_bytes: The approximate size of all recommended indexes in the whole table.
        command: The command that builds the indexes; None if nothing has to change.
        notes: Further notes.
        seconds: The duration in seconds.
    """

    table: str
    snapshot: int | None
    files: int
    rows: int
    bytes: int
    sample: tuple[str, ...] = field(repr=False, metadata=keyed(text=False))
    sample_rows: int
    sample_bytes: int
    in_part: bool
    is_typical: bool
    columns: tuple[ColumnAdvice, ...]
    predicates: tuple[PredicateAdvice, ...]
    options: Mapping[str, str | None] = field(metadata=keyed(text=False))
    index_bytes: int = field(metadata=keyed(text=False))
    command: str | None = field(metadata=keyed(text=False))
    notes: tuple[str, ...] = field(metadata=keyed(text=False))
    seconds: float = field(metadata=keyed(text=False))


def percent(share: float) -> str:
    """Return a share such as `12 %` or `0.4 %`."""
    number = 100 * share
    if 0 < number < 0.1:
        return "<0.1 %"
    return f"{number:.1f} %" if 0 < number < 9.95 and round(number, 1) % 1 else f"{number:.0f} %"
