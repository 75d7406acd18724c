"""`paimon-ksy eval`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING, Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import open_input
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.of_file import ColumnTypes
from paimon_ksy.cli.options import SETTINGS, Form, Format, Limit, OrderBy, Where
from paimon_ksy.cli.output import chunks, most_shown, notes, print_answer, print_lines
from paimon_ksy.errors import CorruptFileError, InexactError, counted, none_of
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import FILE_INDEX, other_kind
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import HIDDEN, Answer
from paimon_ksy.pages.text import Line
from paimon_ksy.predicates.tree import Computed, Predicate, leaves

if TYPE_CHECKING:
    from paimon_ksy.evaluation.top_n import TopN
    from paimon_ksy.table_index.deletion_vector import DeletionVector

FEW = 20
_AT_ONCE = 1000  # positions of rows
_NONE = ": the file has no index"


@dataclass(frozen=True)
class Evaluation(Answer):
    """The rows of a data file that match, according to its index.

    Attributes:
        answer: `skip` if no row matches, `rows`, or `all`.
        exact: Whether all of these rows match; otherwise, test the predicate on them.
        limited: Whether a limit or an order left out matching rows.
        not_indexed: Columns of the predicate on which the file has no index.
        indexed: The columns on which it has one.
        computed: Those without one that are values which rows compute.
    """

    file: str
    answer: str
    exact: bool
    rows: int | None
    positions: Iterator[int] | None
    limited: bool
    not_indexed: list[str]
    file_rows: int | None
    bytes_read: int
    file_bytes: int
    seconds: float
    selection: Selection = field(metadata=HIDDEN)
    indexed: tuple[str, ...] = field(metadata=HIDDEN)
    computed: frozenset[str] = field(metadata=HIDDEN)


@cli_command(
    "eval orders.parquet.index -s 'status STRING' -w \"status = 'NEW'\"",
    "eval orders.parquet.index -s 'id INT' -w 'id > 5' --count",
    "eval x.index -s 'id INT' --order-by 'id DESC' --limit 3",
    answer=Evaluation,
)
def run(
    *,
    index: Annotated[
        str,
        typer.Argument(help="Path or URL of a file index; - is standard input.", metavar="INDEX"),
    ],
    where: Where = None,
    types: ColumnTypes,
    dv: Annotated[
        str | None,
        typer.Option(
            "--dv",
            help="Leave out the rows that this deletion vector deletes.",
            metavar="FILE[:OFFSET[:LENGTH]]",
        ),
    ] = None,
    order_by: OrderBy = None,
    limit: Limit = None,
    count: Annotated[
        bool,
        typer.Option(
            "--count", help="Print the number of matching rows; exit with 6 if it is not exact."
        ),
    ] = False,
    form: Format = Form.TEXT,
) -> None:
    """Evaluate a predicate on the index of a data file.

    The answer is skip (no row matches), all, or rows. If it is exact, each of
    these rows matches. Otherwise they are a superset, and a reader has to
    test the predicate on them. --limit shortens the list of positions. With
    --order-by, the answer contains all rows that can be among the first ones.
    """
    _check(where, dv, order_by, limit, count)
    deleted = None
    naming: AbstractContextManager[None] = nullcontext()
    if dv is not None:
        from paimon_ksy.cli.vectors import naming_vector, one_vector  # imports pyarrow

        deleted, naming = one_vector(dv), naming_vector(dv)
    with open_input(index) as source:
        subject = _subject(types, source)
        question = _parsed(subject, where, order_by, limit, deleted)
        with naming:
            answer = _evaluated(subject, question)
        if count:
            _print_count(answer, form)
            return
        most = most_shown(limit, FEW, as_json=form.is_json)
        answer = replace(answer, positions=_positions(answer.selection, most))
        print_answer(answer, form, _lines(answer, subject.types_from, question.top, order_by))
        if not form.is_json:
            _print_positions(answer, most)


def _check(
    where: str | None, dv: str | None, order_by: str | None, limit: int | None, count: bool
) -> None:
    """Check the options together. Raises UsageError."""
    if where is None and dv is None and order_by is None and not count:
        raise UsageError("pass a predicate with --where, or one of --dv, --order-by and --count")
    if count and order_by is not None:
        raise UsageError("--count counts all rows that match: drop --order-by")
    if order_by is not None and limit is None:
        raise UsageError("--order-by needs a number of rows: add --limit N")


def _subject(types: ColumnTypes, source: Source) -> Subject:
    """Return the file index with the types of its columns. Raises PaimonKsyError."""
    if (other := other_kind(source, FILE_INDEX.title)) is not None:
        raise other
    subject = types.described(source)[1]
    if subject.schema is None:
        raise UsageError(
            "the column types are unknown: pass --schema 'status STRING', or its data file with "
            "--data",
            path=source.name,
        )
    return subject


@dataclass(frozen=True)
class _Question:
    """What to evaluate: a predicate, the first rows in an order, and the rows that are deleted."""

    predicate: Predicate | None
    top: TopN | None
    deleted: DeletionVector | None

    @property
    def columns(self) -> Iterable[str | Computed]:
        """The columns that the predicate tests."""
        tested = () if self.predicate is None else leaves(self.predicate)
        return dict.fromkeys(leaf.column for leaf in tested)


def _parsed(
    subject: Subject,
    where: str | None,
    order_by: str | None,
    limit: int | None,
    deleted: DeletionVector | None,
) -> _Question:
    """Return the question that options ask. Raises PaimonKsyError."""
    predicate = top = None
    if where is not None:
        from paimon_ksy.predicates.sql import parse_predicate

        time_zone = SETTINGS.get().time_zone
        predicate = parse_predicate(where, subject.schema, time_zone=time_zone)
    if order_by is not None and limit is not None:
        from paimon_ksy.evaluation.top_n import TopN

        top = TopN.parse(order_by, limit)
    return _Question(predicate, top, deleted)


def _evaluated(subject: Subject, question: _Question) -> Evaluation:
    """Return the answer of the indexes, without positions. Raises PaimonKsyError."""
    from paimon_ksy.file_index.container import FileIndex

    source, columns = subject.source, subject.schema
    started = time.perf_counter()
    with FileIndex.open(source, columns) as opened:
        try:
            selection = opened.evaluate(
                question.predicate, deletion_vector=question.deleted, top_n=question.top
            )
        except CorruptFileError as error:
            from paimon_ksy.file_index.verify import schema_mismatch  # imports pyarrow

            raise schema_mismatch(source, columns, error) or error from error
        if selection.count is None:  # no index was read, but each has the number
            selection = replace(selection, num_rows=opened.num_rows)
        return Evaluation(
            file=source.name,
            answer=selection.kind,
            exact=selection.exact,
            rows=selection.count,
            positions=None,
            limited=selection.limited,
            not_indexed=[str(each) for each in question.columns if each not in opened.columns],
            file_rows=selection.num_rows,
            bytes_read=opened.bytes_read,
            file_bytes=source.size,
            seconds=time.perf_counter() - started,
            selection=selection,
            indexed=tuple(opened.columns),
            computed=frozenset(
                str(each) for each in question.columns if isinstance(each, Computed)
            ),
        )


def _print_count(answer: Evaluation, form: Form) -> None:
    """Print the number of rows. Raises InexactError."""
    selection = answer.selection
    is_exact = selection.exact and selection.count is not None
    print_answer(answer, form, [[(str(selection.count), "bold")]] if is_exact else [])
    if not is_exact:
        most = "" if selection.count is None else f": at most {selection.count:,}"
        raise InexactError(
            f"the indexes do not determine how many rows match{most}",
            path=answer.file,
            remedy="without --count, eval prints the rows on which to test the predicate",
        )


def _positions(selection: Selection, limit: int | None) -> Iterator[int] | None:
    """Return the positions of rows; None for "all", which needs no list.

    All rows of a TopN are listed, because those that tie for the last place belong to it.
    """
    if selection.kind == "all":
        return None
    return islice(selection.rows, None if selection.limited else limit)


def _lines(
    answer: Evaluation, types_from: str | None, top: TopN | None, order_by: str | None
) -> Iterator[Line]:
    """Yield the answer and its cost, and the columns without an index if it is not exact."""
    selection, indexed = answer.selection, answer.indexed
    yield _answer(selection)
    cost = f"read {answer.bytes_read:,} of {counted(answer.file_bytes, 'byte')}"
    found = "" if types_from is None else f"; column types from {types_from}"
    yield from notes([f"{cost} in {answer.seconds * 1000:.1f} ms{found}"])
    for column in [] if selection.exact else answer.not_indexed:
        if column in answer.computed:
            others = ": only the rows determine it"
        else:
            others = none_of(column, "the file has indexes on", indexed) if indexed else _NONE
        yield from notes([f"no index on {column!r}{others}"], "yellow")
    if top is not None and not selection.limited and (selection.count or 0) > top.k:
        text = f"the indexes do not determine which rows come first by {order_by}"
        yield from notes([text], "yellow")


def _print_positions(answer: Evaluation, limit: int | None) -> None:
    """Print the positions of rows on one line, and the number of those left out."""
    count = answer.selection.count or 0
    if answer.positions is None or not count or limit == 0:
        return
    for at, part in enumerate(chunks(answer.positions, _AT_ONCE)):
        sys.stdout.write((" " if at else "") + " ".join(map(str, part)))
    sys.stdout.write("\n")
    if limit is not None and limit < count and not answer.selection.limited:
        print_lines(notes([f"... {count - limit:,} more; --limit {count} lists all"]))


def _answer(selection: Selection) -> Line:
    rows, count = selection.num_rows, counted(selection.count or 0, "row")
    matching = " match" if selection.exact else " may match; test the predicate on them"
    if selection.kind == "skip":
        ending = ": no row comes first" if selection.limited else ": no row matches"
        return [("skip", "bold yellow"), (ending, "")]
    if selection.kind == "all":
        every = "all rows" if rows is None else f"all {counted(rows, 'row')}"
        return [("all", "bold"), (f": {every}{matching}", "")]
    if selection.limited:
        matching = " come first, with those that tie for the last place"
    of = "" if rows is None else f" of {rows:,}"
    return [("rows", "bold green"), (f": {count}{of}{matching}", "")]
