"""The table that a command names: its catalog, the engine of the command, and its query."""

from __future__ import annotations

import logging
import os
import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from paimon_ksy.cli.common import key_values, read_text
from paimon_ksy.cli.failures import UsageError
from paimon_ksy.cli.options import (
    SETTINGS,
    AsOf,
    Catalog,
    Config,
    EngineName,
    ExternalPaths,
    FromSnapshot,
    Limit,
    Master,
    OrderBy,
    Select,
    Snapshot,
    TableName,
    Tag,
    ToSnapshot,
    Where,
)
from paimon_ksy.display import remember
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.messages.commands import given_words, tell_table
from paimon_ksy.messages.masking import is_secret, remember_url

if TYPE_CHECKING:
    from paimon_ksy.table.engine import Engine
    from paimon_ksy.table.query.query import Query
    from paimon_ksy.table.store import Table

CONFIG = "paimon.yaml"
"""The file that pypaimon's command line also reads."""


@dataclass(frozen=True)
class CatalogSource:
    """Options that configure a catalog."""

    options: Catalog = None
    config: Config = None

    def __bool__(self) -> bool:
        return bool(self.options) or self.config is not None


NO_CATALOG = CatalogSource()
_ENVIRONMENT, _CONFIG = "PAIMON_KSY_CATALOG_", "PAIMON_KSY_CONFIG"
_OF_CATALOG = ("warehouse", "uri", "metastore")


def catalog_options(source: CatalogSource, name: str) -> dict[str, str]:
    """Return the options from the environment, a file and the command line; later ones win.

    Without --config, `paimon.yaml` in the current folder is read for names in a catalog, like in
    pypaimon, unless other options configure the catalog. It is not read for paths, because a folder
    that others can write to must not choose the servers that receive this user's secrets. Neither
    do catalogs in the environment or in a file apply to paths.

    Raises UsageError if a file cannot be read, or an option is malformed.
    """
    given = key_values("--catalog", source.options, "warehouse=/data; --config names a file")
    options = {
        key.removeprefix(_ENVIRONMENT).lower().replace("__", ".").replace("_", "-"): value
        for key, value in os.environ.items()
        if key.startswith(_ENVIRONMENT)
    }
    is_path = "/" in name or Path(name).exists()
    config = source.config or os.environ.get(_CONFIG)
    named = any(key in options | given for key in _OF_CATALOG)
    if config is None and not is_path and not named and Path(CONFIG).is_file():
        config = CONFIG
    options |= {} if config is None else _options_of_file(config)
    if is_path:
        for key in _OF_CATALOG:
            options.pop(key, None)
    return options | given


def _options_of_file(path: str) -> dict[str, str]:
    """Return the options of a YAML file, such as pypaimon's paimon.yaml."""
    import yaml  # pypaimon needs it, and no table opens without pypaimon

    try:
        loaded = yaml.safe_load(read_text(path))
    # A number may be too long, a date may not exist, and lists may be in each other without end.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = "" if mark is None else f"line {mark.line + 1}: "
        # `from None`: the error's text may contain a secret.
        raise UsageError(f"{where}not YAML", path=path) from None
    plain = (str, int, float)
    if not isinstance(loaded, dict) or not all(isinstance(v, plain) for v in loaded.values()):
        raise UsageError("write one line KEY: VALUE for each option", path=path)
    texts = {True: "true", False: "false"}
    return {str(k): texts[v] if isinstance(v, bool) else str(v) for k, v in loaded.items()}


def open_table(name: str, catalog: CatalogSource) -> Table:
    """Open the table that TABLE, --catalog and --config name. Raises PaimonKsyError.

    The name is a path or, with `warehouse`, `uri` or `metastore` among the options, one in a
    catalog.
    """
    from paimon_ksy.table.store import Table

    options = catalog_options(catalog, name)
    for key, value in options.items():
        if is_secret(key):
            remember(value)
        remember_url(value)
    table = Table.named(name, options).with_time_zone(SETTINGS.get().time_zone)
    table.words = given_words(name, catalog.options or (), catalog.config)
    tell_table(table.words)
    return table


@dataclass(frozen=True)
class TableSource:
    """Options that name a table."""

    name: TableName
    catalog: CatalogSource

    def open(self) -> Table:
        """Open the table. Raises PaimonKsyError."""
        return open_table(self.name, self.catalog)

    def open_to_change(self) -> Table:
        """Open the table for a command that commits, without pypaimon's log of commits.

        Raises:
            PaimonKsyError: The table cannot be opened.
        """
        # pypaimon logs each attempt to commit, with tracebacks, but commands report the result.
        logging.getLogger("pypaimon").setLevel(logging.CRITICAL)
        return self.open()


@dataclass(frozen=True)
class TableOnEngine(TableSource):
    """Options that name a table, and the engine that runs the command."""

    engine: EngineName = None
    master: Master = None

    @property
    def on_spark(self) -> bool:
        """Whether Spark runs the command: --master implies it."""
        return self.engine == "spark" or (self.engine is None and self.master is not None)

    def made_engine(self, *, processes: bool = False) -> Engine:
        """Return the engine that --engine and --master name; the default is this machine.

        On this machine, it can use processes, for long work in Python. Raises PaimonKsyError.
        """
        from paimon_ksy.table.engine import engine_named  # imports pyarrow: not for files

        name = "spark" if self.on_spark else self.engine or "local"
        return engine_named(name, self.master, processes=processes)

    def query_engine(self) -> Engine | None:
        """Return the engine of a query; None for this machine, because a query chooses its own.

        Raises:
            OptionError, PaimonKsyError: Like `made_engine`.
        """
        from paimon_ksy.table.engine import is_local

        engine = self.made_engine()
        return None if is_local(engine) else engine


@dataclass(frozen=True)
class ChangedTable(TableOnEngine):
    """Options of a command that changes a table."""

    external_paths: ExternalPaths = None

    def open(self) -> Table:
        """Open the table, with the external paths that may be changed. Raises PaimonKsyError."""
        table = super().open()
        return table.with_external_paths(self.external_paths) if self.external_paths else table


def column_names(select: str | None) -> list[str] | None:
    """Parse a list of columns such as ``a, `b c` `` or `*, a`; None means all columns.

    Raises:
        UsageError: The text is not a list of columns.
    """
    if select is None:
        return None
    names = [match["quoted"] or match["plain"] for match in _NAME.finditer(select)]
    if not names or _NAME.sub("", select).replace(",", "").strip():
        raise UsageError(f"--select {select}: write columns like 'order_id, `unit price`'")
    return [name.replace("``", "`") for name in names]


_NAME = re.compile(r"`(?P<quoted>(?:[^`]|``)+)`|(?P<plain>[^`,\s]+)")


def snapshot_number(table: Table, snapshot: int | None, as_of: str | None) -> int | None:
    """Return the snapshot that --snapshot or --as-of names; None without them.

    Raises:
        UsageError: Both are given.
        PaimonKsyError: No snapshot is as old.
    """
    if as_of is None:
        return snapshot
    if snapshot is not None:
        raise UsageError("--snapshot and --as-of exclude each other: pass one")
    return table.snapshots.as_of(as_of, table.time_zone or "UTC").id


def num_files(table: Table) -> int | None:
    """Return the number of data files, about; None if the table is too corrupt to know."""
    with suppress(PaimonKsyError):
        return table.manifests.num_files(table.snapshot())
    return None


@dataclass(frozen=True)
class CountOptions:
    """Options of a count of rows."""

    where: Where = None
    snapshot: Snapshot = None
    tag: Tag = None
    as_of: AsOf = None
    from_snapshot: FromSnapshot = None
    to_snapshot: ToSnapshot = None

    def query(self) -> Query:
        """Return the query. Raises UsageError."""
        from paimon_ksy.table.query.query import Query

        return Query(self.where, (), None, None, *self.version)

    @property
    def version(self) -> tuple[int | None, str | None, str | None, tuple[int, int] | None]:
        """The state that a query reads. Raises UsageError."""
        between = None
        if self.from_snapshot is not None and self.to_snapshot is not None:
            between = self.from_snapshot, self.to_snapshot
        elif self.from_snapshot is not None or self.to_snapshot is not None:
            raise UsageError("--from-snapshot and --to-snapshot belong together: pass both")
        return self.snapshot, self.tag, self.as_of, between


@dataclass(frozen=True)
class QueryOptions(CountOptions):
    """Options of a query."""

    select: Select = None
    order_by: OrderBy = None
    limit: Limit = None

    def query(self) -> Query:
        """Return the query. Raises UsageError."""
        from paimon_ksy.table.query.query import Query

        columns = column_names(self.select)
        order = self.order_by
        return Query(self.where, columns, order, self.limit, *self.version)
