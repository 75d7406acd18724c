"""Broken files: each gives our error, or the right answer for the bytes as they are."""

import tracemalloc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.check import check_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.generated.parsers.bitmap_index import BitmapIndex
from paimon_ksy.generated.parsers.file_index import FileIndex as Container
from paimon_ksy.generated.writers.file_index import make_file_index, make_file_index_head
from paimon_ksy.predicates.tree import Predicate, col
from paimon_ksy.runtime.objects import to_bytes
from paimon_ksy.types.data_type import column_type
from paimon_ksy.types.schema import Schema
from tests.golden import bad_files
from tests.support.file_indexes import (
    FILES,
    file_of,
    flipped,
    key_of,
    values_of,
    with_numbers,
)
from tests.support.selections import selected_rows
from tests.support.strategies import Table

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")
A_IS_1 = col("a") == 1
SCHEMA = Schema.parse("a INT")


# What becomes of `a = 1` on the rows 1, 2, 1: rows, "all", "skip", or an error.
GOLDEN = {
    "bitmap_version_0": "column 'a', byte 47: unsupported version 0 of the bitmap index",
    "bitmap_version_3": "column 'a', byte 47: unsupported version 3 of the bitmap index",
    "bloom_length_too_long": "column 'a', byte 53: the field num_hashes cannot be 33554432",
    "bsi_version_2": "column 'a', byte 44: unsupported version 2 of the bsi index; supported: 1",
    "duplicate_column": [0, 2],
    "duplicate_index": "skip",
    "empty_and_bitmap": [0, 2],
    "empty_file": "byte 0: the file ends too early: 8 bytes are needed, but only 0 are left",
    "head_length_negative": "byte 12: the field len_head cannot be -5",
    "head_length_short": "byte 20: the file ends too early",
    "length_too_long": [0, 2],
    "length_zero": [0, 2],
    "negative_start_-2": "byte 35: the field ofs_body cannot be -2",
    "redundant_bytes": [0, 2],
    "same": [0, 2],
    "start_past_end": "column 'a', byte 5047: the file ends too early",
    "trailing_garbage": [0, 2],
    "truncated_body": "column 'a', byte 101: bytes 101 to 121 are outside the file of 111 bytes",
    "truncated_head": "byte 20: the file ends too early: 31 bytes are needed, but only 4",
    "truncated_magic": "byte 5: the file ends too early: 8 bytes are needed, but only 5",
    "unknown_column": "all",
    "unknown_index_type": "all",
    "unknown_index_type_empty": "skip",
    "version_0": "byte 8: unsupported version 0 of the file index; supported: 1",
    "version_2": "byte 8: unsupported version 2 of the file index; supported: 1",
    "wrong_magic": "byte 0: not a Paimon file index: it does not start with the magic",
}


@pytest.mark.parametrize("case", bad_files(), ids=lambda case: case.name)
def test_golden(case) -> None:  # type: ignore[no-untyped-def]
    expected = GOLDEN[case.name]
    java = next(answer for answer in case.answers if answer.predicate["op"] == "eq")
    if isinstance(expected, str) and expected not in ("all", "skip"):
        with (
            pytest.raises(CorruptFileError) as error,
            FileIndex.open(case.data, SCHEMA) as index,
        ):
            index.evaluate(A_IS_1)
        assert str(error.value).startswith(f"<bytes>: {expected}")
        assert error.value.path == "<bytes>"
        assert error.value.offset is not None
        # Java's check of a body's place is its file system's: it fails, or has read nothing.
        assert java.error is not None or java.result is None
        return
    with FileIndex.open(case.data, SCHEMA) as index:
        selection = index.evaluate(A_IS_1)
    assert (list(selection.rows) if selection.rows else selection.kind) == expected
    if java.result == "BITMAP" and isinstance(expected, list):
        assert list(java.rows or ()) == expected


# Each byte and bit --------------------------------------------------------------------------------


def questions(schema: Schema) -> list[tuple[Predicate, object]]:
    values = ["a", "bc", "e", "z"] if schema["c"].is_string else [1, 2, 9, 70_000, -4]
    return [(col("c") == value, value) for value in values] + [(col("c").is_null(), None)]


def plainly(data: bytes, schema: Schema, value: Any) -> list[int] | None:
    """The rows, by Kaitai's parser and one after another; None if that cannot be told."""
    try:
        entries: dict[bytes, Any] = {}
        for column in Container.from_bytes(data).head.columns:
            if column.name.value == b"c":
                entries |= {entry.index_type.value: entry for entry in column.indexes}
        if b"bitmap" not in entries or entries[b"bitmap"].is_empty:
            return None
        stream = entries[b"bitmap"]._root._io
        stream.seek(entries[b"bitmap"].ofs_body)
        index = BitmapIndex(column_type(schema["c"]), stream)
        meta = index.v1 if index.version == 1 else index.v2
        if value is None:
            entry, found = meta, bool(meta.has_null)
            single, row, bitmap = meta.is_null_single, meta.null_row, meta.null_bitmap
        else:
            key = value.encode() if isinstance(value, str) else value
            if index.version == 1:
                listed = meta.dictionary.entries
            else:
                refs = [r for r in meta.directory.blocks if key_of(r) <= key]
                listed = refs[-1].body.entries if refs else []
            matching = [entry for entry in listed if key_of(entry) == key]
            found = bool(matching)
            if found:
                [entry] = matching
                single, row, bitmap = entry.is_single, entry.row, entry.bitmap
        rows = [] if not found else [row] if single else values_of(bitmap)
        return rows if all(row < meta.num_rows for row in rows) else None
    except Exception:  # whatever the runtime raises
        return None


def check(data: bytes, schema: Schema) -> Iterator[bool]:
    """Asks everything; yields whether there was an answer."""
    try:
        with FileIndex.open(data, schema) as index:
            for predicate, value in questions(schema):
                try:
                    selection = index.evaluate(predicate)
                except PaimonKsyError as error:
                    assert "\n" not in str(error)
                    yield False
                    continue
                expected = plainly(data, schema, value)
                if expected is not None and selection.kind != "all":
                    assert selected_rows(selection) == sorted(expected)
                    assert len(set(expected)) == len(expected)
                elif expected is not None and selection.exact:
                    assert len(expected) == selection.count
                yield True
    except CorruptFileError as error:
        assert "\n" not in str(error)
        yield False


@pytest.mark.parametrize("name", FILES)
def test_the_files_themselves(name: str) -> None:
    data, schema = FILES[name]
    assert all(check(data, schema))
    for _, value in questions(schema):
        assert plainly(data, schema, value) is not None


@pytest.mark.parametrize("name", FILES)
def test_cut_at_each_byte(name: str) -> None:
    data, schema = FILES[name]
    answers = [any(check(data[:length], schema)) for length in range(len(data))]
    assert not any(answers[:30])


@pytest.mark.parametrize("name", FILES)
def test_each_byte_with_a_bit_flipped(name: str) -> None:
    data, schema = FILES[name]
    answers = [answer for broken in flipped(data) for answer in check(broken, schema)]
    assert any(answers)
    assert not all(answers)


@pytest.mark.parametrize("name", FILES)
def test_any_four_bytes_replaced(name: str) -> None:
    """Counts, lengths and places of 2^31 - 1, -1 and 0, wherever they stand."""
    data, schema = FILES[name]
    tracemalloc.start()
    for broken in with_numbers(data):
        list(check(broken, schema))
    assert tracemalloc.get_traced_memory()[1] < 20 * 2**20
    tracemalloc.stop()


# Files of up to 1 MB are read, or refused, in 100 MB ----------------------------------------------


def with_head(columns: bytes, num_columns: int) -> bytes:
    """A file index of nothing but a head."""
    start = to_bytes(make_file_index(head=make_file_index_head(columns=[])))
    head = num_columns.to_bytes(4, "big") + columns
    fixed = start[:12] + (16 + len(head)).to_bytes(4, "big")
    return fixed + head


def v1_of(num_values: int, dictionary: bytes) -> bytes:
    """A bitmap index V1 without nulls, of so many values."""
    body = b"\1" + (10).to_bytes(4, "big") + num_values.to_bytes(4, "big") + b"\0" + dictionary
    return file_of(body)


ENTRY = (0).to_bytes(2, "big") + (-1).to_bytes(4, "big", signed=True) + bytes(4)
MEGABYTE = 1_000_000

LARGE = {
    "columns without a name": with_head(bytes(6) * (MEGABYTE // 6), MEGABYTE // 6),
    "EMPTY indexes": with_head(bytes(2) + (100_000).to_bytes(4, "big") + ENTRY * 100_000, 1),
    "2**31 - 1 columns": with_head(bytes(MEGABYTE), 2**31 - 1),
    "empty strings": v1_of(125_000, bytes(MEGABYTE)),
    "2**31 - 1 empty strings": v1_of(2**31 - 1, bytes(MEGABYTE)),
    "one long string": v1_of(1, (2**31 - 1).to_bytes(4, "big") + bytes(MEGABYTE)),
}


@pytest.mark.parametrize("name", LARGE)
def test_large_files(name: str) -> None:
    schema = Schema.parse("c STRING")
    tracemalloc.start()
    with suppress(CorruptFileError), FileIndex.open(LARGE[name], schema) as index:
        index.evaluate(col("c") == "a")
    assert tracemalloc.get_traced_memory()[1] < 100 * 2**20
    tracemalloc.stop()


@pytest.mark.parametrize("kind", ["range-bitmap", "bsi"])
def test_a_cardinality_that_lies_is_found_by_each_look_up(kind: str) -> None:
    schema = Schema.parse("c INT")
    values = [row * 7 % 11 % 2 for row in range(20_000)]
    table = Table(schema, {"c": values}, len(values)).to_arrow()
    data = build_file_index(table, schema, {f"file-index.{kind}.columns": "c"})
    count = sum(values)
    at = data.index((count - 1).to_bytes(2, "little"), data.index(b"\x3a\x30\x00\x00"))
    broken = data[:at] + (count - 2).to_bytes(2, "little") + data[at + 2 :]
    with FileIndex.open(broken, schema) as index:
        for predicate in ("c > 0", "c = 0"):
            with pytest.raises(CorruptFileError, match="cardinality of a"):
                index.evaluate(predicate)
        [error] = check_index(index, len(values), schema)
    assert "cardinality of a" in str(error)
