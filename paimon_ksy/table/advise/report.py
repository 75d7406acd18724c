"""Advice on the file indexes of a table, and what is to be done to follow it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from paimon_ksy.messages.commands import table_command


@dataclass(frozen=True)
class Skipped:
    """Shares, from 0 to 1, of what does not have to be read of the sample.

    `row_groups` are None if there are files of other formats than Parquet; `bytes` are those of
    row groups, as `explain` counts them; `page_bytes` is about what is left out if pages without
    selected rows are passed over.
    """

    files: float
    row_groups: float | None
    bytes: float
    page_bytes: float
    rows: float


@dataclass(frozen=True)
class AskedOf:
    """A predicate and what it leaves out: `now`, by the `bounds` of files, row groups and pages if
    they were known, with each index alone (`bitmap:status`), and with those that are advised.

    `what` says what a typical predicate asks for. `weight` counts how often it was given. `rows`
    is the share of the sample's rows that match.
    """

    sql: str
    what: str | None
    columns: tuple[str, ...]
    weight: int
    rows: float
    now: Skipped
    bounds: Skipped
    indexes: Mapping[str, Skipped]
    advised: Skipped


@dataclass(frozen=True)
class IndexFigures:
    """An index of a column, built on `files` of the sample: its `bytes` there, and about those of
    the table; `seconds` of one core to build it, likewise.

    `saved` is the share that it saves of the bytes that its predicates read, None if there are
    none; `size` its bytes as a share of the data. `refused` says why it could not be built.
    """

    type: str
    options: Mapping[str, str]
    files: int
    bytes: int
    table_bytes: int
    seconds: float
    table_seconds: float
    size: float
    saved: float | None
    exists: bool
    refused: str | None = None


@dataclass(frozen=True)
class ColumnAdvice:
    """A column, and whether it should have an index.

    `verdict` is `add`, `keep`, `replace`, `drop` or `none`; `advised` are the index types that it
    should have, mostly one. Shares of values are averages: `in_files` is the share of the files
    that a value is in, `in_row_groups` and `in_pages` that of the row groups and pages of a file
    that has it, `in_bounds` that of the files between whose smallest and largest value a value is.
    All are None if the column was not looked at. `distinct` values are those of the sample,
    `distinct_in_file` the most that a file has.
    """

    name: str
    type: str
    verdict: str
    advised: tuple[str, ...]
    why: str
    nulls: float | None = None
    distinct: int | None = None
    distinct_in_file: int | None = None
    is_estimate: bool = False
    in_files: float | None = None
    in_row_groups: float | None = None
    in_pages: float | None = None
    in_bounds: float | None = None
    indexes: tuple[IndexFigures, ...] = ()


@dataclass(frozen=True)
class Advice:
    """What indexes a table should have, and why.

    `files`, `rows` and `bytes` are those of the table, or of the partitions asked for; `sample`
    names the data files that were looked at, `sample_rows` and `sample_bytes` count what was looked
    at of them, which is less than the files have if `in_part`. `options` are to be set in the
    table, and taken away where None; `sql` does that, and `command` builds the indexes. Both are
    None if nothing is to be changed.
    """

    table: str
    snapshot: int
    files: int
    rows: int
    bytes: int
    sample: tuple[str, ...] = field(repr=False)
    sample_rows: int
    sample_bytes: int
    in_part: bool
    is_typical: bool
    columns: tuple[ColumnAdvice, ...]
    predicates: tuple[AskedOf, ...]
    options: Mapping[str, str | None]
    index_bytes: int
    sql: str | None
    command: str | None
    notes: tuple[str, ...]
    seconds: float

    def to_json(self) -> dict[str, Any]:
        """All of it as a JSON object."""
        document = asdict(self)
        document["seconds"] = round(self.seconds, 3)
        return document


def rewrite_command(
    table: str,
    options: Mapping[str, str | None],
    where: str | None = None,
) -> str:
    """The shell command that saves the options, and builds the indexes.

    `table` names the table, as `commands.table_words` does.
    """
    words = [] if where is None else ["--where", where]
    for key, value in options.items():
        words += ["--set", f"{key}={value or ''}"]
    if options:
        words.append("--save-options")
    return table_command("rewrite-index", *words, table=table)
