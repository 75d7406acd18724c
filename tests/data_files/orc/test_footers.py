"""Damage of ORC files that ends the process in Arrow's reader is told before it gets there."""

import io
import random
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.orc as orc
import pytest

from paimon_ksy.data_files.orc.footers import OrcFooters
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.io.source import open_source
from tests.support.damage import flipped

KINDS = ("uncompressed", "zlib", "snappy", "lz4", "zstd")


def orc_file(kind: str, rows: int = 100) -> bytes:
    texts = [f"v{i % 7}" for i in range(rows)]
    data = pa.table({"id": range(rows), "s": texts, "d": [i / 2 for i in range(rows)]})
    out = io.BytesIO()
    orc.write_table(data, out, compression=kind)
    return out.getvalue()


def check(data: bytes) -> None:
    with open_source(data) as source:
        footers = OrcFooters(source)
        for number in range(len(footers._stripes)):
            footers.writer_zone(number)


@pytest.mark.parametrize("kind", KINDS)
def test_sound_files_pass_and_damage_is_told(kind: str) -> None:
    data = orc_file(kind)
    check(data)
    for cut in range(0, len(data), 9):
        with pytest.raises(CorruptFileError):
            check(data[:cut])
    told = 0
    for bit in range(0, len(data) * 8, 7):
        try:
            check(flipped(data, bit))
        except CorruptFileError as error:
            assert "ORC" in error.message
            told += 1
    assert told > (80 if kind == "zstd" else 5)


def test_where_it_is_wrong() -> None:
    data = orc_file("zstd")
    sound = orc.ORCFile(io.BytesIO(data))
    # In front of the footer and its statistics stands the footer of the last stripe.
    after = sound.file_length - sound.file_postscript_length - 1 - sound.file_footer_length
    end = after - sound.stripe_statistics_length
    with open_source(flipped(data, 8 * end - 40)) as source:
        footers = OrcFooters(source)
        with pytest.raises(CorruptFileError, match="footer of its stripe 0") as error:
            footers.writer_zone(0)
    assert error.value.offset is not None
    assert end - 300 < error.value.offset < end - 5
    with open_source(flipped(data, 8 * after + 64)) as source, pytest.raises(CorruptFileError) as e:
        OrcFooters(source)
    assert e.value.offset == after


def test_each_stripe_is_looked_at() -> None:
    data = pa.table({"s": [random.Random(i).randbytes(20).hex() for i in range(20_000)]})
    out = io.BytesIO()
    orc.write_table(data, out, compression="zstd", stripe_size=64 << 10, batch_size=1024)
    assert orc.ORCFile(io.BytesIO(out.getvalue())).nstripes > 1
    check(out.getvalue())


CHILD = """
import sys
from pathlib import Path
from paimon_ksy.data_files.open import open_data_file
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.io.source import open_source
from tests.support.damage import flipped, read_all
data = Path(sys.argv[1]).read_bytes()
for bit in map(int, sys.argv[2].split(",")):
    read_all(flipped(data, bit))
"""


def test_footers_of_which_bits_are_flipped_do_not_end_the_process(tmp_path: Path) -> None:
    data = orc_file("zstd")
    path = tmp_path / "some.orc"
    path.write_bytes(data)
    sound = orc.ORCFile(path)
    bits = range(8 * sound.content_length - 700, 8 * sound.file_length)
    some = random.Random(1).sample(bits, 100)
    code = [sys.executable, "-c", CHILD, str(path), ",".join(map(str, some))]
    assert subprocess.run(code, timeout=600).returncode == 0
