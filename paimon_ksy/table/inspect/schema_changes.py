"""List the changes between two versions of a table's schema."""

from __future__ import annotations

from collections.abc import Iterator

from paimon_ksy.messages.masking import masked_option
from paimon_ksy.table.model.files import TableSchema


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
