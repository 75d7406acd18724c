# Generated from manifest_sidecar.ksy by `ksykit generate`. Do not edit.
"""Views of manifest_sidecar: Sidecar of a manifest of a Paimon table."""

from typing import Any

from ksykit.runtime.records import MANY_EMPTY, Buffer, Field, Numbers, cut, window, wrong
from ksykit.runtime.varints import VarintLayout

from .varint import Varint

_MANIFEST_SIDECAR_VERSION = Numbers(">B", Field("version", "manifest_sidecar/seq/1", ">B", equal=1))
SIDECAR_PARTITION = VarintLayout(("partition", True))
_PARTITION_COVERAGE_ENCODING = Numbers(
    ">B", Field("encoding", "manifest_sidecar/types/partition_coverage/seq/0", ">B")
)
NUMBER_AFTER = VarintLayout(("difference", False))
_ROW_ID_COVERAGE_ENCODING = Numbers(
    ">B", Field("encoding", "manifest_sidecar/types/row_id_coverage/seq/0", ">B")
)
_ROW_ID_RANGES_FIRST = Numbers(
    ">qq",
    Field("first", "manifest_sidecar/types/row_id_ranges/seq/0", ">q", least=0),
    Field("last", "manifest_sidecar/types/row_id_ranges/seq/1", ">q", least=lambda x: x.first),
)
_BUCKET_COVERAGE_ENCODING = Numbers(
    ">B", Field("encoding", "manifest_sidecar/types/bucket_coverage/seq/0", ">B")
)
_MANIFEST_SIDECAR_CRC32 = Numbers(">I", Field("crc32", "manifest_sidecar/seq/8", ">I"))


class AscendingNumbers:
    """A `ascending_numbers`."""

    __slots__ = ("end", "num_numbers", "numbers_difference")

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        self.num_numbers = Varint(d, start, p)
        p = self.num_numbers.end - start
        (
            p, self.numbers_difference,
        ) = NUMBER_AFTER.read(d, start, p, self.num_numbers.value, arrays)  # fmt: skip
        self.end = start + p


class PartitionCoverage:
    """A `partition_coverage`."""

    __slots__ = ("content", "encoding", "end", "len_content")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 1:
            raise _PARTITION_COVERAGE_ENCODING.broken(d, start, p, self)
        (self.encoding,) = _PARTITION_COVERAGE_ENCODING.unpack_from(d, p)
        p += 1
        self.len_content: Any = None
        if self.encoding != 0:
            self.len_content = Varint(d, start, p)
            p = self.len_content.end - start
        self.content: Any = None
        if self.encoding != 0:
            if self.encoding == 1:
                q = p + self.len_content.value
                self.content = window(AscendingNumbers, d, start, p, q - p)
                p = q
            else:
                q = p + self.len_content.value
                if not 0 <= p <= q <= len(d):
                    raise cut(d, start, p, q - p)
                self.content = d[p:q]
                p = q
        self.end = start + p


class RowIdRanges:
    """A `row_id_ranges`."""

    __slots__ = ("bounds", "end", "first", "last")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 16:
            raise _ROW_ID_RANGES_FIRST.broken(d, start, p, self)
        (self.first, self.last) = _ROW_ID_RANGES_FIRST.unpack_from(d, p)
        if self.first < 0 or self.last < self.first:
            raise _ROW_ID_RANGES_FIRST.broken(d, start, p, self)
        p += 16
        self.bounds = AscendingNumbers(d, start, p)
        p = self.bounds.end - start
        self.end = start + p


class RowIdCoverage:
    """A `row_id_coverage`."""

    __slots__ = ("content", "encoding", "end", "len_content")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 1:
            raise _ROW_ID_COVERAGE_ENCODING.broken(d, start, p, self)
        (self.encoding,) = _ROW_ID_COVERAGE_ENCODING.unpack_from(d, p)
        p += 1
        self.len_content: Any = None
        if self.encoding != 0:
            self.len_content = Varint(d, start, p)
            p = self.len_content.end - start
        self.content: Any = None
        if self.encoding != 0:
            if self.encoding == 1:
                q = p + self.len_content.value
                self.content = window(RowIdRanges, d, start, p, q - p)
                p = q
            else:
                q = p + self.len_content.value
                if not 0 <= p <= q <= len(d):
                    raise cut(d, start, p, q - p)
                self.content = d[p:q]
                p = q
        self.end = start + p


class BucketList:
    """A `bucket_list`."""

    __slots__ = ("buckets", "end", "totals")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.buckets = AscendingNumbers(d, start, p)
        p = self.buckets.end - start
        self.totals = AscendingNumbers(d, start, p)
        p = self.totals.end - start
        self.end = start + p


class BucketCoverage:
    """A `bucket_coverage`."""

    __slots__ = ("content", "encoding", "end", "len_content")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 1:
            raise _BUCKET_COVERAGE_ENCODING.broken(d, start, p, self)
        (self.encoding,) = _BUCKET_COVERAGE_ENCODING.unpack_from(d, p)
        p += 1
        self.len_content: Any = None
        if self.encoding != 0:
            self.len_content = Varint(d, start, p)
            p = self.len_content.end - start
        self.content: Any = None
        if self.encoding != 0:
            if self.encoding == 1:
                q = p + self.len_content.value
                self.content = window(BucketList, d, start, p, q - p)
                p = q
            else:
                q = p + self.len_content.value
                if not 0 <= p <= q <= len(d):
                    raise cut(d, start, p, q - p)
                self.content = d[p:q]
                p = q
        self.end = start + p


class SidecarBlock:
    """A `sidecar_block`."""

    __slots__ = (
        "buckets", "end", "len_block", "num_entries", "ofs_block", "partitions", "row_ids",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        self.ofs_block = Varint(d, start, p)
        p = self.ofs_block.end - start
        self.len_block = Varint(d, start, p)
        p = self.len_block.end - start
        self.num_entries = Varint(d, start, p)
        p = self.num_entries.end - start
        self.partitions = PartitionCoverage(d, start, p)
        p = self.partitions.end - start
        self.row_ids = RowIdCoverage(d, start, p)
        p = self.row_ids.end - start
        self.buckets = BucketCoverage(d, start, p)
        p = self.buckets.end - start
        self.end = start + p


class ManifestSidecar:
    """Which partitions, row ids and buckets each block of a manifest contains, so that
    readers skip blocks."""

    __slots__ = (
        "blocks", "crc32", "end", "header", "len_header", "magic", "num_blocks",
        "num_partitions", "partitions_partition", "version",
    )  # fmt: skip

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        q = p + 4
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.magic = d[p:q]
        if self.magic != b"PMSC":
            raise wrong(
                "the field magic is not b'PMSC'", start + p, "manifest_sidecar/seq/0", self.magic
            )
        p = q
        if not 0 <= p <= len(d) - 1:
            raise _MANIFEST_SIDECAR_VERSION.broken(d, start, p, self)
        (self.version,) = _MANIFEST_SIDECAR_VERSION.unpack_from(d, p)
        if self.version != 1:
            raise _MANIFEST_SIDECAR_VERSION.broken(d, start, p, self)
        p += 1
        self.len_header = Varint(d, start, p)
        p = self.len_header.end - start
        q = p + self.len_header.value
        if not 0 <= p <= q <= len(d):
            raise cut(d, start, p, q - p)
        self.header = d[p:q]
        p = q
        self.num_partitions = Varint(d, start, p)
        p = self.num_partitions.end - start
        (
            p, self.partitions_partition,
        ) = SIDECAR_PARTITION.read(d, start, p, self.num_partitions.value, arrays)  # fmt: skip
        self.num_blocks = Varint(d, start, p)
        p = self.num_blocks.end - start
        self.blocks: list[Any] = []
        first = p
        for _ in range(self.num_blocks.value):
            item = SidecarBlock(d, start, p)
            p = item.end - start
            self.blocks.append(item)
            if len(self.blocks) > MANY_EMPTY + p - first:
                raise wrong("too many elements without bytes", start + p)
        if not 0 <= p <= len(d) - 4:
            raise _MANIFEST_SIDECAR_CRC32.broken(d, start, p, self)
        (self.crc32,) = _MANIFEST_SIDECAR_CRC32.unpack_from(d, p)
        p += 4
        self.end = start + p
