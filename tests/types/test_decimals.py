"""Decimals of the bytes that Parquet has, and their unscaled values."""

from dataclasses import fields
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pypaimon.filesystem.local_file_io import LocalFileIO

from paimon_ksy import Schema, build_file_index
from paimon_ksy.table.index.stored_rows import read_rows
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.model.files import DataFile
from paimon_ksy.types.decimals import from_parquet, unscaled


@pytest.mark.parametrize("width", range(1, 17))
@pytest.mark.parametrize("start", [0, 3])
@pytest.mark.parametrize("count", [0, 1, 50, (1 << 16) + 3])
def test_bytes_of_any_width_are_decimals(width: int, start: int, count: int) -> None:
    chosen = Random(width)
    top = min(2 ** (8 * width - 1), 10**38)
    ends = [0, -1, 1, top - 1, 1 - top, None]
    few = [*ends, *(chosen.randrange(1 - top, top) for _ in range(100))]
    numbers = [few[at % len(few)] for at in range(start + count)]
    stored = [None if n is None else n.to_bytes(width, "big", signed=True) for n in numbers]
    kind = pa.decimal128(38, 0)
    found = from_parquet(pa.array(stored, pa.binary(width)).slice(start), kind)
    found.validate(full=True)
    due = [None if n is None else Decimal(n) for n in numbers[start:]]
    assert found.equals(pa.array(due, kind))
    values, fit = unscaled(pa.array(stored, pa.binary(width)).slice(start).drop_null())
    there = [n for n in numbers[start:] if n is not None]
    assert fit == all(-(2**63) <= n < 2**63 for n in there)
    assert values.tolist() == there or not fit


def test_unscaled_values_of_64_bits() -> None:
    kind = pa.decimal128(38, 2)
    least, most = -(2**63), 2**63 - 1
    numbers = [7, least, most, -1, 0]
    column = pa.array([Decimal(n).scaleb(-2) for n in numbers], kind)
    values, fit = unscaled(column.slice(1))
    assert (values.tolist(), fit) == (numbers[1:], True)
    for beyond in (least - 1, most + 1):
        _, fit = unscaled(pa.array([Decimal(0), Decimal(beyond).scaleb(-2)], kind))
        assert not fit


@pytest.mark.parametrize("precision", [1, 5, 9, 10, 18])
@pytest.mark.parametrize("as_integers", [False, True])
def test_indexes_are_those_of_decimals(precision: int, as_integers: bool, tmp_path: Path) -> None:
    """Of Parquet's bytes the same indexes are built as of Arrow's decimals, also of nulls alone."""
    chosen = Random(precision)
    kind, top = pa.decimal128(precision, 1), 10**precision
    numbers = [*(chosen.randrange(1 - top, top) for _ in range(200)), None, 0, 1 - top, top - 1]
    some = [chosen.choice(numbers) for _ in range(1000)]
    values = [None if n is None else Decimal(n).scaleb(-1) for n in some]
    data = pa.table({"d": pa.array(values, kind), "none": pa.nulls(1000, kind)})
    path = tmp_path / "data.parquet"
    pq.write_table(data, path, row_group_size=300, store_decimal_as_integer=as_integers)
    schema = Schema.from_arrow(data.schema)
    empty: dict[str, Any] = dict.fromkeys(field.name for field in fields(DataFile))
    file = DataFile(**{**empty, "path": str(path), "num_rows": len(data)})
    rows, _ = read_rows(Storage(LocalFileIO()), file, schema, data.schema.names, raw_decimals=True)
    assert pa.types.is_fixed_size_binary(rows.schema.field("d").type) != as_integers
    for index in ("bsi", "range-bitmap"):  # there are no bitmaps of decimals
        columns = {f"file-index.{index}.columns": "d,none"}
        due = build_file_index(data, schema, columns)
        assert build_file_index(rows, schema, columns) == due
