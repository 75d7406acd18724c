"""Run the main commands on generated orders, and check each answer with a scan of the data.

The demo prints the commands that it runs: on an index that the Java library wrote, which it builds
again byte for byte, on a new index, and on a table, whose indexes Spark builds. Last, it measures a
query with indexes and without.
"""

import argparse
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from datetime import date
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from rich.console import Console

from paimon_ksy.errors import amount
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query.read import QueryStats, query
from paimon_ksy.table.store.alter import set_options
from paimon_ksy.types.schema import Schema
from tools import jvm
from tools.jvm import MissingToolError
from tools.tables import make_table

EXAMPLES = Path(__file__).parents[1] / "examples" / "orders"
JAVA = "status = 'PENDING' AND region IN ('EU', 'ASIA')"
WHERE = "status = 'PENDING' AND amount > 900"
SCHEMA = "status STRING, amount INT"
DATA, INDEX = "orders.parquet", "orders.parquet.index"
TABLE = "warehouse/default.db/orders"
DAYS, ORDERS_A_DAY, TRACES_A_FILE = 8, 20_000, 200_000
RUNS = 5  # of each query that is measured
OPTIONS = {
    "file.format": "parquet",
    "metadata.stats-mode": "full",
    "file-index.bitmap.columns": "status",
    "file-index.range-bitmap.columns": "amount",
}

console = Console(highlight=False)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", help="keep the files in this new folder")
    keep = parser.parse_args(arguments).folder
    if keep is not None:
        Path(keep).mkdir(parents=True)
    with tempfile.TemporaryDirectory() if keep is None else nullcontext(keep) as name:
        run(Path(name))


def run(folder: Path) -> None:
    """Run all parts, which write their files to a folder."""
    heading("1. An index that the Java library wrote")
    of_java(folder)
    heading("2. A new index")
    one_file(folder)
    heading("3. A whole table")
    whole_table(folder)
    heading("4. One damaged byte")
    damage(folder)
    heading("5. One value among 1.6 million")
    needle(folder)


def of_java(folder: Path) -> None:
    """Query the index of examples/orders, and build it again."""
    data, index, schema = (str(EXAMPLES / f"{DATA[:6]}.{end}") for end in _ENDS)
    command(folder, "eval", index, "--schema-file", schema, "--where", JAVA, "--limit", "8")
    command(folder, "build", data, "--schema-file", schema, "-o", "again.index")
    if (folder / "again.index").read_bytes() != Path(index).read_bytes():
        sys.exit("the built index is not the one that Java wrote")
    console.print("[bold green]✓[/] byte for byte the same")


_ENDS = "parquet", "parquet.index", "schema.json"


def one_file(folder: Path) -> None:
    """Build, inspect and query the index of a Parquet file."""
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
    note(f"pypaimon wrote {DAYS * ORDERS_A_DAY:,} orders in {DAYS} files. What a query skips:")
    command(folder, "table", "explain", TABLE, "--where", WHERE)
    note("The table's options list indexes, but pypaimon writes none. Build them, in one commit:")
    engine = "spark"
    try:
        jvm.find_java()
    except MissingToolError as error:
        engine = "local"
        note(f"Without Spark, on this machine's processors: {error}")
    command(folder, "table", "rewrite-index", TABLE, "--engine", engine)
    note("What the same query skips now:")
    command(folder, "table", "explain", TABLE, "--where", WHERE)
    order = ("--order-by", "amount DESC, order_id", "--limit", "3")
    command(folder, "table", "query", TABLE, "--where", WHERE, *order)
    command(folder, "table", "count", TABLE, "--where", WHERE)
    check_table(folder)


def damage(folder: Path) -> None:
    """Flip a bit in an index file, then find and repair it with `audit`."""
    path = min((folder / TABLE).rglob("*.index"))
    data = path.read_bytes()
    path.write_bytes(data[:-1] + bytes([data[-1] ^ 1]))
    note("One bit in an index file is now flipped. To find it, compare the indexes with the data:")
    command(folder, "table", "audit", TABLE, "--deep", expected=3)
    note("Rebuild the corrupt index:")
    command(folder, "table", "audit", TABLE, "--deep", "--repair", "--yes")
    check_table(folder)


def needle(folder: Path) -> None:
    """Look up a value of a column in no order, with indexes and without; report which is better."""
    options = {"metadata.stats-mode": "full", "file-index.bloom-filter.columns": "trace_id"}
    path = make_table(folder / "warehouse", "traces", map(traces, range(DAYS)), options)
    rewrite_index(path, engine=local_engine())
    wanted = traces(DAYS // 2)["trace_id"][TRACES_A_FILE // 2].as_py()
    where = f"trace_id = '{wanted}'"
    note(f"{DAYS} files of {TRACES_A_FILE:,} random ids: each file's statistics span nearly all.")
    note(f"The quickest of {RUNS} queries by one id, and what it reads:")
    console.print(f"{where}:", soft_wrap=True)
    costs = {}
    for name, is_on in (("with indexes", "true"), ("without", "false")):
        set_options(path, {"file-index.read.enabled": is_on})
        runs = [QueryStats() for _ in range(RUNS)]
        for each in runs:
            if query(path, where, stats=each)["trace_id"].to_pylist() != [wanted]:
                sys.exit("the answer and the data that was written differ")
        costs[name] = cost = min(runs, key=lambda each: each.seconds)
        size = f"{len(cost.effort.files)} of {DAYS} data files opened"
        read = amount(cost.effort.bytes_read)
        console.print(f"  {name:12}  {size}, {read} read, {cost.seconds * 1000:.1f} ms")
    console.print(verdict(*costs.values()), soft_wrap=True)


def verdict(indexed: QueryStats, scanned: QueryStats) -> str:
    """Return by how much indexes reduce what a query reads and its time, or that they do not."""
    read = scanned.effort.bytes_read / max(1, indexed.effort.bytes_read)
    faster = scanned.seconds / indexed.seconds
    if read > 1 and faster > 1:
        return f"[bold green]✓[/] indexes read {read:.1f} times less, {faster:.1f} times as fast"
    worse = " and ".join(
        w for w, x in (("read no less", read), ("are no faster", faster)) if x <= 1
    )
    return f"[bold yellow]indexes do not win here:[/] they {worse}"


def check_table(folder: Path) -> None:
    """Compare the rows that a query returns with a scan of all orders."""
    selected = query(str(folder / TABLE), WHERE, ["order_id"])["order_id"].to_pylist()
    check(selected, range(DAYS))


def check(selected: Sequence[int], days: Iterable[int]) -> None:
    """Compare the orders in an answer with a scan of some days; exit if they differ."""
    scanned = [order for day in days for order in matching(orders(day))["order_id"].to_pylist()]
    if sorted(selected) != scanned:
        sys.exit("the answer and a scan of the data differ")
    console.print(f"[bold green]✓[/] a scan selects the same {len(scanned)} rows")


# Data -------------------------------------------------------------------------------------------


def orders(day: int) -> pa.Table:
    """Generate the orders of a day, always the same ones. Only the last days have PENDING ones."""
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


def traces(day: int) -> pa.Table:
    """Generate the traces of a day, always the same ones, with random ids."""
    random = np.random.default_rng(day)
    ids = pa.array([f"{n:016x}" for n in random.integers(0, 2**62, TRACES_A_FILE).tolist()])
    micros = pa.array(random.integers(1, 10**6, TRACES_A_FILE))
    return pa.table({"trace_id": ids, "micros": micros, "host": micros.cast(pa.string())})


def matching(rows: pa.Table) -> pa.Table:
    """Return the orders that match WHERE, by a scan with Arrow."""
    pending, expensive = pc.equal(rows["status"], "PENDING"), pc.greater(rows["amount"], 900)
    return rows.filter(pc.and_(pending, expensive))


def write_table(warehouse: Path) -> None:
    """Write the orders of each day to a table, in one commit each."""
    make_table(warehouse, "orders", map(orders, range(DAYS)), OPTIONS)


# Output -----------------------------------------------------------------------------------------


def heading(text: str) -> None:
    """Print the title of a part."""
    console.print(f"\n[bold]{text}")


def note(text: str) -> None:
    """Print a sentence or two about the next command."""
    console.print(f"\n{text}", soft_wrap=True, markup=False)


def command(folder: Path, *arguments: str, expected: int = 0) -> None:
    """Print a command and run it in the folder; exit unless it exits as expected."""
    line = command_line(arguments)
    console.print(f"[bold green]$[/] paimon-ksy {line}", soft_wrap=True)
    sys.stdout.flush()
    command = [sys.executable, "-P", "-m", "paimon_ksy", *arguments]
    code = subprocess.run(command, cwd=folder, check=False).returncode
    if code != expected:
        sys.exit(f"`paimon-ksy {line}` exited with {code}")


def command_line(arguments: Iterable[str]) -> str:
    """Format arguments as a person would type them, with double quotes around single ones."""
    return " ".join(f'"{word}"' if "'" in word else shlex.quote(word) for word in arguments)


if __name__ == "__main__":
    main()
