"""Changes of a table's options, stored as a new version of its schema."""

from __future__ import annotations

from collections.abc import Mapping

from paimon_ksy.errors import PaimonKsyError, first_line
from paimon_ksy.table.store.errors import pypaimon_module
from paimon_ksy.table.store.links import local_links
from paimon_ksy.table.store.table import Table


def save_options_of(table: Table, changes: Mapping[str, str | None]) -> None:
    """Store options in the table's schema.

    The schema is unchanged if it already has them all. A catalog that stores schemas itself, such
    as a REST catalog, changes it. Otherwise a new schema file is written, and never over an
    existing one.

    Args:
        table: The table.
        changes: The options to store; None removes one.

    Raises:
        PaimonKsyError: The schema cannot be written.
    """
    own = table.schema.options
    change = pypaimon_module("schema.schema_change").SchemaChange
    made = [
        change.remove_option(key) if value is None else change.set_option(key, value)
        for key, value in changes.items()
        if own.get(key) != value
    ]
    if not made:
        return
    found = table.pypaimon
    environment = found.catalog_environment
    loader = environment.catalog_loader
    try:
        if loader is not None and type(loader).__name__ != "FileSystemCatalogLoader":
            loader.load().alter_table(environment.identifier, made)
        else:
            manager = found.schema_manager.copy_with_branch(found.schema_manager.branch)
            manager.file_io = local_links(manager.file_io)
            manager.commit_changes(made)
    except Exception as error:  # catalogs and file systems raise all kinds
        raise PaimonKsyError(
            f"cannot save the options: {first_line(error)}",
            path=table.location,
            remedy="the indexes are complete; run the command again to save the options",
        ) from error
