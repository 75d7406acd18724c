"""What reading the dictionary of a range bitmap refuses."""

import pytest

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.generated.parsers.chunked_dictionary import ChunkedDictionary
from paimon_ksy.generated.views.chunked_dictionary import TEXT_CHUNK
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.support.ordered_indexes import opened


def test_offsets_of_a_chunk_that_are_not_as_many_as_its_keys() -> None:
    def chunk(ofs_keys: int, len_offsets: int) -> bytes:
        kind = ChunkedDictionary.KeyType.string.value
        found = TEXT_CHUNK[kind].pack(
            key=[b"a"], code=0, ofs_keys=ofs_keys, num_keys=3, len_offsets=len_offsets, len_keys=16
        )
        return found.data

    data = opened("range-bitmap", parse_type("STRING"), ["a", "bc", "d", "e"], {})
    assert data.count(chunk(0, 12)) == 1
    # The keys themselves are where they were, or not.
    for ofs_keys, len_offsets in [(12, 0), (4, 8), (0, 0), (0, 8), (0, 16)]:
        broken = data.replace(chunk(0, 12), chunk(ofs_keys, len_offsets))
        message = f"take {len_offsets} bytes for 3 keys"
        with (
            FileIndex.open(broken, Schema.parse("c STRING")) as index,
            pytest.raises(CorruptFileError, match=message),
        ):
            index.evaluate("c = 'bc'")
