"""VARIANT columns as Parquet files store them: possibly shredded, by Paimon or other writers."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from paimon_ksy.errors import PaimonKsyError, first_line
from paimon_ksy.table.store.errors import pypaimon_module


def whole_variants(column: pa.Array, arrow_type: pa.DataType) -> pa.Array:
    """Return a VARIANT column of this type, with each value in one piece.

    Raises:
        PaimonKsyError: A shredded value cannot be assembled.
    """
    shredding = pypaimon_module("data.variant_shredding")
    if shredding.is_shredded_variant(column.type):
        try:
            schema = shredding.build_variant_schema(column.type)
            return shredding.assemble_shredded_column(column, schema).cast(arrow_type)
        except Exception as error:  # pypaimon raises all kinds
            raise PaimonKsyError(
                f"cannot assemble a shredded VARIANT: {first_line(error)}"
            ) from error
    parts = [pc.struct_field(column, field.name) for field in arrow_type]
    nulls = column.is_null() if column.null_count else None
    return pa.StructArray.from_arrays(parts, fields=list(arrow_type), mask=nulls)
