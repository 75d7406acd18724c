"""What a range bitmap answers, and what it reads for it."""

import pytest
from ksykit.runtime.errors import FormatError
from ksykit.runtime.objects import to_bytes

from paimon_ksy.generated.structs.bit_slice_index import make_bit_slice_index
from paimon_ksy.generated.structs.roaring_bitmap_32 import (
    make_roaring_bitmap_32,
    make_roaring_header,
)
from paimon_ksy.generated.views.bit_slice_index import BitSliceIndex
from paimon_ksy.generated.views.chunked_dictionary import ChunkedDictionary
from tests.support.ordered_indexes import ROWS, bytes_read, large

pytestmark = pytest.mark.filterwarnings("ignore::paimon_ksy.IndexIgnoredWarning")


def test_slices_may_be_none() -> None:
    """An index without values needs none; Java writes 64 empty ones."""
    rows = make_roaring_bitmap_32(
        containers=[], header=make_roaring_header(descriptors=[], ofs_containers=[])
    )
    data = to_bytes(make_bit_slice_index(rows=rows, slices=[]))
    assert BitSliceIndex(data, 0, 0).num_slices == 0
    assert BitSliceIndex(data, 0, 0).len_head == 10


def test_the_most_chunks_have_offsets_of_31_bits() -> None:
    """Else languages whose product has 32 bits would accept 2^30 + 1 chunks with 4 bytes."""
    most = 2**29 - 1

    def head(num_chunks: int, len_offsets: int) -> bytes:
        counts = (num_chunks, len_offsets, 0)
        return bytes.fromhex("0000000d01") + b"".join(n.to_bytes(4, "big") for n in counts)

    assert ChunkedDictionary(head(most, most * 4), 0, 0, 4).num_chunks == most
    for num_chunks, len_offsets in ((most + 1, 2**31 - 1), (2**30 + 1, 4)):
        with pytest.raises(FormatError, match="num_chunks"):
            ChunkedDictionary(head(num_chunks, len_offsets), 0, 0, 4)


def test_bytes_read_of_a_range_bitmap() -> None:
    size = len(large("range-bitmap"))
    slices = 19 * (ROWS // 65536 + 1) * 8192  # bits, containers, bytes of a bitset
    assert bytes_read("range-bitmap", "c = 1000000") < 200  # beyond max: the head
    assert bytes_read("range-bitmap", "c IS NOT NULL") < 5000
    one = bytes_read("range-bitmap", "c = 17")
    assert slices * 0.9 < one < slices + 40_000  # heads of chunks, one chunk, the slices
    assert one < size - 1_000_000  # the other chunks
    # The code is a multiple of 2 ** 17, so that two slices tell.
    assert bytes_read("range-bitmap", f"c >= {2**17 - ROWS // 3}") < one // 4
