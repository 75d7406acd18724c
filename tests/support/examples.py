"""The files in examples/, and a file with given bytes."""

from pathlib import Path

from tests import ROOT

WORKED = ROOT / "examples/worked/orders.parquet.index"
WORKED_DATA = ROOT / "examples/worked/orders.parquet"
WORKED_SCHEMA = ROOT / "examples/worked/orders.schema.json"
ORDERS = ROOT / "examples/orders/orders.parquet.index"
TYPES = "status STRING, region STRING"


def write(folder: Path, case_data: bytes, name: str = "x.index") -> Path:
    """Write a file; return its path."""
    path = folder / name
    path.write_bytes(case_data)
    return path
