"""Data files of a sample that cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.table.advise.advise import advise
from tests.support.advice import FILES, LOCAL, copy, data_files


@pytest.mark.parametrize("damage", ["missing", "garbage", "cut"])
def test_broken_data_files_are_named(damage: str, orders: str, tmp_path: Path) -> None:
    path = copy(orders, tmp_path)
    broken = Path(data_files(path)[2].path)
    data = broken.read_bytes()
    broken.unlink()
    if damage != "missing":
        broken.write_bytes(b"garbage" * 9 if damage == "garbage" else data[: len(data) // 2])
    with pytest.raises(PaimonKsyError, match=broken.name):
        advise(path, engine=LOCAL, sample=FILES, columns=["status"])


def test_broken_indexes_are_named(indexed: str, tmp_path: Path) -> None:
    path = copy(indexed, tmp_path)
    index = next(Path(path).rglob("*.index"))
    index.write_bytes(b"garbage")
    with pytest.raises(CorruptFileError, match=index.name):
        advise(path, engine=LOCAL, columns=["status"])
