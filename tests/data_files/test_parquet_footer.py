"""Footers of Parquet files with timestamps as the bytes that they are stored as."""

import io

import pyarrow as pa
import pyarrow.parquet as pq
from ksykit.runtime.objects import to_bytes

from paimon_ksy.data_files.parquet_footer import with_raw_timestamps
from paimon_ksy.generated.structs.parquet_metadata import (
    ParquetMetadata,
    make_parquet_metadata,
)


def test_metadata_of_parquet() -> None:
    """INT96s are bytes in it, and all else is as it was; its frame is that of the spec."""
    data, metadata = io.BytesIO(), io.BytesIO()
    micros = pa.timestamp("us")
    numbered = pa.field("t", micros, metadata={"PARQUET:field_id": "7"})
    schema = pa.schema([("n", pa.list_(micros)), numbered, ("c", pa.string())])
    rows = pa.table([[[0, None], None], [1, None], ["x", "y"]], schema=schema)
    pq.write_table(rows, data, use_deprecated_int96_timestamps=True)
    before = pq.read_metadata(data)
    before.write_metadata_file(metadata)
    written = metadata.getvalue()
    parsed = ParquetMetadata.from_bytes(written)
    assert written.startswith(ParquetMetadata.pack_field("magic"))
    assert to_bytes(make_parquet_metadata(footer=parsed.footer)) == written
    after = with_raw_timestamps(before)
    columns = [after.schema.column(at) for at in range(3)]
    physical = ["FIXED_LEN_BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY", "BYTE_ARRAY"]
    assert [column.physical_type for column in columns] == physical
    assert [column.length for column in columns[:2]] == [12, 12]
    assert after.schema.to_arrow_schema().field("t").metadata == {b"PARQUET:field_id": b"7"}
    for at in range(3):
        chunk, changed = before.row_group(0).column(at), after.row_group(0).column(at)
        assert changed.path_in_schema == chunk.path_in_schema
        assert changed.data_page_offset == chunk.data_page_offset
