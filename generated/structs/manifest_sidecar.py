# Generated from manifest_sidecar.ksy by `ksykit generate`. Do not edit.
"""Objects of manifest_sidecar: Sidecar of a manifest of a Paimon table."""

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
    skip blocks.

    Attributes:
        magic: The letters PMSC.
        version: An integer like a `varint`.
        len_header: Size of `header` in bytes.
        header: The header of the manifest, up to its first block.
        num_partitions: Number of distinct partitions.
        partitions: The partitions of all entries in the manifest.
        num_blocks: Number of blocks in the manifest.
        blocks: The blocks, in their order in the manifest.
        crc32: zlib's CRC-32 of everything before it.
    """

    magic: One[bytes] = Bytes(contents=b"PMSC", measured=True)
    version: One[int] = Number(U1, equal=1, measured=True)
    len_header: Nested[Varint] = Object(
        "varint", looked=True, measured=True,
        inner=("groups.group", "groups.half_before", "groups.scale"), role="length",
    )  # fmt: skip
    header: One[bytes] = Bytes(size="len_header.value", measured=True)
    num_partitions: Nested[Varint] = Object(
        "varint", looked=True, measured=True,
        inner=("groups.group", "groups.half_before", "groups.scale"), role="length",
    )  # fmt: skip
    partitions: Many[SidecarPartition] = Repeat(
        Object("sidecar_partition"), count="num_partitions.value", measured=True,
    )  # fmt: skip
    num_blocks: Nested[Varint] = Object(
        "varint", looked=True, measured=True,
        inner=("groups.group", "groups.half_before", "groups.scale"), role="length",
    )  # fmt: skip
    blocks: Many[SidecarBlock] = Repeat(
        Object("sidecar_block", looked=True), count="num_blocks.value", measured=True,
    )  # fmt: skip
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
    """A `sidecar_partition`.

    Attributes:
        len_partition: Size of `partition` in bytes.
        partition: The partition, a `serialized_row` as in manifests.
    """

    len_partition: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
    partition: One[bytes] = Bytes(size="len_partition.value", measured=True)
    _derived: ClassVar = {"len_partition.value": Measure("length", "partition")}


class SidecarBlock(Struct, of="sidecar_block"):
    """A `sidecar_block`.

    Attributes:
        ofs_block: Start of the block in the manifest.
        len_block: Size of the block in bytes, from its head to its sync marker.
        num_entries: Number of entries in the block.
        partitions: The partitions of the entries.
        row_ids: The row ids of the entries.
        buckets: The buckets of the entries.
    """

    ofs_block: Nested[Varint] = Object("varint", looked=True)
    len_block: Nested[Varint] = Object("varint", looked=True)
    num_entries: Nested[Varint] = Object("varint")
    partitions: Nested[PartitionCoverage] = Object("partition_coverage")
    row_ids: Nested[RowIdCoverage] = Object("row_id_coverage")
    buckets: Nested[BucketCoverage] = Object("bucket_coverage")


class PartitionCoverage(Struct, of="partition_coverage"):
    """A `partition_coverage`.

    Attributes:
        encoding: 1, or 0 if the partitions are unknown.
        len_content: Size of the content in bytes.
        content: Positions of the partitions in `partitions` of the file, from 0.
    """

    encoding: One[int] = Number(U1, likely=(1,))
    len_content: MaybeNested[Varint] = Object(
        "varint", looked=True, when=lambda s: s.encoding != 0,
        inner=("groups.group", "groups.half_before", "groups.scale"), role="length",
    )  # fmt: skip
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
    _derived: ClassVar = {"len_content.value": Measure("length", "content")}


class RowIdCoverage(Struct, of="row_id_coverage"):
    """A `row_id_coverage`.

    Attributes:
        encoding: 1, or 0 if the row ids are unknown.
        len_content: Size of the content in bytes.
        content: The ranges of the row ids.
    """

    encoding: One[int] = Number(U1, likely=(1,))
    len_content: MaybeNested[Varint] = Object(
        "varint", looked=True, when=lambda s: s.encoding != 0,
        inner=("groups.group", "groups.half_before", "groups.scale"), role="length",
    )  # fmt: skip
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
    _derived: ClassVar = {"len_content.value": Measure("length", "content")}


class BucketCoverage(Struct, of="bucket_coverage"):
    """A `bucket_coverage`.

    Attributes:
        encoding: 1, or 0 if the buckets are unknown.
        len_content: Size of the content in bytes.
        content: The buckets, each with the number of buckets that its partition had.
    """

    encoding: One[int] = Number(U1, likely=(1,))
    len_content: MaybeNested[Varint] = Object(
        "varint", looked=True, when=lambda s: s.encoding != 0,
        inner=("groups.group", "groups.half_before", "groups.scale"), role="length",
    )  # fmt: skip
    content: Maybe[Any] = Switch(
        "encoding",
        {1: Object("bucket_list", size="len_content.value"), None: Bytes(size="len_content.value")},
        size="len_content.value",
        when=lambda s: s.encoding != 0,
        measured=True,
    )
    _derived: ClassVar = {"len_content.value": Measure("length", "content")}


class AscendingNumbers(Struct, of="ascending_numbers"):
    """A `ascending_numbers`.

    Attributes:
        num_numbers: Number of integers.
        numbers: The integers.
    """

    num_numbers: Nested[Varint] = Object(
        "varint", looked=True, inner=("groups.group", "groups.half_before", "groups.scale"),
        role="length",
    )  # fmt: skip
    numbers: Many[NumberAfter] = Repeat(Object("number_after"), count="num_numbers.value")
    _derived: ClassVar = {"num_numbers.value": Measure("count", "numbers")}


class NumberAfter(Struct, of="number_after"):
    """A `number_after`.

    Attributes:
        difference: The difference of the integer to the one before.
    """

    difference: Nested[Varint] = Object("varint", looked=True)


class RowIdRanges(Struct, of="row_id_ranges"):
    """A `row_id_ranges`.

    Attributes:
        first: The least row id.
        last: The greatest row id.
        bounds: The ends and starts of all ranges but the first start and the last end, counted from
            `first`.
    """

    first: One[int] = Number(S8BE, least=0)
    last: One[int] = Number(S8BE, least="first")
    bounds: Nested[AscendingNumbers] = Object("ascending_numbers")


class BucketList(Struct, of="bucket_list"):
    """A `bucket_list`.

    Attributes:
        buckets: The buckets in ascending order, counted from 0.
        totals: The number of all buckets for each of them, counted from 0.
    """

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
