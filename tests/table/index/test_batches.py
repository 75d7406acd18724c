"""Batches of data files: each file is in one of them, and they are bounded."""

from __future__ import annotations

from collections import Counter
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.table.index.rewrite import Batch, batches_of


class File(NamedTuple):
    """What a batch is chosen by."""

    partition: tuple[Any, ...]
    bucket: int
    name: str


def chosen(files: list[File], batch: Batch) -> list[File]:
    return [
        file
        for file in files
        if batch.keeps(file.partition, file.bucket) and batch.contains(file)  # type: ignore[arg-type]
    ]


@given(
    st.lists(st.tuples(st.sampled_from([None, 1, 2, 5]), st.integers(0, 2)), max_size=60),
    st.integers(1, 20),
)
def test_each_file_is_in_one_batch(places: list[tuple[int | None, int]], most: int) -> None:
    files = [File((value, "a"), bucket, f"data-{at}") for at, (value, bucket) in enumerate(places)]
    batches = list(batches_of(files, most))  # type: ignore[arg-type]
    found = Counter(file for batch in batches for file in chosen(files, batch))
    assert found == Counter(files)
    for batch in batches:
        assert batch.parts > 1 or len(chosen(files, batch)) <= most


def test_partitions_stay_together_in_their_order() -> None:
    days = [3, 1, 2, 1, None, 3, 1, 2]
    files = [File((day,), 0, f"data-{at}") for at, day in enumerate(days)]
    batches = batches_of(files, 4)  # type: ignore[arg-type]
    assert [sorted(batch.groups, key=str) for batch in batches] == [
        [((1,), 0), ((None,), 0)],
        [((2,), 0), ((3,), 0)],
    ]


@pytest.mark.parametrize("most", [100, 1000, 9999])
def test_large_bucket_is_split(most: int) -> None:
    files = [File((), -1, f"data-{at}.parquet") for at in range(10_000)]
    batches = list(batches_of(files, most))  # type: ignore[arg-type]
    sizes = [len(chosen(files, batch)) for batch in batches]
    assert len(sizes) == -(-10_000 // most)
    assert max(sizes) < 1.5 * 10_000 / len(sizes) < 2 * most
