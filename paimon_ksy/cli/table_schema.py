"""`paimon-ksy table schema` and `paimon-ksy table set`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.common import key_values
from paimon_ksy.cli.failures import note
from paimon_ksy.cli.options import AsOf, Form, Format, Snapshot, Tag
from paimon_ksy.cli.sections import show
from paimon_ksy.cli.table_source import TableSource, snapshot_number
from paimon_ksy.messages.answers import Answer
from paimon_ksy.messages.masking import masked, masked_option


@cli_command(
    "table schema /data/default.db/orders",
    "table schema orders --snapshot 3 -f json",
    answer="paimon_ksy.table.inspect.report:SchemaReport",
)
def run(
    source: TableSource,
    snapshot: Snapshot = None,
    tag: Tag = None,
    as_of: AsOf = None,
    form: Format = Form.TEXT,
) -> None:
    """Show the columns, keys and options of a table.

    The schema is the current one, or that of a snapshot, a tag or a time.
    """
    from paimon_ksy.table.inspect.files import schema_report

    table = source.open()
    schema = table.schema
    number = snapshot_number(table, snapshot, as_of)
    if number is not None or tag is not None:
        found = table.snapshot(number, tag)
        schema = schema if found is None else table.schema_at(found.schema_id)
    show(schema_report(schema), form, f"{masked(table.location)}: schema {schema.id}")


@dataclass(frozen=True)
class OptionChange(Answer):
    """An option that was set, or removed if its new value is null."""

    option: str
    old: str | None
    new: str | None


@dataclass(frozen=True)
class OptionsSet(Answer):
    """The table, the id of its schema, and the options that changed."""

    table: str
    schema_id: int
    changes: tuple[OptionChange, ...]


@cli_command(
    "table set orders deletion-vectors.enabled=true",
    "table set orders file-index.bsi.columns=",
    answer=OptionsSet,
)
def run_set(
    source: TableSource,
    changed: Annotated[
        list[str],
        typer.Argument(help="Options of the table; KEY= removes one.", metavar="KEY=VALUE.."),
    ],
    form: Format = Form.TEXT,
) -> None:
    """Set options in the schema of a table, like ALTER TABLE.

    A change that would change the rows of existing files is refused, as in
    the Java library, and so is an option with which Java could not open the
    table. Indexes that new options list are built by later
    writers, and by table rewrite-index for existing files.
    """
    from paimon_ksy.table.store.alter import set_options
    from paimon_ksy.table.store.options import known_option

    values = key_values("table set", changed, "deletion-vectors.enabled=true", known_option)
    table = source.open_to_change()
    changes = tuple(
        OptionChange(key, _shown(key, table.schema.options.get(key)), _shown(key, value or None))
        for key, value in values.items()
        if table.schema.options.get(key) != (value or None)
    )
    schema_id = set_options(table, {key: value or None for key, value in values.items()})
    show(OptionsSet(table.location, schema_id, changes), form)
    for key in values:
        if known_option(key) is None:
            note(f"no version of Paimon has the option {key!r}; it is stored for other readers")


def _shown(key: str, value: str | None) -> str | None:
    return None if value is None else masked_option(key, value)
