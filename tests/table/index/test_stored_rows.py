"""Columns of data files, as they are stored."""

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
