"""Make the table `warehouse/default.db/users`, whose global index hides rows from its readers."""

from datetime import date

import pyarrow as pa
from pypaimon import CatalogFactory, Schema


def rows(start: int, stop: int) -> pa.Table:
    """Return rows with these ids."""
    ids = range(start, stop)
    days = [date(2026, 1, 1 + i % 28) for i in ids]
    return pa.table({"id": ids, "name": [f"user {i % 500}" for i in ids], "joined": days})


catalog = CatalogFactory.create({"warehouse": "warehouse"})
catalog.create_database("default", True)
options = {
    "row-tracking.enabled": "true",
    "data-evolution.enabled": "true",
    "global-index.column-update-action": "IGNORE",
}
schema = Schema.from_pyarrow_schema(rows(0, 1).schema, options=options)
catalog.create_table("default.users", schema, False)
table = catalog.get_table("default.users")


def append(data: pa.Table) -> None:
    """Append rows in a commit."""
    builder = table.new_batch_write_builder()
    write, commit = builder.new_write(), builder.new_commit()
    write.write_arrow(data)
    commit.commit(write.prepare_commit())
    write.close()
    commit.close()


append(rows(0, 1000))
table.create_global_index("name", index_type="btree")
table.create_global_index("joined", index_type="btree")
append(rows(1000, 1300))
builder = table.new_batch_write_builder()
update = builder.new_update().with_update_type(["name"])
changed = pa.table({"_ROW_ID": pa.array([3], pa.int64()), "name": ["Ada"]})
commit = builder.new_commit()
commit.commit(update.update_by_arrow_with_row_id(changed))
commit.close()
