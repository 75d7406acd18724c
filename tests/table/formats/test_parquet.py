"""Selected rows of Parquet files."""

import random
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq
import pytest
from pyroaring import BitMap

from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.model.files import TableSchema
from paimon_ksy.table.query.read import query
from paimon_ksy.table.store import Table
from paimon_ksy.types.schema import Schema
from tests.support.data_files import STORAGE, data_file, read_rows
from tests.support.query_tables import LOCAL
from tools.tables import make_table


@pytest.mark.parametrize("first", [0, 7, 15_000, 39_940])
def test_rows_of_pages_beside_those_of_a_column_of_one_page(tmp_path: Path, first: int) -> None:
    size = 40_000
    kind = np.full(size, "MANY")
    kind[first : first + 50] = "FEW"
    kind[first + 3] = "MANY"
    notes = [f"{n:0100}" for n in range(size)]
    rows = pa.table({"id": np.arange(size, dtype=np.int32), "note": notes, "kind": kind})
    table = Table.at(make_table(tmp_path, "notes", [rows]))
    rewrite_index(table, set={"file-index.bitmap.columns": "kind"}, engine=LOCAL)
    found = query(Table.at(table.location), "kind = 'FEW'")
    wanted = [n for n in range(first, first + 50) if n != first + 3]
    assert found["id"].to_pylist() == wanted
    assert found["note"].to_pylist() == [notes[n] for n in wanted]
    assert set(found["kind"].to_pylist()) == {"FEW"}


@pytest.mark.parametrize("rows", [[0], [3, 4, 5], [*range(0, 400, 7)], [399], [*range(400)]])
@pytest.mark.parametrize("as_integers", [False, True])
def test_decimals(rows: list[int], as_integers: bool, tmp_path: Path) -> None:
    """Of few rows they are made from the bytes that Parquet has: any precision, negative, null."""
    chosen = random.Random(4)
    kinds = {"a": (1, 0), "b": (5, 5), "c": (10, 2), "d": (18, 3), "e": (19, 0), "f": (38, 10)}

    def number(precision: int, scale: int) -> Decimal | None:
        top = 10**precision - 1
        some = chosen.choice([0, 1, -1, top, -top, chosen.randint(-top, top), None])
        digits = tuple(map(int, str(abs(some or 0))))
        return None if some is None else Decimal((int(some < 0), digits, -scale))

    columns = {
        name: pa.array([number(*kind) for _ in range(400)], pa.decimal128(*kind))
        for name, kind in kinds.items()
    }
    inner = pa.StructArray.from_arrays([columns["c"]], ["d"])  # another column of the name `d`
    table = pa.table({**columns, "inner": inner, "none": pa.nulls(400, pa.decimal128(9, 1))})
    path = tmp_path / "data.parquet"
    pq.write_table(table, path, row_group_size=150, store_decimal_as_integer=as_integers)
    schema = TableSchema(0, Schema.from_arrow(table.schema), {}, (), (), {})
    schema = replace(schema, ids={name: at for at, name in enumerate(table.schema.names)})
    file = data_file(path, num_rows=400)
    found = pa.Table.from_batches(
        read_rows(STORAGE, file, schema, schema, table.schema.names, BitMap(rows))
    )
    found.validate(full=True)
    assert found.equals(table.take(pa.array(rows)))
