"""Manifests that are damaged, not of Avro, or contradict each other, are named."""

import pickle
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from typing import Any

import fastavro
import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.inspect.inspect import inspect_table
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.manifests.scan import run_by
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import golden_table, golden_table_names
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


@pytest.mark.parametrize("group_bytes, groups", [(1, 5), (1 << 20, 1)])
def test_processes_read_what_threads_do(
    group_bytes: int, groups: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("paimon_ksy.table.manifests.scan._GROUP_BYTES", group_bytes)
    path = table_of_manifests(tmp_path, "t", partitions=3, files=4, manifests=5, mixed=True)
    table = Table.at(path)
    manifests = table.manifests.of(table.snapshot())
    here = list(table.data_files.scan(manifests, names))
    processes = run_by(local_engine(2, processes=True).map)
    elsewhere = table.data_files.scan(manifests, names, run=processes)
    for found, wanted in zip(elsewhere, here, strict=True):
        assert (found.group, found.looked) == (wanted.group, wanted.looked)
        assert found.of.tolist() == wanted.of.tolist()
    assert len(here) == groups and sum(len(each.looked) for each in here) == 12


def test_manifests_are_pickled_without_what_they_know(tmp_path: Path) -> None:
    table = Table.at(golden_table(golden_table_names()[0], tmp_path))
    before = len(pickle.dumps(table.manifests))
    files = list(table.files(table.snapshot()))
    assert len(pickle.dumps(table.manifests)) == before < 20_000
    copied = pickle.loads(pickle.dumps(table.manifests))
    manifests = copied.of(table.snapshot())
    assert sum(len(entries) for entries, _ in copied(manifests)) == len(files)
