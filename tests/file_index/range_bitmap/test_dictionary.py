"""The dictionary of a range bitmap, against a sorted list; and dictionaries that are wrong."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ksykit.runtime.objects import to_bytes
from ksykit.runtime.records import layout_for
from pyroaring import BitMap

from kit_support.examples import examples
from paimon_ksy.errors import CorruptFileError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.range_bitmap.dictionary import Dictionary
from paimon_ksy.generated.structs.chunked_dictionary import (
    make_chunked_dictionary,
    make_dictionary_chunks,
)
from paimon_ksy.generated.views.chunked_dictionary import (
    DICTIONARY_KEY,
    DICTIONARY_KEYS_OFS_KEYS,
    FIXED_CHUNK,
    TEXT_CHUNK,
)
from paimon_ksy.io.source import open_source
from paimon_ksy.predicates.tree import col
from paimon_ksy.types.data_type import DataType, column_type
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.reference.chunked_dictionary import ChunkedDictionary
from tests.support.ordered_indexes import INT, opened, reader
from tests.support.selections import selected_rows

STRING = parse_type("STRING")


def test_keys_are_found_without_reading_them_all() -> None:
    values = np.arange(100_000, dtype=np.int32) * 2
    options = {
        "file-index.range-bitmap.columns": "c",
        "file-index.range-bitmap.c.chunk-size": "1kb",
    }
    data = build_file_index(pa.table({"c": values}), None, options)
    with FileIndex.open(data, Schema.parse("c INT")) as index:
        assert selected_rows(index.evaluate("c = 8888")) == [4444]
        assert index.bytes_read < 17 * 2 * 8192 + 30_000
        assert index.evaluate("c = 8889").kind == "skip"
        wanted = range(0, 2000, 2)
        assert index.evaluate(col("c").is_in(wanted)).rows == BitMap(range(1000))


def test_codes_are_in_key_order() -> None:
    data = opened("range-bitmap", INT, [3, 1, 2], {})
    keys = [key for _, key in reader(data, INT).dictionary.keys(0, 3)]
    assert all(a < b for a, b in pairwise(keys))


VALUES: dict[DataType, st.SearchStrategy[Any]] = {
    INT: st.integers(-99, 99) | st.integers(-(2**31), 2**31 - 1),
    STRING: st.text("abé", max_size=4),
}


@pytest.mark.parametrize("data_type", VALUES, ids=str)
@examples(40)
@given(data=st.data())
def test_against_a_sorted_list(data_type: DataType, data: st.DataObject) -> None:
    values = data.draw(st.lists(VALUES[data_type], unique=True, min_size=1, max_size=20))
    wanted = data.draw(st.lists(VALUES[data_type] | st.sampled_from(values), max_size=20))
    size = data.draw(st.sampled_from([0, 8, 20, 1000]))
    stored = opened("range-bitmap", data_type, values, {"chunk-size": f"{size}b"})
    keys = sorted(key_of(value) for value in values)
    asked = sorted(key_of(value) for value in wanted)
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, len(keys))] * 2)))
    codes = sorted(data.draw(st.sets(st.integers(0, len(keys) - 1))))
    found = reader(stored, data_type).dictionary
    assert found.ranks(asked) == [bisect_left(keys, key) for key in asked]
    found = reader(stored, data_type).dictionary
    assert list(found.keys(first, last)) == list(enumerate(keys))[first:last]
    assert found.keys_of(codes) == [keys[code] for code in codes]
    found.check(len(keys))
    assert list(found.all_keys()) == keys
    chunks = list(found.chunks())
    assert len(chunks) == found.num_chunks
    assert sum(1 + more for _, more, _ in chunks) == len(keys)


def key_of(value: Any) -> Any:
    return value.encode() if isinstance(value, str) else value


FIXED: dict[str, Any] = {
    "key": [10, 40, 60],
    "code": [0, 3, 5],
    "ofs_keys": [0, 8, 12],
    "num_keys": [2, 1, 0],
    "len_keys": [8, 4, 0],
    "len_key": 4,
    "rest": [[20, 30, 50]],
}
"""The heads of three chunks and the keys after the first ones: 10, 20, .. 60."""
TEXT: dict[str, Any] = {
    "key": [b"a", b"d", b"f"],
    "code": [0, 3, 5],
    "ofs_keys": [0, 18, 27],
    "num_keys": [2, 1, 0],
    "len_offsets": [8, 4, 0],
    "len_keys": [10, 5, 0],
    "offsets": [[0, 5], [0]],
    "rest": [[b"b", b"c"], [b"e"]],
}


def crafted(
    *,
    is_text: bool = False,
    num_values: int = 6,
    ofs_chunks: Sequence[int] | None = None,
    more_chunk_bytes: int = 0,
    cut: int = 0,
    **changed: Any,
) -> Dictionary:
    """A dictionary of `FIXED` or `TEXT` with other fields, `cut` bytes before its end."""
    data_type = STRING if is_text else INT
    stored = column_type(data_type)
    assert stored is not None
    fields = (TEXT if is_text else FIXED) | changed
    rest, offsets = fields.pop("rest"), fields.pop("offsets", [[]])
    chunks = layout_for(TEXT_CHUNK if is_text else FIXED_CHUNK, stored).pack(**fields)
    heads = make_dictionary_chunks(
        ofs_chunks=chunks.offsets[:-1] if ofs_chunks is None else ofs_chunks,
        text_chunks=chunks if is_text else None,
        fixed_chunks=None if is_text else chunks,
    )
    head = make_chunked_dictionary(
        column_type=stored, len_chunks=len(chunks.data) + more_chunk_bytes, heads=heads
    )
    parts = [to_bytes(head)]
    for of_chunk, keys in zip(offsets, rest, strict=True):
        parts.append(DICTIONARY_KEYS_OFS_KEYS.pack(ofs_keys=of_chunk).data)
        parts.append(layout_for(DICTIONARY_KEY, stored).pack(key=keys).data)
    data = b"".join(parts)
    source = open_source(data)
    return Dictionary(source, 0, len(data) - cut, "c", data_type, stored, num_values)


def test_what_is_crafted_is_right_if_nothing_is_changed() -> None:
    assert list(crafted().all_keys()) == [10, 20, 30, 40, 50, 60]
    assert list(crafted(is_text=True).all_keys()) == [b"a", b"b", b"c", b"d", b"e", b"f"]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"num_values": 2}, "3 chunks for 2 values"),
        ({"cut": 13}, "the heads of chunks end after the dictionary"),
        ({"more_chunk_bytes": 4}, "the heads of chunks take 75 bytes, but have 79"),
        ({"num_values": 7}, "do not add up"),
        ({"code": [0, 2, 5]}, "do not add up"),
        ({"key": [10, 60, 40]}, "chunks are not in ascending order"),
        ({"key": [10, 10, 60]}, "chunks are not in ascending order"),
        ({"ofs_chunks": [0, 50, 25]}, "an offset of a chunk is not where its head starts"),
        ({"len_key": 8}, "another key size"),
        ({"cut": 1}, "keys of a chunk end after the dictionary"),
        ({"rest": [[30, 20, 50]]}, "are not in ascending order"),
        ({"rest": [[20, 40, 50]]}, "are not in ascending order"),
        ({"ofs_keys": [0, 0, 12]}, "keys of a chunk are not in ascending order"),
        ({"ofs_keys": [4, 12, 12]}, "keys of a chunk end after the dictionary"),
        (
            {
                "num_values": 7,
                "key": [10, 25, 60],
                "code": [0, 3, 6],
                "num_keys": [2, 2, 0],
                "len_keys": [8, 8, 0],
                "ofs_keys": [0, 4, 12],
            },
            "the keys of chunks overlap",
        ),
        ({"is_text": True, "offsets": [[0, 4], [0]]}, "not where its key starts"),
        ({"is_text": True, "rest": [[b"c", b"b"], [b"e"]]}, "not in ascending order"),
        ({"is_text": True, "len_keys": [11, 5, 0]}, "take 10 bytes, but have 11"),
    ],
)
def test_reading_all_keys_finds_what_is_wrong(changed: dict[str, Any], says: str) -> None:
    with pytest.raises(CorruptFileError, match=says) as error:
        crafted(**changed).all_keys()
    assert "column 'c'" in str(error.value)


SEARCHES: dict[str, Callable[[Dictionary], Any]] = {
    "rank": lambda found: found.ranks([45]),
    "keys": lambda found: list(found.keys(0, 6)),
}


@pytest.mark.parametrize(
    ("search", "changed", "says"),
    [
        ("rank", {"code": [0, 9, 5]}, "do not add up"),
        ("rank", {"num_keys": [2, 3, 0]}, "do not add up"),
        ("rank", {"ofs_chunks": [0, 999, 50]}, "an offset of a chunk is not where its head starts"),
        ("rank", {"more_chunk_bytes": 4}, "the heads of chunks take 75 bytes, but have 79"),
        ("rank", {"len_keys": [8, 8, 0]}, "keys of a chunk end after the dictionary"),
        ("rank", {"rest": [[20, 30, 40]]}, "keys of a chunk are not in ascending order"),
        ("keys", {"num_keys": [1, 1, 0], "len_keys": [4, 4, 0]}, "do not add up"),
    ],
)
def test_searching_finds_what_is_wrong_where_it_reads(
    search: str, changed: dict[str, Any], says: str
) -> None:
    assert SEARCHES[search](crafted())
    with pytest.raises(CorruptFileError, match=says):
        SEARCHES[search](crafted(**changed))


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
