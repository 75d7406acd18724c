"""Errors over sound files name their cause, and a remedy that helps."""

import io
import json
import re
import struct
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq
import pytest

from paimon_ksy.data_files.data_file import ReadStats
from paimon_ksy.data_files.open import open_data_file
from paimon_ksy.errors import CorruptFileError, PaimonKsyError, UnsupportedError
from paimon_ksy.io.file_kind import BUILD_AGAIN
from paimon_ksy.io.source import open_source
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.dataset.polars import scan_polars
from paimon_ksy.table.dataset.table import Table
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.query.explain import explain
from paimon_ksy.table.query.file_task import FileTask
from paimon_ksy.table.query.plan import plan_query
from paimon_ksy.table.query.query import Query
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.query.row_files import RowFiles
from paimon_ksy.table_index.deletion_vector import DeletionVector
from tests.support.commands import Cli
from tests.support.newer_tables import EVOLUTION, newer_table, rows
from tools import tables
from tools.tables import delete_rows, live_entries, make_table

LATER = "INTERVAL YEAR(2) TO MONTH"
LAYOUTS = {"plain": ({}, ()), "keyed": ({"bucket": "1"}, ("id",)), "evolved": (EVOLUTION, ())}


def typed_table(folder: Path, layout: str, data_type: str, file_format: str = "parquet") -> str:
    """Make a table of two commits, and give its last column another type in the schema."""
    options, keys = LAYOUTS[layout]
    data = pa.table({"id": range(500), "t": ["x"] * 500, "g": [f"g{i % 7}" for i in range(500)]})
    both = [data, data.slice(400)]
    path = make_table(
        folder, layout, both, {"file.format": file_format, **options}, primary_keys=keys
    )
    schema = Path(path, "schema", "schema-0")
    document = json.loads(schema.read_text())
    document["fields"][2]["type"] = data_type
    schema.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize("file_format", ["parquet", "orc", "avro"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_geometries_are_bytes(layout: str, file_format: str, tmp_path: Path) -> None:
    path = typed_table(tmp_path, layout, "GEOMETRY(EPSG:4326)", file_format)
    found = query(path, "id = 3", ["g"])
    assert found.schema.field("g").type == pa.binary()
    assert set(found["g"].to_pylist()) == {b"g3"}
    assert list(audit(path, deep=True)) == []


@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_column_of_an_unknown_type_is_refused_only_if_it_is_read(
    layout: str, tmp_path: Path, cli: Cli
) -> None:
    path = typed_table(tmp_path, layout, LATER)
    num_rows = 500 if layout == "keyed" else 600
    assert query(path, columns=["id", "t"]).num_rows == num_rows
    assert count(path, "t = 'x'").count == num_rows
    assert scan_polars(path, columns=["id"]).collect().height == num_rows
    assert Table.at(path).to_dataset(columns=["id"]).count_rows() == num_rows
    assert list(audit(path, deep=True)) == []
    if layout == "plain":
        assert any("no index supports INTERVAL" in each.why for each in advise(path).columns)
    for where, columns in ((None, None), ("g IS NULL", ["id"])):
        with pytest.raises(UnsupportedError, match=re.escape(f"the type {LATER} is unknown")) as e:
            query(path, where, columns)
        assert "leave the column out" in (e.value.remedy or "")
    code, out, _ = cli("table", "inspect", path)
    assert code == 0
    assert re.search(rf"\bg +{re.escape(LATER)}", out)


def with_logical_type(data: bytes, number: int) -> bytes:
    """Return a Parquet file in which the column g has the logical type with this number."""
    size = struct.unpack("<I", data[-8:-4])[0]
    start = len(data) - 8 - size
    text = b"\x18\x01g\x25\x00\x4c\x1c\x00\x00\x00"  # name g, converted_type UTF8, STRING
    assert data[start:].count(text) == 1
    other = b"\x18\x01g\x6c\x0c" + bytes([2 * number]) + b"\x00\x00\x00"
    footer = data[start:-8].replace(text, other)
    return data[:start] + footer + struct.pack("<I", len(footer)) + data[-4:]


@pytest.mark.parametrize("number", [17, 18, 30])  # GEOMETRY, GEOGRAPHY, and an unknown type
def test_logical_types_of_parquet_that_arrow_lacks(number: int, tmp_path: Path) -> None:
    path = typed_table(tmp_path, "plain", "GEOMETRY")
    for file in Path(path, "bucket-0").iterdir():
        file.write_bytes(with_logical_type(file.read_bytes(), number))
    assert set(query(path, "id = 3")["g"].to_pylist()) == {b"g3"}
    assert explain(path, "id = 3", columns=["g"])[-1].row_groups_kept == 2
    with open_data_file(str(file)) as opened:
        assert opened.schema.field("g").type == pa.binary()


def test_orc_without_a_struct_at_the_top(tmp_path: Path) -> None:
    out = io.BytesIO()
    orc.write_table(pa.table({"a": pa.array([1], pa.int32())}), out, compression="uncompressed")
    data = out.getvalue()
    post = data[-1 - data[-1] : -1]
    footer = data[-1 - len(post) - post[1] : -1 - len(post)]
    kinds = footer[footer.index(b"\x22") : footer.index(b"\x30\x01\x3a")]  # of the root and of a
    footer = footer.replace(kinds, b"\x22\x02\x08\x03")  # an INT
    made = data[: -1 - len(post) - post[1]] + footer + b"\x08" + bytes([len(footer)]) + post[2:]
    with open_source(made + data[-1:]) as source, pytest.raises(UnsupportedError) as refused:
        open_data_file(source)
    assert "top-level struct" in str(refused.value)
    assert "backup" not in (refused.value.remedy or "")


@pytest.mark.parametrize("name", ["mosaic", "vortex", "lance"])
def test_a_missing_package_is_named(name: str, tmp_path: Path) -> None:
    path = newer_table(tmp_path, "evolution")
    table = Table.at(path)
    task = plan_query(table, Query()).tasks[0]
    assert isinstance(task, FileTask)
    parts = (replace(p, file=replace(p.file, format=name)) for p in task.data.parts)
    other = replace(task, data=RowFiles(tuple(parts)))
    with pytest.raises(UnsupportedError, match=f"the file format '{name}' is unsupp") as refused:
        list(other.read(ReadStats()))
    assert f"pypaimon[{name}]" in (refused.value.remedy or "")


def test_vectors_with_data_evolution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    options = {**EVOLUTION, "deletion-vectors.enabled": "true"}
    for kind in (DeletionVector, Wide):
        data = [rows(0, 1000), rows(1000, 1000)]
        path = make_table(tmp_path / kind.__name__, "t", data, options)
        monkeypatch.setattr(tables, "DeletionVector", kind)
        live = live_entries(Table.at(path))
        name = next(e.file.file_name for e in live if e.file.first_row_id == 0)
        delete_rows(path, {name: range(10)})
        [vector] = Path(path, "index").iterdir()
        assert query(path)["id"].to_pylist() == [*range(10, 2000)]
        assert count(path, "id < 15").count == 5
        vector.write_bytes(vector.read_bytes()[:-1] + b"x")
        with pytest.raises(CorruptFileError, match="CRC") as broken:
            query(path)
        assert broken.value.path == str(vector)


class Wide:
    """Makes vectors of 64 bits."""

    @staticmethod
    def of(positions: range) -> DeletionVector:
        return DeletionVector.of(positions, 64)


@pytest.mark.parametrize("damage", [Path.unlink, lambda file: file.write_bytes(b"x")])
def test_a_missing_global_index_is_built_again(
    damage: Callable[[Path], None], tmp_path: Path, cli: Cli
) -> None:
    path = newer_table(tmp_path, "btree")
    [file] = Path(path, "index").iterdir()
    damage(file)
    [found] = [each for each in audit(path) if each.severity == "error"]
    assert (found.file, found.remedy) == (str(file), BUILD_AGAIN)
    code, _, err = cli("table", "inspect", path)
    assert (code, BUILD_AGAIN in err, "backup" in err) == (1, True, False)


def test_an_empty_newest_snapshot_is_deleted(tmp_path: Path, cli: Cli) -> None:
    path = make_table(tmp_path, "t", [rows(0, 10), rows(10, 10)])
    newest = Path(path, "snapshot", "snapshot-2")
    newest.write_bytes(b"")
    remedy = "delete it and the hint snapshot/LATEST, and repeat the commit"
    with pytest.raises(PaimonKsyError, match="it is empty") as broken:
        query(path)
    assert remedy in (broken.value.remedy or "")
    [found] = audit(path)
    assert (found.file, remedy in found.remedy) == (str(newest), True)
    assert remedy in cli("table", "inspect", path)[2]
    newest.unlink()
    Path(path, "snapshot", "LATEST").unlink()
    assert query(path).num_rows == 10
    assert list(audit(path)) == []


def test_rows_of_data_evolution_are_counted_once(tmp_path: Path, cli: Cli) -> None:
    path = newer_table(tmp_path, "evolution")
    content = inspect_table(path).content
    assert content is not None
    [partition] = content.partitions
    [bucket] = partition.buckets
    totals = content.totals, partition.totals, bucket.totals
    assert [(each.files, each.rows) for each in totals] == [(4, 2000)] * 3
    for step in explain(path, "id = 3"):
        assert (step.files_kept, step.rows_kept) == (4, 2000)


def test_diff_counts_the_rows_of_a_global_index(tmp_path: Path, cli: Cli) -> None:
    path = newer_table(tmp_path, "btree")
    _, out, _ = cli("diff", path, "--snapshots", "2", "3")
    assert re.search(r"\+ index_files\[btree 0\]: .*bucket 0, .*rows 2,?000", out)


def test_a_map_with_shared_shredding_is_not_corrupt(tmp_path: Path) -> None:
    data = pa.table({"id": [1], "m": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64()))})
    path = make_table(tmp_path, "t", [data])
    for file in Path(path, "bucket-0").iterdir():
        shredded = pa.table({"id": [1], "m": [{"field_mapping": [0], "a": 1}]})
        pq.write_table(shredded, file)
    assert query(path, columns=["id"]).num_rows == 1
    with pytest.raises(UnsupportedError, match="a MAP in columns by key") as refused:
        query(path)
    assert "backup" not in (refused.value.remedy or "")
