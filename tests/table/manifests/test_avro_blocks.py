"""Blocks of Avro files come out as they went in, and are no larger than the bound."""

import re
from random import Random
from typing import Any

import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.manifests import avro_blocks
from paimon_ksy.table.manifests.avro_blocks import read_parts
from paimon_ksy.table.manifests.containers import read_containers
from tests.support.manifests import CODECS, avro
from tests.support.memory import peak_of

SCHEMA = {
    "type": "record",
    "name": "r",
    "fields": [{"name": "a", "type": "int"}, {"name": "b", "type": "bytes"}],
}
MB = 1 << 20


def records(data: bytes) -> list[dict[str, Any]]:
    return [row for found in read_containers([(data, "m")]) for row in found.batch.to_pylist()]


@pytest.mark.parametrize("codec", CODECS)
def test_blocks_of_any_size(codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In pieces of one decoder, and in several parts."""
    monkeypatch.setattr(avro_blocks, "PART_BYTES", MB)
    given = [{"a": n, "b": Random(n).randbytes(n % 5 * 99_999)} for n in range(25)]
    data = avro(SCHEMA, given, codec, sync_interval=300_000)
    assert len(list(read_parts(data)[1])) > 2
    assert records(data) == given


@pytest.mark.parametrize("codec", [codec for codec in CODECS if codec != "null"])
def test_a_block_that_grows_too_large(codec: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not decompressed to see how large it is."""
    data = avro(SCHEMA, [{"a": 1, "b": bytes(64 * MB)}], codec)
    monkeypatch.setattr(avro_blocks, "MOST_BYTES", MB)
    assert len(data) < 4 * MB

    def read() -> None:
        with pytest.raises(CorruptFileError, match=r"more than 1 MB|a block of \d{8} bytes"):
            records(data)

    assert peak_of(read) < 16 * MB  # xz takes half of it


ONE_BLOCK = b"\x02\x04\x02!"
"""One record, two bytes: the text of one byte."""


@pytest.mark.parametrize(
    ("codec", "old", "new", "message"),
    [
        ("null", b"codec\x08null", b"codec\x08none", "it is compressed by none"),
        ("null", ONE_BLOCK, b"\x01\x04\x02!", "a block does not end where its length has it"),
        ("null", ONE_BLOCK, b"\x02\x02\x02!", "a block does not end where its length has it"),
        ("null", ONE_BLOCK, b"\x7e\x04\x02!", "blocks of 2 bytes count 63 records"),
        ("snappy", b"\x02!", b"\x02?", "a block has another checksum"),
    ],
)
def test_broken_files(codec: str, old: bytes, new: bytes, message: str) -> None:
    schema = {"type": "record", "name": "r", "fields": [{"name": "b", "type": "bytes"}]}
    data = avro(schema, [{"b": b"!"}], codec)
    assert records(data) == [{"b": b"!"}]
    assert old in data
    with pytest.raises(CorruptFileError, match=f"^m: .*{re.escape(message)}"):
        records(data.replace(old, new))
