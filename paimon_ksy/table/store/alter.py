"""Change the options in a table's schema."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping

from paimon_ksy.errors import (
    Call,
    OptionError,
    PaimonKsyError,
    Remedy,
    UnsupportedError,
    close_match,
    first_line,
    naming,
)
from paimon_ksy.file_index.builder import check_options
from paimon_ksy.file_index.options import parse_options
from paimon_ksy.table.store.commits import local_links
from paimon_ksy.table.store.errors import pypaimon_module
from paimon_ksy.table.store.java_rules import java_problems, value_problem
from paimon_ksy.table.store.options import is_on, known_option, known_options
from paimon_ksy.table.store.table import Table, TableOrPath

_VECTORS, _MODIFIABLE = "deletion-vectors.enabled", "deletion-vectors.modifiable"
FIXED = frozenset(
    (
        *(
            "aggregation.remove-record-on-delete",
            "blob-descriptor-field",
            "blob-external-storage-field",
        ),
        *("blob-external-storage-path", "blob-field", "blob-view-field", "branch"),
        *("bucket-function.type", "bucket-key", "data-evolution.enabled"),
        *("data-file.path-directory", "dynamic-bucket.initial-buckets", "force-lookup"),
        *("index-file-in-data-file-dir", "merge-engine", "partial-update.remove-record-on-delete"),
        *("partial-update.remove-record-on-sequence-group", "partition", "path"),
        *("pk-clustering-override", "primary-key", "primary-key.nullable"),
        *("row-tracking.enabled", "rowkind.field", "sequence.snapshot-ordering", "type"),
        "video-frame-field",
    )
)
"""The options that cannot change: `IMMUTABLE_OPTIONS` of Java 1.4 and pypaimon 2.1, and places."""
_ALWAYS = "type", "path", "branch", "primary-key", "partition"  # also in an empty table
_CANNOT_BE_UNSET = "ignore-delete", "ignore-update-before"
ENABLE_VECTORS = Remedy("to enable them, run ", Call("table set", "deletion-vectors.enabled=true"))
"""The remedy for a table without deletion vectors."""


def set_options(
    table: TableOrPath, options: Mapping[str, str | None], *, remedy: str | None = None
) -> int:
    """Store options in a table's schema, like ALTER TABLE.

    The schema is unchanged if it already has them all. A catalog that stores schemas itself, such
    as a REST catalog, changes it. Otherwise a new schema file is written, and never over an
    existing one.

    Args:
        table: The table, or its path.
        options: The options to store; None removes one.
        remedy: What to do if the schema cannot be written.

    Returns:
        The id of the table's schema.

    Raises:
        OptionError: A name is misspelt, or a value is invalid.
        UnsupportedError: An option cannot change any more, because that would change rows.
        PaimonKsyError: The schema cannot be written.
    """
    table = Table.of(table)
    environment = table.opened.environment
    if environment is None:
        while (written := _write(table, options, remedy)) is None:
            pass
        return written
    changed = _changed(table, table.schema.options, options)
    try:
        catalog = environment.catalog_loader.load()
        change = pypaimon_module("schema.schema_change").SchemaChange
        changes = [
            change.remove_option(key) if value is None else change.set_option(key, value)
            for key, value in changed.items()
        ]
        if changes:
            catalog.alter_table(environment.identifier, changes)
        return int(catalog.get_table(environment.identifier).table_schema.id)
    except Exception as error:  # catalogs raise all kinds
        raise _not_saved(table, error, remedy) from error


def _not_saved(table: Table, error: Exception, remedy: str | None) -> PaimonKsyError:
    message = f"cannot save the options: {first_line(error)}"
    return PaimonKsyError(message, path=table.location, remedy=remedy)


def _write(table: Table, options: Mapping[str, str | None], remedy: str | None) -> int | None:
    """Write the next version of the schema and return its id; None if another process has."""
    newest = table.schemas.ids()[-1]
    schema = table.schemas.read(newest)
    changed = _changed(table, schema.options, options)
    if not changed:
        return newest
    old = json.loads(table.storage.read_json(f"{table.metadata_path}/schema/schema-{newest}"))
    new = {
        **old,
        "id": newest + 1,
        "options": _applied(old["options"], changed),
        "timeMillis": int(time.time() * 1000),
    }
    path = f"{table.metadata_path}/schema/schema-{newest + 1}"
    table.storage.roots.check_change(path)
    try:
        links = local_links(table.opened.file_io)
        return newest + 1 if links.try_to_write_atomic(path, json.dumps(new, indent=2)) else None
    except Exception as error:  # file systems raise all kinds
        raise _not_saved(table, error, remedy) from error


def _applied(old: Mapping[str, str], changed: Mapping[str, str | None]) -> dict[str, str]:
    return {key: value for key, value in {**old, **changed}.items() if value is not None}


def _changed(
    table: Table, old: Mapping[str, str], options: Mapping[str, str | None]
) -> dict[str, str | None]:
    """Return the options that change, after checking each one. Raises like `set_options`."""
    for key, value in options.items():
        if not isinstance(value, str | None):
            message = f"option {key!r}: {value!r} is not a text: put it in quotes"
            raise OptionError(message, path=table.location)
    changed = {key: value for key, value in options.items() if old.get(key) != value}
    new = _applied(old, changed)
    for key, value in changed.items():
        if known_option(key) is None and (near := close_match(key, known_options(), 0.85)):
            message = f"no version of Paimon has the option {key!r} (did you mean {near!r}?)"
            raise OptionError(message, path=table.location)
        if value is not None and (problem := value_problem(key, value)):
            raise OptionError(f"option {key!r}: {problem}", path=table.location)
        if reason := _why_not(table, key, old, new):
            name = key if value is None else f"{key} = {value}"
            raise UnsupportedError(f"option {name!r}: {reason}", path=table.location)
    with naming(table.location):
        check_options(table.schema.columns, parse_options(new))
        if problem := next(_new_problems(table, old, new), None):
            raise OptionError(f"Java could not open the table: {problem}")
    _check_branches(table, {key: new[key] for key in changed if key in new})
    return changed


def _new_problems(table: Table, old: Mapping[str, str], new: Mapping[str, str]) -> Iterator[str]:
    """Yield why Java refuses the new options, and not the old ones."""
    known = {*java_problems(table.schema, old)}
    return (problem for problem in java_problems(table.schema, new) if problem not in known)


def _check_branches(table: Table, options: Mapping[str, str]) -> None:
    """Raise OptionError if an option names a branch that does not exist."""
    for key in ("scan.fallback-branch", "scan.primary-branch"):
        name = options.get(key, "")
        if name.strip():
            try:
                table.branch(name)
            except PaimonKsyError as error:
                message = f"option {key!r}: {PaimonKsyError.__str__(error)}"
                raise OptionError(message, path=table.location) from error


def _why_not(table: Table, key: str, old: Mapping[str, str], new: Mapping[str, str]) -> str | None:
    """Return why an option cannot change: Java's rules, and why they exist.

    Source: `SchemaManager.checkAlterTableOption` and `checkResetTableOption` of Paimon 1.4. Java
    also refuses deletion vectors for tables without a primary key, whose rows they cannot change.
    """
    if key in _ALWAYS or (key in FIXED and table.snapshot() is not None):
        return "it determines how the existing files are read, so it cannot change"
    if key == "clustering.columns" and "pk-clustering-override" in old:
        return "files are sorted by these columns, so they cannot change"
    before, after = (options.get("bucket", "-1") for options in (old, new))
    if key == "bucket" and "-1" in (before, after) and table.snapshot() is not None:
        return "rows have buckets already, so it cannot change from or to -1"
    if key in _CANNOT_BE_UNSET and is_on(old, key) and not is_on(new, key):
        return "rows that were ignored are lost, so it cannot be unset"
    return _why_not_vectors(table, old, new) if key == _VECTORS else None


def _why_not_vectors(table: Table, old: Mapping[str, str], new: Mapping[str, str]) -> str | None:
    """Return why deletion vectors cannot be enabled or disabled."""
    before, after = is_on(old, _VECTORS), is_on(new, _VECTORS)
    if before == after or table.snapshot() is None or is_on(new, _MODIFIABLE):
        return None
    if before:
        return f"deleted rows would return; if they may, also set {_MODIFIABLE}=true"
    if table.schema.primary_keys:
        return (
            "queries would return replaced rows until a full compaction; if you run one, "
            f"also set {_MODIFIABLE}=true"
        )
    return None
