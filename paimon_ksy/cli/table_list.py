"""`paimon-ksy table list`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.options import Form, Format
from paimon_ksy.cli.output import notes, print_answer
from paimon_ksy.cli.table_source import NO_CATALOG, CatalogSource, catalog_options
from paimon_ksy.messages.answers import Answer


@dataclass(frozen=True)
class Tables(Answer):
    """The tables in a folder or catalog: paths, or names in the catalog."""

    tables: tuple[str, ...]


@cli_command(
    "table list /data",
    "table list --catalog uri=http://localhost:8080",
    answer=Tables,
)
def run(
    folder: Annotated[
        str | None,
        typer.Argument(
            help="Folder or URL of a warehouse or database; by default, the catalog is listed.",
            metavar="FOLDER",
        ),
    ] = None,
    catalog: CatalogSource = NO_CATALOG,
    form: Format = Form.TEXT,
) -> None:
    """List the tables of a warehouse, of a database in it, or of a catalog."""
    from paimon_ksy.table.store.opening import tables_in

    options = catalog_options(catalog, folder or "")
    if folder is None and not options:
        raise UsageError("pass the folder of a warehouse, or a catalog with --catalog")
    tables = tuple(tables_in(folder, options))
    lines = [[(name, "")] for name in tables]
    print_answer(Tables(tables), form, lines or notes(["no tables"], "yellow"))
