"""Random tables with row ids, and the rows that they have to have.

    made = row_id_table(folder, seed)
    made.path, made.story        # the table, and the steps that made it
    made.schema, made.rows       # its schema, and all rows as tuples of internal values
    made.row_ids                 # the id of each row

A table has row tracking, and most of them data evolution. pypaimon writes the rows, pypaimon and
the Rust crate build global indexes, and paimon-ksy deletes where pypaimon cannot.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from tests.support.golden_tables import Row, rows_of
from tests.support.newer_tables import EVOLUTION, by_pypaimon, by_rust, commit_messages
from tools.tables import append, make_table

SERIAL = "serial"
"""A column whose values are unique and stay, by which a step finds rows."""

PICTURE = "picture"
TYPES = {
    SERIAL: pa.int64(),
    "name_of_the_customer_as_on_the_invoice": pa.string(),
    "amount": pa.decimal128(10, 2),
    "day": pa.date32(),
    "score": pa.float64(),
}
ADDED = {"quantity": "INT", "remark_of_the_customer": "STRING", "rating": "DOUBLE"}
"""Columns that `ALTER TABLE` adds, and their types."""

_ARROW = {"INT": pa.int32(), "STRING": pa.string(), "DOUBLE": pa.float64()}
_LOCAL = local_engine(1)
_TEXTS = ["", "Anna", "Änne", "中", "😀", "x" * 70, *(f"customer {n:04}" for n in range(40))]


@dataclass
class RowIdTable:
    """A table with row ids, and the rows that it has to have.

    Attributes:
        path: The table.
        story: The steps that made it.
        columns: The values of each column, as Arrow has them, in the order of `row_ids`.
        types: Their types.
        row_ids: The ids of the live rows.
        evolves: Whether the table has data evolution.
        renamed: Whether any column has another name than in some files.
        is_wide: Whether deletion vectors have 64 bits, which pypaimon cannot read.
    """

    path: str
    evolves: bool
    story: list[str] = field(default_factory=list)
    columns: dict[str, list[Any]] = field(default_factory=dict)
    types: dict[str, pa.DataType] = field(default_factory=dict)
    row_ids: list[int] = field(default_factory=list)
    renamed: bool = False
    is_wide: bool = False

    @property
    def schema(self) -> Schema:
        """The schema of the table."""
        return Table.at(self.path).schema.columns

    @property
    def rows(self) -> list[Row]:
        """All live rows, as tuples of internal values."""
        names = self.schema.names
        return rows_of(
            pa.table({name: pa.array(self.columns[name], self.types[name]) for name in names})
        )


def row_id_table(folder: Path, seed: int) -> RowIdTable:
    """Make the table of a seed in a warehouse."""
    return _Maker(folder, seed).made


def without_indexes(path: str, columns: Sequence[str] | None = None, where: Any = None) -> pa.Table:
    """Columns of all rows, or of those that match, as pypaimon reads them without global indexes.

    `where` gets pypaimon's builder of predicates.
    """
    builder = Table.at(path).pypaimon.copy({"global-index.enabled": "false"}).new_read_builder()
    if columns is not None:
        builder = builder.with_projection(list(columns))
    if where is not None:
        builder = builder.with_filter(where(builder.new_predicate_builder()))
    return builder.new_read().to_arrow(builder.new_scan().plan().splits())


class _Maker:
    def __init__(self, folder: Path, seed: int) -> None:
        self.chosen = chosen = random.Random(seed)
        self.made = RowIdTable(f"{folder}/default.db/t{seed}", evolves=chosen.random() < 0.8)
        self.types = dict(TYPES)
        evolves = self.made.evolves
        self.options = {"row-tracking.enabled": "true"}
        if evolves:
            self.options |= EVOLUTION
            if chosen.random() < 0.2:
                self.types[PICTURE] = pa.large_binary()
        self.options["file.format"] = chosen.choice(["parquet"] * 4 + ["orc", "avro"])
        self.deletes = chosen.random() < 0.6
        if self.deletes:
            self.options["deletion-vectors.enabled"] = "true"
        if chosen.random() < 0.7:
            self.options["global-index.column-update-action"] = "IGNORE"
        if chosen.random() < 0.3:
            self.options["metadata.stats-mode"] = chosen.choice(["none", "counts", "full"])
        self.partitions = ("day",) if chosen.random() < 0.3 else ()
        self.made.is_wide = self.deletes and not self.partitions and seed % 4 == 0
        if self.made.is_wide:
            self.options["deletion-vectors.bitmap64"] = "true"
        self.serial = self.added = 0
        self.indexed: set[str] = set()
        self.updated: set[str] = set()
        # Columns of which pypaimon would lose the last update, as it does not find their old names.
        self.frozen: set[str] = set()
        self.made.types = self.types
        self.made.columns = {name: [] for name in self.types}
        self.append()
        steps = [self.append, self.append, self.alter]
        if not self.made.is_wide:
            steps += [self.index] * 2
        if evolves:
            steps += [self.update] * 3
        if self.deletes:
            steps.append(self.delete)
        for _ in range(chosen.randint(3, 7)):
            chosen.choice(steps)()
        if not (self.indexed or self.made.is_wide):
            self.index()

    def said(self, what: str) -> None:
        self.made.story.append(what)

    def value(self, name: str) -> Any:
        chosen, kind = self.chosen, self.types[name]
        if chosen.random() < 0.06 and name != "day":
            return None
        if pa.types.is_decimal(kind):
            return Decimal(chosen.choice([0, 1, -1, 995, chosen.randrange(10_000)])).scaleb(-2)
        if pa.types.is_date(kind):
            return date(2024, 1, 1) + timedelta(chosen.randrange(4))
        if pa.types.is_floating(kind):
            return chosen.choice([0.0, -0.0, 1.5, float("nan"), float("inf"), chosen.random()])
        if pa.types.is_string(kind):
            return chosen.choice(_TEXTS)
        if pa.types.is_large_binary(kind):
            return bytes([chosen.randrange(256)]) * chosen.randrange(1, 50)
        return chosen.randrange(-20, 200)

    def append(self) -> None:
        """Append rows, in one commit."""
        count = self.chosen.choice([1, 20, 150, 400, 900])
        data = {name: [self.value(name) for _ in range(count)] for name in self.types}
        data[SERIAL] = list(range(self.serial, self.serial + count))
        self.serial += count
        rows = pa.table({name: pa.array(data[name], kind) for name, kind in self.types.items()})
        if self.made.story:
            append(Table.at(self.made.path).pypaimon, rows)
        else:
            folder = Path(self.made.path).parents[1]
            name, partitions = Path(self.made.path).name, self.partitions
            make_table(folder, name, [rows], self.options, partition_keys=partitions)
        self.said(f"append {count} rows" if self.made.story else f"{count} rows, {self.options}")
        for name in self.types:
            self.made.columns[name] += data[name]
        if self.partitions:  # pypaimon decides the order of the files
            read = without_indexes(self.made.path, columns=[SERIAL, "_ROW_ID"])
            ids = dict(zip(read[SERIAL].to_pylist(), read["_ROW_ID"].to_pylist(), strict=True))
            self.made.row_ids += [ids[serial] for serial in data[SERIAL]]
        else:
            self.made.row_ids += data[SERIAL]

    def some(self, most: int) -> list[int]:
        """Places of some live rows: apart, or side by side."""
        count = len(self.made.row_ids)
        number = min(count, self.chosen.randint(1, most))
        if self.chosen.random() < 0.5:
            return sorted(self.chosen.sample(range(count), number))
        start = self.chosen.randrange(count - number + 1)
        return list(range(start, start + number))

    def update(self) -> None:
        """Write other values of some columns of some rows."""
        free = [
            name
            for name in self.types
            if name not in (SERIAL, PICTURE, *self.partitions, *self.frozen)
            and (name not in self.indexed or "IGNORE" in self.options.values())
        ]
        if not free or not self.made.row_ids:
            return
        names = self.chosen.sample(free, self.chosen.randint(1, min(2, len(free))))
        self.updated.update(names)
        places = self.some(300)
        data = {"_ROW_ID": pa.array([self.made.row_ids[at] for at in places], pa.int64())}
        for name in names:
            values = [self.value(name) for _ in places]
            data[name] = pa.array(values, self.types[name])
            for at, value in zip(places, values, strict=True):
                self.made.columns[name][at] = value
        update = Table.at(self.made.path).pypaimon.new_batch_write_builder().new_update()
        messages = update.with_update_type(names).update_by_arrow_with_row_id(pa.table(data))
        commit_messages(self.made.path, messages)
        self.said(f"update {names} of {len(places)} rows")

    def delete(self) -> None:
        """Delete rows: by paimon-ksy, or with data evolution by pypaimon."""
        if not self.made.row_ids:
            return
        gone = set(self.some(200))
        if self.made.evolves and not self.made.is_wide and self.chosen.random() < 0.5:
            ids = [self.made.row_ids[at] for at in sorted(gone)]
            update = Table.at(self.made.path).pypaimon.new_batch_write_builder().new_update()
            commit_messages(self.made.path, update.delete_by_row_id(ids))
        else:
            serials = ", ".join(str(self.made.columns[SERIAL][at]) for at in gone)
            delete(self.made.path, f"{SERIAL} IN ({serials})", engine=_LOCAL)
        for values in (self.made.row_ids, *self.made.columns.values()):
            values[:] = [value for at, value in enumerate(values) if at not in gone]
        self.said(f"delete {len(gone)} rows")

    def alter(self) -> None:
        """Add, rename or drop a column."""
        from pypaimon import CatalogFactory
        from pypaimon.schema.data_types import AtomicType
        from pypaimon.schema.schema_change import SchemaChange

        columns, types = self.made.columns, self.types
        free = [n for n in types if n not in (SERIAL, PICTURE, *self.partitions, *self.indexed)]
        what = self.chosen.choice(["add", "add", "rename", "drop"])
        if what == "add" or len(free) < 2:
            name = list(ADDED)[self.added % len(ADDED)]
            self.added += 1
            if name in types:
                return
            change = SchemaChange.add_column(name, AtomicType(ADDED[name]))
            types[name] = _ARROW[ADDED[name]]
            columns[name] = [None] * len(self.made.row_ids)
        elif what == "rename":
            name = self.chosen.choice(free)
            new = f"{name}_{self.added}"
            self.added += 1
            self.made.renamed = True
            if name in self.updated or PICTURE in types:
                self.frozen.add(new)
            change = SchemaChange.rename_column(name, new)
            for each in (columns, types):
                renamed = {new if key == name else key: value for key, value in each.items()}
                each.clear()
                each.update(renamed)
        else:
            name = self.chosen.choice(free)
            change = SchemaChange.drop_column(name)
            del types[name], columns[name]
        warehouse = str(Path(self.made.path).parents[1])
        catalog = CatalogFactory.create({"warehouse": warehouse})
        catalog.alter_table(f"default.{Path(self.made.path).name}", [change], False)
        self.said(f"{what} {name}")

    def index(self) -> None:
        """Have pypaimon or the Rust crate build a global index of all rows so far."""
        chosen = self.chosen
        names = [n for n in self.types if n not in (*self.indexed, PICTURE, *self.partitions)]
        if not names or not self.made.row_ids:
            return
        name, kind = chosen.choice(names), chosen.choice(["btree", "btree", "bitmap"])
        if self.made.evolves and not self.deletes and chosen.random() < 0.6:
            text = chosen.choice(["", f"{kind}-index.compression=zstd"])
            if kind == "btree" and chosen.random() < 0.5:
                text = "btree-index.file-version=2"
            by_rust(name, kind, text)(self.made.path)
            self.said(f"Rust: {kind} of {name} {text}")
        else:
            more: list[dict[str, str]] = [
                {},
                {"sorted-index.records-per-file": "100"},
                {"btree-index.block-size": "1kb"},
            ]
            options = chosen.choice(more)
            by_pypaimon(name, kind, **options)(self.made.path)
            self.said(f"pypaimon: {kind} of {name} {options}")
        self.indexed.add(name)
