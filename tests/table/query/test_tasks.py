"""Tasks of a query: what is read of the data files, file by file."""

from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.table.io.storage import Storage
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import golden_table
from tests.support.manifests import change_index_manifest
from tests.support.query_tables import LOCAL


def test_a_limit_stops_early(many: Table) -> None:
    asked: list[Any] = []
    some = query(many, limit=10, engine=LOCAL, progress=lambda task: asked.append(task))
    assert some.num_rows == 10
    assert len(asked) <= 1


@pytest.mark.parametrize("on_s3", [False, True])
@pytest.mark.parametrize("damage", ["cardinality", "too many", "last row"])
def test_a_count_does_not_believe_metadata(
    damage: str, on_s3: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A count of all rows reads vectors of local files; elsewhere it compares numbers."""
    path = golden_table("append_dv32", tmp_path)
    table = Table.at(path)
    smallest = min(table.files(table.snapshot()), key=attrgetter("num_rows"))
    if on_s3:
        monkeypatch.setattr(Storage, "is_local", False)

    def damaged(record: dict[str, Any]) -> dict[str, Any]:
        [first, *more] = record["_DELETIONS_VECTORS_RANGES"]
        change: dict[str, Any] = {
            "cardinality": {"_CARDINALITY": first["_CARDINALITY"] + 1},
            "too many": {"_CARDINALITY": 10_000},
            "last row": {"f0": smallest.name},
        }[damage]
        return {**record, "_DELETIONS_VECTORS_RANGES": [{**first, **change}, *more]}

    change_index_manifest(table, lambda records: list(map(damaged, records)))
    if on_s3 and damage != "too many":
        count(path, engine=LOCAL)
        return
    with pytest.raises(PaimonKsyError):
        count(path, engine=LOCAL)
