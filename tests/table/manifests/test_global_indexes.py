"""The files of each global index, and what they cover."""

import numpy as np

from paimon_ksy.table.manifests.global_indexes import global_indexes
from paimon_ksy.table.manifests.index_files import read_index_files
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.types.schema import Schema
from tests.support.manifests import INDEXES, avro, index_entry


def test_files_are_grouped_by_type_and_columns() -> None:
    def entry(name: str, kind: str, start: int, end: int, *extra: int) -> dict[str, object]:
        index = {"_ROW_RANGE_START": start, "_ROW_RANGE_END": end, "_INDEX_FIELD_ID": 4}
        rest = {"_EXTRA_FIELD_IDS": [*extra] or None, "_INDEX_META": None, "_SOURCE_META": None}
        return index_entry(name, _INDEX_TYPE=kind, _GLOBAL_INDEX={**index, **rest})

    most = np.iinfo(np.int64).max
    records = [
        index_entry("of-bucket"),
        entry("a", "btree", 0, 9),
        entry("b", "btree", 0, 9),
        entry("c", "bitmap", 5, most),
        entry("d", "btree", 8, 19),
        entry("e", "btree", 0, 9, 7),
        entry("f", "btree", 20, 29),
    ]
    parts = read_index_files(avro(INDEXES, records), "x", Partitions(Schema.parse("")))
    btree, bitmap, composite = global_indexes(
        file for part in parts for file in part.of_global_indexes()
    )
    assert [file.file_name for file in btree.files] == ["a", "b", "d", "f"]
    assert [*zip(btree.rows.starts, btree.rows.ends, strict=True)] == [(0, 30)]
    assert [file.file_name for file in btree.overlapping] == ["d"]
    assert (bitmap.field_ids, composite.field_ids) == ((4,), (4, 7))
    assert [*composite.overlapping, *bitmap.overlapping] == []
