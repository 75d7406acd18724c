"""Advice on which indexes to have."""

from __future__ import annotations

import shutil
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.store import Table
from tools.bench.harness import Figure, timed
from tools.bench.orders import ROWS, orders
from tools.tables import make_table


def measured_advice(folder: Path, rows: int, rounds: int) -> Iterator[Figure]:
    """Advice on a table without indexes, its PENDING orders next to each other: with typical
    predicates, of which one asks for them, and with given ones."""
    data = orders(rows, clustered=True)
    given = ["status = 'PENDING'", "user_id = 4711", "order_id BETWEEN 5000 AND 6000"]
    most = 10.0 * rows / ROWS
    for files in (1, 20):
        size = rows // files
        parts = (data.slice(at * size, size) for at in range(files))
        path = make_table(folder, f"advice_{files}", parts)
        for what, asked in {"typical": None, "given": given}.items():
            made: list[Advice] = []

            def look(asked: Any = asked, path: str = path, made: list[Advice] = made) -> None:
                made.append(advise(Table.at(path), predicates=asked, engine=local_engine()))

            look()
            seconds = statistics.median(timed(look) for _ in range(min(rounds, 3))) / 1e3
            advised = [f"{kind} of {c.column}" for c in made[0].columns for kind in c.advised]
            yield Figure(
                f"advice, {files} file{'s' * (files > 1)}, {what} predicates: "
                f"{made[0].sample_rows:,} rows looked at, {', '.join(advised)}",
                f"{seconds:.1f} s",
                f"<= {most:.0f} s",
                seconds <= most,
            )
        shutil.rmtree(path)
