"""The golden tables: what the reader of manifests returns of them is what Java wrote."""

from pathlib import Path

import pytest

from paimon_ksy.table.store import Table
from tests.support.golden_tables import (
    expected,
    golden_table,
    golden_table_names,
    same_rows,
)


def test_all_tables_are_here() -> None:
    assert len(golden_table_names()) == 21
    assert sum(len(expected(name).cases) for name in golden_table_names()) > 1000


@pytest.mark.parametrize("name", golden_table_names())
def test_live_files_are_those_of_java(name: str, tmp_path: Path) -> None:
    table = Table.at(golden_table(name, tmp_path))
    made = expected(name).made
    snapshot = table.snapshot()
    assert snapshot is not None
    assert snapshot.id == expected(name).snapshot
    found = {
        (f.name, f.num_rows, f.size, f.level, f.schema_id) for f in table.data_files.of(snapshot)
    }
    keys = ("fileName", "rowCount", "fileSize", "level", "schemaId")
    assert found == {tuple(file[key] for key in keys) for file in made["dataFiles"]}
    vectors = {
        (place.path.rpartition("/")[2], place.offset, place.length)
        for file in table.index_manifests.with_vectors(snapshot)
        for place in table.index_manifests.places_in(file)[1].values()
    }
    assert vectors == {
        (file["fileName"], place["offset"], place["length"])
        for file in made["indexFiles"]
        for place in file.get("dvRanges") or ()
    }


def test_rows_that_differ_are_told_apart() -> None:
    rows = list(expected("types_bitmap").rows)
    assert same_rows(reversed(rows), rows)
    assert not same_rows(rows[1:], rows)
    assert not same_rows([*rows[1:], rows[1]], rows)
    assert not same_rows([(0.0,)], [(-0.0,)])
    assert same_rows([(float("nan"),)], [(float("nan"),)])
