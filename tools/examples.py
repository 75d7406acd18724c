"""Regenerate examples/ with the Paimon library (tools/java/ExampleOrders.java) and pypaimon.

pypaimon writes a table of the same orders. The rows and the indexes are equal in each run; Parquet
files, and the time in schema files, differ.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import pyarrow.parquet as pq

from tools import jvm
from tools.jvm import ROOT, MissingToolError
from tools.tables import make_table


def write(folder: Path) -> None:
    """Writes orders/ and worked/ under a folder; MissingToolError without Java or network."""
    with tempfile.TemporaryDirectory() as temporary:
        jvm.run("ExampleOrders", str(Path(temporary, "warehouse")), str(folder))


def write_table(folder: Path) -> None:
    """Write warehouse/ under a folder: the orders in four files, of which none has an index."""
    orders = pq.read_table(folder / "orders" / "orders.parquet").replace_schema_metadata()
    quarter = -(-len(orders) // 4)
    shutil.rmtree(folder / "warehouse", ignore_errors=True)
    make_table(
        folder / "warehouse",
        "orders",
        [orders.slice(start, quarter) for start in range(0, len(orders), quarter)],
        {"metadata.stats-mode": "full"},
    )


def main() -> int:
    """Replaces the committed files."""
    folder = ROOT / "examples"
    try:
        write(folder)
        write_table(folder)
    except MissingToolError as error:
        print(error, file=sys.stderr)
        return 1
    for path in sorted(folder.glob("*/orders.*")):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
