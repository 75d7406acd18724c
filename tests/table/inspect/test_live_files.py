"""Sums over live data files are those of files one by one, whatever is shown of them."""

import random
from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.messages.answers import Value
from paimon_ksy.table.inspect.live_files import Entries, LiveFiles
from paimon_ksy.table.inspect.report import PartitionReport, Totals
from paimon_ksy.table.manifests.entries import read_entries
from paimon_ksy.table.manifests.index_files import UNKNOWN
from paimon_ksy.table.model.files import VectorPlace
from tests.support.manifests import ENTRIES, avro, entry

PLACES = (
    None,
    None,
    VectorPlace("index-0", 1, 20, 3),
    VectorPlace("index-0", 21, 20, 0),
)
NO_COUNT = VectorPlace("index-0", 41, 20, None)


def files(seed: int, number: int) -> tuple[pa.RecordBatch, np.ndarray, list[VectorPlace | None]]:
    chance = random.Random(seed)
    records = [
        entry(
            bucket=chance.randrange(-2, 4),
            _FILE_NAME=f"data-{seed}-{at}.parquet",
            _FILE_SIZE=chance.randrange(1 << 40),
            _ROW_COUNT=chance.randrange(1 << 40),
            _SCHEMA_ID=chance.randrange(3),
            _EXTRA_FILES=chance.choice([[], ["a.index"], ["a.blob", "b.index", "c.index"]]),
            _EMBEDDED_FILE_INDEX=chance.choice([None, b"", b"index"]),
        )
        for at in range(number)
    ]
    [(batch, _)] = read_entries([(avro(ENTRIES, records), "manifest")])
    numbers = np.array([chance.randrange(5) for _ in records], np.int64)
    return batch, numbers, [chance.choice(PLACES) for _ in records]


def shown(number: int) -> PartitionReport:
    return PartitionReport({"p": Value(number, str(number))})


def plain(totals: Totals) -> tuple[Any, ...]:
    return tuple(vars(totals).values())


@pytest.mark.parametrize("limit", [0, 1, 3, 100])
@pytest.mark.parametrize("is_known", [True, False])
def test_sums_are_those_of_files_one_by_one(limit: int, is_known: bool) -> None:
    live = LiveFiles(limit, shown)
    whole: Counter[Any] = Counter()
    wanted: dict[Any, Counter[Any]] = {(): whole}
    for seed in range(4):
        batch, numbers, vectors = files(seed, 25)
        if not is_known:
            vectors[7] = NO_COUNT
        has = np.array([vector is not None for vector in vectors])
        deleted = [0 if each is None else each.cardinality for each in vectors]
        known = [UNKNOWN if count is None else count for count in deleted]
        live.add(Entries(batch, numbers), has, np.array(known, np.int64))
        for row, number, vector in zip(batch.to_pylist(), numbers.tolist(), vectors, strict=True):
            embedded = row["_EMBEDDED_FILE_INDEX"] is not None
            in_file = any(name.endswith(".index") for name in row["_EXTRA_FILES"])
            found = {
                "files": 1,
                "rows": row["_ROW_COUNT"],
                "bytes": row["_FILE_SIZE"],
                "embedded_indexes": int(embedded),
                "index_files": int(in_file and not embedded),
                "deletion_vectors": int(vector is not None),
                "deleted_rows": 0 if vector is None else vector.cardinality or 0,
                "unknown": int(vector is NO_COUNT),
            }
            for key in ((), (number,), (number, row["_BUCKET"])):
                wanted.setdefault(key, Counter()).update(found)
    assert plain(live.totals) == sums(whole)
    partitions = [key[0] for key in wanted if len(key) == 1]  # in the order of the files
    assert live.num_partitions == len(partitions)
    assert list(live.partitions) == partitions[:limit]
    for number, partition in live.partitions.items():
        assert partition.values == shown(number).values
        assert plain(partition.totals) == sums(wanted[number,])
        buckets = [key[1] for key in wanted if len(key) == 2 and key[0] == number]
        assert partition.num_buckets == len(buckets)
        assert [bucket.bucket for bucket in partition.buckets] == buckets[:limit]
        for bucket in partition.buckets:
            assert plain(bucket.totals) == sums(wanted[number, bucket.bucket])
            assert bucket.total_buckets == 1


def sums(counts: Counter[Any]) -> tuple[Any, ...]:
    *found, deleted, unknown = counts.values()
    return *found, None if unknown else deleted


def test_the_first_files_are_listed_and_one_of_each_schema_is_tried() -> None:
    live = LiveFiles(3, shown)
    listed, schemas = [], []
    for seed in range(3):
        batch, numbers, _ = files(seed, 2)
        found = Entries(batch, numbers)
        ids = batch.column("_SCHEMA_ID").to_pylist()
        listed += [found.name(at) for at in live.next_listed(found)]
        new = live.of_new_schemas(found)
        assert all(ids.index(ids[at]) == at for at in new)
        schemas += [ids[at] for at in new]
    assert listed == ["data-0-0.parquet", "data-0-1.parquet", "data-1-0.parquet"]
    assert len(schemas) == len(set(schemas)) > 1


def test_a_batch_without_live_files() -> None:
    live = LiveFiles(3, shown)
    batch, _, _ = files(0, 2)
    empty = Entries(batch[:0], np.empty(0, np.int64))
    live.add(empty, np.empty(0, np.bool_), np.empty(0, np.int64))
    assert (live.num_partitions, plain(live.totals)) == (0, plain(Totals()))
    assert (list(live.next_listed(empty)), live.of_new_schemas(empty)) == ([], [])
