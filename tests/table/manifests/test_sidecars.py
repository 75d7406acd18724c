"""Sidecars of manifests: as other writers write them, and what audits find in lying ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from pypaimon.manifest.manifest_sidecar import Settings, build_from_entries

from paimon_ksy.inspection.verify import verify
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.findings import Finding
from paimon_ksy.table.audit.audit import audit
from paimon_ksy.table.manifests.sidecars import right_sidecar
from paimon_ksy.table.store import Table
from paimon_ksy.table_files.manifest_sidecar import (
    Sidecar,
    compare,
    joined,
    read_sidecar,
    write_sidecar,
)
from tests.support.damage import each_flipped
from tests.support.newer_tables import EVOLUTION, newer_table, rows
from tools.tables import make_table


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A table with sidecars that pypaimon-rust writes."""
    return newer_table(tmp_path_factory.mktemp("sidecars"), "manifest_sidecar")


def sidecars(table: str) -> list[Path]:
    return sorted(Path(table, "manifest").glob("*.sidecar"))


def manifest_of(sidecar: Path) -> bytes:
    return Path(str(sidecar).removesuffix(".avro.sidecar")).read_bytes()


def built(manifest: bytes, *, row_ids: bool, buckets: bool) -> bytes:
    return write_sidecar(right_sidecar(manifest, "", row_ids=row_ids, buckets=buckets))


def found(table: str) -> list[Finding]:
    return [each for each in audit(table) if each.check == "sidecar"]


def test_sidecars_are_those_of_pypaimon_rust(table: str) -> None:
    assert len(sidecars(table)) == 2
    for path in sidecars(table):
        data = path.read_bytes()
        assert built(manifest_of(path), row_ids=False, buckets=False) == data
        with open_source(data) as source:
            assert write_sidecar(read_sidecar(source)) == data
    assert not found(table)


@pytest.mark.parametrize("buckets", [True, False])
def test_sidecars_are_those_of_pypaimon(tmp_path: Path, buckets: bool) -> None:
    """Of a manifest with row ids, or with partitions and buckets."""
    options = {"bucket": "3", "bucket-key": "id"} if buckets else EVOLUTION
    partitions = ("day",)
    make_table(tmp_path, "t", [rows(0, 400)], options, partition_keys=partitions)
    path = str(tmp_path / "default.db" / "t")
    pypaimon = Table.at(path).pypaimon
    from pypaimon.manifest.manifest_file_manager import ManifestFileManager

    reader = ManifestFileManager(pypaimon)
    [manifest] = [f for f in Path(path, "manifest").glob("manifest-*") if "list" not in f.name]
    entries = reader.read(manifest.name, drop_stats=False)
    assert len(entries) > 3
    data = manifest.read_bytes()
    settings = Settings(True, not buckets, buckets)
    expected = build_from_entries(data, entries, settings)
    assert built(data, row_ids=not buckets, buckets=buckets) == expected
    assert not verify(expected)


def test_every_changed_byte_is_noticed(table: str) -> None:
    data = sidecars(table)[0].read_bytes()
    assert not [at for at, bad in each_flipped(data) if not verify(bad, kind="sidecar")]


def many_blocks() -> Sidecar:
    """A sidecar of one block with two partitions, ranges of row ids, and buckets."""
    header = b"Obj\1\0" + bytes(17)
    numbers = np.array([0, 1]), np.array([[0, 9], [20, 29]]), np.array([[0, 2], [1, 2]])
    from paimon_ksy.table_files.manifest_sidecar import Block

    return Sidecar(header, [bytes(12), b"\0\0\0\1" + bytes(16)], [Block(22, 100, 4, *numbers)])


LIES = [
    ({"partitions": np.array([0])}, "error", "block 0 lacks 1 partition of its entries"),
    ({"row_ids": np.array([[0, 8], [20, 29]])}, "error", "block 0 lacks row ids of its entries"),
    ({"row_ids": np.array([[0, 9]])}, "error", "block 0 lacks row ids of its entries"),
    ({"row_ids": np.array([[0, 29]])}, "note", "block 0 claims row ids that no entry of it has"),
    ({"buckets": np.array([[1, 2]])}, "error", "block 0 lacks 1 bucket of its entries: 0 of 2"),
    ({"buckets": np.array([[0, 2], [1, 2], [1, 3]])}, "note", "block 0 claims 1 bucket that no"),
    ({"num_entries": 3}, "error", "block 0 is not one of the manifest"),
    ({"partitions": None, "row_ids": None, "buckets": None}, "", ""),
]


@pytest.mark.parametrize(("change", "severity", "message"), LIES)
def test_a_block_that_claims_less_is_an_error(
    change: dict[str, object], severity: str, message: str
) -> None:
    right = many_blocks()
    lying = replace(right, blocks=[replace(right.blocks[0], **change)])  # type: ignore[arg-type]
    with open_source(write_sidecar(lying)) as source:
        differences = list(compare(read_sidecar(source), right))
    places = [(one.severity, one.block) for one in differences]
    assert places == ([(severity, 0)] if severity else [])
    assert all(one.message.startswith(message) for one in differences)


def test_what_no_entry_has_is_not_claimed() -> None:
    claimed = many_blocks()
    block = replace(claimed.blocks[0], row_ids=None, buckets=None)
    right = replace(claimed, blocks=[block])
    messages = [one.message for one in compare(claimed, right)]
    assert messages == [
        "block 0 has an entry without row ids",
        "block 0 has an entry without a bucket",
    ]


def test_ranges_that_touch_are_one() -> None:
    ranges = np.array([[20, 29], [0, 9], [10, 15], [3, 4]])
    assert joined(ranges).tolist() == [[0, 15], [20, 29]]


def remove_partition(sidecar: Sidecar) -> Sidecar:
    other = [b"\0\0\0\1" + bytes(16)]
    return replace(sidecar, partitions=other)


CHANGES: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "missing": (Path.unlink, "warning", "it is missing, so readers read the whole manifest"),
    "damaged": (
        lambda path: path.write_bytes(path.read_bytes()[:-1] + b"x"),
        "warning",
        "readers ignore it, and read the whole manifest: its checksum is",
    ),
    "lying": (
        lambda path: path.write_bytes(
            write_sidecar(remove_partition(read_sidecar(open_source(path.read_bytes()))))
        ),
        "error",
        "readers skip rows: block 0 lacks 1 partition of its entries",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_audits_name_sidecars_that_are_not_right(table: str, name: str) -> None:
    change, severity, message = CHANGES[name]
    path = sidecars(table)[0]
    data = path.read_bytes()
    try:
        change(path)
        [finding] = found(table)
    finally:
        path.write_bytes(data)
    assert (finding.severity, Path(finding.file).name) == (severity, path.name)
    assert finding.message.startswith(message)
