"""Writes the data of examples/ anew with the Paimon library (tools/java/ExampleOrders.java).

The rows and the indexes come out the same each time; Parquet files and the time in the schema
files differ from run to run.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tools import jvm
from tools.maven import ROOT, MissingToolError


def write(folder: Path) -> None:
    """Writes orders/ and worked/ under a folder; MissingToolError without Java or network."""
    with tempfile.TemporaryDirectory() as temporary:
        jvm.run("ExampleOrders", str(Path(temporary, "warehouse")), str(folder))


def main() -> int:
    """Replaces the committed files."""
    folder = ROOT / "examples"
    try:
        write(folder)
    except MissingToolError as error:
        print(error, file=sys.stderr)
        return 1
    for path in sorted(folder.glob("*/orders.*")):
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
