"""Rows that pypaimon merges, of data files that do not stand alone."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
import pytest
from pypaimon.manifest.manifest_file_manager import ManifestFileManager

from paimon_ksy.data_files import avro
from paimon_ksy.data_files.open import open_data_file
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table, merge, merged_files
from paimon_ksy.table.store.errors import REMEDY_UNSUPPORTED
from tests.support.golden_tables import golden_table, golden_table_names, odd_table
from tools.tables import make_table


@pytest.mark.parametrize("kind", ["parquet", "orc", "avro"])
def test_columns_that_a_file_does_not_have(kind: str, tmp_path: Path) -> None:
    """Of Avro, pypaimon itself reads no row where it reads no column."""
    options = {"row-tracking.enabled": "true", "data-evolution.enabled": "true"}
    late = pa.array([253_402_300_799_000_000] * 3).cast(pa.timestamp("us"))
    data = pa.table({"p": [1, 1, 2], "id": [1, 2, 3], "at": late})
    path = make_table(tmp_path, "t", [data], {"file.format": kind, **options}, partition_keys=["p"])
    document: dict[str, Any] = json.loads(Path(path, "schema", "schema-0").read_text())
    document["id"] = 1
    document["fields"].append({"id": 3, "name": "new", "type": "INT"})
    Path(path, "schema", "schema-1").write_text(json.dumps(document))
    engine = local_engine(1)
    assert count(path).count == 3
    assert count(path, "new IS NULL AND p = 1", engine=engine).count == 2
    assert query(path, None, ["p"], engine=engine)["p"].to_pylist() == [1, 1, 2]
    assert query(path, None, ["new"], engine=engine).to_pylist() == [{"new": None}] * 3
    assert query(path, None, ["at"], engine=engine)["at"].combine_chunks().equals(late)


@pytest.mark.parametrize("state", [{"snapshot_id": 2}, {"tag": "then"}], ids=["snapshot", "tag"])
def test_an_earlier_state_is_merged_in_its_schema(state: dict[str, Any], tmp_path: Path) -> None:
    data = [pa.table({"id": [1, 2], "a": [n, 7]}) for n in (1, 2)]
    path = make_table(tmp_path, "t", data, {"bucket": "1"}, primary_keys=["id"])
    Table.at(path).pypaimon.create_tag("then", snapshot_id=2)
    document = json.loads(Path(path, "schema", "schema-0").read_text())
    document["id"] = 1
    document["fields"][1]["name"] = "b"
    Path(path, "schema", "schema-1").write_text(json.dumps(document))
    engine = local_engine(1)
    assert query(path, engine=engine).to_pylist() == [{"id": 1, "b": 2}, {"id": 2, "b": 7}]
    then = query(path, engine=engine, **state)
    assert then.to_pylist() == [{"id": 1, "a": 2}, {"id": 2, "a": 7}]


def test_what_pypaimon_cannot_merge_is_not_told_as_damage(tmp_path: Path) -> None:
    data = [pa.table({"id": [1, 2], "g": [1, 1], "a": [n, n]}) for n in (1, 2)]
    options = {"bucket": "1", "merge-engine": "partial-update"}
    path = make_table(tmp_path, "t", data, options, primary_keys=["id"])
    schema = Path(path, "schema", "schema-0")
    document = json.loads(schema.read_text())
    document["options"]["fields.g.sequence-group"] = "a"
    schema.write_text(json.dumps(document))
    with pytest.raises(UnsupportedError, match=r"fields\.g\.sequence-group$") as raised:
        query(path, engine=local_engine(1))
    assert raised.value.remedy == REMEDY_UNSUPPORTED


@pytest.mark.parametrize("file_format", ["parquet", "orc", "avro"])
@pytest.mark.parametrize(
    "kind", [pa.date32(), pa.timestamp("ms"), pa.timestamp("us", "UTC")], ids=str
)
def test_years_that_python_lacks(kind: pa.DataType, file_format: str, tmp_path: Path) -> None:
    """pypaimon's own reader shows the year 9999 of ORC as 1816, and polars panics over 10000."""
    keyed = pa.schema([pa.field("id", pa.int64(), nullable=False), ("at", kind)])
    per_day = 1 if kind == pa.date32() else 86_400 * (10**3 if kind.unit == "ms" else 10**6)
    days = [-719_162, -719_163, 2_932_896, 2_932_897, None]
    numbers = [None if day is None else day * per_day for day in days]
    whole = pa.int32() if kind == pa.date32() else pa.int64()
    rows = [[*range(5)], pa.array(numbers, whole).cast(kind)]
    old = pa.table([[*range(5)], pa.nulls(5, kind)], schema=keyed)
    options = {"bucket": "1", "file.format": file_format, "metadata.stats-mode": "none"}
    path = make_table(tmp_path, "t", [old, old], options, primary_keys=["id"])
    newest = max(
        Table.at(path).files(Table.at(path).snapshot()), key=lambda file: file.max_sequence_number
    )
    put(newest.path, rows[1])
    found = query(path, engine=local_engine(1))["at"]
    assert found.cast(whole).to_pylist() == numbers
    late = "at > DATE '9999-12-30'" if kind == pa.date32() else "at > TIMESTAMP '9999-12-30'"
    assert count(path, late, engine=local_engine(1)).count == 2


def put(path: str, column: pa.Array) -> None:
    """Write a data file again with other values of its last column."""
    with open_data_file(path) as file:
        rows = pa.Table.from_batches(file.batches(file.schema.names))
    changed = rows.set_column(rows.num_columns - 1, "at", column)
    if path.endswith(".parquet"):
        pq.write_table(changed, path)
    elif path.endswith(".orc"):
        pyarrow.orc.write_table(changed, path)
    else:
        with Path(path).open("wb") as out, avro.writing(out, changed.schema) as write:
            for batch in changed.to_batches():
                write(batch)


def test_files_of_older_schemas_are_cast_as_paimon_casts(tmp_path: Path) -> None:
    """pypaimon's own casts do not truncate texts."""
    data = [pa.table({"id": [1, 2], "a": [12345, n], "b": [n, n]}) for n in (1, 2)]
    path = make_table(tmp_path, "t", data, {"bucket": "1"}, primary_keys=["id"])
    document = json.loads(Path(path, "schema", "schema-0").read_text())
    document["id"] = 1
    document["fields"][1]["type"] = "VARCHAR(3)"
    document["fields"][2]["type"] = "DOUBLE"
    document["options"]["sequence.field"] = "a"  # by which the others are merged, too
    Path(path, "schema", "schema-1").write_text(json.dumps(document))
    engine = local_engine(1)
    rows = [{"id": 1, "a": "123", "b": 2.0}, {"id": 2, "a": "2", "b": 2.0}]
    assert query(path, engine=engine).to_pylist() == rows
    assert count(path, "a = '123'", engine=engine).count == 1
    assert query(path, engine=engine, snapshot_id=2)["a"].to_pylist() == [12345, 2]


def test_bytes_that_are_not_text_are_not_merged(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Polars panics over them, on standard error."""
    keyed = pa.schema([pa.field("id", pa.int64(), nullable=False), ("a", pa.binary())])
    data = [pa.table([[1, 2], [b"x", b"\xff"]], schema=keyed)] * 2
    path = make_table(tmp_path, "t", data, {"bucket": "1"}, primary_keys=["id"])
    document = json.loads(Path(path, "schema", "schema-0").read_text())
    document["id"] = 1
    document["fields"][1]["type"] = "STRING"
    Path(path, "schema", "schema-1").write_text(json.dumps(document))
    with pytest.raises(
        UnsupportedError, match=r"column 'a' contains bytes that are not text$"
    ) as e:
        query(path, engine=local_engine(1))
    assert e.value.remedy == REMEDY_UNSUPPORTED
    assert query(path, None, ["id"], engine=local_engine(1)).num_rows == 2
    assert "panicked" not in capfd.readouterr().err


def test_sums_that_include_others_are_not_added_again(tmp_path: Path) -> None:
    """Of the key 3 the library has 1, then 11 on a lower level, where it reads 11."""
    path = odd_table("sums", tmp_path)
    table = Table.at(path)
    assert sorted(file.level for file in table.files(table.snapshot())) == [4, 5]
    for ask in (query, count):
        with pytest.raises(UnsupportedError, match="some values are aggregated already") as told:
            ask(path, "id = 3", engine=local_engine(1))
        assert told.value.remedy == "query it with Java, or have Java compact the table fully"
    schema = Path(path, "schema", "schema-0")
    written = schema.read_text()
    for before, after, found in (('"lookup"', '"none"', 12), ('"sum"', '"max"', 11)):
        schema.write_text(written.replace(before, after))
        assert query(path, "id = 3", engine=local_engine(1))["a"].to_pylist() == [found]


@pytest.mark.parametrize("name", golden_table_names())
def test_splits_are_those_that_pypaimon_plans(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    files = {file.name: file for file in table.files(table.snapshot())}
    for split in table.pypaimon.new_read_builder().new_scan().plan().splits():
        merged = merged_files(table, None)([files[meta.file_name] for meta in split.files])
        made = merge._split(merged.table, merged.files)
        assert (made.partition.values, made.bucket) == (split.partition.values, split.bucket)
        reader = SimpleNamespace()
        merged._use_vectors(reader)
        own = {
            name: read().get_cardinality() for name, read in reader.deletion_file_readers.items()
        }
        places = zip(split.files, split.data_deletion_files or (), strict=False)
        assert own == {meta.file_name: place.cardinality for meta, place in places if place}
        for meta, planned in zip(made.files, split.files, strict=True):
            path = planned.file_path
            if table.schema.primary_keys:
                for own, wanted in (
                    (meta.min_key, planned.min_key),
                    (meta.max_key, planned.max_key),
                ):
                    assert repr(own.values) == repr(wanted.values)
            not_read = {
                **{"key_stats": None, "value_stats": None, "value_stats_cols": None},
                **{"min_key": None, "max_key": None, "creation_time": None},
            }
            assert replace(meta, **not_read) == replace(planned, **not_read, file_path=path)


def test_merging_plans_nothing_with_pypaimon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would make an object of each data file of the table, on the driver."""
    data = [pa.table({"id": [1, 2], "p": [p, p], "a": [n, 7]}) for p in (1, 2) for n in (1, 2)]
    path = make_table(
        tmp_path, "t", data, {"bucket": "1"}, partition_keys=["p"], primary_keys=["id", "p"]
    )

    def read(*_: Any, **__: Any) -> Any:
        raise AssertionError("pypaimon reads a manifest")

    monkeypatch.setattr(ManifestFileManager, "read", read)
    monkeypatch.setattr(ManifestFileManager, "read_entries_parallel", read)
    found = query(path, "p = 2", engine=local_engine(1)).to_pylist()
    assert found == [{"id": 1, "p": 2, "a": 2}, {"id": 2, "p": 2, "a": 7}]
    assert count(path, engine=local_engine(1)).count == 4


def test_partitions_that_are_equal_in_sql_are_not_merged(tmp_path: Path) -> None:
    fields = [pa.field("id", pa.int64(), False), pa.field("p", pa.float64(), False), ("a", "int64")]
    data = [
        pa.table([[1], [zero], [value]], schema=pa.schema(fields))
        for zero, value in ((0.0, 1), (-0.0, 10), (0.0, 2), (-0.0, 20))
    ]
    path = make_table(
        tmp_path, "t", data, {"bucket": "1"}, partition_keys=["p"], primary_keys=["id", "p"]
    )
    found = query(path, engine=local_engine(1)).sort_by("a").to_pylist()
    assert str(found) == str([{"id": 1, "p": 0.0, "a": 2}, {"id": 1, "p": -0.0, "a": 20}])


def test_vectors_count_only_where_they_are_enabled(tmp_path: Path) -> None:
    """As in Java: whoever disables them has the rows back."""
    path = golden_table("pk_dv32", tmp_path)
    table = Table.at(path)
    files = [file for file in table.files(table.snapshot()) if file.deletion_vector is not None]
    assert files
    for enabled in (True, False):
        own = table.with_options({"deletion-vectors.enabled": str(enabled).lower()})
        reader = SimpleNamespace()
        merged_files(own, None)(files[:1])._use_vectors(reader)
        assert bool(reader.deletion_file_readers) == enabled
