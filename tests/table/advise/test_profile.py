"""Profiles of columns: counts, ends, and the same few values of each file."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.table.advise.profile import SKETCH, Coded, ProfileTask, hash_codes, profile
from paimon_ksy.table.advise.sample import SampleJob
from paimon_ksy.table.store import Table
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.parse import parse_type
from tests.support.advice import data_files
from tests.support.strategies import examples
from tools.tables import make_table

INT = parse_type("INT")


@examples(100)
@given(
    column=st.lists(st.none() | st.integers(0, 9), min_size=1, max_size=40),
    cuts=st.sets(st.integers(1, 39)),
)
def test_parts_that_a_value_is_in(column: list[int | None], cuts: set[int]) -> None:
    coded = Coded.of(pa.array(column, pa.int32()), INT)
    starts = [0, *sorted(cut for cut in cuts if cut < len(column)), len(column)]
    parts = [set(column[start:stop]) - {None} for start, stop in pairwise(starts)]
    assert coded.pairs(np.array(starts)) == sum(map(len, parts))
    assert (len(coded), coded.nulls) == (len({*column} - {None}), column.count(None))
    values = coded.values.to_pylist()
    assert coded.counts.tolist() == [column.count(value) for value in values]


@pytest.mark.parametrize("text", ["INT", "STRING", "DOUBLE", "DECIMAL(20, 2)", "DATE"])
def test_hash_codes_are_those_of_the_values_and_evenly_spread(text: str) -> None:
    kind = parse_type(text)
    numbers = pa.array(range(4000), pa.int32())
    values = numbers.cast(to_arrow(kind))
    codes = hash_codes(values, kind)
    assert hash_codes(values.take(pa.array(range(3999, -1, -1))), kind).tolist() == (
        codes[::-1].tolist()
    )
    assert len(set(codes.tolist())) == len(values)
    assert 0.45 < (codes < np.uint64(2**63)).mean() < 0.55


def test_a_profile_of_a_file(tmp_path: Path) -> None:
    rows = 3000
    numbers = [None if n % 10 == 0 else n % 1000 for n in range(rows)]
    data = pa.table({"n": pa.array(numbers, pa.int32()), "s": ["a", "b", "c"] * 1000})
    path = make_table(tmp_path, "t", [data, data.slice(1500)])
    table = Table.at(path)
    job = SampleJob(table.storage, table.schema, {0: table.schema}, 10_000)
    first, second = sorted(data_files(path), key=lambda file: -file.num_rows)
    found = profile(job, ProfileTask(first, ("n", "s"))).columns["n"]
    assert (found.rows, found.nulls, found.distinct) == (rows, 300, 900)
    assert (found.least, found.greatest) == (1, 999)
    assert len(found.hashes) == len(found.values) == SKETCH
    assert (found.hashes[:-1] < found.hashes[1:]).all()
    assert set(found.counts.tolist()) == {3}
    # The other file has the same values, and so the same ones of them in its profile.
    other = profile(job, ProfileTask(second, ("n",))).columns["n"]
    assert other.values == found.values
    texts = profile(job, ProfileTask(first, ("s",))).columns["s"]
    assert (texts.distinct, texts.value_bytes) == (3, rows)
