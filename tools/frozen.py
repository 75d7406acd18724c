"""Write tests/golden/written-VERSION.tar.xz: files of this version, and the expected answers.

    python -m tools.frozen

Later versions must read these files and return the same answers. There is one archive for each
release, which is never rewritten. The answers are computed from the rows, without an index.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from paimon_ksy import __version__
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table_index.bucket_index import write_bucket_index
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import write_vectors
from paimon_ksy.types.schema import Schema
from tools.golden import members, pack
from tools.tables import make_table

FOLDER = Path(__file__).parents[1] / "tests" / "golden"

NAMES = ["PAID", "", "été", None, "PENDING"]
DATA = pa.table(
    {
        "id": pa.array([n * 7 % 50 - 10 for n in range(60)], pa.int64()),
        "name": [NAMES[n % 5] for n in range(60)],
        "price": pa.array([None if n % 7 == 0 else n / 4 for n in range(60)], pa.float64()),
    }
)
WHERE: dict[str, Callable[[dict[str, Any]], bool]] = {
    "id = 4": lambda row: row["id"] == 4,
    "id IN (-3, 11, 99)": lambda row: row["id"] in (-3, 11, 99),
    "id BETWEEN -5 AND 20": lambda row: -5 <= row["id"] <= 20,
    "id > 35": lambda row: row["id"] > 35,
    "name = 'été'": lambda row: row["name"] == "été",
    "name IS NULL": lambda row: row["name"] is None,
    "name <> 'PAID'": lambda row: row["name"] not in ("PAID", None),
    "name = 'absent'": lambda row: False,
    "price < 2.5": lambda row: row["price"] is not None and row["price"] < 2.5,
    "price IS NOT NULL AND id < 0": lambda row: row["price"] is not None and row["id"] < 0,
}
"""Predicates, and the same in Python."""

INDEXES: Mapping[str, Mapping[str, str]] = {
    "bitmap-1": {
        "file-index.bitmap.columns": "id,name",
        "file-index.bitmap.id.version": "1",
        "file-index.bitmap.name.version": "1",
    },
    "bitmap-2": {"file-index.bitmap.columns": "id,name"},
    "bloom-filter": {"file-index.bloom-filter.columns": "id,name,price"},
    "bsi": {"file-index.bsi.columns": "id"},
    "range-bitmap": {"file-index.range-bitmap.columns": "id,name,price"},
}
INDEXES = {**INDEXES, "all": {k: v for one in INDEXES.values() for k, v in one.items()}}
"""Options of an index file of each type, and of one with all types."""

POSITIONS = {
    "a.parquet": [0, 3, *range(70_000, 70_100)],
    "b.parquet": [*range(0, 9_000, 2)],
    "c.parquet": [131_071],
}
HASHES = [0, -1, 2**31 - 1, -(2**31), 12, 12]
DELETED = "id = 4"


def write(folder: Path) -> None:
    """Write all into a folder."""
    schema = Schema.from_arrow(DATA.schema)
    rows = DATA.to_pylist()
    places = {
        sql: [at for at, row in enumerate(rows) if is_in(row)] for sql, is_in in WHERE.items()
    }
    for name, options in INDEXES.items():
        (folder / f"{name}.index").write_bytes(build_file_index(DATA, schema, options))
    for bits in (32, 64):
        vectors = {name: DeletionVector.of(at, bits) for name, at in POSITIONS.items()}
        write_vectors(folder / f"{bits}.vectors", vectors)
    write_bucket_index(folder / "bucket.index", HASHES)
    options = {**INDEXES["all"], "deletion-vectors.enabled": "true"}
    halves = [DATA.slice(0, 30), DATA.slice(30)]
    table = make_table(folder, "t", halves, options)
    rewrite_index(table, engine=local_engine(1))
    delete(table, DELETED, engine=local_engine(1))
    Path(table).rename(folder / "table")
    live = [row for row in rows if not WHERE[DELETED](row)]
    answers = {
        "schema": str(schema),
        "positions": POSITIONS,
        "hashes": HASHES,
        "rows": places,
        "ids": {
            sql: sorted(row["id"] for row in live if is_in(row)) for sql, is_in in WHERE.items()
        },
    }
    (folder / "answers.json").write_text(json.dumps(answers, indent=1, ensure_ascii=False))


def main() -> int:
    """Write the archive of this version, if there is none yet."""
    archive = FOLDER / f"written-{__version__}.tar.xz"
    if archive.exists():
        print(f"{archive.name} is frozen: raise paimon_ksy.__version__ first", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder))
        packed = pack(members(Path(folder)))
    archive.write_bytes(packed)
    print(f"{archive.name}: {len(packed)} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
