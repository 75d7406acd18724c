# Generated from specs/manifest_sidecar.ksy by `ksykit generate`. Do not edit.
"""The types of manifest_sidecar: their objects are read, made, changed and written.

Sidecar of a manifest of a Paimon table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from ksykit.runtime.json_values import S8BE, U1, U4BE
from ksykit.runtime.rows import (
    Bytes,
    Many,
    Maybe,
    MaybeNested,
    Nested,
    Number,
    Object,
    One,
    Repeat,
    Switch,
)
from ksykit.runtime.structs import Struct
from ksykit.runtime.types import Measure

if TYPE_CHECKING:
    from .varint import Varint


class ManifestSidecar(Struct, of="manifest_sidecar"):
    """Which partitions, row ids and buckets each block of a manifest contains, so that readers
    skip blocks."""

    magic: One[bytes] = Bytes(contents=b"PMSC", measured=True)
    version: One[int] = Number(U1, equal=1, measured=True)
    len_header: Nested[Varint] = Object(
        "varint",
        looked=True,
        measured=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    header: One[bytes] = Bytes(size="len_header.value", measured=True)
    num_partitions: Nested[Varint] = Object(
        "varint",
        looked=True,
        measured=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    partitions: Many[SidecarPartition] = Repeat(
        Object("sidecar_partition"), count="num_partitions.value", measured=True
    )
    num_blocks: Nested[Varint] = Object(
        "varint",
        looked=True,
        measured=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    blocks: Many[SidecarBlock] = Repeat(
        Object("sidecar_block", looked=True), count="num_blocks.value", measured=True
    )
    crc32: One[int] = Number(
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
    )
    _derived: ClassVar = {
        "len_header.value": Measure("length", "header"),
        "num_partitions.value": Measure("count", "partitions"),
        "num_blocks.value": Measure("count", "blocks"),
    }


class SidecarPartition(Struct, of="sidecar_partition"):
    """A `sidecar_partition`."""

    len_partition: Nested[Varint] = Object(
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    partition: One[bytes] = Bytes(size="len_partition.value", measured=True)
    _derived: ClassVar = {
        "len_partition.value": Measure("length", "partition"),
    }


class SidecarBlock(Struct, of="sidecar_block"):
    """A `sidecar_block`."""

    ofs_block: Nested[Varint] = Object("varint", looked=True)
    len_block: Nested[Varint] = Object("varint", looked=True)
    num_entries: Nested[Varint] = Object("varint")
    partitions: Nested[PartitionCoverage] = Object("partition_coverage")
    row_ids: Nested[RowIdCoverage] = Object("row_id_coverage")
    buckets: Nested[BucketCoverage] = Object("bucket_coverage")


class PartitionCoverage(Struct, of="partition_coverage"):
    """A `partition_coverage`."""

    encoding: One[int] = Number(U1, likely=(1,))
    len_content: MaybeNested[Varint] = Object(
        "varint",
        looked=True,
        when=lambda s: s.encoding != 0,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    content: Maybe[Any] = Switch(
        "encoding",
        {
            1: Object("ascending_numbers", size="len_content.value"),
            None: Bytes(size="len_content.value"),
        },
        size="len_content.value",
        when=lambda s: s.encoding != 0,
        measured=True,
    )
    _derived: ClassVar = {
        "len_content.value": Measure("length", "content"),
    }


class RowIdCoverage(Struct, of="row_id_coverage"):
    """A `row_id_coverage`."""

    encoding: One[int] = Number(U1, likely=(1,))
    len_content: MaybeNested[Varint] = Object(
        "varint",
        looked=True,
        when=lambda s: s.encoding != 0,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    content: Maybe[Any] = Switch(
        "encoding",
        {
            1: Object("row_id_ranges", size="len_content.value"),
            None: Bytes(size="len_content.value"),
        },
        size="len_content.value",
        when=lambda s: s.encoding != 0,
        measured=True,
    )
    _derived: ClassVar = {
        "len_content.value": Measure("length", "content"),
    }


class BucketCoverage(Struct, of="bucket_coverage"):
    """A `bucket_coverage`."""

    encoding: One[int] = Number(U1, likely=(1,))
    len_content: MaybeNested[Varint] = Object(
        "varint",
        looked=True,
        when=lambda s: s.encoding != 0,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    content: Maybe[Any] = Switch(
        "encoding",
        {1: Object("bucket_list", size="len_content.value"), None: Bytes(size="len_content.value")},
        size="len_content.value",
        when=lambda s: s.encoding != 0,
        measured=True,
    )
    _derived: ClassVar = {
        "len_content.value": Measure("length", "content"),
    }


class AscendingNumbers(Struct, of="ascending_numbers"):
    """A `ascending_numbers`."""

    num_numbers: Nested[Varint] = Object(
        "varint",
        looked=True,
        inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )
    numbers: Many[NumberAfter] = Repeat(Object("number_after"), count="num_numbers.value")
    _derived: ClassVar = {
        "num_numbers.value": Measure("count", "numbers"),
    }


class NumberAfter(Struct, of="number_after"):
    """A `number_after`."""

    difference: Nested[Varint] = Object("varint", looked=True)


class RowIdRanges(Struct, of="row_id_ranges"):
    """A `row_id_ranges`."""

    first: One[int] = Number(S8BE, least=0)
    last: One[int] = Number(S8BE, least="first")
    bounds: Nested[AscendingNumbers] = Object("ascending_numbers")


class BucketList(Struct, of="bucket_list"):
    """A `bucket_list`."""

    buckets: Nested[AscendingNumbers] = Object("ascending_numbers")
    totals: Nested[AscendingNumbers] = Object("ascending_numbers")


make_manifest_sidecar = ManifestSidecar
make_sidecar_partition = SidecarPartition
make_sidecar_block = SidecarBlock
make_partition_coverage = PartitionCoverage
make_row_id_coverage = RowIdCoverage
make_bucket_coverage = BucketCoverage
make_ascending_numbers = AscendingNumbers
make_number_after = NumberAfter
make_row_id_ranges = RowIdRanges
make_bucket_list = BucketList
