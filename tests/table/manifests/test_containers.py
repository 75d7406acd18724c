"""Records of Avro, ORC and Parquet files, and files that are broken."""

import io
import subprocess
import sys
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.manifests.containers import read_container
from tests import ROOT
from tests.support.manifests import CODECS, ENTRIES, LISTS, RECORDS, arrow, avro, orc, parquet
from tests.support.strategies import examples


def read(data: bytes) -> list[dict[str, Any]]:
    return [record for batch in read_container(data, "m") for record in batch.to_pylist()]


WANTED = arrow(ENTRIES, RECORDS).to_pylist()


def plain(value: Any) -> Any:
    """A record without what formats differ in: the zone of times."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    return value.replace(tzinfo=None) if hasattr(value, "tzinfo") else value


@pytest.mark.parametrize("codec", CODECS)
@pytest.mark.parametrize("interval", [100, 16_000])
def test_each_codec(codec: str, interval: int) -> None:
    assert plain_all(read(avro(ENTRIES, RECORDS, codec, sync_interval=interval))) == WANTED


def plain_all(records: list[Any]) -> list[Any]:
    return [plain(record) for record in records]


@pytest.mark.parametrize("write", [orc, parquet])
def test_each_format(write: Any) -> None:
    assert plain_all(read(write(ENTRIES, RECORDS))) == WANTED


@pytest.mark.parametrize("codec", ["null", "zstandard"])
def test_a_union_of_null_and_record(codec: str) -> None:
    """Rust writes records so."""
    assert plain_all(read(avro(["null", ENTRIES], RECORDS, codec))) == WANTED


def test_nothing() -> None:
    for data in (avro(LISTS, []), orc(LISTS, []), parquet(LISTS, [])):
        assert read(data) == []


def test_parts_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paimon_ksy.table.manifests.avro_blocks.PART_BYTES", 1000)
    data = avro(ENTRIES, RECORDS, sync_interval=100)
    sizes = [batch.num_rows for batch in read_container(data, "m")]
    assert sum(sizes) == len(RECORDS)
    assert len(sizes) > 5


def test_a_file_that_grows_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("paimon_ksy.table.manifests.avro_blocks.MOST_BYTES", 1000)
    with pytest.raises(CorruptFileError, match=r"^m: .*it has more than"):
        read(avro(ENTRIES, RECORDS))


def test_another_format() -> None:
    for data in (b"", b"no Avro", b"{}" * 100):
        with pytest.raises(CorruptFileError, match=r"^m: it is not an Avro, ORC or Parquet file"):
            read(data)


def recounted(change: int) -> bytes:
    """A file whose only block counts more or fewer records than it has."""
    sink = io.BytesIO()
    from fastavro.write import Writer

    writer: Any = Writer(sink, ENTRIES)
    blocks: Any = fastavro.block_reader(io.BytesIO(avro(ENTRIES, RECORDS, "null")))

    class Block:
        def __init__(self, block: Any) -> None:
            self.num_records, self.bytes_ = block.num_records + change, block.bytes_

    for block in blocks:
        writer.write_block(Block(block))
    return sink.getvalue()


@pytest.mark.parametrize("change", [-50, -49, -1, 1, 2, 1000, 2**40, -(2**40)])
def test_wrong_counts(change: int) -> None:
    assert read(recounted(0))
    with pytest.raises(CorruptFileError, match=r"^m: "):
        read(recounted(change))


def of_field(kind: Any) -> Any:
    """The schema of a record with one field."""
    return {"type": "record", "name": "r", "fields": [{"name": "a", "type": kind}]}


EMPTY_RECORD = {"type": "record", "name": "s", "fields": []}


@pytest.mark.parametrize(
    ("schema", "record"),
    [
        ("string", "a"),
        (of_field("null"), {"a": None}),
        (of_field({"type": "array", "items": "null"}), {"a": []}),
        (of_field({"type": "array", "items": EMPTY_RECORD}), {"a": []}),
        (of_field({"type": "map", "values": "int"}), {"a": {}}),
    ],
)
def test_other_schemas(schema: Any, record: Any) -> None:
    with pytest.raises(CorruptFileError, match=r"^m: "):
        read(avro(schema, [record]))


@pytest.mark.parametrize("write", [avro, orc, parquet])
@examples(50)
@given(st.data())
def test_a_cut_file(write: Any, data: st.DataObject) -> None:
    whole = write(ENTRIES, RECORDS[:4])
    end = data.draw(st.integers(0, len(whole) - 1))
    try:
        found = read(whole[:end])
    except CorruptFileError as error:
        assert error.path == "m"
    else:
        assert found == []  # without any block


FLIPPED = """
import random, resource, sys
resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
sys.stderr = open("/dev/null", "w")
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.manifests.containers import read_container
from tests.support.manifests import ENTRIES, RECORDS, avro
random.seed(int(sys.argv[1]))
wrong = 0
for whole in [avro(ENTRIES, RECORDS[:9], codec) for codec in ("null", "null", "zstandard")]:
    for _ in range(300):
        data = bytearray(whole)
        for _ in range(random.choice([1, 1, 2, 8])):
            at, value = random.randrange(len(data)), random.choice([0, 1, 127, 128, 255])
            data[at] = random.choice([value, random.randrange(256)])
        try:
            for batch in read_container(bytes(data), "m"):
                batch.validate()
        except CorruptFileError:
            wrong += 1
print(wrong)
"""


def test_flipped_bytes() -> None:
    """A process of its own: native code that takes wrong bytes for lengths could end it."""
    done = subprocess.run(
        [sys.executable, "-c", FLIPPED, "7"], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr[-1000:]
    assert int(done.stdout) > 100
