"""The rows of one data file that match: nothing is read that is known already."""

import datetime as dt
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.predicates.tree import col
from paimon_ksy.table.index.rewrite import rewrite_index
from paimon_ksy.table.query import file_rows as file_rows_module
from paimon_ksy.table.query.plan import plan
from paimon_ksy.table.query.read import QueryStats, batches, query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import ordered
from tests.support.query_tables import LOCAL, SCHEMA, Made, brute, found_rows
from tools.tables import make_table


@pytest.mark.parametrize("name", ["plain", "vectors"])
def test_columns_that_are_too_long_to_keep(
    made: Mapping[str, Made], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are read a second time."""
    monkeypatch.setattr("paimon_ksy.table.query.file_rows._KEPT_BYTES", 0)
    table, rows = made[name]
    for where in ("code = X'6162'", "code = X'6162' AND region = 'EU'", "code = X'ffff' OR id = 3"):
        wanted = brute(SCHEMA, rows, parse_predicate(where, SCHEMA))
        assert found_rows(table, where) == ordered(wanted)
        some = query(table, where, ["id", "code"], limit=2, engine=LOCAL)
        assert some.num_rows == min(2, len(wanted))


EQUAL: dict[str, tuple[pa.DataType, list[Any]]] = {
    "text": (pa.string(), ["a", "b\u00e9", ""]),
    "flag": (pa.bool_(), [True, False]),
    "tiny": (pa.int8(), [-128, 127]),
    "small": (pa.int16(), [-1, 32767]),
    "number": (pa.int32(), [0, -(2**31)]),
    "long": (pa.int64(), [2**63 - 1, 0]),
    "day": (pa.date32(), [dt.date(1, 1, 1), dt.date(2024, 2, 29)]),
    "real": (pa.float64(), [0.0, -0.0, 1.5]),
    "at": (pa.timestamp("us"), [dt.datetime(2024, 1, 1), dt.datetime(1969, 1, 1)]),
}


@pytest.fixture(scope="module")
def equal(tmp_path_factory: pytest.TempPathFactory) -> tuple[Table, pa.Table]:
    columns = {
        name: pa.array(([*values, None] * 400)[:1000], kind)
        for name, (kind, values) in EQUAL.items()
    }
    rows = pa.table({"id": np.arange(1000), **columns})
    bitmaps = ",".join([*EQUAL][:-2])
    options = {"file-index.bitmap.columns": bitmaps, "file-index.range-bitmap.columns": "real,at"}
    folder = tmp_path_factory.mktemp("equal")
    table = Table.at(make_table(folder, "equal", [rows.slice(0, 600), rows.slice(600)]))
    rewrite_index(table, set=options, engine=LOCAL)
    return table, rows


@pytest.mark.parametrize("name", EQUAL)
def test_columns_that_are_known_are_not_read(equal: tuple[Table, pa.Table], name: str) -> None:
    """All rows that an index knows to match `=` have that value, where equal values are the same
    ones, as two zeros are not."""
    table, rows = equal
    for value in EQUAL[name][1]:
        where = (col(name) == value) & (col("text") == "a")
        wanted = rows.filter(
            pc.and_(pc.equal(rows[name], value), pc.equal(rows["text"], "a"))
        ).sort_by("id")
        for names in (rows.column_names[::-1], [name, "id"], [name], [*{"text": 0, name: 1}]):
            stats = QueryStats()
            found = query(table, where, names, engine=LOCAL, stats=stats)
            assert found.column_names == names
            by_id = found.sort_by("id") if "id" in names else found
            shown = by_id.select(names).cast(wanted.select(names).schema)
            assert [*map(repr, shown.to_pylist())] == [*map(repr, wanted.select(names).to_pylist())]
            known = name not in ("real", "at") and not {*names} - {name, "text"}
            assert stats.files_read == (0 if known or not len(wanted) else 2)


def test_known_columns_are_not_those_of_other_types_in_a_file(tmp_path: Path) -> None:
    from pypaimon import CatalogFactory
    from pypaimon.schema.data_types import AtomicType
    from pypaimon.schema.schema_change import SchemaChange

    path = make_table(
        tmp_path, "grown", [pa.table({"id": [1, 2, 3], "n": pa.array([7, 8, 7], pa.int32())})]
    )
    rewrite_index(Table.at(path), set={"file-index.bitmap.columns": "n"}, engine=LOCAL)
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    change = SchemaChange.update_column_type("n", AtomicType("BIGINT"))
    catalog.alter_table("default.grown", [change], False)
    found = query(Table.at(path), "n = 7", ["n", "id"], engine=LOCAL)
    assert found.to_pydict() == {"n": [7, 7], "id": [1, 3]}
    assert found.schema.field("n").type == pa.int64()


def test_a_known_column_of_many_rows_comes_in_parts(equal: tuple[Table, pa.Table]) -> None:
    table, rows = equal
    asked = plan(table, "tiny = 127", ["tiny"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(file_rows_module, "_BATCH_ROWS", 64)
        found = list(batches(asked, LOCAL))
    assert max(batch.num_rows for batch in found) == 64
    count = pc.sum(pc.equal(rows["tiny"], 127)).as_py()
    assert sum(batch.num_rows for batch in found) == count > 200
