"""The main job on real input: an index that the Java library wrote, shown, queried and built again.

Reads examples/orders/, runs the commands that it prints, and compares each answer with a scan of
the data file. Ends with an error if one differs, or if the built index differs in a byte.
"""

import shlex
import subprocess
import sys
import time
from collections.abc import Iterable
from datetime import date
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from rich.console import Console
from rich.table import Table

from paimon_ksy import FileIndex, Schema, parse_predicate

ROOT = Path(__file__).parents[1]
FOLDER = Path("examples", "orders")
DATA, INDEX, SCHEMA = (
    FOLDER / f"orders.{end}" for end in ("parquet", "parquet.index", "schema.json")
)

PREDICATES = {
    "status = 'PENDING'": pc.field("status") == "PENDING",
    "status <> 'COMPLETED' AND region IN ('EU', 'ASIA')": (pc.field("status") != "COMPLETED")
    & pc.field("region").isin(["EU", "ASIA"]),
    "note IS NOT NULL AND NOT (user_id = 7 OR user_id = 8)": pc.field("note").is_valid()
    & ~((pc.field("user_id") == 7) | (pc.field("user_id") == 8)),
    "order_date BETWEEN DATE '2025-03-01' AND DATE '2025-03-31'": (
        (pc.field("order_date") >= date(2025, 3, 1)) & (pc.field("order_date") <= date(2025, 3, 31))
    ),
    "status LIKE 'P%' AND amount > 400": pc.starts_with(pc.field("status"), "P")
    & (pc.field("amount") > pa.scalar(Decimal(400), pa.decimal128(10, 2))),
    "status = 'LOST'": pc.field("status") == "LOST",
}

console = Console(highlight=False)


def main() -> None:
    schema = Schema.from_paimon_json((ROOT / SCHEMA).read_bytes())
    typed = [str(INDEX), "--schema-file", str(SCHEMA)]

    heading("A data file and its index, as the Java library wrote them")
    show_rows()
    heading("What is in the index")
    run("inspect", *typed)
    heading("Which rows does a predicate select, by the index alone?")
    run("eval", *typed, "--where", "status = 'PENDING' AND region <> 'US'", "--limit", "10")
    compare_with_scan(schema)
    heading("The same index, built again from the data file")
    build_again()


def heading(text: str) -> None:
    console.print()
    console.rule(f"[bold]{text}", align="left")


def show_rows() -> None:
    """The size of both files and the first rows."""
    rows = pq.read_table(ROOT / DATA)
    for path in (DATA, INDEX):
        console.print(f"{path}: {(ROOT / path).stat().st_size:,} bytes")
    table = Table(
        *rows.column_names, title=f"first of {rows.num_rows:,} rows", title_justify="left"
    )
    for row in rows.slice(0, 5).to_pylist():
        table.add_row(*("" if value is None else str(value) for value in row.values()))
    console.print(table)


def run(*arguments: str) -> None:
    """Print a paimon-ksy command and run it."""
    console.print(f"[bold green]$[/] paimon-ksy {command_line(arguments)}", soft_wrap=True)
    sys.stdout.flush()
    command = [sys.executable, "-m", "paimon_ksy", *arguments]
    if subprocess.run(command, cwd=ROOT, check=False).returncode:
        sys.exit(1)


def command_line(arguments: Iterable[str]) -> str:
    """Arguments as a person would type them: in double quotes if there are single ones inside."""
    return " ".join(f'"{word}"' if "'" in word else shlex.quote(word) for word in arguments)


def compare_with_scan(schema: Schema) -> None:
    """Answers of the index beside those of a scan of all rows."""
    rows = pq.read_table(ROOT / DATA)
    numbered = rows.append_column("row", pa.array(range(rows.num_rows)))
    table = Table("predicate", "result", "rows", "exact", "bytes read", "ms", "a scan finds")
    wrong = []
    for sql, expression in PREDICATES.items():
        predicate = parse_predicate(sql, schema)
        start = time.perf_counter()
        with FileIndex.open(str(ROOT / INDEX), schema) as index:
            selection = index.evaluate(predicate)
            bytes_read = index.bytes_read
        milliseconds = (time.perf_counter() - start) * 1000
        selected = set(selection.rows or ())
        if selection.kind == "all":
            selected = set(range(rows.num_rows))
        scanned = set(numbered.filter(expression)["row"].to_pylist())
        good = selected == scanned if selection.exact else selected >= scanned
        table.add_row(
            sql,
            selection.kind,
            f"{len(selected):,}",
            "yes" if selection.exact else "no",
            f"{bytes_read:,}",
            f"{milliseconds:.1f}",
            f"{len(scanned):,} " + ("[green]✓[/]" if good else "[red]✗[/]"),
        )
        if not good:
            wrong.append(sql)
    console.print(table)
    if wrong:
        sys.exit(f"the index and a scan disagree: {'; '.join(wrong)}")


def build_again() -> None:
    """Build the index with the options of the table and compare it byte for byte."""
    output = Path(".cache", "orders.index")
    (ROOT / output).parent.mkdir(exist_ok=True)
    run("build", str(DATA), "--schema-file", str(SCHEMA), "--output", str(output), "--force")
    same = (ROOT / output).read_bytes() == (ROOT / INDEX).read_bytes()
    if not same:
        sys.exit("the built index is not the one that Java wrote")
    console.print(f"[bold green]✓[/] byte for byte the same as {INDEX}, which Java wrote")


if __name__ == "__main__":
    main()
