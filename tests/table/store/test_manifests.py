"""Manifests and index manifests, and what is not there."""

import pickle
from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError, MissingFileError, PaimonKsyError
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.files import Snapshot
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.engines import Elsewhere
from tests.support.golden_tables import expected, golden_table, golden_table_names
from tests.support.manifests import change_index_manifest
from tests.support.pypaimon_entries import index_entries
from tests.support.tables import forget_manifests
from tools.made_manifests import table_of_manifests
from tools.tables import make_table

ROWS = 100
INDEX = {"file-index.bitmap.columns": "n"}

Entry = dict[str, Any]


@pytest.mark.parametrize(
    ("name", "pattern"),
    [
        ("pk_dv64", "manifest-list-*"),
        ("pk_dv64", "manifest-[0-9a-f]*"),
        ("pk_dv64", "index-manifest-*"),
        ("pk_plain_no_dv", "manifest-list-*"),  # whose files are merged
        ("pk_plain_no_dv", "manifest-[0-9a-f]*"),
    ],
)
def test_damaged_manifests_are_named(name: str, pattern: str, tmp_path: Path) -> None:
    path = Path(golden_table(name, tmp_path))
    files = list((path / "manifest").glob(pattern))
    assert files
    for file in files:
        file.write_bytes(file.read_bytes()[:50])
    with pytest.raises(PaimonKsyError) as error:
        query(path, engine=local_engine(1))
    assert str(error.value).split(": ")[0] in {str(file) for file in files}


# Contradictions


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A table of 3 data files, each added, deleted and added again with an index."""
    data = [
        pa.table({"n": pa.array(range(i * ROWS, (i + 1) * ROWS), pa.int32())}) for i in (0, 1, 2)
    ]
    made = make_table(tmp_path, "t", data, {"deletion-vectors.enabled": "true"})
    rewrite_index(made, set=INDEX, engine=local_engine(1))
    forget_manifests(monkeypatch)
    return Path(made)


def change_entries(
    path: Path, snapshot: int | None, change: Callable[[list[Entry]], list[Entry]]
) -> tuple[str, str]:
    """Change the first manifest of a snapshot's delta. Its name, and that of a data file."""
    table = Table.at(path)
    found: Any = table.snapshot(snapshot)
    meta = table.manifests.of_list(found.delta_manifest_list)[0]
    file = path / "manifest" / meta.file_name
    reader = fastavro.reader(BytesIO(file.read_bytes()))
    records: list[Any] = list(reader)
    name = records[0]["_FILE"]["_FILE_NAME"]
    sink = BytesIO()
    fastavro.writer(
        sink, reader.writer_schema, change(records), codec=reader.metadata["avro.codec"]
    )
    file.write_bytes(sink.getvalue())
    return meta.file_name, name


def with_first_file(**fields: Any) -> Callable[[list[Entry]], list[Entry]]:
    """The entries with other fields of the first one's file."""

    def change(entries: list[Entry]) -> list[Entry]:
        first, *rest = entries
        return [{**first, "_FILE": {**first["_FILE"], **fields}}, *rest]

    return change


def twice(entries: list[Entry]) -> list[Entry]:
    return [*entries, *[entry for entry in entries if entry["_KIND"] == 0][:1]]


def twice_at_another_level(entries: list[Entry]) -> list[Entry]:
    added = next(entry for entry in entries if entry["_KIND"] == 0)
    return [*entries, {**added, "_FILE": {**added["_FILE"], "_LEVEL": 5}}]


def with_bucket(entries: list[Entry]) -> list[Entry]:
    first, *rest = entries
    return [{**first, "_BUCKET": 1}, *rest]


CASES: dict[str, tuple[int | None, Callable[[list[Entry]], list[Entry]], str]] = {
    "an ADD of another level": (1, with_first_file(_LEVEL=5), "it deletes data file"),
    "an ADD of another name": (1, with_first_file(_FILE_NAME="x.parquet"), "it deletes data file"),
    "an ADD with an index": (1, with_first_file(_EXTRA_FILES=["a.index"]), "it deletes data file"),
    "an ADD of another bucket": (1, with_bucket, "it deletes data file"),
    "an ADD that is not there": (1, lambda entries: [], "it deletes data file"),
    "a DELETE of another level": (None, with_first_file(_LEVEL=5), "it deletes data file"),
    "a file listed twice": (None, twice, "its rows would be read twice"),
    "a file live at two levels": (None, twice_at_another_level, "its rows would be read twice"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_contradiction_is_an_error(case: str, path: Path) -> None:
    snapshot, change, message = CASES[case]
    _, name = change_entries(path, snapshot, change)
    engine = local_engine(1)
    where = "n < 5"
    asked: list[Callable[[], Any]] = [
        lambda: query(path, engine=engine),
        lambda: query(path, where, engine=engine),
        lambda: count(path, where, engine=engine),
        lambda: rewrite_index(path, set={"file-index.bsi.columns": "n"}, engine=engine),
        lambda: delete(path, where, engine=engine),
    ]
    before = sorted(path.rglob("*"))
    if "another name" in case or "another bucket" in case:
        del asked[3]  # which opens data files while it reads manifests: that one is missing
    for ask in asked:
        with pytest.raises(CorruptFileError, match=message) as raised:
            ask()
        assert str(raised.value).startswith(f"{path}/manifest/manifest-")
        assert name in str(raised.value)
    assert sorted(path.rglob("*")) == before
    found = [f for f in audit(path, engine=engine) if message in f.message and name in f.message]
    assert [f.check for f in found] == ["manifest"] * len(found)
    assert found and all(f.file.startswith(f"{path}/manifest/manifest-") for f in found)
    content = inspect_table(path).content
    assert content is not None
    assert any(message in text and name in text for text in content.errors)


def test_an_unreadable_manifest_contradicts_nothing(path: Path) -> None:
    """What a DELETE lacks may be in it: the damage itself is the finding."""
    manifest, _ = change_entries(path, 1, lambda entries: entries)
    (path / "manifest" / manifest).write_bytes(b"no Avro")
    found = list(audit(path, engine=local_engine(1)))
    assert any(finding.file.endswith(manifest) for finding in found)
    assert not any("it deletes data file" in finding.message for finding in found)
    content = inspect_table(path).content
    assert content is not None
    assert not any("it deletes data file" in text for text in content.errors)


def names(entries: pa.RecordBatch, numbers: Any, partitions: Partitions) -> list[Any]:
    days = [partitions.values[number][0] for number in numbers.tolist()]
    return list(zip(days, entries.column("_FILE_NAME").to_pylist(), strict=True))


def test_processes_read_what_threads_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", 1)
    path = table_of_manifests(tmp_path, "t", partitions=3, files=4, manifests=5, mixed=True)
    table = Table.at(path)
    manifests = table.manifests.of(table.snapshot())
    here = list(table.data_files.scan(manifests, names))
    monkeypatch.setattr("paimon_ksy.table.manifests.scan.ENTRIES_HERE", 0)
    elsewhere = table.data_files.scan(manifests, names, engine=Elsewhere())
    for found, wanted in zip(elsewhere, here, strict=True):
        assert (found.group, found.result) == (wanted.group, wanted.result)
        assert found.of.tolist() == wanted.of.tolist()
    assert len(here) == 5 and sum(len(each.result) for each in here) == 12


def test_manifests_are_pickled_without_what_they_know(tmp_path: Path) -> None:
    table = Table.at(golden_table(golden_table_names()[0], tmp_path))
    before = len(pickle.dumps(table.manifests))
    files = list(table.data_files.of(table.snapshot()))
    assert len(pickle.dumps(table.manifests)) == before < 20_000
    copied = pickle.loads(pickle.dumps(table.manifests))
    manifests = copied.of(table.snapshot())
    assert sum(len(entries) for entries, _ in copied(manifests)) == len(files)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    """A table with deletion vectors."""
    return Table.at(golden_table("append_dv64", tmp_path))


def latest(table: Table) -> Snapshot:
    found = table.snapshot()
    assert found is not None and found.index_manifest is not None
    return found


def test_vectors_are_those_of_java_by_partition_bucket_and_file(table: Table) -> None:
    snapshot = latest(table)
    manifests = table.index_manifests
    places = {
        (file.partition, file.bucket, name): place
        for file in manifests.with_vectors(snapshot)
        for name, place in manifests.places_in(file)[1].items()
    }
    live = {
        (file.partition, file.bucket, file.name): file for file in table.data_files.of(snapshot)
    }
    assert places
    assert places.keys() == {key for key, file in live.items() if file.deletion_vector is not None}
    for key, place in places.items():
        assert live[key].deletion_vector == place
        assert Path(place.path).stat().st_size >= place.offset + place.length
    deleted = sum(place.cardinality or 0 for place in places.values())
    rows = sum(file.num_rows for file in live.values())
    assert rows - deleted == len(expected("append_dv64").rows)
    assert len(manifests.vectors(snapshot)) == len(places)


def test_a_manifest_that_is_not_there_is_an_error_and_not_empty(table: Table) -> None:
    snapshot = latest(table)
    Path(table.location, "manifest", str(snapshot.index_manifest)).unlink()
    with pytest.raises(MissingFileError, match=str(snapshot.index_manifest)):
        list(table.index_manifests.of(snapshot))


@pytest.mark.parametrize(
    "name", [name for name in golden_table_names() if "dv" in name.replace("no_dv", "")]
)
def test_what_pypaimon_reads_of_tables_of_java(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    found = list(table.index_manifests.of(latest(table)))
    entries = index_entries(table)
    assert len(found) == len(entries) > 0
    for file, entry in zip(found, entries, strict=True):
        assert (len(file.partition), file.bucket) == (len(entry.partition.values), entry.bucket)
        meta = entry.index_file
        for field in ("index_type", "file_name", "file_size", "row_count", "external_path"):
            assert getattr(file, field) == getattr(meta, field)
        assert list(file.vectors.items()) == [
            (name, (place.offset, place.length, place.cardinality))
            for name, place in (meta.dv_ranges or {}).items()
        ]


def test_repeated_plans_read_the_index_manifest_once(table: Table) -> None:
    snapshot = latest(table)
    files = list(table.data_files.of(snapshot))
    assert snapshot is not None and any(file.deletion_vector for file in files)
    Path(table.manifests.path(str(snapshot.index_manifest))).unlink()
    assert list(Table.at(table.location).data_files.of(snapshot)) == files


def doubled(records: list[Any]) -> list[Any]:
    """Two index files that list the same."""
    return 2 * records


def doubled_inside(records: list[Any]) -> list[Any]:
    """One index file that lists each vector twice."""
    ranges = "_DELETIONS_VECTORS_RANGES"
    return [{**record, ranges: 2 * record[ranges]} for record in records]


@pytest.mark.parametrize("change", [doubled, doubled_inside])
def test_an_entry_that_is_listed_twice_counts_once(table: Table, change: Any) -> None:
    """As in Java, which puts the vectors into a map."""
    expected = {(f.name, f.deletion_vector) for f in table.data_files.of(latest(table))}
    change_index_manifest(table, change)
    again = Table.at(table.location)
    assert {(f.name, f.deletion_vector) for f in again.data_files.of(latest(again))} == expected


def another(records: list[Any]) -> list[Any]:
    """A second index file with other vectors."""
    return records + [{**record, "_FILE_NAME": "index-other-0"} for record in records]


def test_two_vectors_of_one_file_are_an_error(table: Table) -> None:
    change_index_manifest(table, another)
    message = "index-other-0: it lists a second deletion vector for "
    with pytest.raises(PaimonKsyError, match=message):
        table.index_manifests.vectors(latest(table))
    with pytest.raises(PaimonKsyError, match=message):
        list(Table.at(table.location).data_files.of(latest(table)))


@pytest.mark.parametrize("change", [{"_BUCKET": 1}, {"_INDEX_TYPE": "HASH"}])
def test_vectors_of_another_bucket_or_type_belong_to_no_file(
    table: Table, change: dict[str, Any]
) -> None:
    change_index_manifest(table, lambda records: [{**record, **change} for record in records])
    assert {file.deletion_vector for file in table.data_files.of(latest(table))} == {None}


def test_where_vectors_are_elsewhere(table: Table) -> None:
    """An external path of an index file, which Java writes with other data folders."""
    [file, *_] = table.index_manifests.of(latest(table))
    path = table.paths.index_file(file)
    moved = Path(path).with_name("moved")
    moved.write_bytes(Path(path).read_bytes())
    places = {file.name: file.deletion_vector for file in table.data_files.of(latest(table))}
    external = {"_EXTERNAL_PATH": str(moved)}
    change_index_manifest(table, lambda records: [{**record, **external} for record in records])
    for found in Table.at(table.location).data_files.of(latest(table)):
        before = places[found.name]
        wanted = None if before is None else replace(before, path=str(moved))
        assert found.deletion_vector == wanted
