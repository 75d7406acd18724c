# Generated from specs/manifest_sidecar.ksy by `ksykit generate`. Do not edit.
"""Makes and writes the types of manifest_sidecar.

Sidecar of a manifest of a Paimon table.
"""

from __future__ import annotations

from ksykit.runtime.fields import Bytes, Measure, Number, Object, Repeat, Switch, Type
from ksykit.runtime.json_values import S8BE, U1, U4BE

from ..parsers.manifest_sidecar import ManifestSidecar

MANIFEST_SIDECAR_TYPE = Type(
    ManifestSidecar,
    "manifest_sidecar",
    Bytes("magic", contents=b"PMSC", measured=True),
    Number("version", U1, equal=1, measured=True),
    Object(
        "len_header",
        "varint",
        looked=True,
        measured=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Bytes("header", size="len_header.value", measured=True),
    Object(
        "num_partitions",
        "varint",
        looked=True,
        measured=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Repeat(Object("partitions", "sidecar_partition"), count="num_partitions.value", measured=True),
    Object(
        "num_blocks",
        "varint",
        looked=True,
        measured=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Repeat(Object("blocks", "sidecar_block", looked=True), count="num_blocks.value", measured=True),
    Number(
        "crc32",
        U4BE,
        value=lambda s: s._crc32(
            "magic",
            "version",
            "len_header",
            "header",
            "num_partitions",
            "partitions",
            "num_blocks",
            "blocks",
        ),
        role="checksum",
    ),
    computed={
        "len_header.value": Measure("length", "header"),
        "num_partitions.value": Measure("count", "partitions"),
        "num_blocks.value": Measure("count", "blocks"),
    },
)

make_manifest_sidecar = MANIFEST_SIDECAR_TYPE.make


SIDECAR_PARTITION_TYPE = Type(
    ManifestSidecar.SidecarPartition,
    "sidecar_partition",
    Object(
        "len_partition",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Bytes("partition", size="len_partition.value", measured=True),
    computed={
        "len_partition.value": Measure("length", "partition"),
    },
)

make_sidecar_partition = SIDECAR_PARTITION_TYPE.make


SIDECAR_BLOCK_TYPE = Type(
    ManifestSidecar.SidecarBlock,
    "sidecar_block",
    Object("ofs_block", "varint", looked=True),
    Object("len_block", "varint", looked=True),
    Object("num_entries", "varint"),
    Object("partitions", "partition_coverage"),
    Object("row_ids", "row_id_coverage"),
    Object("buckets", "bucket_coverage"),
)

make_sidecar_block = SIDECAR_BLOCK_TYPE.make


PARTITION_COVERAGE_TYPE = Type(
    ManifestSidecar.PartitionCoverage,
    "partition_coverage",
    Number("encoding", U1, likely=(1,)),
    Object(
        "len_content",
        "varint",
        looked=True,
        when=lambda s: s.encoding != 0,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Switch(
        "content",
        "encoding",
        {
            1: Object("content", "ascending_numbers", size="len_content.value"),
            None: Bytes("content", size="len_content.value"),
        },
        size="len_content.value",
        when=lambda s: s.encoding != 0,
        measured=True,
    ),
    computed={
        "len_content.value": Measure("length", "content"),
    },
)

make_partition_coverage = PARTITION_COVERAGE_TYPE.make


ROW_ID_COVERAGE_TYPE = Type(
    ManifestSidecar.RowIdCoverage,
    "row_id_coverage",
    Number("encoding", U1, likely=(1,)),
    Object(
        "len_content",
        "varint",
        looked=True,
        when=lambda s: s.encoding != 0,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Switch(
        "content",
        "encoding",
        {
            1: Object("content", "row_id_ranges", size="len_content.value"),
            None: Bytes("content", size="len_content.value"),
        },
        size="len_content.value",
        when=lambda s: s.encoding != 0,
        measured=True,
    ),
    computed={
        "len_content.value": Measure("length", "content"),
    },
)

make_row_id_coverage = ROW_ID_COVERAGE_TYPE.make


BUCKET_COVERAGE_TYPE = Type(
    ManifestSidecar.BucketCoverage,
    "bucket_coverage",
    Number("encoding", U1, likely=(1,)),
    Object(
        "len_content",
        "varint",
        looked=True,
        when=lambda s: s.encoding != 0,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Switch(
        "content",
        "encoding",
        {
            1: Object("content", "bucket_list", size="len_content.value"),
            None: Bytes("content", size="len_content.value"),
        },
        size="len_content.value",
        when=lambda s: s.encoding != 0,
        measured=True,
    ),
    computed={
        "len_content.value": Measure("length", "content"),
    },
)

make_bucket_coverage = BUCKET_COVERAGE_TYPE.make


ASCENDING_NUMBERS_TYPE = Type(
    ManifestSidecar.AscendingNumbers,
    "ascending_numbers",
    Object(
        "num_numbers",
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    ),
    Repeat(Object("numbers", "number_after"), count="num_numbers.value"),
    computed={
        "num_numbers.value": Measure("count", "numbers"),
    },
)

make_ascending_numbers = ASCENDING_NUMBERS_TYPE.make


NUMBER_AFTER_TYPE = Type(
    ManifestSidecar.NumberAfter,
    "number_after",
    Object("difference", "varint", looked=True),
)

make_number_after = NUMBER_AFTER_TYPE.make


ROW_ID_RANGES_TYPE = Type(
    ManifestSidecar.RowIdRanges,
    "row_id_ranges",
    Number("first", S8BE, least=0),
    Number("last", S8BE, least="first"),
    Object("bounds", "ascending_numbers"),
)

make_row_id_ranges = ROW_ID_RANGES_TYPE.make


BUCKET_LIST_TYPE = Type(
    ManifestSidecar.BucketList,
    "bucket_list",
    Object("buckets", "ascending_numbers"),
    Object("totals", "ascending_numbers"),
)

make_bucket_list = BUCKET_LIST_TYPE.make
