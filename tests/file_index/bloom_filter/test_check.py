"""Checks of bloom filters: a value that one excludes is found, with its byte."""

from typing import Any

import pyarrow as pa
import pytest
from ksykit.runtime.errors import FormatError

from paimon_ksy.data_files.orc.shifted import ShiftedError
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.bloom_filter.check import check, compare
from paimon_ksy.file_index.bloom_filter.reader import BloomFilterReader
from paimon_ksy.file_index.bloom_filter.writer import BloomFilterBuilder
from paimon_ksy.io.source import open_source
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.parse import parse_type

PREFIX = b"before"


def column_of(values: list[Any], text: str) -> pa.ChunkedArray:
    return pa.chunked_array([pa.array(values, to_arrow(parse_type(text)))])


def body_of(values: list[Any], text: str = "INT") -> bytes:
    built = BloomFilterBuilder.of(parse_type(text), {"items": "20"})
    return b"".join(map(bytes, built.build(column_of(values, text))))


def reader(body: bytes, text: str = "INT") -> BloomFilterReader:
    source = open_source(PREFIX + body)
    return BloomFilterReader(source, len(PREFIX), "c", parse_type(text), len(body))


def compared(body: bytes, values: list[Any], text: str = "INT", form: str = "parquet") -> None:
    compare(reader(body, text), "c", column_of(values, text), parse_type(text), form)


def test_each_byte_of_set_bits_is_needed() -> None:
    values = [*range(10), None]
    body = body_of(values)
    for at in range(4, len(body)):
        if body[at]:
            damaged = body[:at] + b"\0" + body[at + 1 :]
            with pytest.raises(CorruptFileError, match=r"excludes \d+ values?") as raised:
                compared(damaged, values)
            assert raised.value.offset == len(PREFIX) + at


def test_another_column_is_told_from_its_own() -> None:
    with pytest.raises(CorruptFileError, match=r"values? of the data"):
        compared(body_of([1, 2, 3]), [*range(100, 200)])


@pytest.mark.parametrize("end", [-1, 1])
def test_bits_that_do_not_fill_the_body(end: int) -> None:
    body = body_of([1])
    with pytest.raises(CorruptFileError, match="its bits take"):
        check(reader(body), len(PREFIX), len(PREFIX) + len(body) + end)


def test_a_filter_without_hash_functions() -> None:
    body = body_of([1])
    with pytest.raises(FormatError, match="num_hashes cannot be 0"):
        check(reader(bytes(4) + body[4:]), len(PREFIX), len(PREFIX) + len(body))


def test_chars_without_the_spaces_that_orc_does_not_keep() -> None:
    body = body_of(["ab  ", "c   "], "CHAR(4)")
    compared(body, ["ab", "c"], "CHAR(4)", "orc")
    with pytest.raises(CorruptFileError, match="excludes 1 value "):
        compared(body, ["ab", "d"], "CHAR(4)", "orc")


def test_timestamps_that_java_shifted_are_no_damage() -> None:
    """Java's writer of ORC stores -999.5 s as -998.5 s, and indexes what it was given."""
    written, stored = -999_500, -998_500
    body = body_of([written], "TIMESTAMP(3)")
    with pytest.raises(ShiftedError):
        compared(body, [stored], "TIMESTAMP(3)", "orc")
    with pytest.raises(CorruptFileError):
        compared(body, [stored], "TIMESTAMP(3)", "parquet")
