"""The table of orders that is measured."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.store import Table
from tools.tables import delete_rows, make_table

ROWS = 1_000_000
PENDING = 1_000
USERS = 100_000
INDEXES = {
    "file-index.bitmap.columns": "status,user_id",
    "file-index.range-bitmap.columns": "amount",
}


def orders(rows: int, *, clustered: bool) -> pa.Table:
    """The orders; one in a thousand is PENDING."""
    rng = np.random.default_rng(5)
    status = rng.integers(0, 3, rows).astype(np.int8)
    pending = rows * PENDING // ROWS
    if clustered:
        status[rows // 2 : rows // 2 + pending] = 3
    else:
        status[rng.choice(rows, pending, replace=False)] = 3
    states = pa.array(["COMPLETED", "SHIPPED", "CANCELLED", "PENDING"])
    regions = pa.array([f"region-{number}" for number in range(8)])
    noise = rng.integers(0, 2**62, (rows, 4))
    notes = [f"note {a:015x} {b:015x} {c:015x} {d:06x}"[:60] for a, b, c, d in noise.tolist()]
    start = 1_735_689_600_000_000
    amounts = pa.array(rng.integers(100, 10_000_000, rows)).cast(pa.decimal128(19, 0))
    hundredth = pa.scalar(100, pa.decimal128(3, 0))
    return pa.table(
        {
            "order_id": pa.array(np.arange(rows)),
            "user_id": pa.array(rng.integers(0, rows * USERS // ROWS, rows), pa.int32()),
            "status": states.take(pa.array(status)),
            "amount": pc.divide(amounts.cast(pa.decimal128(19, 2)), hundredth).cast(
                pa.decimal128(10, 2)
            ),
            "ts": pa.array(start + np.arange(rows) * 1_000_000, pa.timestamp("us")),
            "region": regions.take(pa.array(rng.integers(0, 8, rows))),
            "note": pa.array(notes),
        }
    )


def parts(data: pa.Table, count: int) -> Iterator[pa.Table]:
    """Yield so many equal parts of a table, in order."""
    size = len(data) // count
    return (data.slice(at * size, size) for at in range(count))


@dataclass(frozen=True)
class Made:
    """A table that is measured."""

    path: str
    files: int
    clustered: bool
    deleted: bool

    @property
    def name(self) -> str:
        what = "1 file" if self.files == 1 else f"{self.files} files"
        return what + (", clustered" if self.clustered else "") + (", 10 % deleted" * self.deleted)


def make(folder: Path, rows: int, files: int, *, clustered: bool, deleted: bool) -> Made:
    """Write the table, delete a tenth of its rows if wanted, and build its indexes."""
    data = orders(rows, clustered=clustered)
    size = rows // files
    name = f"orders_{files}_{'clustered' if clustered else 'random'}{'_deleted' * deleted}"
    options = {"deletion-vectors.enabled": str(deleted).lower()}
    path = make_table(folder, name, parts(data, files), options)
    if deleted:
        table = Table.at(path)
        rng = np.random.default_rng(6)
        gone = {
            file.name: np.sort(rng.choice(size, size // 10, replace=False))
            for file in table.data_files.of(table.snapshot())
        }
        delete_rows(path, gone)
    rewrite_index(Table.at(path), set=INDEXES, engine=local_engine())
    return Made(path, files, clustered, deleted)


def data_files(made: Made) -> list[str]:
    """The table's Parquet files."""
    return sorted(map(str, Path(made.path).rglob("data-*.parquet")))
