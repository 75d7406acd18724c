"""Report a version of a table's schema, and the changes since the version before."""

from __future__ import annotations

from collections.abc import Iterator

from paimon_ksy.messages.masking import masked_option
from paimon_ksy.table.inspect.report import SchemaColumn, SchemaReport
from paimon_ksy.table.model.files import TableSchema


def schema_report(schema: TableSchema, before: TableSchema | None = None) -> SchemaReport:
    """Return a version of a schema in plain values, with the changes since another version."""
    return SchemaReport(
        id=schema.id,
        time_millis=schema.time_millis,
        columns=tuple(
            SchemaColumn(schema.ids[field.name], field.name, str(field.type), field.description)
            for field in schema.columns
        ),
        partition_keys=schema.partition_keys,
        primary_keys=schema.primary_keys,
        options={key: masked_option(key, value) for key, value in schema.options.items()},
        changes=() if before is None else tuple(schema_changes(before, schema)),
    )


def schema_changes(before: TableSchema, after: TableSchema) -> Iterator[str]:
    """Yield a line for each change between two versions of a schema; columns match by their ids."""
    old = {before.ids[column.name]: column for column in before.columns}
    new = {after.ids[column.name]: column for column in after.columns}
    for number, column in new.items():
        if (was := old.get(number)) is None:
            yield f"column {column.name} {column.type} added"
            continue
        if was.name != column.name:
            yield f"column {was.name} renamed to {column.name}"
        if was.type != column.type:
            yield f"column {column.name} from {was.type} to {column.type}"
    for number, column in old.items():
        if number not in new:
            yield f"column {column.name} {column.type} dropped"
    if before.primary_keys != after.primary_keys:
        keys = ", ".join(after.primary_keys) or "none"
        yield f"primary key {', '.join(before.primary_keys) or 'none'} to {keys}"
    for key in sorted(before.options.keys() | after.options.keys()):
        low, high = (masked_option(key, of.options.get(key, "")) for of in (before, after))
        if key not in before.options:
            yield f"option {key} set to {high}"
        elif key not in after.options:
            yield f"option {key} removed, was {low}"
        elif before.options[key] != after.options[key]:
            yield f"option {key} from {low} to {high}"
