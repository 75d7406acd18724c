"""What a look-up in a bitmap index reads, and what broken ones give."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import paimon_ksy as pk
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.predicates.tree import col
from tests.reference.bitmap_index import BitmapIndex
from tests.support.file_indexes import FILES, index_of, key_of, stream_of


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of 1,000,000 different BIGINTs: 16 MB."""
    path = tmp_path_factory.mktemp("large") / "large.index"
    ids = np.random.default_rng(7).permutation(1_000_000).astype(np.int64) * 3
    options = {"file-index.bitmap.columns": "id"}
    path.write_bytes(
        pk.build_file_index(pa.table({"id": ids}), pk.Schema.parse("id BIGINT"), options)
    )
    return path


def test_a_look_up_in_16_mb_reads_under_64_kb(large: Path) -> None:
    assert large.stat().st_size > 15_000_000
    with pk.FileIndex.open(large, pk.Schema.parse("id BIGINT")) as index:
        assert index.bytes_read <= 8192  # the head, and what comes with it
        assert index.evaluate("id = 2999997").count == 1
        assert index.bytes_read < 64 * 1024
        before = index.bytes_read
        assert index.evaluate("id = 2999997").count == 1
        assert index.evaluate("id = 2999996").kind == "skip"
        assert index.bytes_read == before  # the block is there already
        assert index.evaluate("id BETWEEN 1000 AND 1100").count == 33
        assert index.evaluate("id > 5").kind == "all"  # too many values to be worth it
        assert index.bytes_read < before + 64 * 1024
        twenty = [i * 149_985 for i in range(20)]
        assert index.evaluate(pk.col("id").is_in(twenty)).count == 20
        assert index.bytes_read < 600 * 1024


pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")


def test_bitmaps_that_overlap() -> None:
    """Each could be as long as the file, so that reading them all would take forever."""
    data, schema = FILES["INT V2"]
    entries = [
        entry
        for ref in BitmapIndex(4, stream_of(data)).v2.directory.blocks
        for entry in ref.body.entries
        if not entry.is_single
    ]
    first, second = (
        key_of(e).to_bytes(4, "big") + e.ofs_bitmap.to_bytes(4, "big") for e in entries[:2]
    )
    assert data.count(second) == 1
    broken = data.replace(second, second[:4] + first[4:])
    everything = col("c").is_in([key_of(entry) for entry in entries])
    with (
        FileIndex.open(broken, schema) as index,
        pytest.raises(CorruptFileError, match="bitmaps overlap"),
    ):
        index.evaluate(everything)


def test_a_block_without_entries_is_refused() -> None:
    data, schema = index_of("INT", [1, 2, 3], "2")
    [ref] = BitmapIndex(4, stream_of(data)).v2.directory.blocks
    count = len(ref.body.entries).to_bytes(4, "big")
    at = data.rindex(count + ref.body.entries[0].key.int32.to_bytes(4, "big"))
    broken = data[:at] + bytes(4) + data[at + 4 :]
    for predicate in ("c = 1", "c > 1", "c IN (1, 3)"):
        with (
            FileIndex.open(broken, schema) as index,
            pytest.raises(CorruptFileError, match=f"byte {at}: .*num_entries"),
        ):
            index.evaluate(predicate)


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_cardinality_that_lies_is_found_by_each_look_up(version: str) -> None:
    data, schema = index_of("INT", [row * 7 % 11 % 2 for row in range(20_000)], version)
    one, other = (f"c = {value}" for value in (0, 1))
    both = col("c").is_in([0, 1])
    with FileIndex.open(data, schema) as index:
        counts = [index.evaluate(question).count for question in (one, other)]
        assert index.evaluate(both).count == sum(filter(None, counts)) == 20_000
    for question, count in zip((one, other), counts, strict=True):
        assert count is not None and count > 4096
        cardinality = (count - 1).to_bytes(2, "little")
        at = data.index(cardinality, data.index(b"\x3a\x30\x00\x00"))
        broken = data[:at] + (count - 2).to_bytes(2, "little") + data[at + 2 :]
        with FileIndex.open(broken, schema) as index:
            for asked in (question, both):
                with pytest.raises(CorruptFileError, match="cardinality of a"):
                    index.evaluate(asked)


@pytest.mark.parametrize("version", ["1", "2"])
def test_a_thousand_of_a_million_orders(tmp_path: Path, version: str) -> None:
    """Section 6.2 of Paimon's document reckons with 50 kB of index."""
    random = np.random.default_rng(2024)
    status = np.array(["COMPLETED", "SHIPPED", "CANCELLED"])[random.integers(0, 3, 1_000_000)]
    pending = np.sort(random.choice(1_000_000, 1_000, replace=False))
    status[pending] = "PENDING"
    schema = pk.Schema.parse("status STRING")
    path = tmp_path / "orders.index"
    options = {"file-index.bitmap.columns": "status", "file-index.bitmap.status.version": version}
    path.write_bytes(pk.build_file_index(pa.table({"status": status}), schema, options))

    with FileIndex.open(path, schema) as index:
        selection = index.evaluate("status = 'PENDING'")
        assert (selection.kind, selection.exact) == ("rows", True)
        assert np.array_equal(np.array(selection.rows), pending)
        assert index.bytes_read < 50_000
        assert path.stat().st_size > 300_000  # of which this is a small part
