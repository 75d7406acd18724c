"""Files of pypaimon and pypaimon-rust are written again, byte for byte."""

from __future__ import annotations

import json
import math
import struct
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ksykit.runtime import objects
from ksykit.runtime.types import type_of
from pypaimon.globalindex.bitmap.bitmap_index_writer import BitmapIndexWriter as OfPypaimon
from pypaimon.globalindex.key_serializer import create_serializer
from pypaimon.schema.data_types import AtomicType

from kit_support.examples import examples
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.structs.global_bitmap_index import GlobalBitmapIndex
from paimon_ksy.global_index.bitmap.writer import PYPAIMON, PYPAIMON_RUST, BitmapIndexWriter
from paimon_ksy.global_index.metadata import write_metadata
from paimon_ksy.inspection.verify import verify_as
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import NAMED
from paimon_ksy.io.source import open_source
from paimon_ksy.types.data_type import Field
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.global_index.bitmap.test_reader import opened, rows_by_key
from tests.support.newer_tables import DATA, newer_table, rows


class LocalFiles:
    """The files of pypaimon's writer."""

    def check_or_mkdirs(self, path: str) -> None:
        Path(path).mkdir(exist_ok=True)

    def new_output_stream(self, path: str) -> Any:
        return Path(path).open("wb")


@pytest.mark.parametrize(
    ("text", "array"),
    [
        ("INT", pa.array([i * 37 % 1001 - 300 if i % 11 else None for i in range(8000)])),
        ("STRING", pa.array([f"k{i % 300}" * (i % 4) for i in range(500)])),
        ("STRING", pa.array([None, None], pa.string())),
        ("BOOLEAN", pa.array([True, False, None])),
    ],
)
def test_files_are_those_of_pypaimon(text: str, array: pa.Array, tmp_path: Path) -> None:
    serializer = create_serializer(AtomicType(text))
    writer = OfPypaimon(LocalFiles(), str(tmp_path), serializer, 300)
    for row, key in enumerate(array.to_pylist()):
        writer.write(key, row)
    [entry] = writer.finish()
    [path] = tmp_path.iterdir()
    ours = BitmapIndexWriter(Field("c", parse_type(text)), PYPAIMON, 300)
    data, metadata = ours.write(array)
    assert (data, write_metadata(metadata)) == (path.read_bytes(), entry.meta)


ZEROS_AND_NANS = [0.0, -0.0, math.nan, -math.nan, struct.unpack("<d", b"\1" * 6 + b"\xf8\x7f")[0]]


@pytest.mark.parametrize("text", ["FLOAT", "DOUBLE"])
@settings(examples(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.none() | st.sampled_from([*ZEROS_AND_NANS, 1.5]), min_size=1))
def test_zeros_and_nans_of_pypaimon_are_no_findings(
    text: str, tmp_path_factory: pytest.TempPathFactory, values: list[float | None]
) -> None:
    """It states the first of 0.0 and -0.0 in the index manifest, though it stores both."""
    folder = tmp_path_factory.mktemp("index")
    writer = OfPypaimon(LocalFiles(), str(folder), create_serializer(AtomicType(text)))
    for row, key in enumerate(values):
        writer.write(key, row)
    [entry] = writer.finish()
    [path] = folder.iterdir()
    facts = {"schema": Schema.parse(f"c {text}"), "metadata": entry.meta}
    source = open_source(path)
    assert not verify_as(NAMED["bitmap"], Subject(source, num_rows=len(values), **facts))


@pytest.fixture(scope="module")
def by_rust(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """The index files of tables that pypaimon-rust indexed, by the name of the table."""
    folder = tmp_path_factory.mktemp("rust")
    tables = {name: newer_table(folder, name) for name in ("bitmap_lz4", "multivalue")}
    return {name: next(Path(path, "index").iterdir()).read_bytes() for name, path in tables.items()}


def test_files_of_rust_are_read_and_written_again(by_rust: dict[str, bytes]) -> None:
    text = parse_type("STRING")
    column = rows(0, 2000)["name"].combine_chunks()
    expected: dict[bytes, list[int]] = {}
    for row, name in enumerate(column.to_pylist()):
        if name is not None:
            expected.setdefault(name.encode(), []).append(row)
    assert rows_by_key(opened(by_rust["bitmap_lz4"], text, 2000)) == expected
    ours = BitmapIndexWriter(Field("x", text), PYPAIMON_RUST)
    assert ours.write_elements(DATA["tags"])[0] == by_rust["multivalue"]
    for data in by_rust.values():
        type_ = type_of(GlobalBitmapIndex)
        parsed = type_.read(data)
        gaps = objects.gaps(parsed, data)
        assert objects.to_bytes(parsed, gaps) == data
        document = json.loads(json.dumps(objects.file_to_json([(0, type_, {})], data)))
        assert objects.parts_from_json(document, type_named) == data
