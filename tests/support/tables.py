"""Small tables of orders, made and read by pypaimon, and what their manifests say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.file_index.builder import assemble
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.table.engine import Engine, local_engine
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.index.summary import RewriteSummary
from paimon_ksy.table.io.cache import BoundedCache
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.store import Table
from paimon_ksy.table.store.index_commit import NewIndex, commit_indexes
from tools.tables import append as append_to
from tools.tables import by_pypaimon

SCHEMA = pa.schema(
    [
        ("id", pa.int64()),
        ("status", pa.string()),
        ("amount", pa.int32()),
        ("m", pa.map_(pa.string(), pa.string())),
        ("day", pa.string()),
    ]
)

STATUSES = ["PAID", "SHIPPED", None, "PENDING"]
STATUS = {"file-index.bitmap.columns": "status"}
TO_FILES = {"file-index.in-manifest-threshold": "0 B"}
EMBEDDED = {"file-index.in-manifest-threshold": "1 MB"}


def external(folder: Path | str) -> dict[str, str]:
    """Options that put data files in a folder outside the table."""
    key = "data-file.external-paths"
    return {key: f"file://{folder}", f"{key}.strategy": "round-robin"}


def tree(folder: Path) -> dict[Path, bytes]:
    """All files of a folder with their bytes."""
    return {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def rows(start: int, count: int, day: str = "a") -> pa.Table:
    """Return `count` rows with ids from `start`."""
    ids = range(start, start + count)
    return pa.table(
        [
            list(ids),
            [STATUSES[i % 4] for i in ids],
            [i % 10 for i in ids],
            [[("k", f"v{i % 3}")] if i % 2 else [] for i in ids],
            [day] * count,
        ],
        schema=SCHEMA,
    )


def catalog_at(folder: Path) -> Any:
    """Return pypaimon's catalog of a folder, with a database `default`."""
    from pypaimon import CatalogFactory

    catalog = CatalogFactory.create({"warehouse": str(folder)})
    catalog.create_database("default", True)
    return catalog


def make(
    folder: Path,
    commits: Iterable[pa.Table],
    options: Mapping[str, str] = {},
    partitions: Sequence[str] = (),
) -> str:
    """Make a table of pypaimon with a commit, so mostly a file, for each item; return its path."""
    from pypaimon import Schema

    catalog = catalog_at(folder)
    commits = list(commits)
    schema = Schema.from_pyarrow_schema(
        commits[0].schema if commits else SCHEMA,
        partition_keys=list(partitions),
        options={"bucket": "-1", **options},
    )
    catalog.create_table("default.t", schema, False)
    path = str(folder / "default.db" / "t")
    for data in commits:
        append(path, data)
    return path


def append(path: str, data: pa.Table) -> None:
    """Append to a table in one commit, by pypaimon."""
    append_to(Table.at(path).pypaimon, data)


def drop_partition(path: str, day: str) -> None:
    """Drop the partition of a day, by pypaimon."""
    commit = Table.at(path).pypaimon.new_batch_write_builder().new_commit()
    commit.truncate_partitions([{"day": day}])
    commit.close()


def ids(path: str) -> list[int]:
    """Return the ids of all rows, by pypaimon."""
    return sorted(by_pypaimon(path)["id"].to_pylist())


def files(path: str) -> list[DataFile]:
    """Return the live data files in the order in which they were written."""
    table = Table.at(path)
    return sorted(table.data_files.of(table.snapshot()), key=lambda file: file.creation_millis or 0)


def indexes(path: str) -> list[dict[str, set[str]]]:
    """Return the index types of each column, of each live data file."""
    found: list[dict[str, set[str]]] = [{} for _ in files(path)]
    for file, kinds_of in zip(files(path), found, strict=True):
        if file.index is not None:
            with FileIndex.open(file.index) as opened:
                kinds_of.update((name, set(kinds)) for name, kinds in opened.places.items())
    return found


def index_files(path: str) -> set[str]:
    """Return the names of all index files that are there, referred to or not."""
    return {file.name for file in Path(path).rglob("*.index")}


def referred(path: str) -> set[str]:
    """Return the names of the index files of the live data files."""
    return {name for file in files(path) for name in file.extra_files if name.endswith(".index")}


def run_rewrite(path: str, engine: Engine | None = None, **given: Any) -> RewriteSummary:
    """Build the indexes that a table's options list, within this process unless told otherwise."""
    return rewrite_index(path, engine=engine or local_engine(1), **given)


def size_of(file: DataFile, kind: str) -> int:
    """Return the bytes of the indexes of this type that a data file has."""
    with FileIndex.open(file.index) as opened:
        return sum(entries[kind].len_body for entries in opened.places.values() if kind in entries)


def sum_of(path: str, kind: str) -> int:
    """Return the bytes of all indexes of this type."""
    return sum(size_of(file, kind) for file in files(path))


def give(path: str, file: DataFile, made: Mapping[tuple[str, str], bytes | None]) -> None:
    """Give a data file these indexes, whatever they are, embedded."""
    columns: dict[str, list[tuple[str, list[bytes] | None]]] = {}
    for (name, kind), body in made.items():
        columns.setdefault(name, []).append((kind, None if body is None else [body]))
    index = NewIndex(embedded=assemble(columns.items()))
    commit_indexes(Table.at(path), {file.digest: index})


def decimals(folder: Path, big: bool = True) -> str:
    """A table of two files, the first with a DECIMAL that takes more than 64 bits."""
    kind = pa.decimal128(38, 2)
    values = [[Decimal(10) ** 30 if big else Decimal(1), Decimal(2)], [Decimal(3), None]]
    commits = [
        pa.table({"id": pa.array([n, n + 1], pa.int64()), "big": pa.array(some, kind)})
        for n, some in zip((0, 2), values, strict=True)
    ]
    return make(folder, commits)


def bodies(file: DataFile) -> dict[tuple[str, str], bytes | None]:
    """The bytes of each index of a data file, None of an EMPTY one."""
    with FileIndex.open(file.index) as opened:
        return {
            (name, kind): None
            if entry.is_empty
            else bytes(opened.source.read(entry.ofs_body, entry.len_body))
            for name, entries in opened.places.items()
            for kind, entry in entries.items()
        }


def forget_manifests(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read manifests again: a test changes files, which never change else."""
    monkeypatch.setattr("paimon_ksy.table.store.manifests._KEPT", BoundedCache(1 << 20))
