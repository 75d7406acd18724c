"""`paimon-ksy demo`: run the main commands on generated data, and check each answer with a scan.

The demo runs the commands that it prints. It shows one index file first, then a whole table, which
needs pypaimon. Both contain the same generated orders, so nothing is shipped or downloaded.
"""

from __future__ import annotations

import importlib.util
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from paimon_ksy.cli.commands import cli_command
from paimon_ksy.cli.options import Folder
from paimon_ksy.cli.output import print_lines
from paimon_ksy.errors import ExitCode, PaimonKsyError
from paimon_ksy.messages.install import how_to_install

if TYPE_CHECKING:
    import pyarrow as pa

WHERE = "status = 'PENDING' AND amount > 900"
SCHEMA = "status STRING, amount INT"
DATA, INDEX = "orders.parquet", "orders.parquet.index"
TABLE = "warehouse/default.db/orders"
DAYS, ORDERS_A_DAY = 8, 20_000
OPTIONS = {
    "file.format": "parquet",
    "metadata.stats-mode": "full",
    "file-index.bitmap.columns": "status",
    "file-index.range-bitmap.columns": "amount",
}


class DemoError(PaimonKsyError):
    """A command failed, or an index and a scan selected different rows."""


@cli_command(
    "demo",
    "demo --folder demo",
)
def run(
    folder: Folder = None,
) -> None:
    """Show the main commands on example data.

    The demo builds, inspects and queries an index. With pypaimon installed
    it also indexes, queries and repairs a whole table. It prints each
    command that it runs, compares each answer with a scan of the data, and
    takes less than a minute. --folder keeps the files.
    """
    with _folder(folder) as used:
        heading("1. One index file")
        one_file(used)
        if importlib.util.find_spec("pypaimon"):
            heading("2. A whole table")
            whole_table(used)
            heading("3. One damaged byte")
            damage(used)
        else:
            note(f"Whole tables need pypaimon: {how_to_install('table')}")


@contextmanager
def _folder(keep: str | None) -> Iterator[Path]:
    if keep is None:
        with tempfile.TemporaryDirectory(prefix="paimon-ksy-demo-") as temporary:
            yield Path(temporary)
        return
    folder = Path(keep)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise DemoError(f"{keep} exists and is not empty: name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    yield folder


def one_file(folder: Path) -> None:
    """Build, inspect and query the index of a Parquet file."""
    import pyarrow.parquet as pq

    from paimon_ksy.file_index.container import FileIndex
    from paimon_ksy.types.schema import Schema

    rows = orders(DAYS - 1)
    pq.write_table(rows, folder / DATA)
    note(f"{DATA} contains {rows.num_rows:,} orders. Build an index of two columns:")
    command(folder, "build", DATA, "-i", "bitmap:status", "-i", "range-bitmap:amount", "-o", INDEX)
    note("Show its content. An index does not store the types of its columns, so pass them:")
    command(folder, "inspect", INDEX, "--schema", SCHEMA, "--max-items", "4")
    note("Find the rows that match, without opening the data file:")
    command(folder, "eval", INDEX, "--schema", SCHEMA, "--where", WHERE, "--limit", "8")
    with FileIndex.open(str(folder / INDEX), Schema.parse(SCHEMA)) as index:
        positions = sorted(index.evaluate(WHERE).rows)
    check(rows["order_id"].take(positions).to_pylist(), [DAYS - 1])


def whole_table(folder: Path) -> None:
    """Index a table that pypaimon writes, and query it."""
    write_table(folder / "warehouse")
    note(
        f"pypaimon wrote {DAYS * ORDERS_A_DAY:,} orders in {DAYS} files. The table's options list "
        "indexes,\nbut pypaimon does not write any. Build them, in one commit:"
    )
    command(folder, "table", "rewrite-index", TABLE)
    note("Show what a query skips now:")
    command(folder, "table", "explain", TABLE, "--where", WHERE)
    order = ("--order-by", "amount DESC, order_id", "--limit", "3")
    command(folder, "table", "query", TABLE, "--where", WHERE, *order)
    check_table(folder)


def damage(folder: Path) -> None:
    """Flip a bit in an index file, then find and repair it with `audit`."""
    path = min((folder / TABLE).rglob("*.index"))
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    note("One bit in an index file is now flipped. To find it, compare the indexes with the data:")
    command(folder, "table", "audit", TABLE, "--deep", expected=ExitCode.FINDINGS)
    note("Rebuild the corrupt index:")
    command(folder, "table", "audit", TABLE, "--deep", "--repair", "--yes")
    check_table(folder)


def check_table(folder: Path) -> None:
    """Compare the rows that a query returns with a scan of all orders."""
    from paimon_ksy.table.query.read import query

    selected = query(str(folder / TABLE), WHERE, ["order_id"])["order_id"].to_pylist()
    check(selected, range(DAYS))


def check(selected: Sequence[int], days: Iterable[int]) -> None:
    """Compare the orders in an answer with a scan of some days; raise DemoError if they differ."""
    scanned = [order for day in days for order in matching(orders(day))["order_id"].to_pylist()]
    if sorted(selected) != scanned:
        raise DemoError("the answer and a scan of the data differ")
    print_lines([[("✓ ", "bold green"), (f"a scan selects the same {len(scanned)} rows", "")]])


# Data -------------------------------------------------------------------------------------------


def orders(day: int) -> pa.Table:
    """Generate the orders of a day, always the same ones. Only the last days have PENDING ones."""
    import numpy as np
    import pyarrow as pa

    random = np.random.default_rng(day)
    pending = 0.002 * max(0, day - DAYS + 4)
    states = pa.array(["COMPLETED", "SHIPPED", "CANCELLED", "PENDING"])
    drawn = random.choice(4, ORDERS_A_DAY, p=[0.8 - pending, 0.15, 0.05, pending])
    return pa.table(
        {
            "order_id": pa.array(np.arange(ORDERS_A_DAY) + day * ORDERS_A_DAY),
            "status": states.take(pa.array(drawn)),
            "amount": pa.array(random.integers(1, 1000, ORDERS_A_DAY), pa.int32()),
            "note": pa.array([f"{n:016x}" for n in random.integers(0, 2**62, ORDERS_A_DAY)]),
            "day": pa.array([date(2026, 1, 1 + day)] * ORDERS_A_DAY),
        }
    )


def matching(rows: pa.Table) -> pa.Table:
    """Return the orders that match WHERE, by a scan with Arrow."""
    import pyarrow.compute as pc

    pending, expensive = pc.equal(rows["status"], "PENDING"), pc.greater(rows["amount"], 900)
    return rows.filter(pc.and_(pending, expensive))


def write_table(warehouse: Path) -> None:
    """Write the orders of each day to a table, in one commit each."""
    from pypaimon import CatalogFactory, Schema

    catalog = CatalogFactory.create({"warehouse": str(warehouse)})
    catalog.create_database("default", False)
    schema = Schema.from_pyarrow_schema(orders(0).schema, options=OPTIONS)
    catalog.create_table("default.orders", schema, False)
    builder = catalog.get_table("default.orders").new_batch_write_builder()
    for day in range(DAYS):
        write, commit = builder.new_write(), builder.new_commit()
        write.write_arrow(orders(day))
        commit.commit(write.prepare_commit())
        write.close()
        commit.close()


# Output -----------------------------------------------------------------------------------


def heading(text: str) -> None:
    """Print the title of a part."""
    print_lines([[], [(text, "bold")]])


def note(text: str) -> None:
    """Print a sentence or two about the next command."""
    print_lines([[], *([(line, "")] for line in text.splitlines())])


def command(folder: Path, *arguments: str, expected: int = ExitCode.DONE) -> None:
    """Print a command and run it in the folder; raise DemoError unless it exits as expected."""
    print_lines([[("$ ", "bold green"), (f"paimon-ksy {command_line(arguments)}", "bold")]])
    sys.stdout.flush()
    command = [sys.executable, "-P", "-m", "paimon_ksy", *arguments]
    code = subprocess.run(command, cwd=folder, check=False).returncode
    if code != expected:
        raise DemoError(f"`paimon-ksy {command_line(arguments)}` exited with {code}")


def command_line(arguments: Iterable[str]) -> str:
    """Format arguments as a person would type them, with double quotes around single ones."""
    return " ".join(f'"{word}"' if "'" in word else shlex.quote(word) for word in arguments)
