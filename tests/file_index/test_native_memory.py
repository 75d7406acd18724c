"""Small files that ask for much memory below Python: it is not taken.

A Roaring bitmap of less than 1 MB has up to 65,536 containers. Each is of a few bytes, and some
operations would make 8 kB of it. What native code takes is only seen from outside, so each file is
read in a process of its own.
"""

import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from itertools import accumulate
from pathlib import Path
from unittest import mock

import pyarrow as pa
import pytest
from ksykit.runtime.objects import to_bytes
from pyroaring import BitMap

from paimon_ksy.file_index.bsi import writer as bsi
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.range_bitmap import writer as range_bitmap_writer
from paimon_ksy.generated.structs.deletion_vectors import (
    make_deletion_vector,
    make_deletion_vector_data,
)
from paimon_ksy.generated.structs.roaring_bitmap_64 import (
    make_keyed_bitmap,
    make_roaring_bitmap_64,
)
from paimon_ksy.types.schema import Schema
from tests.support.file_indexes import file_of

ROWS = 2**31 - 1
CONTAINER = 2**16


def full_runs(containers: int) -> bytes:
    """All rows of so many containers, a run of each."""
    bitmap = BitMap()
    bitmap.add_range(0, containers * CONTAINER)
    bitmap.run_optimize()
    return bytes(bitmap.serialize())


def single_rows(containers: int) -> bytes:
    """One row of each container. The other rows of it are a bitset, unless care is taken."""
    return bytes(BitMap(list(range(5, containers * CONTAINER, CONTAINER))).serialize())


BITMAPS: dict[str, Callable[[int], bytes]] = {"full runs": full_runs, "single rows": single_rows}


def bitmap_index(bitmap: bytes, num_rows: int) -> bytes:
    """Version 1, of no value and these null rows."""
    head = b"\1" + num_rows.to_bytes(4, "big") + bytes(4) + b"\1" + bytes(4)
    return file_of(head + bitmap)


def sliced_index(kind: str, bitmap: bytes, num_rows: int) -> bytes:
    """An index of eight slices, all of them this bitmap."""
    table = pa.table({"c": pa.array([1, 2, 255])})
    with (
        mock.patch.object(bsi, "serialized_rows", lambda chosen: bitmap),
        mock.patch.object(bsi, "serialized_slices", lambda numbers, width: [bitmap] * width),
        mock.patch.object(range_bitmap_writer, "serialized_rows", lambda chosen: bitmap),
        mock.patch.object(
            range_bitmap_writer, "serialized_slices", lambda numbers, width: [bitmap] * width
        ),
    ):
        data = build_file_index(
            table, Schema.parse("c BIGINT"), {f"file-index.{kind}.columns": "c"}
        )
    three = (3).to_bytes(4, "big")
    at = data.index(b"\1" + three, len(b"c") + data.index(kind.encode()) + len(kind) + 8)
    return data[: at + 1] + num_rows.to_bytes(4, "big") + data[at + 5 :]


def vector(bitmap: bytes, bits: int) -> bytes:
    if bits == 32:
        data = make_deletion_vector_data(bitmap_32=bitmap)
    else:
        keyed = [make_keyed_bitmap(key=key, bitmap=bitmap) for key in range(2**16, 2**16 + 8)]
        data = make_deletion_vector_data(bitmap_64=make_roaring_bitmap_64(bitmaps=keyed))
    return b"\1" + to_bytes(make_deletion_vector(data=data))


def many_keys() -> bytes:
    """As many 32-bit bitmaps of one row as fit into 1 MB."""
    one = bytes(BitMap([7]).serialize())
    keyed = [make_keyed_bitmap(key=key, bitmap=one) for key in range(20_000)]
    data = make_deletion_vector_data(bitmap_64=make_roaring_bitmap_64(bitmaps=keyed))
    return b"\1" + to_bytes(make_deletion_vector(data=data))


def shared_keys(chunks: int = 10_000, count: int = 20_000) -> bytes:
    """A dictionary of strings whose chunks all say that the same keys are theirs."""

    def number(value: int) -> bytes:
        return value.to_bytes(4, "big")

    def text(value: str) -> bytes:
        return number(len(value)) + value.encode()

    def placed(parts: list[bytes]) -> tuple[bytes, bytes]:
        starts = [0, *accumulate(map(len, parts))]
        return b"".join(map(number, starts[:-1])), b"".join(parts)

    values = chunks * (count + 1)
    offsets, keys = placed([text(f"a z{key:05}") for key in range(count)])
    sizes = number(count) + number(len(offsets)) + number(len(keys))
    heads = [
        b"\1" + text(f"a {chunk:05}") + number(chunk * (count + 1)) + number(0) + sizes
        for chunk in range(chunks)
    ]
    starts, joined = placed(heads)
    places = number(chunks) + number(len(starts)) + number(len(joined))
    dictionary = number(1 + len(places)) + b"\1" + places + starts + joined + offsets + keys
    rows, width = bytes(BitMap([0, 1, 2]).serialize()), (values - 1).bit_length()
    slice_head = b"\1" + bytes([width]) + number(len(rows)) + number(8 * width)
    slice_head += b"".join(number(bit * len(rows)) + number(len(rows)) for bit in range(width))
    bounds = text("a 00000") + text(f"a z{count - 1:05}")
    head = b"\1" + number(ROWS) + number(values) + bounds + number(len(dictionary))
    body = number(len(head)) + head + dictionary + number(len(slice_head)) + slice_head
    return file_of(body + rows * (width + 1), b"range-bitmap")


def null_rows(made: Callable[[int], bytes], num_rows: int) -> bytes:
    return bitmap_index(made(CONTAINER // 2), num_rows)


def slices(kind: str, made: Callable[[int], bytes], num_rows: int) -> bytes:
    return sliced_index(kind, made(8000), num_rows)


def deleted(made: Callable[[int], bytes], bits: int) -> bytes:
    return vector(made(CONTAINER if bits == 32 else 8000), bits)


FILES: dict[str, tuple[str, Callable[[], bytes]]] = {
    "vector of 64 bits: many keys": ("vector", many_keys),
    "range-bitmap: chunks of the same keys": ("texts", shared_keys),
}
for _name, _made in BITMAPS.items():
    for _rows in (3, ROWS):
        _of = f"{_name}, {_rows} rows"
        FILES[f"bitmap: {_of}"] = ("index", partial(null_rows, _made, _rows))
        for _kind in ("bsi", "range-bitmap"):
            FILES[f"{_kind}: {_of}"] = ("index", partial(slices, _kind, _made, _rows))
    for _bits in (32, 64):
        FILES[f"vector of {_bits} bits: {_name}"] = ("vector", partial(deleted, _made, _bits))

READ = """
import json, resource, sys, time
from pathlib import Path
from paimon_ksy import FileIndex, Schema, col
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import read_vectors
from paimon_ksy.errors import PaimonKsyError

def peak():
    status = Path("/proc/self/status")
    if status.exists():  # getrusage counts what the process was before its program was loaded
        [line] = [x for x in status.read_text().splitlines() if x.startswith("VmHWM")]
        return int(line.split()[1]) * 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

def index(data):
    column = col("c")
    questions = [column == 5, column != 5, column > 3, column.between(2, 100), column.is_null()]
    for question in (*questions, column.is_not_null(), column.is_in([1, 2, 77, 255])):
        yield lambda question=question: evaluate(data, question)

def texts(data):
    column = col("c")
    questions = [column == "a 00777x", column.is_in([f"a {at:05}x" for at in range(1000)])]
    for question in (*questions, column > "a 07777x", column != "a"):
        yield lambda question=question: evaluate(data, question, "c STRING")
    yield lambda: evaluate(data, column == "a", "c CHAR(9)")

def evaluate(data, question, schema="c BIGINT"):
    with FileIndex.open(data, Schema.parse(schema)) as opened:
        return repr(opened.evaluate(question))

def vector(data):
    def read():
        for stored in read_vectors(data):
            found = stored.vector
            found.count(0, 1000), found.mask(0, 1000), found.is_deleted([1, 2**31]), found.max
            found.cardinality
    yield read

def seconds_of(work):
    started = time.process_time()
    work()
    return time.process_time() - started

def refused(ask):
    try:
        ask()
    except PaimonKsyError:
        pass

data = Path(sys.argv[2]).read_bytes()
kinds = {"index": index, "texts": texts, "vector": vector}
list(kinds["vector"](b"\\1" + DeletionVector.of([1]).to_bytes()))[0]()  # imports what it takes
found = []
for ask in kinds[sys.argv[1]](data):
    before = peak()
    first = seconds_of(lambda: refused(ask))
    found.append((peak() - before, first, ask))
units = []
for taken, seconds, ask in found:
    unit = min(seconds_of(lambda: sum(range(1_000_000))) for _ in range(3))
    if seconds > unit:
        seconds = min(seconds, *(seconds_of(lambda: refused(ask)) for _ in range(2)))
    units.append((taken, seconds / unit))
print(json.dumps(units))
"""


@pytest.mark.parametrize("name", FILES)
def test_little_memory_and_time(name: str, tmp_path: Path) -> None:
    kind, made = FILES[name]
    data = made()
    assert 200_000 < len(data) < 1_200_000
    (tmp_path / "file").write_bytes(data)
    done = subprocess.run(
        [sys.executable, "-c", READ, kind, str(tmp_path / "file")],
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    )
    for taken, units in json.loads(done.stdout):
        assert taken < 100e6
        assert units < 50  # additions of a million numbers: a second of a slow machine
