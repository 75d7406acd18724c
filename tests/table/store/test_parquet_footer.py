"""Footers of Parquet files with decimals as the bytes that they are stored as."""

from decimal import Decimal

import pyarrow as pa
import pyarrow.fs
import pyarrow.parquet as pq

from paimon_ksy.generated.parsers.parquet_metadata import ParquetMetadata
from paimon_ksy.generated.runtime import to_bytes
from paimon_ksy.generated.writers.parquet_metadata import (
    PARQUET_METADATA_START_TYPE,
    make_parquet_metadata,
)
from paimon_ksy.table.store import with_raw_decimals


def test_metadata_of_parquet() -> None:
    """Decimals are bytes in it, and all else is as it was; its frame is that of the spec."""
    cents = pa.array([Decimal("1.23"), None], pa.decimal128(10, 2))
    data, metadata = pa.BufferOutputStream(), pa.BufferOutputStream()
    numbered = pa.field("b", cents.type, metadata={"PARQUET:field_id": "7"})
    schema = pa.schema([("a", cents.type), numbered, ("c", pa.string())])
    pq.write_table(pa.table([cents, cents, ["x", "y"]], schema=schema), data)
    before = pq.read_metadata(pa.BufferReader(data.getvalue()))
    before.write_metadata_file(metadata)
    written = metadata.getvalue().to_pybytes()
    parsed = ParquetMetadata.from_bytes(written)
    assert written.startswith(PARQUET_METADATA_START_TYPE.pack())
    assert to_bytes(make_parquet_metadata(footer=parsed.footer)) == written
    after = with_raw_decimals(before, {"b"})
    assert [str(after.schema.column(i).logical_type) for i in range(3)] == [
        "Decimal(precision=10, scale=2)",
        "None",
        "String",
    ]
    assert after.schema.column(1).length == before.schema.column(1).length
    assert after.schema.to_arrow_schema().field("b").metadata == {b"PARQUET:field_id": b"7"}
    for column in (0, 2):
        assert after.row_group(0).column(column) == before.row_group(0).column(column)
    offset = before.row_group(0).column(1).data_page_offset
    assert after.row_group(0).column(1).data_page_offset == offset
