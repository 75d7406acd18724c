"""The commands `table ...`, their options and their help."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from paimon_ksy.cli.failures import UsageError, failures
from paimon_ksy.cli.options import Debug, Json
from paimon_ksy.cli.options import example as _example
from paimon_ksy.cli.options import group as _group
from paimon_ksy.cli.options import wants_debug as _debug

if TYPE_CHECKING:
    from paimon_ksy.table.store import Table

_TABLE_HELP = "Folder or URL of a table; with --catalog its name, as default.orders."

TableName = Annotated[str, typer.Argument(help=_TABLE_HELP, metavar="TABLE")]
Catalog = Annotated[
    list[str] | None,
    typer.Option(
        "--catalog",
        "-c",
        help="An option of pypaimon's catalog or file system, as warehouse=/data or "
        "metastore=rest. Give it again for more.",
        metavar="KEY=VALUE",
    ),
]

__all__ = ["Catalog", "Debug", "Json", "TableName", "_debug", "_example", "open_table", "table"]

table = _group("Show, index and query whole tables.")


def open_table(name: str, catalog: Sequence[str] | None) -> Table:
    """The table that TABLE and --catalog name. Raises UsageError and PaimonKsyError.

    With `warehouse`, `uri` or `metastore` among the options the name is one of a catalog, else a
    path, and the options are those of its file system.
    """
    from paimon_ksy.table.store import Table

    options = {}
    for option in catalog or ():
        key, equals, value = option.partition("=")
        if not equals or not key:
            raise UsageError(f"--catalog {option}: write it like warehouse=/data")
        options[key] = value
    if options.keys() & {"warehouse", "uri", "metastore"}:
        return Table.of_catalog(options, name)
    return Table.at(name, options)


@table.command(epilog=_example("table inspect /data/default.db/orders --snapshot 3"))
def inspect(
    name: TableName,
    catalog: Catalog = None,
    snapshot: Annotated[
        int | None,
        typer.Option("--snapshot", help="Show what this snapshot is made of.  [default: latest]"),
    ] = None,
    limit: Annotated[
        int,
        typer.Option("--limit", help="How many of each are listed; counts are of all.", min=0),
    ] = 20,
    as_json: Json = False,
    debug: Debug = False,
) -> None:
    """Show a whole table: schemas, snapshots, manifests, data files, indexes, deletion vectors.

    What is broken is told at its place, and the exit code is 1.
    """
    with failures(_debug(debug)):
        from paimon_ksy.cli.table_inspect import run

        run(name, catalog=catalog, snapshot=snapshot, limit=limit, as_json=as_json)
