"""Run `paimon-ksy demo`, then build an index of the Java library again, and index a table on Spark.

The index of examples/orders/ is queried, and built again byte for byte. Then pypaimon writes a
table, Spark builds its indexes, and a query runs before and after. Its answers are compared with a
scan of the data; the exit code is 1 if one differs.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from paimon_ksy.cli.demo import DAYS, WHERE, command_line, matching, orders
from paimon_ksy.cli.demo import run as run_demo
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.read import query
from paimon_ksy.table.query.steps import Step
from paimon_ksy.table.store import Table as PaimonTable
from tools import jvm
from tools.jvm import MissingToolError
from tools.tables import make_table

ROOT = Path(__file__).parents[1]
FOLDER = Path("examples", "orders")
DATA, INDEX, SCHEMA = (
    FOLDER / f"orders.{end}" for end in ("parquet", "parquet.index", "schema.json")
)


PENDING = "status = 'PENDING' AND region IN ('EU', 'ASIA')"

console = Console(highlight=False)


def main() -> None:
    run_demo(None)
    heading("Which rows does a predicate select, by an index that the Java library wrote?")
    run("eval", str(INDEX), "--schema-file", str(SCHEMA), "--where", PENDING, "--limit", "8")
    heading("The same index, built again from the data file")
    build_again()
    with tempfile.TemporaryDirectory(prefix="paimon-ksy-") as folder:
        whole_table(folder)


def heading(text: str) -> None:
    console.print()
    console.rule(f"[bold]{text}", align="left")


def run(*arguments: str) -> None:
    """Print a paimon-ksy command and run it."""
    console.print(f"[bold green]$[/] paimon-ksy {command_line(arguments)}", soft_wrap=True)
    sys.stdout.flush()
    command = [sys.executable, "-m", "paimon_ksy", *arguments]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        sys.exit(1)


def build_again() -> None:
    """Build the index with the options of the table and compare it byte for byte."""
    output = Path(".cache", "orders.index")
    (ROOT / output).parent.mkdir(exist_ok=True)
    run("build", str(DATA), "--schema-file", str(SCHEMA), "--output", str(output), "--overwrite")
    same = (ROOT / output).read_bytes() == (ROOT / INDEX).read_bytes()
    if not same:
        sys.exit("the built index is not the one that Java wrote")
    console.print(f"[bold green]✓[/] byte for byte the same as {INDEX}, which Java wrote")


# A whole table ----------------------------------------------------------------------------------

INDEXES = ["file-index.bitmap.columns=status", "file-index.range-bitmap.columns=amount"]


def whole_table(folder: str) -> None:
    """Index a table on Spark, and show how much less a query reads then."""
    heading("The same orders in partitions, which pypaimon wrote just now")
    days = map(orders, range(DAYS))
    path = make_table(folder, "orders", days, partition_keys=["day"])
    table = PaimonTable.at(path)
    files = list(table.data_files.of(table.snapshot()))
    rows, size = sum(file.num_rows for file in files), sum(file.size for file in files)
    console.print(f"{path}: {rows:,} orders of {DAYS} days in {len(files)} files, {size:,} bytes")
    heading("A query before there are indexes")
    run("table", "explain", path, "--where", WHERE)
    before = asked(path)
    heading("Spark builds its indexes, in one commit")
    engine = "spark"
    try:
        jvm.find_java()
    except MissingToolError as error:
        engine = "local"
        console.print(f"[yellow]Without Spark, on this machine's processors:[/] {error}")
    settings = [word for option in INDEXES for word in ("--set", option)]
    run("table", "rewrite-index", path, *settings, "--engine", engine)
    heading("The same query afterwards")
    run("table", "explain", path, "--where", WHERE)
    run("table", "query", path, "--where", WHERE, "--order-by", "amount DESC", "--limit", "5")
    run("table", "count", path, "--where", WHERE)
    after = asked(path)
    compare_answers(before[1], after[1])
    show_skipped(before, after)


def asked(path: str) -> tuple[list[Step], pa.Table, float]:
    """The steps of the query, its rows, and the milliseconds that they took."""
    table = PaimonTable.at(path)
    query(table, WHERE)  # modules are loaded, files are in memory: before the index and after it
    start = time.perf_counter()
    rows = query(table, WHERE)
    milliseconds = (time.perf_counter() - start) * 1000
    return explain(table, WHERE), rows, milliseconds


def compare_answers(before: pa.Table, after: pa.Table) -> None:
    """Both have to be what a scan finds."""
    wanted = [row for day in range(DAYS) for row in matching(orders(day)).to_pylist()]
    for rows in (before, after):
        if sorted(rows.to_pylist(), key=order_id) != sorted(wanted, key=order_id):
            sys.exit("a query and a scan disagree")
    console.print(f"[bold green]✓[/] {len(wanted)} rows, the same before, after and by a scan")


def order_id(row: dict[str, Any]) -> int:
    return int(row["order_id"])


def show_skipped(
    before: tuple[list[Step], pa.Table, float], after: tuple[list[Step], pa.Table, float]
) -> None:
    """What the last steps leave to be read, without and with indexes."""
    table = Table("to be read", "without indexes", "with them", "skipped")
    for name, what in (("files", "files_kept"), ("rows", "rows_kept"), ("bytes", "bytes_kept")):
        old, new = (getattr(answer[0][-1], what) for answer in (before, after))
        table.add_row(name, f"{old:,}", f"{new:,}", f"{1 - new / old:.2%}")
    table.add_row("milliseconds", f"{before[2]:.1f}", f"{after[2]:.1f}", "")
    console.print(table)


if __name__ == "__main__":
    main()
