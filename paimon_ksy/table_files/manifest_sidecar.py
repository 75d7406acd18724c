"""Sidecars of manifests: the partitions, row ids and buckets in each block of a manifest.

Readers skip the blocks that cannot match. A block that claims less than its entries have loses
rows, so `compare` finds what differs from the sidecar that the manifest should have.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import to_bytes
from ksykit.runtime.varints import from_zigzag, to_zigzag
from numpy.typing import NDArray

from paimon_ksy.errors import CorruptFileError, UnsupportedError, counted
from paimon_ksy.generated.structs.manifest_sidecar import (
    ManifestSidecar as ManifestSidecarStruct,
)
from paimon_ksy.generated.structs.manifest_sidecar import (
    make_ascending_numbers,
    make_bucket_coverage,
    make_bucket_list,
    make_manifest_sidecar,
    make_number_after,
    make_partition_coverage,
    make_row_id_coverage,
    make_row_id_ranges,
    make_sidecar_block,
    make_sidecar_partition,
)
from paimon_ksy.generated.structs.varint import make_varint
from paimon_ksy.generated.views.manifest_sidecar import AscendingNumbers, ManifestSidecar
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import FileContent, Subject
from paimon_ksy.io.file_kind import IGNORED
from paimon_ksy.io.source import Source
from paimon_ksy.messages.answers import Answer, keyed
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding, corrupt

Numbers = NDArray[np.int64]

MOST_BYTES = 16 << 20
"""The most bytes of a sidecar: that of a manifest of 8 MB has some 100 kB."""
HARMLESS = "nothing needs repair: readers read more of the manifest than they need"


@dataclass(frozen=True, eq=False)
class Block:
    """A block of a manifest, and what its entries have. None means unknown.

    Attributes:
        start: Its first byte in the manifest.
        size: The number of its bytes.
        num_entries: The number of its entries.
        partitions: The positions of the partitions in the list of all.
        row_ids: The ranges of the row ids in ascending order: first and last row id, inclusive.
        buckets: The buckets in ascending order: the bucket, and the number of all buckets.
    """

    start: int
    size: int
    num_entries: int
    partitions: Numbers | None
    row_ids: Numbers | None
    buckets: Numbers | None


@dataclass(frozen=True, eq=False)
class Sidecar:
    """A sidecar: the header of the manifest, all partitions as rows, and the blocks."""

    header: bytes
    partitions: Sequence[bytes]
    blocks: Sequence[Block]


def read_sidecar(source: Source) -> Sidecar:
    """Read a sidecar.

    Raises:
        CorruptFileError: It is malformed, or has another checksum.
        UnsupportedError: It has more than `MOST_BYTES`.
    """
    if source.size > MOST_BYTES:
        message = f"the sidecar has {source.size} bytes, and {MOST_BYTES} are supported"
        raise UnsupportedError(message, path=source.name)
    with CorruptErrors(source, remedy=IGNORED):
        data = source.read(0, source.size)
        file = ManifestSidecar(data, 0, 0)
        if file.end != len(data):
            raise FormatError("bytes follow its checksum", file.end)
        crc_at = file.end - len(ManifestSidecarStruct.pack_field("crc32", file.crc32))
        if (crc := zlib.crc32(data[:crc_at])) != file.crc32:
            raise FormatError(f"its checksum is {crc:#010x}, not {file.crc32:#010x}", 0)
        partitions = [bytes(each) for each in file.partitions_partition]
        if len({*partitions}) != len(partitions):
            raise FormatError("it lists a partition twice", None)
        blocks, at = [], len(file.header)
        for number, block in enumerate(file.blocks):
            try:
                read = _block(block, len(partitions))
                if read.start != at:
                    raise FormatError(f"it starts at byte {read.start}, not {at}", None)
            except FormatError as error:
                raise FormatError(f"block {number}: {error.message}", error.offset) from None
            blocks.append(read)
            at += read.size
        return Sidecar(bytes(file.header), partitions, blocks)


def _block(block: Any, num_partitions: int) -> Block:
    """Return a block. Raises FormatError if readers would refuse it."""
    place = (block.ofs_block.value, block.len_block.value, block.num_entries.value)
    partitions = row_ids = buckets = None
    if isinstance(content := block.partitions.content, AscendingNumbers):
        partitions = _sums(content)
        _check(len(partitions) > 0 and _ascends(partitions), "its partitions do not ascend")
        _check(partitions[-1] < num_partitions, "it has a partition that is not listed")
    if (content := block.row_ids.content) is not None and block.row_ids.encoding == 1:
        bounds = np.concatenate([[0], _sums(content.bounds), [content.last - content.first]])
        _check(len(bounds) % 2 == 0, "a range of row ids has no end")
        row_ids = (content.first + bounds).reshape(-1, 2)
        is_ordered = (row_ids[:, 0] <= row_ids[:, 1]).all() and _ascends(row_ids.ravel()[1:-1])
        _check(bool(is_ordered), "its ranges of row ids do not ascend")
    if (content := block.buckets.content) is not None and block.buckets.encoding == 1:
        numbers = _sums(content.buckets)
        totals = np.cumsum(from_zigzag(np.array(content.totals.numbers_difference, np.uint64)))
        _check(len(numbers) == len(totals) > 0, "it has buckets without their total number")
        buckets = np.stack([numbers, totals], axis=1)
        _check(bool((numbers < totals).all()), "a bucket is beyond the number of buckets")
    return Block(*place, partitions, row_ids, buckets)


def _sums(numbers: AscendingNumbers) -> Numbers:
    """Return integers by the differences of each to the one before."""
    _check(max(numbers.numbers_difference, default=0) < 1 << 63, "an integer is too large")
    sums: Numbers = np.cumsum(np.array(numbers.numbers_difference, np.int64))
    _check(bool((sums >= 0).all()), "an integer is too large")
    return sums


def _ascends(numbers: Numbers) -> bool:
    return bool((np.diff(numbers) > 0).all())


def _check(is_right: bool, message: str) -> None:
    if not is_right:
        raise FormatError(message, None)


def write_sidecar(sidecar: Sidecar) -> bytes:
    """Return the bytes of a sidecar, as other writers write it."""
    return to_bytes(
        make_manifest_sidecar(
            header=sidecar.header,
            partitions=[make_sidecar_partition(partition=each) for each in sidecar.partitions],
            blocks=[_made_block(each) for each in sidecar.blocks],
        )
    )


def _made_block(block: Block) -> Any:
    partitions, row_ids, buckets = block.partitions, block.row_ids, block.buckets
    partition_list = None if partitions is None else _differences(partitions)
    ranges = bucket_list = None
    if row_ids is not None:
        first, last = int(row_ids[0, 0]), int(row_ids[-1, 1])
        bounds = _differences(row_ids.ravel()[1:-1] - first)
        ranges = make_row_id_ranges(first=first, last=last, bounds=bounds)
    if buckets is not None:
        totals = to_zigzag(np.diff(buckets[:, 1], prepend=0))
        numbers = _differences(buckets[:, 0])
        bucket_list = make_bucket_list(buckets=numbers, totals=_numbers(totals))
    return make_sidecar_block(
        ofs_block=make_varint(value=block.start),
        len_block=make_varint(value=block.size),
        num_entries=make_varint(value=block.num_entries),
        partitions=make_partition_coverage(**_coverage(partition_list)),
        row_ids=make_row_id_coverage(**_coverage(ranges)),
        buckets=make_bucket_coverage(**_coverage(bucket_list)),
    )


def _coverage(content: Any) -> dict[str, Any]:
    return {"encoding": 0} if content is None else {"encoding": 1, "content": content}


def _differences(numbers: Numbers) -> Any:
    return _numbers(np.diff(numbers, prepend=0))


def _numbers(values: Any) -> Any:
    numbers = [make_number_after(difference=make_varint(value=int(value))) for value in values]
    return make_ascending_numbers(numbers=numbers)


# Compare with the manifest ----------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """What a sidecar states wrongly.

    Attributes:
        severity: `error` if readers lose rows or fail, `note` if they read too much.
        block: The number of the block; None if it concerns the whole sidecar.
        message: What differs.
    """

    severity: str
    block: int | None
    message: str


def compare(sidecar: Sidecar, right: Sidecar) -> Iterator[Difference]:
    """Yield what a sidecar states wrongly, by what the manifest should have."""
    if sidecar.header != right.header:
        yield Difference(ERROR, None, "its header is not that of the manifest")
    places = [[(b.start, b.size, b.num_entries) for b in s.blocks] for s in (sidecar, right)]
    if places[0] != places[1]:
        pairs = zip(*places, strict=False)
        at = next((i for i, pair in enumerate(pairs) if pair[0] != pair[1]), None)
        counts = f"it has {len(places[0])} blocks, and the manifest {len(places[1])}"
        message = counts if at is None else f"block {at} is not one of the manifest"
        yield Difference(ERROR, at, message)
        return
    for number, (block, real) in enumerate(zip(sidecar.blocks, right.blocks, strict=True)):
        yield from _compare_sets(
            number, "partition", _rows_of(sidecar, block), _rows_of(right, real)
        )
        yield from _compare_ranges(number, block.row_ids, real.row_ids)
        yield from _compare_sets(number, "bucket", _pairs(block), _pairs(real))


def _rows_of(sidecar: Sidecar, block: Block) -> set[str] | None:
    numbers = block.partitions
    if numbers is None:
        return None
    return {sidecar.partitions[each].hex() for each in numbers.tolist()}


def _pairs(block: Block) -> set[str] | None:
    buckets = block.buckets
    return None if buckets is None else {"{} of {}".format(*each) for each in buckets.tolist()}


def _compare_sets(
    number: int, what: str, claimed: set[str] | None, actual: set[str] | None
) -> Iterator[Difference]:
    """Yield how the partitions or buckets of a block differ."""
    if claimed is None:
        return
    if actual is None:
        yield Difference(ERROR, number, f"block {number} has an entry without a {what}")
    elif lost := actual - claimed:
        message = f"block {number} lacks {counted(len(lost), what)} of its entries: {min(lost)}"
        yield Difference(ERROR, number, message + (", .." if len(lost) > 1 else ""))
    elif more := claimed - actual:
        message = f"block {number} claims {counted(len(more), what)} that no entry of it has"
        yield Difference(NOTE, number, message)


def _compare_ranges(
    number: int, claimed: Numbers | None, actual: Numbers | None
) -> Iterator[Difference]:
    """Yield how the ranges of row ids of a block differ."""
    if claimed is None:
        return
    if actual is None:
        yield Difference(ERROR, number, f"block {number} has an entry without row ids")
        return
    claimed, actual = joined(claimed), joined(actual)
    at = np.searchsorted(claimed[:, 0], actual[:, 0], "right") - 1
    is_lost = (at < 0) | (claimed[at.clip(min=0), 1] < actual[:, 1])
    if is_lost.any():
        first, last = actual[int(np.argmax(is_lost))].tolist()
        message = f"block {number} lacks row ids of its entries, in {first} to {last}"
        yield Difference(ERROR, number, message)
    elif claimed.shape != actual.shape or (claimed != actual).any():
        yield Difference(NOTE, number, f"block {number} claims row ids that no entry of it has")


def joined(ranges: Numbers) -> Numbers:
    """Return ranges by their first number, of which those that touch or overlap are one."""
    order = np.argsort(ranges[:, 0], kind="stable")
    starts, ends = ranges[order, 0], np.maximum.accumulate(ranges[order, 1])
    begins = np.append(True, starts[1:] - 1 > ends[:-1])
    is_last = np.append(begins[1:], True)
    return np.stack([starts[begins], ends[is_last]], axis=1)


# Inspect and check ------------------------------------------------------------------------------


@dataclass(frozen=True)
class BlockReport(Answer):
    """A block: its place in the manifest, and what it claims that its entries have."""

    block: int
    offset: int = field(metadata=keyed("byte"))
    size: int = field(metadata=keyed("bytes"))
    entries: int
    partitions: int | None = field(metadata=keyed(optional=True))
    row_ids: tuple[str, ...] | None = field(metadata=keyed(optional=True))
    buckets: tuple[str, ...] | None = field(metadata=keyed(optional=True))


@dataclass(frozen=True)
class SidecarReport(FileContent):
    """What a sidecar contains: its partitions as rows, and its first blocks."""

    header_bytes: int
    num_entries: int
    num_partitions: int = field(metadata=keyed(text=False))
    num_blocks: int = field(metadata=keyed(text=False))
    partitions: tuple[bytes, ...] = field(metadata=keyed(total="num_partitions"))
    blocks: tuple[BlockReport, ...] = field(metadata=keyed(total="num_blocks"))


def inspect(subject: Subject, top: int | None) -> SidecarReport:
    """Return what a sidecar contains, with its first blocks. Raises CorruptFileError."""
    sidecar = read_sidecar(subject.source)
    return SidecarReport(
        len(sidecar.header),
        sum(block.num_entries for block in sidecar.blocks),
        len(sidecar.partitions),
        len(sidecar.blocks),
        tuple(sidecar.partitions[:top]),
        tuple(_report(number, each, top) for number, each in enumerate(sidecar.blocks[:top])),
    )


def _report(number: int, block: Block, top: int | None) -> BlockReport:
    row_ids, buckets = (
        None if pairs is None else tuple(text.format(*pair) for pair in pairs[:top].tolist())
        for pairs, text in ((block.row_ids, "{} to {}"), (block.buckets, "{} of {}"))
    )
    partitions = None if block.partitions is None else len(block.partitions)
    place = block.start, block.size, block.num_entries
    return BlockReport(number, *place, partitions, row_ids, buckets)


def check(subject: Subject, data: Any = None) -> Iterator[Finding]:
    """Yield what is wrong in a sidecar by itself. An audit also compares it with its manifest."""
    try:
        read_sidecar(subject.source)
    except CorruptFileError as error:
        yield damaged(subject.path, error)


def damaged(path: str, error: CorruptFileError) -> Finding:
    """Return the finding about a sidecar that readers ignore."""
    finding = corrupt("sidecar", path, error, remedy=IGNORED)
    message = f"readers ignore it, and read the whole manifest: {finding.message}"
    return Finding(WARNING, "sidecar", path, None, finding.byte, message, IGNORED)
