"""Broken files: each gives our error, or what the bytes as they are say.

Each is judged by a plain decoder over Kaitai's objects, which shares no code with the readers.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import pytest
import xxhash
from ksykit.runtime.objects import to_bytes

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.check import check_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.range_bitmap.reader import stored_type
from paimon_ksy.generated.structs.file_index import make_file_index, make_file_index_head
from paimon_ksy.predicates.tree import col
from paimon_ksy.types.data_type import column_type
from paimon_ksy.types.schema import Schema
from tests.golden import bad_files
from tests.reference.bitmap_index import BitmapIndex
from tests.reference.bloom_filter_index import BloomFilterIndex
from tests.reference.bsi_index import BsiIndex
from tests.reference.file_index import FileIndex as Container
from tests.reference.range_bitmap_index import RangeBitmapIndex
from tests.support import file_indexes
from tests.support.file_indexes import flipped, key_of, values_of, with_numbers
from tests.support.memory import peak_of
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
    "empty_file": "byte 0: the file ends too early: 8 bytes are needed, but none is left",
    "head_length_negative": "byte 12: the field len_head cannot be -5",
    "head_length_short": "byte 20: the file ends too early",
    "length_too_long": [0, 2],
    "length_zero": [0, 2],
    "negative_start_-2": "byte 35: the field ofs_body cannot be -2",
    "redundant_bytes": [0, 2],
    "same": [0, 2],
    "start_past_end": "column 'a', byte 121: the file ends too early",
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
    assert (selection.kind if selection.matching is None else list(selection.rows)) == expected
    if java.result == "BITMAP" and isinstance(expected, list):
        assert list(java.rows or ()) == expected


# Each byte and bit --------------------------------------------------------------------------------

MANY = 10_000
"""Rows above which a file that claims them is not decoded plainly."""


@dataclass(frozen=True)
class File:
    """A file index of one column `c`, and the values to ask for."""

    kind: str
    schema: Schema
    data: bytes
    values: tuple[Any, ...]


def file_of(kind: str, type_text: str, column: list[Any], *values: Any, **options: str) -> File:
    schema = Schema.parse(f"c {type_text}")
    named = {f"file-index.{kind}.c.{key.replace('_', '-')}": options[key] for key in options}
    table = Table(schema, {"c": column}, len(column)).to_arrow()
    data = build_file_index(table, schema, {f"file-index.{kind}.columns": "c", **named})
    return File(kind, schema, data, values)


TEXTS = ["a", "bc", "a", None, "bc", "d"]
FILES = {
    "bsi": file_of("bsi", "INT", [1, 2, None, -5, 2, *[9] * 6], 2, -5),
    "bsi of nulls": file_of("bsi", "INT", [None, None], 2),
    "range-bitmap of INT": file_of(
        "range-bitmap", "INT", [1, 2, 1, None, 70, -5, *[9] * 6], 2, 9, chunk_size="8b"
    ),
    "range-bitmap of STRING": file_of("range-bitmap", "STRING", TEXTS, "a", "c", chunk_size="7b"),
    "bloom-filter of INT": file_of("bloom-filter", "INT", [1, 2, None, 7], 1, 3, 7, items="3"),
    "bloom-filter of STRING": file_of("bloom-filter", "STRING", TEXTS, "a", "c", items="4"),
} | {
    f"bitmap, {name}": File("bitmap", schema, data, ("a", "bc", "e", "z"))
    if schema["c"].is_string
    else File("bitmap", schema, data, (1, 2, 9, 70_000, -4))
    for name, (data, schema) in file_indexes.FILES.items()
}


# The plain decoder --------------------------------------------------------------------------------

Says = Callable[[str, Any], list[set[bool]]]
"""For an operation and a value, of each row whether it matches: both if the bytes do not tell.

A bloom filter has one row that stands for all of them.
"""


def plainly(file: File) -> tuple[int | None, Says] | None:
    """The number of rows and what is in them; None if the file is not whole.

    Raises whatever Kaitai's runtime does.
    """
    entries = [
        entry
        for column in Container.from_bytes(file.data).head.columns
        for entry in column.indexes
        if column.name.value == b"c" and entry.index_type.value == file.kind.encode()
    ]
    if not entries or entries[-1].is_empty:
        return None
    entry = entries[-1]
    stream = entry._root._io
    stream.seek(entry.ofs_body)
    if file.kind == "bloom-filter":
        return None, bloom_filter(BloomFilterIndex(entry.len_body, stream))
    if file.kind == "bitmap":
        return bitmap(BitmapIndex(column_type(file.schema["c"]), stream))
    decode = bsi if file.kind == "bsi" else range_bitmap
    found = decode(file, stream)
    if found is None:
        return None
    num_rows, values = found
    if num_rows > MANY or any(row >= num_rows for row in values):
        return None
    return num_rows, lambda op, value: [
        {OPERATIONS[op](held, stored(value)) for held in values.get(row, {None})}
        for row in range(num_rows)
    ]


def bitmap(index: BitmapIndex) -> tuple[int, Says] | None:
    """Other values than those asked for may be broken."""
    meta = index.v1 if index.version == 1 else index.v2
    if meta.num_rows > MANY:
        return None

    def says(_: str, value: Any) -> list[set[bool]]:
        if value is None:
            entry, is_there = meta, bool(meta.has_null)
            single, row, bitmap = meta.is_null_single, meta.null_row, meta.null_bitmap
        else:
            key = stored(value)
            if index.version == 1:
                listed = meta.dictionary.entries
            else:
                refs = [ref for ref in meta.directory.blocks if key_of(ref) <= key]
                listed = refs[-1].body.entries if refs else []
            matching = [entry for entry in listed if key_of(entry) == key]
            is_there = bool(matching)
            if is_there:
                [entry] = matching
                single, row, bitmap = entry.is_single, entry.row, entry.bitmap
        rows = [] if not is_there else [row] if single else values_of(bitmap)
        if len(set(rows)) < len(rows) or any(row >= meta.num_rows for row in rows):
            raise ValueError("rows that cannot be")
        return [{row in rows} for row in range(meta.num_rows)]

    return meta.num_rows, says


Decoded = tuple[int, Mapping[int, set[Any]]]
"""The number of rows, and what each that is no null can hold."""


def bsi(file: File, stream: Any) -> Decoded | None:
    index = BsiIndex(stream)
    values: dict[int, set[int]] = {}
    for sign, part in ((1, index.positive), (-1, index.negative)):
        if not part.head.has_rows:
            continue
        least, greatest = part.head.min, part.head.max
        if part.slices.num_bitmaps != (greatest - least).bit_length():
            return None
        numbers = slices_of(rows_of(part.rows), part.slices.bitmaps)
        if values.keys() & numbers:
            return None
        for row, some in numbers.items():
            values[row] = {sign * (least + n) for n in some if least + n <= greatest}
            if not values[row] or (sign < 0 and 0 in values[row]):  # no number below zero is 0
                return None
    return index.head.num_rows, values


def range_bitmap(file: File, stream: Any) -> Decoded | None:
    index = RangeBitmapIndex(stored_type(file.schema["c"]), stream)
    if not index.num_values:
        return index.num_rows, {}
    keys: list[Any] = []
    heads = index.dictionary.heads
    for chunk in heads.text_chunks if hasattr(heads, "text_chunks") else heads.fixed_chunks:
        if chunk.code != len(keys):
            return None
        keys += [chunk.key, *(key.key for key in chunk.keys.keys)]
    name = "text" if file.schema["c"].is_string else "int32"
    values = [getattr(key, name) for key in keys]
    bounds = [getattr(index.min, name), getattr(index.max, name)]
    if values != sorted(set(values)) or len(values) != index.num_values:
        return None
    if bounds != [values[0], values[-1]]:
        return None
    if index.slices.num_slices != max((len(values) - 1).bit_length(), 1):
        return None
    found = {}
    rows = rows_of(index.slices.rows)
    for row, codes in slices_of(rows, index.slices.slices, lambda part: part.bitmap).items():
        found[row] = {values[code] for code in codes if code < len(values)}
        if not found[row]:
            return None
    return index.num_rows, found


def slices_of(
    rows: list[int], slices: Sequence[Any], bitmap: Callable[[Any], Any] = lambda part: part
) -> dict[int, set[int]]:
    """The number that each row has, a bit in each slice; all that it can be if one is broken."""
    found = {row: {0} for row in rows}
    for bit, part in enumerate(slices):
        try:
            ones = rows_of(bitmap(part))
        except Exception:  # as above
            found = {row: {*some, *(n + (1 << bit) for n in some)} for row, some in found.items()}
            continue
        for row in ones:
            if row in found:  # the bits of a null say nothing
                found[row] = {number + (1 << bit) for number in found[row]}
    return found


def rows_of(bitmap: Any) -> list[int]:
    rows = values_of(bitmap)
    if rows != sorted(set(rows)):
        raise ValueError("rows that are not ascending")
    return rows


def bloom_filter(index: BloomFilterIndex) -> Says:
    bits, num_bits = index.bits, index.num_bits

    def says(_: str, value: Any) -> list[set[bool]]:
        hashed = xxhash.xxh64_intdigest(value.encode()) if isinstance(value, str) else wang(value)
        first, second = signed(hashed, 32), signed(hashed >> 32, 32)
        for number in range(1, index.num_hashes + 1):
            place = signed(first + number * second, 32)
            place = (~place if place < 0 else place) % num_bits
            if not bits[place // 8] >> place % 8 & 1:
                return [{False}]
        return [{True, False}]

    return says


def signed(number: int, bits: int) -> int:
    half = 1 << bits - 1
    return (number + half) % (2 * half) - half


def wang(key: int) -> int:
    key = signed(~key + (key << 21), 64)
    key ^= key >> 24
    key = signed(key + (key << 3) + (key << 8), 64)
    key ^= key >> 14
    key = signed(key + (key << 2) + (key << 4), 64)
    key ^= key >> 28
    return (key + (key << 31)) % 2**64


def stored(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


OPERATIONS: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda held, value: held is not None and held == value,
    "<>": lambda held, value: held is not None and held != value,
    "<=": lambda held, value: held is not None and held <= value,
    ">": lambda held, value: held is not None and held > value,
    "IS NULL": lambda held, value: held is None,
}


# Asking -------------------------------------------------------------------------------------------


def questions(file: File) -> Iterator[tuple[str, Any, str]]:
    if file.kind != "bloom-filter":
        yield "IS NULL", None, "c IS NULL"
    for value in file.values:
        for op in ("=",) if file.kind in ("bloom-filter", "bitmap") else ("=", "<>", "<=", ">"):
            yield op, value, f"c {op} {value!r}"


def check(file: File) -> Iterator[str]:
    """Asks everything; yields what became of each question."""
    try:
        plain = plainly(file)
    except Exception:  # whatever the runtime raises
        plain = None
    try:
        with FileIndex.open(file.data, file.schema) as index:
            for op, value, sql in questions(file):
                try:
                    selection = index.evaluate(sql)
                except PaimonKsyError as error:
                    assert "\n" not in str(error)
                    assert isinstance(error, CorruptFileError)
                    yield "error"
                    continue
                try:
                    assert plain is not None
                    num_rows, says = plain
                    told = says(op, value)
                except Exception:  # what was read is sound, as far as it was looked at
                    yield "answer"
                    continue
                if num_rows is None:
                    assert selection.kind == ("skip" if told == [{False}] else "all")
                elif file.kind == "bitmap" and selection.kind == "all" and not selection.exact:
                    yield "answer"
                    continue
                else:
                    assert selection.exact
                    rows = set(selected_rows(selection, num_rows))
                    assert rows <= set(range(num_rows))
                    assert all((row in rows) in may for row, may in enumerate(told)), sql
                yield "right"
    except CorruptFileError as error:
        assert "\n" not in str(error)
        yield "error"


def check_all(files: Iterable[File]) -> Counter[str]:
    return Counter(outcome for file in files for outcome in check(file))


@pytest.mark.parametrize("name", FILES)
def test_the_files_themselves(name: str) -> None:
    assert check_all([FILES[name]]).keys() == {"right"}


@pytest.mark.parametrize("name", FILES)
def test_cut_at_each_byte(name: str) -> None:
    file = FILES[name]
    outcomes = check_all(replace(file, data=file.data[:end]) for end in range(len(file.data)))
    assert outcomes["error"] >= 30


@pytest.mark.parametrize("name", FILES)
def test_each_byte_with_a_bit_flipped(name: str) -> None:
    file = FILES[name]
    outcomes = check_all(replace(file, data=data) for data in flipped(file.data))
    assert outcomes["error"] > 30
    assert outcomes["right"] > 15


@pytest.mark.parametrize("name", FILES)
def test_any_four_bytes_replaced(name: str) -> None:
    """Counts, lengths and places of 2^31 - 1, -1 and 0, wherever they stand."""
    file = FILES[name]

    def read() -> None:
        for data in with_numbers(file.data):
            if file.kind == "bitmap":  # decoders of others would take such numbers of rows
                list(check(replace(file, data=data)))
                continue
            with suppress(CorruptFileError), FileIndex.open(data, file.schema) as index:
                for _, _, sql in questions(file):
                    with suppress(CorruptFileError):
                        index.evaluate(sql)

    assert peak_of(read) < (20 if file.kind == "bitmap" else 100) * 2**20


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
    return file_indexes.file_of(body)


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
    def read() -> None:
        schema = Schema.parse("c STRING")
        with suppress(CorruptFileError), FileIndex.open(LARGE[name], schema) as index:
            index.evaluate(col("c") == "a")

    assert peak_of(read) < 100 * 2**20


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
