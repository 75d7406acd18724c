"""Options of the data source, as text from Spark: docs/reference/spark.md lists them."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from paimon_ksy.errors import OptionError, none_of

if TYPE_CHECKING:
    from paimon_ksy.table.model.files import TableSchema
    from paimon_ksy.table.query.plan import State
    from paimon_ksy.table.store import Table
    from paimon_ksy.types.schema import Field


@dataclass(frozen=True)
class Options:
    """The parsed options of a read; a default is no condition, no limit, or the latest state."""

    table: str
    where: str | None = None
    time_zone: str | None = None
    columns: tuple[str, ...] | None = None
    snapshot_id: int | None = None
    tag: str | None = None
    as_of: str | None = None
    between: tuple[int, int] | None = None
    limit: int | None = None
    split_size: int | None = None
    parallelism: int = 1
    from_snapshot: str | None = None
    snapshots_per_trigger: int | None = None
    skip_changes: bool = False
    catalog: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, options: Mapping[str, str]) -> Options:
        """Parse the options that Spark passes, with lower-case keys. Raises OptionError."""
        given = {key.lower(): value for key, value in options.items()}
        if OF_CATALOG in given:
            given = of_catalog_table(given)
        catalog = {
            key.removeprefix("catalog."): given.pop(key)
            for key in list(given)
            if key.startswith("catalog.")
        }
        path = given.pop("path", None)
        name = given.pop("table", path)
        if "paths" in given:  # Spark's key for a list of paths
            raise OptionError("several paths are given: load one table, and join them by union")
        if name is None:
            raise OptionError(
                "no table is named: pass its path to load(), or the option 'table'; write "
                "CREATE TABLE without columns, because the table has them"
            )
        if unknown := sorted(given.keys() - _PARSERS.keys()):
            names = ("table", *_PARSERS, "catalog.KEY")
            raise OptionError(f"no option {unknown[0]!r}{none_of(unknown[0], 'there are', names)}")
        parsed = {key.replace("-", "_"): _PARSERS[key](value, key) for key, value in given.items()}
        return cls(table=name, catalog=catalog, **parsed)

    def open(self) -> Table:
        """Return the table. Raises PaimonKsyError."""
        from paimon_ksy.table.store import Table, absolute, pypaimon_options

        # An error then names the folder that a relative path means for Spark.
        table = Table.named(*absolute(self.table, pypaimon_options(self.catalog)))
        return table.with_time_zone(self.time_zone)

    @property
    def state(self) -> State:
        """The state of the table to read. Raises PaimonKsyError."""
        from paimon_ksy.table.query.plan import State
        from paimon_ksy.table.query.query import Query

        query = Query(
            snapshot_id=self.snapshot_id, tag=self.tag, as_of=self.as_of, between=self.between
        )
        return State.of(self.open(), query)

    def fields(self, schema: TableSchema) -> list[Field]:
        """Return the columns of the rows to read. Raises SchemaError."""
        from paimon_ksy.table.query.query import Query

        bound = Query(columns=self.columns).bind(schema, "UTC")
        return [bound.schema.columns.column(name) for name in bound.columns]


OF_CATALOG = "provider"
"""An option that Spark adds to those of a table in its catalog."""


def of_catalog_table(given: Mapping[str, str]) -> dict[str, str]:
    """Return the options of CREATE TABLE, which Spark stores as `option.KEY` with its own."""
    options = {
        key.removeprefix("option."): value
        for key, value in given.items()
        if key.startswith("option.")
    }
    if "table" not in options and "location" in given:
        options["path"] = given["location"]
    return options


def _text(value: str, option: str) -> str:
    return value


def _count(value: str, option: str) -> int:
    if not value.strip().isdecimal():
        raise OptionError(f"option {option}: {value!r} is not a whole number")
    return int(value)


def _positive(value: str, option: str) -> int:
    if not (number := _count(value, option)):
        raise OptionError(f"option {option}: {value!r} is not a number from 1")
    return number


def _flag(value: str, option: str) -> bool:
    if value.lower() not in ("true", "false"):
        raise OptionError(f"option {option}: {value!r} is neither true nor false")
    return value.lower() == "true"


def _rows(value: str, option: str) -> int:
    return min(_count(value, option), sys.maxsize)  # the largest number in Arrow


def size_of(value: str, option: str) -> int:
    """Return the bytes of a size such as `128 mb`. Raises OptionError."""
    from paimon_ksy.file_index.options import parse_memory_size

    return parse_memory_size(value, option)


def _pair(value: str, option: str) -> tuple[int, int]:
    numbers = value.split(",")
    if len(numbers) != 2:
        raise OptionError(f"option {option}: write two snapshots, such as '3,5', not {value!r}")
    return _count(numbers[0], option), _count(numbers[1], option)


def _list(value: str, option: str) -> tuple[str, ...]:
    if value.lstrip().startswith("["):
        try:
            names = json.loads(value)
        except ValueError as error:
            raise OptionError(f"option {option}: not a JSON array: {error}") from None
    else:
        names = [name.strip() for name in value.split(",") if name.strip()]
    if not names or not all(isinstance(name, str) for name in names):
        # Without columns, Spark would see no rows.
        raise OptionError(f"option {option}: write the names of columns")
    return tuple(names)


_PARSERS: dict[str, Callable[[str, str], Any]] = {
    "where": _text,
    "time-zone": _text,
    "columns": _list,
    "snapshot-id": _count,
    "tag": _text,
    "as-of": _text,
    "between": _pair,
    "limit": _rows,
    "split-size": size_of,
    "parallelism": _positive,
    "from-snapshot": lambda value, key: value if value == "latest" else str(_count(value, key)),
    "snapshots-per-trigger": _positive,
    "skip-changes": _flag,
}
OF_STREAMS = ("from-snapshot", "snapshots-per-trigger", "skip-changes")
