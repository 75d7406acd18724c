"""Blocks of sorted indexes, and their metadata."""

from __future__ import annotations

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from ksykit.runtime.codings import encode
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import to_bytes
from pypaimon.globalindex.btree.btree_index_meta import BTreeIndexMeta

from kit_support.examples import examples
from paimon_ksy.errors import UnsupportedError
from paimon_ksy.generated.structs.compressed_block import CompressedBlock, make_zstd_payload
from paimon_ksy.generated.structs.varint import make_varint
from paimon_ksy.generated.views.compressed_block import BlockCompression
from paimon_ksy.global_index.blocks import MOST, checksum, read_block, size_of, to_block
from paimon_ksy.global_index.metadata import SortedMetadata, read_metadata, write_metadata
from paimon_ksy.io.source import open_source

WRITTEN = BlockCompression.none, BlockCompression.zstd, BlockCompression.lz4
LONG = b"abc" * 100


def content(data: bytes) -> bytes:
    return bytes(read_block(open_source(data), 0, len(data) - size_of(0))[1])


@pytest.mark.parametrize("compression", WRITTEN)
def test_blocks_come_back_and_each_flipped_bit_is_found(compression: BlockCompression) -> None:
    block = to_block(LONG, compression)
    assert content(block) == LONG
    assert (len(block) < len(LONG)) == (compression != BlockCompression.none)
    assert content(to_block(b"a", compression)) == b"a"  # is not compressed
    for bit in range(8 * len(block)):
        bad = bytearray(block)
        bad[bit // 8] ^= 1 << bit % 8
        with pytest.raises(FormatError):
            content(bytes(bad))


def test_frames_of_zstd_are_those_of_a_stream() -> None:
    """Java writes streams of level 1, whose frames do not state the length of the content."""
    for size in (50, 300, 5000):
        data = b"".join(n.to_bytes(4, "little") for n in range(size))
        stream = zstandard.ZstdCompressor(level=1).compressobj()
        frame = stream.compress(data) + stream.flush()
        assert encode("zstd", data) == frame
        assert zstandard.get_frame_parameters(frame).content_size == zstandard.CONTENTSIZE_UNKNOWN


def test_lengths_of_compressed_blocks_are_checked() -> None:
    def block(size: int, more: bytes = b"") -> bytes:
        data = to_block(LONG, BlockCompression.zstd)[len(to_bytes(make_varint(value=300))) : -5]
        payload = to_bytes(make_zstd_payload(len_content=make_varint(value=size), data=data + more))
        crc = checksum(payload, BlockCompression.zstd)
        return CompressedBlock.pack(payload=payload, compression=1, crc32=crc)

    assert content(block(300)) == LONG
    for size in (299, 301):
        with pytest.raises(FormatError, match=r"300 bytes|more than 299"):
            content(block(size))
    with pytest.raises(UnsupportedError, match="at most"):
        content(block(MOST + 1))


keys = st.none() | st.binary(max_size=3)


@examples(60)
@given(keys, keys, st.booleans())
def test_metadata_comes_back(first: bytes | None, last: bytes | None, has_nulls: bool) -> None:
    metadata = SortedMetadata(first, last, has_nulls)
    assert read_metadata(write_metadata(metadata)) == metadata
    theirs = BTreeIndexMeta.deserialize(write_metadata(metadata))
    assert (theirs.first_key, theirs.last_key, theirs.has_nulls) == metadata[:3]


@pytest.mark.parametrize(
    ("first", "last", "has_nulls", "expected"),
    [
        (b"", b"", True, (None, None, True)),
        (b"", b"", False, (b"", b"", False)),
        (b"", b"b", True, (b"", b"b", True)),
    ],
)
def test_metadata_before_paimon_2(
    first: bytes, last: bytes, has_nulls: bool, expected: tuple[bytes | None, bytes | None, bool]
) -> None:
    data = write_metadata(SortedMetadata(first, last, has_nulls, is_old=True))
    assert read_metadata(data) == SortedMetadata(*expected, is_old=True)
    for end in range(len(data)):
        with pytest.raises(FormatError):
            read_metadata(data[:end])
    with pytest.raises(FormatError, match="follow"):
        read_metadata(data + b"\1\0\0")
