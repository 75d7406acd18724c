"""Streams of append tables: each row once over restarts, and what they refuse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import MissingFileError, OptionError, PaimonKsyError, UnsupportedError
from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from tests.support.spark_jobs import run_stream
from tests.support.tables import STATUS, append, drop_partition, make, rows, run_rewrite

pytestmark = pytest.mark.java


def reader(path: str, **options: str) -> Any:
    from paimon_ksy.spark import PaimonDataSource

    given = {name.replace("_", "-"): value for name, value in options.items()}
    source = PaimonDataSource({"path": path, "columns": "id", **given})
    return source.streamReader(source.schema())


def ids_of(stream: Any, start: Any, end: Any) -> list[int]:
    parts = stream.partitions(start, end)
    return sorted(i for part in parts for b in stream.read(part) for i in b["id"].to_pylist())


def test_offsets_are_snapshots(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(0, 10), rows(10, 10)], STATUS)
    stream = reader(path)
    start = stream.initialOffset()
    assert start == {"snapshot-id": 2, "whole": True}
    append(path, rows(20, 10))
    end = stream.latestOffset(start)
    assert end == {"snapshot-id": 3}
    assert ids_of(stream, start, end) == [*range(30)]
    run_rewrite(path)  # which changes no row
    append(path, rows(30, 5))
    assert stream.latestOffset(end) == {"snapshot-id": 5}
    again = reader(path)  # after a restart
    assert ids_of(again, end, {"snapshot-id": 5}) == [*range(30, 35)]
    assert again.latestOffset({"snapshot-id": 5}) == {"snapshot-id": 5}
    assert ids_of(again, {"snapshot-id": 5}, {"snapshot-id": 5}) == []


def test_where_it_begins_and_how_much_a_batch_has(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(n * 10, 10) for n in range(4)])
    assert reader(path, from_snapshot="latest").initialOffset() == {"snapshot-id": 4}
    stream = reader(path, from_snapshot="3", where="id < 35")
    assert stream.initialOffset() == {"snapshot-id": 2}
    assert ids_of(stream, {"snapshot-id": 2}, {"snapshot-id": 4}) == [*range(20, 35)]
    assert reader(path, from_snapshot="5").initialOffset() == {"snapshot-id": 4}
    with pytest.raises(OptionError, match="from-snapshot is 6, but the latest snapshot is 4"):
        reader(path, from_snapshot="6").initialOffset()
    few = reader(path, from_snapshot="1", snapshots_per_trigger="3")
    few.initialOffset()
    assert [few.latestOffset()["snapshot-id"] for _ in range(3)] == [3, 4, 4]  # before Spark 4.2
    try:
        limit = few.getDefaultReadLimit()
    except NameError:  # only Spark from 4.2 on calls it
        return
    assert few.latestOffset({"snapshot-id": 0}, limit) == {"snapshot-id": 3}
    assert few.latestOffset({"snapshot-id": 1, "whole": True}, limit) == {"snapshot-id": 3}
    few.prepareForTriggerAvailableNow()
    append(path, rows(40, 10))
    assert few.latestOffset({"snapshot-id": 3}, limit) == {"snapshot-id": 4}


def test_an_empty_table(tmp_path: Path) -> None:
    path = make(tmp_path, [])
    stream = reader(path)
    assert stream.initialOffset() == stream.latestOffset() == {"snapshot-id": 0}
    append(path, rows(0, 3))
    assert ids_of(stream, {"snapshot-id": 0}, stream.latestOffset()) == [0, 1, 2]


def test_changes_are_refused_unless_they_are_skipped(tmp_path: Path) -> None:
    vectors = {"deletion-vectors.enabled": "true"}
    path = make(tmp_path, [rows(0, 10), rows(10, 10, "b")], vectors, ["day"])
    drop_partition(path, "a")
    append(path, rows(20, 10, "b"))
    delete(path, "id = 21", engine=local_engine(1))
    for before in (2, 4):
        with pytest.raises(UnsupportedError, match=rf"snapshot {before + 1} \(OVERWRITE\) deletes"):
            reader(path).partitions({"snapshot-id": before}, {"snapshot-id": 5})
    skipping = reader(path, skip_changes="true")
    assert ids_of(skipping, {"snapshot-id": 2}, {"snapshot-id": 5}) == [*range(20, 30)]
    whole = {"snapshot-id": 5, "whole": True}
    assert ids_of(skipping, whole, {"snapshot-id": 5}) == [*range(10, 21), *range(22, 30)]
    # Other writers delete by commits that append. Without the snapshot before, any may be one.
    last = Path(path, "snapshot", "snapshot-5")
    last.write_text(last.read_text().replace('"OVERWRITE"', '"APPEND"'))
    for _ in range(2):
        with pytest.raises(UnsupportedError, match=r"snapshot 5 \(APPEND\) deletes"):
            reader(path).partitions({"snapshot-id": 4}, {"snapshot-id": 5})
        Path(path, "snapshot", "snapshot-4").unlink(missing_ok=True)


def test_what_is_not_read(tmp_path: Path) -> None:
    path = make(tmp_path, [rows(n * 10, 10) for n in range(3)])
    for option in ("limit", "snapshot_id"):
        with pytest.raises(OptionError, match=r"is of spark\.read: a stream has from-snapshot"):
            reader(path, **{option: "1"})
    for option, value in (("skip_changes", "yes"), ("snapshots_per_trigger", "0")):
        with pytest.raises(OptionError, match=option.replace("_", "-")):
            reader(path, **{option: value})
    stream = reader(path)
    with pytest.raises(PaimonKsyError, match="up to snapshot 9, but the latest one is 3"):
        stream.latestOffset({"snapshot-id": 9})
    Path(path, "snapshot", "snapshot-2").unlink()
    with pytest.raises(MissingFileError, match="snapshot 2 expired before the stream read it"):
        stream.partitions({"snapshot-id": 1}, {"snapshot-id": 3})


def test_tables_with_keys_are_refused(tmp_path: Path) -> None:
    from tests.support.golden_tables import golden_table, golden_table_names

    name = next(name for name in golden_table_names() if name.startswith("pk"))
    with pytest.raises(UnsupportedError, match="has a primary key"):
        reader(golden_table(name, tmp_path), columns="*")


def test_each_row_once_over_restarts(spark: Any, tmp_path: Path) -> None:
    """A Parquet sink; the second run dies between two batches."""
    from paimon_ksy.spark import PaimonTable

    path = make(tmp_path, [rows(0, 10), rows(10, 10)], STATUS)
    sink, checkpoint = tmp_path / "sink", str(tmp_path / "checkpoint")

    def run(die_at: int | None = None) -> None:
        def write(batch: Any, number: int) -> None:
            batch.write.mode("overwrite").parquet(str(sink / f"batch={number}"))
            if number == die_at:
                raise RuntimeError("killed")

        table = PaimonTable.forPath(spark, path)
        frame = table.readStream("id <> 25", ["id", "status"], snapshotsPerTrigger=1)
        stream = frame.writeStream.foreachBatch(write)
        stream = stream.option("checkpointLocation", checkpoint).trigger(availableNow=True)
        run_stream(lambda: stream.start().awaitTermination(600))

    def ids() -> list[int]:
        return sorted(row.id for row in spark.read.parquet(str(sink)).select("id").collect())

    run()
    assert ids() == [*range(20)]
    append(path, rows(20, 10))
    run_rewrite(path)
    append(path, rows(30, 10))
    with pytest.raises(Exception, match="killed"):
        run(die_at=1)
    for _ in range(3):  # before Spark 4.2, a run has one batch
        run()
    assert ids() == [i for i in range(40) if i != 25]
