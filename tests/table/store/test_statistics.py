"""Statistics in manifests are read exactly, also where pypaimon's own values are not exact; which
file is damaged is told."""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import PaimonKsyError, UnsupportedError, with_remedy
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.from_pypaimon import key_of, statistics_of
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.golden_tables import golden_table
from tools.tables import make_table

NANOS = 1_704_067_200_123_456_789
YEAR_10000 = 253_402_300_800


def bounds(types: list[str], smallest: list[Any], largest: list[Any]) -> Any:
    """Statistics as pypaimon has them after it read a manifest."""
    from pypaimon.manifest.schema.simple_stats import SimpleStats
    from pypaimon.schema.data_types import DataField, DataTypeParser
    from pypaimon.table.row.binary_row import BinaryRow

    parsed = [parse_type(text) for text in types]
    fields = [
        DataField(at, f"c{at}", DataTypeParser.parse_data_type(text))
        for at, text in enumerate(types)
    ]
    rows = [BinaryRow(write_row(values, parsed), fields) for values in (smallest, largest)]
    return SimpleStats(rows[0], rows[1], [0] * len(types))


@pytest.mark.parametrize(
    ("types", "smallest", "largest"),
    [
        (["TIMESTAMP(9)", "STRING"], [NANOS, "a"], [NANOS + 1, None]),
        (["TIMESTAMP(9) WITH LOCAL TIME ZONE"], [-1], [1]),
        (["TIMESTAMP(6)", "INT"], [-1000, 1], [YEAR_10000 * 10**9, 2]),
        (["DATE"], [-1], [3_000_000]),
        (["TIMESTAMP(3)", "DOUBLE"], [None, None], [10**6, 0.5]),
    ],
)
def test_bounds_are_exact(types: list[str], smallest: list[Any], largest: list[Any]) -> None:
    columns = Schema.parse(", ".join(f"c{at} {text}" for at, text in enumerate(types)))
    schema = TableSchema(0, columns, {c.name: n for n, c in enumerate(columns)}, (), (), {})
    found = statistics_of(bounds(types, smallest, largest), schema)
    assert found.columns == columns.names
    assert found.min_values == tuple(smallest)
    assert found.max_values == tuple(largest)


def test_keys_are_exact() -> None:
    stats = bounds(["TIMESTAMP(9)", "INT"], [NANOS, 1], [NANOS + 5, 3])
    types = [parse_type("TIMESTAMP(9)"), parse_type("INT")]
    assert key_of(None, stats.min_values, types) == (NANOS, 1)
    assert key_of(None, stats.max_values, types) == (NANOS + 5, 3)


def test_a_damaged_latest_snapshot_is_named_and_can_be_given_up(tmp_path: Path) -> None:
    path = Path(golden_table("append_dv32", tmp_path))
    latest = int((path / "snapshot" / "LATEST").read_text())
    damaged = path / "snapshot" / f"snapshot-{latest}"
    before = count(path, engine=local_engine(1), snapshot_id=latest - 1).count
    damaged.write_bytes(damaged.read_bytes()[:100])
    with pytest.raises(PaimonKsyError, match=rf"/snapshot/snapshot-{latest}: ") as error:
        count(path, engine=local_engine(1))
    assert "`paimon-ksy table inspect TABLE` shows the snapshots before it" in with_remedy(
        error.value
    )
    damaged.rename(tmp_path / "away")
    (path / "snapshot" / "LATEST").write_text(str(latest - 1))
    assert count(path, engine=local_engine(1)).count == before


@pytest.mark.parametrize("pattern", ["manifest-list-*", "manifest-[0-9a-f]*", "index-manifest-*"])
def test_damaged_manifests_are_named(pattern: str, tmp_path: Path) -> None:
    path = Path(golden_table("pk_dv64", tmp_path))
    files = list((path / "manifest").glob(pattern))
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(PaimonKsyError) as error:
        query(path, engine=local_engine(1))
    assert str(error.value).split(": ")[0] in {str(file) for file in files}


@pytest.mark.parametrize("pattern", ["manifest-list-*", "manifest-[0-9a-f]*"])
def test_a_manifest_that_a_merge_finds_damaged_is_named(pattern: str, tmp_path: Path) -> None:
    """What we remember of manifests is sound; pypaimon, which plans a merge, reads them again."""
    path = Path(golden_table("pk_plain_no_dv", tmp_path))
    assert query(path, engine=local_engine(1)).num_rows
    files = list((path / "manifest").glob(pattern))
    for file in files:
        file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(PaimonKsyError) as error:
        query(path, engine=local_engine(1))
    assert str(error.value).split(": ")[0] in {str(file) for file in files}


def test_manifests_that_are_not_of_avro_are_named(tmp_path: Path) -> None:
    """pypaimon reads no others, and would call them damaged."""
    path = Path(golden_table("append_dv32", tmp_path))
    schema = max(path.glob("schema/schema-*"))
    stored = json.loads(schema.read_text())
    stored["options"]["manifest.format"] = "orc"
    schema.write_text(json.dumps(stored))
    with pytest.raises(PaimonKsyError, match=r"has option manifest.format = orc"):
        Table.at(path)


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
    Path(path, "p=b%27ab%27").rename(Path(path, "p=ab"))
    if in_data_folders:
        with pytest.raises(UnsupportedError, match="option index-file-in-data-file-dir where `p`"):
            delete(path, "k = 1", engine=local_engine(1))
    else:
        delete(path, "k = 1", engine=local_engine(1))
        assert query(path, engine=local_engine(1))["k"].to_pylist() == [2, 2]


def test_folders_of_binary_partitions_that_cannot_be_known(tmp_path: Path) -> None:
    path = partitioned_as_java_does(tmp_path, pa.binary(), [b"ab"], {"b%27ab%27": "[B@1b2c3d"})
    with pytest.raises(UnsupportedError, match=r"for the partition column `p` BYTES NOT NULL"):
        query(path, engine=local_engine(1))
    path = partitioned_as_java_does(tmp_path / "own", pa.binary(), [b"ab"], {})
    assert query(path, engine=local_engine(1))["v"].to_pylist() == [100]  # as pypaimon names it


def test_a_partition_of_nanoseconds_that_cannot_be_found_is_named(tmp_path: Path) -> None:
    data = pa.table({"id": [1], "p": pa.array([NANOS // 1000 * 1000], pa.timestamp("ns"))})
    path = make_table(tmp_path, "t", [data], partition_keys=["p"])
    [folder] = Path(path).glob("p=*")
    folder.rename(f"{folder}789")
    with pytest.raises(UnsupportedError, match=r"the partition column `p` TIMESTAMP\(9\) to"):
        query(path, engine=local_engine(1))


def test_a_commit_leaves_no_other_file_beside_its_snapshot(tmp_path: Path) -> None:
    data = pa.table({"id": [1, 2]})
    path = make_table(tmp_path, "t", [data], {"deletion-vectors.enabled": "true"})
    assert delete(path, "id = 1", engine=local_engine(1)).snapshot == 2
    there = {file.name for file in Path(path, "snapshot").iterdir()}
    assert there - {"EARLIEST", "LATEST"} == {"snapshot-1", "snapshot-2"}


def test_what_no_value_of_a_file_s_older_type_can_be(tmp_path: Path) -> None:
    """Nothing but the type says so: manifests have no statistics, and files no index."""
    data = pa.table({"id": pa.array([1, 2], pa.int32())})
    path = make_table(tmp_path, "t", [data], {"deletion-vectors.enabled": "true"})
    document = json.loads(Path(path, "schema", "schema-0").read_text())
    document["id"] = 1
    document["fields"][0]["type"] = "BIGINT"
    Path(path, "schema", "schema-1").write_text(json.dumps(document))
    assert count(path, "id = 3000000000").count == 0
    assert count(path, "id <> 3000000000").count == 2
    assert query(path, "id > 3000000000", engine=local_engine(1)).num_rows == 0
    assert delete(path, "id = 3000000000", engine=local_engine(1)).rows == 0
