"""`paimon-ksy eval`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from itertools import islice
from typing import Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import open_input
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.of_file import ColumnTypes
from paimon_ksy.cli.options import Form, Format, Given, Limit, OrderBy, Where
from paimon_ksy.cli.output import chunks, most_shown, print_json, print_lines, print_note
from paimon_ksy.errors import CorruptFileError, InexactError, counted, none_of
from paimon_ksy.evaluation.selection import Selection
from paimon_ksy.io.file_kind import FILE_INDEX, other_kind
from paimon_ksy.messages.answers import Answer
from paimon_ksy.pages.text import Line
from paimon_ksy.predicates.tree import Computed, leaves

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
        computed: Those of them that are values which rows compute.
    """

    file: str
    selection: Selection
    positions: Iterator[int] | None
    not_indexed: list[str]
    bytes_read: int
    file_bytes: int
    seconds: float
    computed: frozenset[str] = frozenset()

    KEYS = (
        "file",
        "answer=selection.kind",
        "exact=selection.exact",
        "rows=selection.count",
        "positions",
        "limited=selection.limited",
        "not_indexed",
        "file_rows=selection.num_rows",
        "bytes_read",
        "file_bytes",
        "seconds",
    )


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
    from paimon_ksy.evaluation.top_n import TopN
    from paimon_ksy.file_index.container import FileIndex

    if where is None and dv is None and order_by is None and not count:
        raise UsageError("pass a predicate with --where, or one of --dv, --order-by and --count")
    if count and order_by is not None:
        raise UsageError("--count counts all rows that match: drop --order-by")
    if order_by is not None and limit is None:
        raise UsageError("--order-by needs a number of rows: add --limit N")
    top = None if order_by is None or limit is None else TopN.parse(order_by, limit)
    deleted = None
    naming: AbstractContextManager[None] = nullcontext()
    if dv is not None:
        from paimon_ksy.cli.vectors import naming_vector, one_vector  # imports pyarrow

        deleted, naming = one_vector(dv), naming_vector(dv)
    with open_input(index) as source:
        if (other := other_kind(source, FILE_INDEX.title)) is not None:
            raise other
        subject = types.described(source)[1]
        columns = subject.schema
        if columns is None:
            raise UsageError(
                "the column types are unknown: pass --schema 'status STRING', or its data file "
                "with --data",
                path=source.name,
            )
        predicate = None
        if where is not None:
            from paimon_ksy.predicates.sql import parse_predicate

            predicate = parse_predicate(where, columns, time_zone=Given.time_zone)
        started = time.perf_counter()
        with FileIndex.open(source, columns) as opened:
            try:
                with naming:
                    selection = opened.evaluate(predicate, deletion_vector=deleted, top_n=top)
            except CorruptFileError as error:
                from paimon_ksy.file_index.verify import schema_mismatch  # imports pyarrow

                raise schema_mismatch(source, columns, error) or error from error
            if selection.count is None:  # no index was read, but each has the number
                selection = replace(selection, num_rows=opened.num_rows)
            bytes_read, indexed = opened.bytes_read, opened.columns
        seconds = time.perf_counter() - started
        tested = [] if predicate is None else [leaf.column for leaf in leaves(predicate)]
        answer = Evaluation(
            source.name,
            selection,
            None if count else _positions(selection, most_shown(limit, FEW, as_json=form.is_json)),
            [str(column) for column in dict.fromkeys(tested) if column not in indexed],
            bytes_read,
            source.size,
            seconds,
            frozenset(column.sql for column in tested if isinstance(column, Computed)),
        )
        if form.is_json:
            print_json(answer)
        elif not count:
            _print(answer, indexed, subject.types_from)
            if top is not None and not selection.limited and (selection.count or 0) > top.k:
                text = f"the indexes do not determine which rows come first by {order_by}"
                print_note(text, "yellow")
            _print_positions(answer, most_shown(limit, FEW))
        elif selection.exact and selection.count is not None:
            print_lines([[(str(selection.count), "bold")]])
    if count and not (selection.exact and selection.count is not None):
        most = "" if selection.count is None else f": at most {selection.count:,}"
        raise InexactError(
            f"the indexes do not determine how many rows match{most}",
            path=index,
            remedy="without --count, eval prints the rows on which to test the predicate",
        )


def _positions(selection: Selection, limit: int | None) -> Iterator[int] | None:
    """Return the positions of rows; None for "all", which needs no list.

    All rows of a TopN are listed, because those that tie for the last place belong to it.
    """
    if selection.kind == "all":
        return None
    return islice(selection.rows, None if selection.limited else limit)


def _print(answer: Evaluation, indexed: Sequence[str], types_from: str | None) -> None:
    """Print the answer and its cost, and the columns without an index if it is not exact."""
    print_lines([_answer(answer.selection)])
    cost = f"read {answer.bytes_read:,} of {counted(answer.file_bytes, 'byte')}"
    found = "" if types_from is None else f"; column types from {types_from}"
    print_note(f"{cost} in {answer.seconds * 1000:.1f} ms{found}")
    for column in [] if answer.selection.exact else answer.not_indexed:
        if column in answer.computed:
            others = ": only the rows determine it"
        else:
            others = none_of(column, "the file has indexes on", indexed) if indexed else _NONE
        print_note(f"no index on {column!r}{others}", "yellow")


def _print_positions(answer: Evaluation, limit: int | None) -> None:
    """Print the positions of rows on one line, and the number of those left out."""
    count = answer.selection.count or 0
    if answer.positions is None or not count or limit == 0:
        return
    for at, part in enumerate(chunks(answer.positions, _AT_ONCE)):
        sys.stdout.write((" " if at else "") + " ".join(map(str, part)))
    sys.stdout.write("\n")
    if limit is not None and limit < count and not answer.selection.limited:
        print_note(f"... {count - limit:,} more; --limit {count} lists all")


def _answer(selection: Selection) -> Line:
    rows = selection.num_rows
    if selection.kind == "skip":
        ending = ": no row comes first" if selection.limited else ": no row matches"
        return [("skip", "bold yellow"), (ending, "")]
    if selection.kind == "all":
        every = "all rows" if rows is None else f"all {counted(rows, 'row')}"
        ending = " match" if selection.exact else " may match; test the predicate on them"
        return [("all", "bold"), (f": {every}{ending}", "")]
    ending = " match" if selection.exact else " may match; test the predicate on them"
    if selection.limited:
        ending = " come first, with those that tie for the last place"
    of = "" if rows is None else f" of {rows:,}"
    return [("rows", "bold green"), (f": {counted(selection.count or 0, 'row')}{of}{ending}", "")]
