"""`paimon-ksy report`: write a page about a file or a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import check_output, new_file, open_named
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.findings import how_many
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.cli.options import AsOf, Form, Format, OptionalOutput, Overwrite, Snapshot, Where
from paimon_ksy.cli.output import print_answer
from paimon_ksy.cli.progress import steps
from paimon_ksy.cli.table_source import (
    CatalogSource,
    catalog_options,
    num_files,
    open_table,
    snapshot_number,
)
from paimon_ksy.errors import PaimonKsyError, amount
from paimon_ksy.io.urls import local_path
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.findings import Finding

if TYPE_CHECKING:
    pass

MOST_AUDITED = 10_000
"""The most data files of a table that is audited for its page."""


@dataclass(frozen=True)
class Page(Answer):
    """The page that was written; `findings` is null if the table was not audited."""

    output: str
    findings: Sequence[Finding] | None


@cli_command(
    "report orders.parquet.index -s 'status STRING' -o report.html",
    "report index/index-1f2e-0 --table warehouse/default.db/orders",
    "report warehouse/default.db/orders -w \"status = 'NEW'\"",
    answer=Page,
)
def run(
    *,
    subject: Annotated[
        str,
        typer.Argument(
            help="Path or URL of a file index, of deletion vectors, of a bucket index, or of a "
            "table; or the name of a table in a catalog.",
            metavar="FILE|TABLE",
        ),
    ],
    output: OptionalOutput = None,
    of_file: OfFile,
    where: Where = None,
    snapshot: Snapshot = None,
    as_of: AsOf = None,
    overwrite: Overwrite = False,
    form: Format = Form.TEXT,
) -> None:
    """Write a page about a file or a table, to open in a browser.

    The page begins with the problems found. For a file, it shows the values,
    where their rows lie, and each field beside its bytes; for an index, pass
    the schema. For a table, it shows files, indexes, vectors and snapshots,
    and with --where, what a query reads. The page is one HTML file that needs
    no network, by default NAME.html.
    """
    catalog, data = of_file.catalog, of_file.data
    if of_file.table is None and is_table(subject, catalog):
        if {of_file.kind, of_file.schema, of_file.schema_file, data} != {None}:
            raise UsageError(
                "this is a table: --schema, --schema-file, --data and --kind are for files",
                path=subject,
            )
        output = checked_output(subject, output, overwrite)
        page, findings = _table_page(subject, catalog, where, snapshot, as_of)
    elif (where, snapshot, as_of) != (None, None, None):
        raise UsageError(
            "this is a file: --where, --snapshot and --as-of are for tables", path=subject
        )
    else:
        output = checked_output(subject, output, overwrite)
        page, findings = _file_page(subject, of_file, data)
    with new_file(output, "w") as file:
        size = file.write(page)
    if output == "-":
        return
    wrong = "too many files to audit"
    wrong = wrong if findings is None else f"{how_many(findings)} in {subject}"
    line = [(output, "bold"), (f": written ({amount(size)}); {wrong}", "")]
    print_answer(Page(output, findings), form, [line])


def _file_page(path: str, of_file: OfFile, data: str | None) -> tuple[str, Sequence[Finding]]:
    from paimon_ksy.inspection.file_page import file_page
    from paimon_ksy.inspection.verify import verify_as

    with open_named(path) as source:
        kind, subject = of_file.subject(source, compares=True)
        findings = verify_as(kind, subject, data)
        return file_page(kind, subject, findings, compared=data is not None), findings


def _table_page(
    name: str,
    catalog: CatalogSource,
    where: str | None,
    snapshot: int | None,
    as_of: str | None,
) -> tuple[str, Sequence[Finding] | None]:
    from paimon_ksy.table.audit.audit import audit
    from paimon_ksy.table.engine import engine_named
    from paimon_ksy.table.inspect.table_page import table_page

    table = open_table(name, catalog)
    number = snapshot_number(table, snapshot, as_of)
    findings = None
    if (num_files(table) or 0) <= MOST_AUDITED:
        with steps() as shown:
            step = shown.step("auditing", None, "files")
            engine = engine_named("local", None, processes=True)
            done = audit(table, engine=engine, progress=lambda _, count: step.advance(count))
            findings = list(done)
    return table_page(table, findings, where=where, snapshot_id=number), findings


def is_table(name: str, catalog: CatalogSource) -> bool:
    """Return whether a name refers to a table: a folder, a name in a catalog, or a URL."""
    path = local_path(name)
    if path is not None and Path(path).exists():
        return Path(path).is_dir()
    if catalog or path is None:
        options = catalog_options(catalog, name)
        if path is not None or any(key in options for key in ("warehouse", "uri", "metastore")):
            return True
        return not _is_file(name)
    return False


def _is_file(url: str) -> bool:
    try:
        with open_named(url):
            return True
    except PaimonKsyError:
        return False


def checked_output(subject: str, output: str | None, overwrite: bool) -> str:
    """Return the path of the page, which is named after its subject by default."""
    if output is None:
        name = urlsplit(subject).path if "://" in subject else subject
        output = f"{Path(name).name or 'table'}.html"
    check_output(output, overwrite)
    return output
