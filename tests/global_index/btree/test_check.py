"""Checks of BTree indexes: each changed byte is found or harmless, and what manifests state."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from ksykit.runtime.arrays import BytesColumn
from ksykit.runtime.varints import IntegerLists

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.btree.check import check
from paimon_ksy.global_index.btree.inspect import inspect
from paimon_ksy.global_index.btree.writer import Options, Written, write_index, write_postings
from paimon_ksy.global_index.metadata import SortedMetadata, write_metadata
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import open_source
from paimon_ksy.types.data_type import Field
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.global_indexes import index_file, postings_of

FIELDS = Field("name", parse_type("STRING")), Field("id", parse_type("INT"))
NAMES = ["a", "b", None, "a", "ccc", "a", "b", *["d"] * 200]
IDS = [1, None, 5, *range(204)]
SMALL = Options(block_size=30)


def written(options: Options = SMALL, *, columns: int = 1) -> Written:
    arrays = [pa.array(NAMES), pa.array(IDS, pa.int32())]
    return write_index(arrays[:columns], FIELDS[:columns], options)


def subject(of: Written, columns: int = 1) -> Subject:
    source, schema = open_source(of.data), Schema(FIELDS[:columns])
    rows = (100, 99 + of.num_rows)
    return Subject(source, schema, of.num_rows, row_range=rows, metadata=of.metadata)


def findings(what: Subject) -> list[str]:
    return [finding.message for finding in check(what, None)]


def content(data: bytes) -> Any:
    file = index_file(data, FIELDS[:1], len(NAMES), None, len(NAMES))
    batches = postings_of(file)
    return [(b.keys[0].to_pylist(), b.counts.tolist(), b.rows.tolist()) for b in batches]


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("compression", list(BlockCompression)[:3])
def test_sound_files_pass(version: int, compression: BlockCompression) -> None:
    for columns in (1, 2):
        for block_size in (1, 1 << 16):
            options = Options(version, block_size, compression, has_bloom_filter=True)
            assert not findings(subject(written(options, columns=columns), columns))


@pytest.mark.parametrize("version", [1, 2])
def test_each_changed_byte_is_found_or_harmless(version: int) -> None:
    sound = written(SMALL._replace(version=version, has_bloom_filter=True))
    expected = content(sound.data)
    harmless = 0
    for at in range(len(sound.data)):
        bad = bytearray(sound.data)
        bad[at] ^= 1 << at % 8
        changed = sound._replace(data=bytes(bad))
        try:
            is_found = bool(findings(subject(changed)))
        except PaimonKsyError:
            is_found = True
        if not is_found:
            assert content(changed.data) == expected
            harmless += 1
    assert harmless < 20  # bits of the Bloom filter


def test_what_the_manifest_states_is_compared() -> None:
    sound = written()
    cases = {
        "first or last key": SortedMetadata(b"a", b"z", has_nulls=True),
        "about whether there are nulls": SortedMetadata(b"a", b"d", has_nulls=False),
    }
    for message, metadata in cases.items():
        [found] = findings(replace(subject(sound), metadata=write_metadata(metadata)))
        assert message in found
    [found] = findings(replace(subject(sound), num_rows=3))
    assert "but 3 according to the index manifest" in found
    [found] = findings(replace(subject(sound), row_range=(0, 9)))
    assert "is out of a range of 10 rows" in found


LISTS: dict[str, Callable[[], Any]] = {
    "keys do not ascend": lambda: ([b"b", b"a"], [1, 2], [0, 1, 2]),
    "a key has no rows": lambda: ([b"a", b"b"], [1], [0, 1, 1]),
    "do not ascend": lambda: ([b"a"], [2, 1], [0, 2]),
    "1 row with a second value": lambda: ([b"a", b"b"], [1, 1], [0, 1, 2]),
}


@pytest.mark.parametrize("message", LISTS)
@pytest.mark.parametrize("block_size", [1, 1 << 16])
def test_postings_that_contradict_each_other(message: str, block_size: int) -> None:
    keys, rows, offsets = LISTS[message]()
    lists = IntegerLists(np.array(rows), np.array(offsets))
    nulls = np.array([9])
    bad = write_postings(BytesColumn.of(keys), lists, nulls, Options(block_size=block_size))
    [found] = findings(Subject(open_source(bad.data), Schema(FIELDS[:1])))
    assert message in found


def test_rows_that_are_null_and_have_a_value() -> None:
    rows = np.array([5])
    lists = IntegerLists(rows, np.array([0, 1]))
    bad = write_postings(BytesColumn.of([b"a"]), lists, rows, SMALL)
    [found] = findings(Subject(open_source(bad.data)))
    assert "1 row with a value and without one; the first is row 5" in found


def test_a_file_of_another_version_is_not_called_corrupt() -> None:
    data = bytearray(written().data)
    data[-8] = 3
    [finding] = check(Subject(open_source(bytes(data))), None)
    assert (finding.severity, finding.message) == (
        "note",
        "unsupported version 3 of the BTree index; supported: 1 and 2",
    )


def test_reports() -> None:
    report = inspect(subject(written(SMALL._replace(version=2))), 2).to_json()
    assert report["keys"] == [{"key": "d", "rows": 200}, {"key": "a", "rows": 3}]
    facts = {name: report[name] for name in ("version", "distinct", "rows", "nulls", "blocks")}
    assert facts == {"version": 2, "distinct": 4, "rows": 207, "nulls": 1, "blocks": 2}
    assert (report["first_key"], report["last_key"]) == ("a", "d")
    assert report["misread_by"] == "Java 1.4 and pypaimon 2.1 return wrong rows"
    several = inspect(subject(written(columns=2), 2), 1).to_json()
    assert several["misread_by"] == "Java 1.4 fails, and pypaimon 2.1 reads the data instead"
    assert several["first_key"] == [None, 5] and several["distinct"] == 207
    unknown = inspect(Subject(open_source(written().data)), None)
    assert [key["key"] for key in unknown.to_json()["keys"]] == ["64", "61", "62", "636363"]
    [note] = unknown.notes(None)
    assert note == "to show keys as values, pass the indexed columns: --schema 'COLUMN TYPE'"
    assert not list(unknown.notes(Schema.parse("c STRING")))


@pytest.mark.parametrize("compression", list(BlockCompression)[:3])
def test_files_are_dumped_and_assembled(compression: BlockCompression) -> None:
    data = written(Options(2, 100, compression, has_bloom_filter=True)).data
    assert assemble(dump_file(open_source(data))) == data
