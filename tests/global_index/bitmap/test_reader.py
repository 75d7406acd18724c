"""Bitmap global indexes: the rows of keys, of any writer, as a scan of the column."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ksykit.runtime.errors import FormatError

from kit_support.bounds import bounded
from kit_support.examples import examples
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.evaluation.key_ranges import KeyRanges
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.bitmap.check import postings
from paimon_ksy.global_index.bitmap.reader import BitmapFile
from paimon_ksy.global_index.bitmap.writer import (
    JAVA,
    JAVA_2_0,
    PYPAIMON,
    PYPAIMON_RUST,
    BitmapIndexWriter,
)
from paimon_ksy.global_index.index_type import Postings
from paimon_ksy.global_index.sorted_keys import KeyForm, KeyTypeError
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import Source, open_source
from paimon_ksy.types.data_type import DataType, Field
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.global_index.test_sorted_keys import kinds
from tests.support.strategies import arrow_column, values

STYLES = JAVA, JAVA_2_0, PYPAIMON, PYPAIMON_RUST
COMPRESSIONS = BlockCompression.none, BlockCompression.zstd, BlockCompression.lz4


def form_of(kind: DataType) -> KeyForm:
    form = KeyForm.of([Field("c", kind)])
    assert form is not None
    return form


def opened(data: bytes | Source, kind: DataType, num_rows: int) -> BitmapFile:
    return BitmapFile(open_source(data), form_of(kind), num_rows)


def written(kind: DataType, column: pa.Array, *options: Any) -> bytes:
    return BitmapIndexWriter(Field("c", kind), *options).write(column)[0]


def listed(file: BitmapFile) -> list[Postings]:
    """All keys of a file, which is checked."""
    facts: dict[str, Any] = {"row_range": (0, file.num_rows - 1), "index_type": "bitmap"}
    return [*postings(Subject(file.source, Schema((Field("c", file.form.types[0]),)), **facts))]


def rows_by_key(file: BitmapFile) -> dict[Any, list[int]]:
    """The rows of each key that is not null."""
    rows: dict[Any, list[int]] = {}
    for part in listed(file):
        if pa.types.is_null(part.keys[0].type):
            continue
        keys, start = file.form.keys(file.form.stored(part.keys[0])), 0
        for key, count in zip(keys, part.counts.tolist(), strict=True):
            rows[key] = part.rows[start : start + count].tolist()
            start += count
        assert start == len(part.rows)
    return rows


def test_the_greatest_and_the_least_integer() -> None:
    kind, values = parse_type("BIGINT"), [2**63 - 1, -(2**63), None, 2**63 - 1, 0]
    file = opened(written(kind, arrow_column(kind, values)), kind, len(values))
    for value in (2**63 - 1, -(2**63)):
        rows = [row for row, other in enumerate(values) if other == value]
        assert [*file.rows_of(KeyRanges.of_keys([value]))] == rows
        assert [*file.rows_of(KeyRanges.of_range(value, value + 1))] == rows


@examples(120)
@given(st.data())
def test_rows_are_those_of_a_scan(data: st.DataObject) -> None:
    kind, style = data.draw(kinds), data.draw(st.sampled_from(STYLES))
    some = data.draw(st.lists(values(kind), min_size=1, max_size=30))
    column = arrow_column(kind, data.draw(st.lists(st.sampled_from([*some, None]), max_size=60)))
    options = style, data.draw(st.integers(1, 200)), data.draw(st.sampled_from(COMPRESSIONS))
    file = opened(written(kind, column, *options), kind, len(column))
    form, is_null = file.form, column.is_null().to_pylist()
    keys = iter(form.keys(form.stored(column.drop_null())))
    by_row = [None if null else next(keys) for null in is_null]
    assert [*file.null_rows()] == [row for row, null in enumerate(is_null) if null]
    assert [*file.other_rows()] == [row for row, null in enumerate(is_null) if not null]
    expected: dict[Any, list[int]] = {}
    for row, key in enumerate(by_row):
        if key is not None:
            expected.setdefault(key, []).append(row)
    assert rows_by_key(file) == expected
    keys_of_some = form.keys(form.stored(arrow_column(kind, some)))
    wanted = sorted(keys_of_some if isinstance(keys_of_some, list) else keys_of_some.tolist())
    step = b"\0" if isinstance(wanted[0], bytes) else 1
    ranges = [KeyRanges.of_keys(wanted[::2]), KeyRanges.of_keys(wanted[-1:])]
    ranges.append(KeyRanges.of_range(wanted[0], wanted[-1]))
    ranges.append(KeyRanges.of_range(wanted[len(wanted) // 2], wanted[-1] + step))
    for one in ranges:
        inside = [row for row, key in enumerate(by_row) if key is not None and one.holds(key)]
        assert [*file.rows_of(one)] == inside


@examples(150)
@given(st.data())
def test_damaged_files_are_refused_or_read(data: st.DataObject) -> None:
    kind = parse_type(data.draw(st.sampled_from(["STRING", "INT"])))
    column = arrow_column(kind, data.draw(st.lists(values(kind), min_size=1, max_size=20)))
    style, compression = st.sampled_from(STYLES), st.sampled_from(COMPRESSIONS)
    bad = bytearray(written(kind, column, data.draw(style), 30, data.draw(compression)))
    bad[data.draw(st.integers(0, len(bad) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    file = opened(bytes(bad[: data.draw(st.integers(1, len(bad)))]), kind, len(column))
    low = b"" if kind.is_string else -(2**31)
    for answer in (
        lambda: file.rows_of(KeyRanges.of_range(low, None if kind.is_string else 2**31)),
        lambda: file.rows_of(KeyRanges.of_keys([low])),
        file.null_rows,
        file.other_rows,
        lambda: listed(file),
    ):
        try:
            with bounded():
                answer()
        except (FormatError, KeyTypeError, PaimonKsyError):
            pass


@pytest.mark.parametrize("style", STYLES)
def test_one_key_takes_four_requests(style: Any) -> None:
    """Of a far file with many blocks: the footer and the directory, one block, one bitmap."""
    kind = parse_type("INT")
    data = written(kind, pa.array(range(20_000), pa.int32()), style)
    requests: list[int] = []

    def fetch(pos: int, length: int) -> bytes:
        requests.append(length)
        return data[pos : pos + length]

    file = opened(Source("far", len(data), fetch, None), kind, 20_000)
    assert file.parts.footer.num_values == 20_000 and len(requests) == 1
    assert [*file.rows_of(KeyRanges.of_keys([12_345]))] == [12_345]
    assert len(requests) <= 4 and sum(requests) < 100_000


def test_both_orders_of_keys_are_read() -> None:
    """pypaimon sorts by bytes, so that Java and pypaimon-rust lose rows, and the reverse."""
    kind, numbers = parse_type("INT"), [-300, -1, 0, 1, 255, 256, 70_000]
    column = pa.array(numbers, pa.int32())
    orders = {style: opened(written(kind, column, style, 1), kind, 7).orders for style in STYLES}
    assert orders == dict.fromkeys(STYLES, (True, False)) | {PYPAIMON: (False, True)}
