"""What inspect, verify and the map of bytes show of bitmap and multivalue indexes."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.bitmap.writer import JAVA, PYPAIMON, BitmapIndexWriter
from paimon_ksy.global_index.metadata import SortedMetadata, write_metadata
from paimon_ksy.inspection.byte_map import hex_fields
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.inspection.verify import verify_as
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import NAMED, kind_of
from paimon_ksy.io.source import open_source
from paimon_ksy.types.schema import Schema

BITMAP = NAMED["bitmap"]
NUMBERS = pa.array([None if i % 9 == 0 else i * 37 % 70 - 20 for i in range(200)], pa.int32())
SCHEMA = Schema.parse("c INT")
[FIELD] = SCHEMA.fields
ARRAYS = pa.array([[1, 2], None, [], [2, None], [300]], pa.list_(pa.int32()))
CODECS = BlockCompression.none, BlockCompression.zstd, BlockCompression.lz4


PYPAIMON_MISREADS = "Java 1.4 and pypaimon 2.1 return wrong rows"
OTHERS_MISREAD = "Java 1.4, Java 2.0 and pypaimon-rust 0.4 return wrong rows"


def written(codec: BlockCompression = BlockCompression.none, style: Any = JAVA) -> bytes:
    return BitmapIndexWriter(FIELD, style, 100, codec).write(NUMBERS)[0]


def findings(data: bytes, **facts: Any) -> list[Any]:
    return verify_as(BITMAP, Subject(open_source(data), **facts))


def test_what_a_file_contains() -> None:
    source = open_source(written())
    assert kind_of(source) is BITMAP
    report = inspect_file(Subject(source, SCHEMA), top=2).content
    counts = NUMBERS.drop_null().value_counts().to_pylist()
    most = max(one["counts"] for one in counts)
    assert (report.distinct, report.rows, report.nulls) == (len(counts), 200, NUMBERS.null_count)
    assert (report.order, report.misread_by) == ("value", PYPAIMON_MISREADS)
    assert len(report.values) == 2 and report.values[0].rows == most
    assert {"values": report.values[0].value, "counts": most} in counts
    by_bytes = inspect_file(Subject(open_source(written(style=PYPAIMON)), SCHEMA)).content
    assert by_bytes.misread_by == OTHERS_MISREAD
    data, _ = BitmapIndexWriter(FIELD).write_elements(ARRAYS)
    of_arrays = inspect_file(Subject(open_source(data), Schema.parse("c ARRAY<INT>"))).content
    assert [(one.value, one.rows) for one in of_arrays.values] == [(2, 2), (1, 1), (300, 1)]
    assert (of_arrays.rows, of_arrays.nulls) == (None, None)  # it does not list them
    assert not findings(data, schema=Schema.parse("c ARRAY<INT>"))


@pytest.mark.parametrize("codec", CODECS)
def test_no_changed_byte_is_overlooked(codec: BlockCompression) -> None:
    """Each row has one value, so that a single change of a bitmap contradicts the others."""
    data = written(codec)
    facts: dict[str, Any] = {"row_range": (0, 199), "cardinality": 200}
    assert not findings(data) and not findings(data, schema=SCHEMA, **facts)
    for at in random.Random(codec.name).sample(range(len(data)), 60):
        bad = bytearray(data)
        bad[at] ^= 1 << at % 8
        assert findings(bytes(bad), **facts), f"byte {at}"
    for size in range(1, len(data), len(data) // 8):
        assert findings(data[:size])
    assert findings(data[:8] + data)[0].message


def test_the_facts_of_the_index_manifest_are_compared() -> None:
    data, metadata = BitmapIndexWriter(FIELD, PYPAIMON).write(NUMBERS)
    facts: dict[str, Any] = {"schema": SCHEMA, "row_range": (0, 199), "cardinality": 200}
    facts["metadata"] = write_metadata(metadata)
    assert not findings(data, **facts)
    others = (
        SortedMetadata(metadata.first_key, metadata.first_key, True),
        metadata._replace(has_nulls=False),
    )
    changes: tuple[dict[str, Any], ...] = (
        {"row_range": (0, 198)},
        {"cardinality": 201},
        *({"metadata": write_metadata(other)} for other in others),
    )
    for change in changes:
        assert len(findings(data, **facts | change)) == 1


@pytest.mark.parametrize("codec", CODECS)
def test_all_bytes_are_described(codec: BlockCompression, tmp_path: Path) -> None:
    data = written(codec)
    source = open_source(data)
    document = dump_file(source)
    assert assemble(document) == data and not document["gaps"]
    named = [field for field in hex_fields(source, None, 0, len(data)) if field.path]
    covered = {byte for field in named for byte in range(field.start, field.end)}
    assert covered == set(range(len(data)))
