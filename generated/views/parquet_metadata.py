# Generated from parquet_metadata.ksy by `ksykit generate`. Do not edit.
"""Views of parquet_metadata: Metadata of a Parquet file, as a separate file."""

from enum import IntEnum

from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout

ParquetFileField = IntEnum("ParquetFileField", {"version": 1, "schema": 2})
ParquetSchemaField = IntEnum(
    "ParquetSchemaField",
    {
        "physical_type": 1,
        "len_type": 2,
        "name": 4,
        "converted_type": 6,
        "scale": 7,
        "precision": 8,
        "logical_type": 10,
    },
)
ParquetType = IntEnum("ParquetType", {"int96": 3, "fixed_len_byte_array": 7})
ParquetLogicalType = IntEnum(
    "ParquetLogicalType",
    {
        "string": 1,
        "map": 2,
        "list": 3,
        "enumeration": 4,
        "decimal": 5,
        "date": 6,
        "time": 7,
        "timestamp": 8,
        "integer": 10,
        "null_type": 11,
        "json": 12,
        "bson": 13,
        "uuid": 14,
        "float16": 15,
    },
)
ParquetPageField = IntEnum("ParquetPageField", {"data_page_header": 5, "data_page_header_v2": 8})
ParquetDataPageField = IntEnum("ParquetDataPageField", {"encoding": 2})
ParquetDataPageV2Field = IntEnum("ParquetDataPageV2Field", {"encoding_v2": 4})
ParquetEncoding = IntEnum(
    "ParquetEncoding",
    {
        "plain": 0,
        "plain_dictionary": 2,
        "rle": 3,
        "bit_packed": 4,
        "delta_binary_packed": 5,
        "delta_length_byte_array": 6,
        "delta_byte_array": 7,
        "rle_dictionary": 8,
        "byte_stream_split": 9,
    },
)
_PARQUET_METADATA_TAIL_LEN_FOOTER = Numbers(
    "<II",
    Field("len_footer", "parquet_metadata/seq/2", "<I"),
    Field("magic_end", "parquet_metadata/seq/3", "<I", equal=827474256),
)
PARQUET_TIMESTAMP = RecordLayout(
    Field("nanos", "parquet_metadata/types/parquet_timestamp/seq/0", "<q"),
    Field("day", "parquet_metadata/types/parquet_timestamp/seq/1", "<i"),
)


class ParquetMetadataTail:
    """The frame of a Parquet file's metadata."""

    __slots__ = ("end", "len_footer", "magic_end")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 8:
            raise _PARQUET_METADATA_TAIL_LEN_FOOTER.broken(d, start, p, self)
        (self.len_footer, self.magic_end) = _PARQUET_METADATA_TAIL_LEN_FOOTER.unpack_from(d, p)
        if self.magic_end != 827474256:
            raise _PARQUET_METADATA_TAIL_LEN_FOOTER.broken(d, start, p, self)
        p += 8
        self.end = start + p


class ParquetTimestamps:
    """Values of the physical type INT96, each a timestamp."""

    __slots__ = ("end", "values_day", "values_nanos")
    first_day = 2440588
    """The Julian day that begins at noon on 1970-01-01."""

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        (
            p, self.values_nanos, self.values_day,
        ) = PARQUET_TIMESTAMP.read(d, start, p, -((p - len(d)) // 12), arrays)  # fmt: skip
        self.end = start + p
