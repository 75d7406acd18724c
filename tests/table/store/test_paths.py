"""Where metadata and data files are: folders of partitions, as Java names them."""

import math
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.io.paths import Roots
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store.paths import Paths
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Field, Schema
from tools.tables import make_table


def test_partitions_by_numbers_as_java_names_them(tmp_path: Path) -> None:
    """pypaimon writes `inf`, and other digits than some releases of Java."""
    numbers = [math.nan, math.inf, -math.inf, 2.0**-44, -0.0, 0.0, 1.5, None]
    data = pa.table({"id": range(8), "p": numbers})
    options = {"deletion-vectors.enabled": "true"}
    path = make_table(tmp_path, "t", [data], options, partition_keys=["p"])
    names = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
    names["5.6843418860808015E-14"] = "5.684341886080802E-14"
    for old, new in names.items():
        Path(path, f"p={old}").rename(Path(path, f"p={new}"))
    assert query(path, engine=local_engine(1)).sort_by("id")["id"].to_pylist() == list(range(8))
    delete(path, "id IN (0, 1)", engine=local_engine(1))
    found = query(path, engine=local_engine(1)).sort_by("id")
    assert found["id"].to_pylist() == [2, 3, 4, 5, 6, 7]
    assert str(found["p"].to_pylist()) == str(numbers[2:])
    assert count(path, "p = 0", engine=local_engine(1)).count == 2


BINARY_FOLDERS = {
    "b%27ab%27": "ab",
    "b%27a%2Fb%27": "a%2Fb",
    "b%27 %27": "__DEFAULT_PARTITION__",
}

FLOAT_FOLDERS = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}


def partitioned_as_java_does(
    folder: Path,
    kind: pa.DataType,
    values: list[Any],
    names: dict[str, str],
    options: Mapping[str, str] | None = None,
) -> Path:
    """A table of two commits with a key and these partitions; their folders are then renamed."""
    fields = [
        pa.field("k", pa.int32(), False),
        pa.field("p", kind, False),
        pa.field("v", pa.int64()),
    ]
    keys = range(len(values))
    data = [
        pa.table([[*keys], values, [base + key for key in keys]], schema=pa.schema(fields))
        for base in (0, 100)
    ]
    path = make_table(
        folder,
        "t",
        data,
        {"bucket": "1", **(options or {})},
        partition_keys=["p"],
        primary_keys=["p", "k"],
    )
    for old, new in names.items():
        if Path(path, f"p={old}").exists():
            Path(path, f"p={old}").rename(Path(path, f"p={new}"))
    return Path(path)


@pytest.mark.parametrize("kind", [pa.float32(), pa.float64()])
def test_merged_files_of_partitions_by_numbers_as_java_names_them(
    kind: pa.DataType, tmp_path: Path
) -> None:
    numbers = [math.nan, math.inf, -math.inf, -0.0, 1.5]
    path = partitioned_as_java_does(tmp_path, kind, numbers, FLOAT_FOLDERS)
    assert {f"p={name}" for name in FLOAT_FOLDERS.values()} <= {f.name for f in path.iterdir()}
    found = query(path, engine=local_engine(1)).sort_by("k")
    assert found["v"].to_pylist() == [100, 101, 102, 103, 104]
    assert str(found["p"].to_pylist()) == str(numbers)
    assert count(path, "k = 0", engine=local_engine(1)).count == 1


def test_folders_of_binary_partitions_as_java_names_them(tmp_path: Path) -> None:
    values = [b"ab", b"a/b", b" "]
    path = partitioned_as_java_does(
        tmp_path, pa.binary(), values, BINARY_FOLDERS, {"partition.legacy-name": "false"}
    )
    assert {"p=ab", "p=a%2Fb", "p=__DEFAULT_PARTITION__"} <= {f.name for f in path.iterdir()}
    found = query(path, engine=local_engine(1)).sort_by("k")
    assert found["v"].to_pylist() == [100, 101, 102]
    assert found["p"].to_pylist() == values


@pytest.mark.parametrize("in_data_folders", [False, True])
def test_rows_of_binary_partitions_are_deleted(in_data_folders: bool, tmp_path: Path) -> None:
    options = {
        "deletion-vectors.enabled": "true",
        "partition.legacy-name": "false",
        "index-file-in-data-file-dir": str(in_data_folders).lower(),
    }
    data = pa.table({"k": [1, 2], "p": [b"ab", b"c"]})
    path = make_table(tmp_path, "t", [data, data], options, partition_keys=["p"])
    for name in ("ab", "c"):
        Path(path, f"p=b%27{name}%27").rename(Path(path, f"p={name}"))
    delete(path, "k = 1", engine=local_engine(1))
    folders = {file.parent.name for file in Path(path).rglob("index-*") if file.is_file()}
    assert folders - {"manifest"} == {"bucket-0" if in_data_folders else "index"}
    assert query(path, engine=local_engine(1))["k"].to_pylist() == [2, 2]


def test_folders_of_binary_partitions_that_cannot_be_known(tmp_path: Path) -> None:
    path = partitioned_as_java_does(tmp_path, pa.binary(), [b"ab"], {"b%27ab%27": "[B@1b2c3d"})
    with pytest.raises(UnsupportedError, match=r"for the partition column `p` BYTES NOT NULL"):
        query(path, engine=local_engine(1))
    path = partitioned_as_java_does(tmp_path / "own", pa.binary(), [b"ab"], {})
    assert query(path, engine=local_engine(1))["v"].to_pylist() == [100]  # as pypaimon names it


MICROS = 1_704_067_200_123_456_000  # 2024-01-01 00:00:00.123456
TEXTS: list[tuple[str, Any, str, str]] = [
    ("BOOLEAN", True, "true", "true"),
    ("INT", -7, "-7", "-7"),
    ("DECIMAL(9, 7)", Decimal("0.0000001"), "0.0000001", "0.0000001"),
    ("DATE", 19723, "19723", "2024-01-01"),
    ("TIME(3)", 3_600_500, "3600500", "01%3A00%3A00.5"),
    ("TIMESTAMP(0)", MICROS // 10**9 * 10**9, "2024-01-01T00%3A00", "2024-01-01 00%3A00%3A00"),
    (
        "TIMESTAMP(6)",
        MICROS,
        "2024-01-01T00%3A00%3A00.123456",
        "2024-01-01 00%3A00%3A00.123456",
    ),
    (
        "TIMESTAMP(9)",
        MICROS + 700,
        "2024-01-01T00%3A00%3A00.123456700",
        "2024-01-01 00%3A00%3A00.123456700",
    ),
    ("DOUBLE", 1e-5, "1.0E-5", "1.0E-5"),
    ("FLOAT", 0.5, "0.5", "0.5"),
    ("STRING", "a/b %", "a%2Fb %25", "a%2Fb %25"),
    ("STRING", " ", "none", "none"),
    ("CHAR(3)", "a  ", "a  ", "a  "),
    ("STRING", None, "none", "none"),
]


@pytest.mark.parametrize(("kind", "value", "legacy", "cast"), TEXTS)
def test_names_of_partitions(kind: str, value: Any, legacy: str, cast: str) -> None:
    """As Java's `InternalRowPartitionComputer` computes them, with each of its rules."""
    columns = Schema((Field("p:", parse_type(kind)),))
    row = write_row((value,), [columns.column("p:").type])
    for name, text in (("true", legacy), ("false", cast)):
        options = {"partition.legacy-name": name, "partition.default-name": "none"}
        schema = TableSchema(0, columns, {"p:": 0}, ("p:",), (), options)
        schemas: Any = SimpleNamespace(current=schema, location="/t")
        storage: Any = SimpleNamespace(roots=Roots("/t", None))
        storage.exists = lambda path, there=text: f"={there}/" in path
        assert Paths(storage, schemas).data_file(row, 3, "f") == f"/t/p%3A={text}/bucket-3/f"
