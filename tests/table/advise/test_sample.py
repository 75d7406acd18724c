"""The sample: which data files are measured, how much of them, and those that cannot be read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.table.advise import sample as sample_module
from paimon_ksy.table.advise.advise import advise
from paimon_ksy.table.advise.report import Advice
from paimon_ksy.table.advise.sample import choose_files
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.table.query.steps import Size
from tests.support.advice import FILES, LOCAL, ROWS, column, copy, data_files
from tools.tables import make_table


def test_the_same_sample_again(orders: str, typical: Advice) -> None:
    def without_time(advice: Advice) -> dict[str, Any]:
        document = advice.to_json()
        del document["seconds"]
        return document

    some = [advise(orders, sample=2, engine=LOCAL, columns=["status", "id"]) for _ in range(2)]
    assert without_time(some[0]) == without_time(some[1])
    assert (len(some[0].sample), some[0].sample_rows, some[0].files) == (2, 2 * ROWS, FILES)
    whole = column(typical, "status").indexes[0].table_bytes
    assert column(some[0], "status").indexes[0].table_bytes == pytest.approx(whole, rel=0.05)


def test_samples_are_spread(orders: str) -> None:
    [one, *_] = data_files(orders)

    def named(days: Sequence[tuple[str, int]]) -> list[DataFile]:
        return [
            replace(one, name=f"{at}", partition=(day,), num_rows=rows, creation_millis=at)
            for at, (day, rows) in enumerate(days)
        ]

    files = named([("a", 10)] * 6 + [("b", 10)] * 3 + [("c", 10)] * 3)
    chosen, size = choose_files(iter(files), lambda _: 4)
    assert [file.partition for file in chosen] == [("a",), ("a",), ("b",), ("c",)]
    assert size == Size(12, 120, 12 * one.size)
    # Large files stand for more rows, and no file is chosen twice.
    chosen, _ = choose_files(named([("a", 1), ("b", 1000), ("c", 1), ("d", 0)]), lambda _: 2)
    assert [file.num_rows for file in chosen] in ([1, 1000], [1000, 1])
    assert len(choose_files(files, lambda _: 99)[0]) == 12
    assert choose_files([], lambda _: 3) == ([], Size())
    # Memory is bounded for very many files, and the choice is the same.
    many = [replace(one, name=f"x{at}", creation_millis=at) for at in range(5000)]
    chosen, size = choose_files(iter(many), lambda _: 5)
    assert chosen == choose_files(iter(many), lambda _: 5)[0]
    assert size.files == 5000
    at = [file.creation_millis or 0 for file in chosen]
    assert at == sorted(at) and at[0] < 1500 and at[-1] > 3500


def test_large_files_are_read_in_part(
    orders: str, typical: Advice, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample_module, "_VALUES", 1)
    monkeypatch.setattr(sample_module, "_ROWS", (10_000, 10_000))
    advice = advise(orders, engine=LOCAL, columns=["status", "region"])
    assert advice.in_part
    assert (len(advice.sample), advice.sample_rows) == (2, 20_000)
    whole = column(typical, "region").indexes[0].table_bytes
    assert column(advice, "region").indexes[0].table_bytes == pytest.approx(whole, rel=0.3)


@pytest.mark.parametrize("options", [{}, {"deletion-vectors.enabled": "true"}])
def test_files_that_wait_for_a_compaction(options: dict[str, str], tmp_path: Path) -> None:
    keyed = pa.schema([pa.field("id", pa.int64(), nullable=False), ("status", pa.string())])
    data = pa.table([range(100), ["PENDING", *["DONE"] * 99]], schema=keyed)
    path = make_table(
        tmp_path, "waiting", [data, data], {"bucket": "1", **options}, primary_keys=["id"]
    )
    advice = advise(path, predicates=["status = 'PENDING'"], engine=LOCAL)
    assert advice.rows == 200 and len(advice.sample) == 2
    assert advice.notes[0].startswith("2 files of 2 wait for a compaction")
    assert advice.predicates[0].rows == 0.01
    assert any(column.indexes for column in advice.columns)


@pytest.mark.parametrize("damage", ["missing", "garbage", "cut"])
def test_broken_data_files_are_named(damage: str, orders: str, tmp_path: Path) -> None:
    path = copy(orders, tmp_path)
    broken = Path(data_files(path)[1].path)
    data = broken.read_bytes()
    broken.unlink()
    if damage != "missing":
        broken.write_bytes(b"garbage" * 9 if damage == "garbage" else data[: len(data) // 2])
    with pytest.raises(PaimonKsyError, match=broken.name):
        advise(path, engine=LOCAL, columns=["status"])


def test_broken_indexes_are_named(indexed: str, tmp_path: Path) -> None:
    path = copy(indexed, tmp_path)
    index = next(Path(path).rglob("*.index"))
    index.write_bytes(b"garbage")
    with pytest.raises(CorruptFileError, match=index.name):
        advise(path, engine=LOCAL, columns=["status"])
