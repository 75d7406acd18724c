"""VARIANT columns, whole and shredded."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from paimon_ksy.table.engine import local_engine
from paimon_ksy.table.formats.reader import stored
from paimon_ksy.table.query.read import query
from paimon_ksy.types.parse import parse_type
from tools.tables import append


def test_shredded_variants_are_put_together(tmp_path: Path) -> None:
    """As Java writes them by variant.inferShreddingSchema; the parts of others in any order."""
    from pypaimon import CatalogFactory
    from pypaimon import Schema as PaimonSchema
    from pypaimon.data.generic_variant import GenericVariant
    from pypaimon.schema.data_types import AtomicType, DataField

    parts = [{"id": 1, "name": "a", "type": "BIGINT"}, {"id": 2, "name": "b", "type": "STRING"}]
    shredding = {"id": 0, "name": "v", "type": {"type": "ROW", "fields": parts}}
    options = {"variant.shreddingSchema": json.dumps({"type": "ROW", "fields": [shredding]})}
    fields = [DataField(0, "id", AtomicType("BIGINT")), DataField(1, "v", AtomicType("VARIANT"))]
    values = [{"a": 1, "b": "x", "c": [1, {"d": None}]}, None, {"b": "y"}, [1, 2], "s", {}]
    variants = [None if value is None else GenericVariant.from_python(value) for value in values]
    data = pa.table({"id": range(6), "v": GenericVariant.to_arrow_array(variants)})
    catalog = CatalogFactory.create({"warehouse": str(tmp_path)})
    catalog.create_database("default", True)
    catalog.create_table("default.t", PaimonSchema(fields=fields, options=options), False)
    append(catalog.get_table("default.t"), data)
    [file] = tmp_path.rglob("*.parquet")
    assert "typed_value" in str(pq.read_schema(file))
    found = query(tmp_path / "default.db" / "t", "id <> 4", engine=local_engine(1))
    assert found["id"].to_pylist() == [0, 1, 2, 3, 5]
    read = [v and GenericVariant.from_arrow_struct(v).to_python() for v in found["v"].to_pylist()]
    assert read == values[:4] + values[5:]
    whole = pa.StructArray.from_arrays(
        [found["v"].combine_chunks().field(part) for part in ("metadata", "value")],
        names=["metadata", "value"],
        mask=found["v"].combine_chunks().is_null(),
    )
    assert stored(whole, parse_type("VARIANT")).to_pylist() == found["v"].to_pylist()
