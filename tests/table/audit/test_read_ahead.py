"""What is read ahead of an audit is what is read when its turn comes, or it is not used."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from paimon_ksy.table.audit import data_files as audit_files
from paimon_ksy.table.audit.audit import Finding, audit
from paimon_ksy.table.audit.read_ahead import ReadAhead
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.index.rewrite import read_rows, rewrite_index
from paimon_ksy.types.schema import Schema
from tests.table.index.test_rewrite import TO_FILES, append, files, make, rows

OPTIONS = {
    "file-index.bitmap.columns": "status,id",
    "file-index.range-bitmap.columns": "amount",
    "file.format": "parquet",
}


def found(path: str, monkeypatch: pytest.MonkeyPatch, *, ahead: bool) -> tuple[list[Finding], int]:
    """What an audit finds, and of how many files it read the columns when their turn came."""
    calls: list[Any] = []

    def counted(*arguments: Any, **options: Any) -> Any:
        calls.append(arguments)
        return read_rows(*arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(audit_files, "read_rows", counted)
        patch.setattr(pa, "cpu_count", lambda: 2 if ahead else 1)
        return list(audit(path, deep=True, engine=local_engine(2))), len(calls)


@pytest.fixture
def path(tmp_path: Path) -> str:
    made = make(tmp_path, [rows(i * 7, 12) for i in range(5)], {**OPTIONS, **TO_FILES})
    rewrite_index(made, engine=local_engine(1))
    return made


def zeroed(files: list[Path]) -> None:
    files[2].write_bytes(bytes(files[2].stat().st_size))


def missing(files: list[Path]) -> None:
    files[3].unlink()


def swapped(files: list[Path]) -> None:
    other = files[1].read_bytes()
    shutil.copy(files[4], files[1])
    files[4].write_bytes(other)


def other_types(files: list[Path]) -> None:
    data = pq.read_table(files[2])
    at = data.schema.get_field_index("id")
    pq.write_table(data.set_column(at, "id", data["id"].cast(pa.float64())), files[2])


def fewer_rows(files: list[Path]) -> None:
    pq.write_table(pq.read_table(files[2]).slice(0, 7), files[2])


@pytest.mark.parametrize("damage", [None, zeroed, missing, swapped, other_types, fewer_rows])
def test_findings_are_the_same(
    path: str, damage: Callable[[list[Path]], None] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if damage is not None:
        damage([Path(file.path) for file in files(path)])
    # A size that is not as the manifest says would end what is looked at.
    monkeypatch.setattr(audit_files, "_check_named", lambda *_: iter(()))
    due, _ = found(path, monkeypatch, ahead=False)
    assert bool(due) == (damage is not None)
    findings, num_read = found(path, monkeypatch, ahead=True)
    assert findings == due
    # Damage ends what is read ahead, files before the damaged one included, or not.
    assert num_read == 1 if damage in (None, swapped) else 1 < num_read <= 5


def test_files_of_other_indexes_and_schemas(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    append(path, rows(40, 300))
    rewrite_index(path, set={"file-index.bitmap.columns": "day"}, engine=local_engine(1))
    for _ in range(2):
        append(path, rows(50, 9))
    rewrite_index(path, engine=local_engine(1))
    due, _ = found(path, monkeypatch, ahead=False)
    assert found(path, monkeypatch, ahead=True)[0] == due


def test_each_damaged_byte_of_data(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    file = Path(files(path)[2].path)
    sound = file.read_bytes()
    for byte in random.Random(3).sample(range(len(sound)), 25):
        damaged = bytearray(sound)
        damaged[byte] ^= 1 << byte % 8
        file.write_bytes(damaged)
        due, _ = found(path, monkeypatch, ahead=False)
        assert found(path, monkeypatch, ahead=True)[0] == due


def test_what_is_not_expected_is_not_given(tmp_path: Path) -> None:
    data = pa.table({"a": pa.array(range(9)), "b": pa.array(["x"] * 9)})
    paths = [str(tmp_path / name) for name in "pqrs"]
    for one in paths:
        pq.write_table(data, one, row_group_size=4)
    columns = Schema.parse("a BIGINT, b STRING")
    ahead = ReadAhead()
    ahead.expect(paths)
    assert ahead.table(paths[1], 9, ["a"]) is None
    ahead.start(paths[0], data.schema, columns)
    assert ahead.table(paths[0], 9, ["a"]) is None
    assert ahead.table(paths[1], 8, ["a"]) is None
    assert ahead.table(paths[1], 9, ["a"]) is None  # it was asked for
    assert ahead.table(paths[2], 9, ["c"]) is None
    assert ahead.table("elsewhere", 9, ["a"]) is None
    read = ahead.table(paths[3], 9, ["b", "a"])
    assert read is not None
    assert read.equals(data.select(["b", "a"]))
    assert ahead.table(paths[3], 9, ["a"]) is None
    ahead.expect(paths)
    assert ahead.table(paths[1], 9, ["a"]) is None
