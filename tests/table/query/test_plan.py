"""Plans: which files a query needs, known from manifests alone."""

import json
from pathlib import Path

import pyarrow as pa

from paimon_ksy.table.delete.delete import delete
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.query.plan import plan
from paimon_ksy.table.query.read import count, query
from paimon_ksy.table.store import Table
from tests.support.golden_tables import rows_of
from tests.support.query_tables import LOCAL
from tools.tables import make_table


def test_statistics_leave_out_files_before_their_indexes_are_read(many: Table) -> None:
    planned = plan(many, "id BETWEEN 30000 AND 30009 AND status <> 'LOST'")
    assert len(planned) == 1
    assert planned.total is not None
    assert (planned.total.files, planned.total.rows, planned.left.files) == (5, 100_000, 1)
    assert query(many, "id BETWEEN 30000 AND 30009", ["id"], engine=LOCAL)["id"].to_pylist() == [
        *range(30_000, 30_010)
    ]


def test_a_key_that_has_the_old_name_of_another_column(tmp_path: Path) -> None:
    """The bounds of a file's keys are of the column that was the key when it was written."""
    from pypaimon import CatalogFactory
    from pypaimon.schema.schema_change import SchemaChange

    fields = [pa.field("id", pa.int32(), nullable=False), pa.field("k", pa.int32())]
    data = pa.table([[1, 2], [100, 200]], schema=pa.schema(fields))
    path = make_table(tmp_path, "t", [data], {"bucket": "1"}, primary_keys=["id"])
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    for old, new in (("k", "v"), ("id", "k")):
        catalog.alter_table("default.t", [SchemaChange.rename_column(old, new)], False)
    for where, rows in (("v = 200", [(2, 200)]), ("k = 1", [(1, 100)]), ("k = 200", [])):
        assert rows_of(query(path, where, engine=LOCAL)) == rows


def test_what_no_value_of_a_file_s_older_type_can_be(tmp_path: Path) -> None:
    """Nothing but the type says so: manifests have no statistics, and files no index."""
    data = pa.table({"id": pa.array([1, 2], pa.int32())})
    path = make_table(tmp_path, "t", [data], {"deletion-vectors.enabled": "true"})
    document = json.loads(Path(path, "schema", "schema-0").read_text())
    document["id"] = 1
    document["fields"][0]["type"] = "BIGINT"
    Path(path, "schema", "schema-1").write_text(json.dumps(document))
    assert count(path, "id = 3000000000").count == 0
    assert count(path, "id <> 3000000000").count == 2
    assert query(path, "id > 3000000000", engine=local_engine(1)).num_rows == 0
    assert delete(path, "id = 3000000000", engine=local_engine(1)).rows == 0
