"""`paimon-ksy report`: write a page about a file or a table."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from paimon_ksy.cli.catalog import CatalogSource, catalog_options, open_table
from paimon_ksy.cli.common import check_output, new_file
from paimon_ksy.cli.findings import how_many
from paimon_ksy.cli.of_file import OfFile
from paimon_ksy.cli.output import print_json, print_lines
from paimon_ksy.cli.progress import steps
from paimon_ksy.errors import PaimonKsyError, counted
from paimon_ksy.inspection.file_page import file_page
from paimon_ksy.inspection.subject import Subject
from paimon_ksy.inspection.verify import verify_as
from paimon_ksy.io.source import open_source
from paimon_ksy.io.urls import local_path
from paimon_ksy.messages.findings import Finding

if TYPE_CHECKING:
    from paimon_ksy.table.store import Table

MOST_AUDITED = 10_000
"""The most data files of a table that is audited for its page."""


def run_file(
    path: str,
    output: str | None,
    of_file: OfFile,
    *,
    data: str | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write a page about a file."""
    output = checked_output(path, output, overwrite)
    with open_source(path) as source:
        kind, columns, vectors = of_file.facts(source)
        found = verify_as(kind, Subject(source, columns), data)
        page = file_page(source, kind, found, columns, compared=data is not None, vectors=vectors)
    write(page, output, path, found, as_json=as_json)


def run_table(
    name: str,
    output: str | None,
    *,
    catalog: CatalogSource,
    where: str | None,
    snapshot: int | None,
    overwrite: bool,
    as_json: bool,
) -> None:
    """Write a page about a table."""
    from paimon_ksy.table.audit.audit import audit
    from paimon_ksy.table.engine import engine_named
    from paimon_ksy.table.inspect.table_page import table_page

    output = checked_output(name, output, overwrite)
    table = open_table(name, catalog)
    found = None
    if _num_files(table) <= MOST_AUDITED:
        with steps() as shown:
            step = shown.step("auditing", None, "files")
            engine = engine_named("local", None, processes=True)
            done = audit(table, engine=engine, progress=lambda _, count: step.advance(count))
            found = list(done)
    page = table_page(table, found, where=where, snapshot_id=snapshot)
    write(page, output, name, found, as_json=as_json)


def _num_files(table: Table) -> int:
    with suppress(PaimonKsyError):  # the audit reports what cannot be read
        return table.manifests.num_files(table.snapshot())
    return 0


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
        with open_source(url):
            return True
    except PaimonKsyError:
        return False


def checked_output(subject: str, output: str | None, overwrite: bool) -> str:
    """Return the path of the page, which is named after its subject by default."""
    if output is None:
        name = urlsplit(subject).path if "://" in subject else subject
        output = f"{Path(name).name or 'table'}.html"
    check_output(output, overwrite, "html")
    return output


def write(
    page: str, output: str, subject: str, found: Sequence[Finding] | None, *, as_json: bool
) -> None:
    """Write a page, and print its path and the number of findings."""
    with new_file(output, "w") as file:
        size = file.write(page)
    if output == "-":
        return
    if as_json:
        print_json({"output": output, "findings": found})
        return
    wrong = "not audited, because it has too many files" if found is None else how_many(found)
    facts = f": {counted(size, 'character')} about {subject}: {wrong}"
    print_lines([[(output, "bold"), (facts, "")]])
