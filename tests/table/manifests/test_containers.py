"""Records of Avro, ORC and Parquet files, and files that are broken."""

import io
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import fastavro
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.manifests.containers import read_containers
from tests import ROOT
from tests.support.commands import unmeasured
from tests.support.manifests import CODECS, ENTRIES, LISTS, RECORDS, arrow, avro, orc, parquet


@pytest.fixture(autouse=True, params=["fastavro", "Polars"])
def decoder(request: pytest.FixtureRequest) -> Iterator[str]:
    """What decodes Avro: fastavro decodes few records, as those of these tests are."""
    with pytest.MonkeyPatch.context() as patch:
        loaded = request.param == "Polars"
        patch.setattr("paimon_ksy.table.manifests.avro_records._polars_is_loaded", lambda: loaded)
        yield request.param


def read(data: bytes) -> list[dict[str, Any]]:
    return [row for found in read_containers([(data, "m")]) for row in found.batch.to_pylist()]


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
    for module in ("avro_blocks", "containers"):
        monkeypatch.setattr(f"paimon_ksy.table.manifests.{module}.PART_BYTES", 1000)
    data = avro(ENTRIES, RECORDS, sync_interval=100)
    sizes = [found.batch.num_rows for found in read_containers([(data, "m")])]
    assert sum(sizes) == len(RECORDS)
    assert len(sizes) > 5


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
from paimon_ksy.errors import CorruptFileError, UnsupportedError
from paimon_ksy.table.manifests.containers import read_containers
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
            for found in read_containers([(bytes(data), "m")]):
                found.batch.validate()
        except (CorruptFileError, UnsupportedError):
            wrong += 1
print(wrong)
"""


def test_flipped_bytes() -> None:
    """A process of its own: native code that takes wrong bytes for lengths could end it."""
    done = subprocess.run(
        [sys.executable, "-c", FLIPPED, "7"],
        cwd=ROOT,
        env=unmeasured(),
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stderr[-1000:]
    assert int(done.stdout) > 100


# Several files ----------------------------------------------------------------------------------


def together(*files: bytes) -> list[list[dict[str, Any]]]:
    """The records of each file, read with the others."""
    found: list[list[dict[str, Any]]] = [[] for _ in files]
    for records in read_containers((data, f"m{number}") for number, data in enumerate(files)):
        assert sum(share.num_records for share in records.shares) == len(records.batch)
        for batch, [share], _ in records.alone():
            assert share.path == f"m{share.number}"
            found[share.number] += batch.to_pylist()
    return found


WRITERS = [partial(avro, codec=codec) for codec in ("null", "zstandard", "deflate")]


@given(
    st.lists(
        st.tuples(
            st.sampled_from([*WRITERS, orc, parquet]),
            st.sampled_from([ENTRIES, LISTS, ["null", ENTRIES]]),
            st.integers(0, 3),
        ),
        max_size=6,
    )
)
@examples(40)
def test_several_files_have_what_each_has_alone(files: list[tuple[Any, Any, int]]) -> None:
    every = [
        write(schema, RECORDS[:count] if schema != LISTS else [])
        for write, schema, count in files
        if not isinstance(schema, list) or isinstance(write, partial)
    ]
    assert together(*every) == [read(data) for data in every]


def test_small_files_are_decoded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    small = avro(ENTRIES, RECORDS[:2])
    [found] = read_containers([(small, "a"), (small, "b"), (small, "c")])
    assert [tuple(share) for share in found.shares] == [(0, "a", 2), (1, "b", 2), (2, "c", 2)]
    monkeypatch.setattr("paimon_ksy.table.manifests.containers.PART_BYTES", 1)
    assert len(list(read_containers([(small, "a"), (small, "b")]))) == 2


@pytest.mark.parametrize("at", [0, 1, 2])
@pytest.mark.parametrize("write", [avro, orc, parquet])
def test_the_broken_one_of_several_is_named(at: int, write: Any) -> None:
    files = [(write(ENTRIES, RECORDS[:3]), f"m{number}") for number in range(3)]
    data = bytearray(files[at][0])
    data[-len(data) // 3 :] = bytes(len(data) // 3)
    files[at] = bytes(data), f"m{at}"
    with pytest.raises(CorruptFileError, match=rf"^m{at}: "):
        list(read_containers(files))


def test_a_record_too_few_and_one_too_many_do_not_make_up_for_each_other() -> None:
    """Each file has as many records as it counts, not only all of them together."""
    swapped = []
    for count, other in ((2, 3), (3, 2)):
        data = bytearray(avro(ENTRIES, RECORDS[:count], "null"))
        at = data.index(data[-16:]) + 16  # behind the mark that ends the header
        assert data[at] == 2 * count  # as Avro has it
        data[at] = 2 * other
        swapped.append(bytes(data))
    with pytest.raises(CorruptFileError, match=r"^m0: "):
        list(read_containers([(data, f"m{number}") for number, data in enumerate(swapped)]))
