"""The parts of a bitmap index: walking them meets each value once."""

from typing import Any

import pytest
from ksykit.runtime.errors import FormatError

from paimon_ksy.file_index.bitmap.parts import BitmapParts
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.io.source import open_source
from paimon_ksy.types.data_type import column_type
from tests.support.file_indexes import FILES, INTS, TEXTS


def start_of(data: bytes) -> int:
    with FileIndex.open(data) as opened:
        return int(opened.places["c"]["bitmap"].ofs_body)


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize(("kind", "column"), [("INT", INTS), ("STRING", TEXTS)])
def test_entries_are_the_distinct_values(kind: str, column: list[Any], version: int) -> None:
    data, schema = FILES[f"{kind} V{version}"]
    stored = column_type(schema["c"])
    assert stored is not None
    with open_source(data) as source:
        parts = BitmapParts(source, start_of(data), stored)
        assert parts.version == version
        entries = list(parts)
        assert len(entries) > 1 if version == 2 else len(entries) == 1
        keys = [key for part in entries for key in list(part.entries_key)]
        nulls, size = parts.place_of_nulls()
    values = {value for value in column if value is not None}
    assert len(keys) == len(values)
    assert {key.decode() if kind == "STRING" else int(key) for key in keys} == values
    if version == 2:
        assert keys == sorted(keys)
    assert 0 < nulls < len(data)
    assert size is None or nulls + size <= len(data)


def test_a_head_that_does_not_fit_is_an_error() -> None:
    data, schema = FILES["INT V1"]
    stored = column_type(schema["c"])
    assert stored is not None
    start = start_of(data)
    for damaged in (data[: start + 3], data[:start] + b"\x09" + data[start + 1 :]):
        with open_source(damaged) as source, pytest.raises((FormatError, EOFError)):
            BitmapParts(source, start, stored)
