"""Read the dictionary of a range bitmap: the distinct values in order, and their codes.

To find keys, a reader fetches and searches the heads of all chunks at once, and then reads the keys
of one chunk for each key. Heads are a small part of a dictionary, and on remote storage, fetching
them takes less time than further requests.

Source: `ChunkedDictionary` (paimon-common, release 1.4.2).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from ksykit.runtime.records import layout_for

from paimon_ksy.columns.stored_values import Keys, are_ascending, keys_of, stored_values
from paimon_ksy.errors import CorruptFileError, counted
from paimon_ksy.generated.views.chunked_dictionary import (
    DICTIONARY_KEY,
    DICTIONARY_KEYS_OFS_KEYS,
    FIXED_CHUNK,
    TEXT_CHUNK,
    ChunkedDictionary,
    DictionaryChunks,
    KeyType,
    places_dictionary_keys,
)
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.types.data_type import DataType


class _ChunkHead(NamedTuple):
    """The fields of a chunk's head needed to read its keys; see specs/chunked_dictionary.ksy."""

    code: int
    ofs_keys: int
    num_keys: int
    len_keys: int
    len_offsets: int


class _Chunks(NamedTuple):
    """The heads of all chunks: a column for each field of `_ChunkHead`, and the first keys."""

    columns: tuple[Any, ...]
    keys: Keys
    values: Any
    """The first keys, as stored."""

    def head(self, chunk: int) -> _ChunkHead:
        """Return the head of one chunk."""
        return _ChunkHead(*(int(column[chunk]) for column in self.columns))


class Dictionary:
    """The dictionary from byte `pos` up to `end`: keys in the form of `Keys`, and their codes."""

    def __init__(
        self,
        source: Source,
        pos: int,
        end: int,
        column: str,
        data_type: DataType,
        stored: int,
        num_values: int,
    ) -> None:
        self._source = source
        self._column = column
        self._type = data_type
        self._stored = stored
        self._is_text = stored == KeyType.string
        self._num_values = num_values
        self._index = read_view(source, ChunkedDictionary, pos, stored)
        self._pos = pos
        self._end = end
        if not 0 < self._index.num_chunks <= num_values:
            raise self._corrupt(
                f"{counted(self._index.num_chunks, 'chunk')} for {counted(num_values, 'value')}"
            )
        if self._index.keys_start > end:
            raise self._corrupt("the heads of chunks end after the dictionary")
        self._keys: dict[int, Keys] = {}
        self._claimed: set[int] = set()
        self._left = int(end - self._index.keys_start)  # bytes that no chunk has claimed

    def ranks(self, keys: Sequence[Any]) -> list[int]:
        """Return the number of keys less than each of `keys`, which ascend."""
        return [self._rank(key) for key in keys]

    def chunks(self) -> Iterator[tuple[Any, int, int]]:
        """Yield each chunk's first key as stored, the number of later keys, and their bytes."""
        chunks = self._chunks
        for i, value in enumerate(stored_values(chunks.values, self._type)):
            head = chunks.head(i)
            yield value, head.num_keys, head.len_keys + head.len_offsets

    @property
    def num_chunks(self) -> int:
        """The number of chunks."""
        return int(self._index.num_chunks)

    @property
    def head_size(self) -> int:
        """The number of bytes before the keys: the head of the dictionary, and those of chunks."""
        return int(self._index.keys_start) - self._pos

    def check(self, count: int) -> None:
        """Read and check the chunks of the first `count` keys. Raises CorruptFileError."""
        for _ in self.keys(0, min(count, self._num_values)):
            pass

    def all_keys(self) -> Keys:
        """Read and check all keys, and return them in order. Raises CorruptFileError."""
        chunks = self._chunks
        codes, _, counts, sizes, _ = (np.asarray(column) for column in chunks.columns)
        if sizes[counts == 0].any():
            raise self._corrupt("a chunk without later keys has bytes of these")
        keys = np.empty(
            self._num_values, object if self._is_text else np.asarray(chunks.keys).dtype
        )
        keys[codes] = chunks.keys
        for chunk in np.flatnonzero(counts).tolist():
            first = codes[chunk] + 1
            keys[first : first + counts[chunk]] = self._keys_of(chunk)
            if self._is_text:
                self._check_offsets(chunks.head(chunk), self._keys.pop(chunk))
        if not are_ascending(keys):
            raise self._corrupt("keys are not in ascending order")
        return keys.tolist() if self._is_text else keys

    def _read_keys(self, start: int, length: int, count: int) -> Keys:
        """Return `count` consecutive keys stored in `length` bytes."""
        data = self._source.read(start, length)
        layout = layout_for(DICTIONARY_KEY, self._stored)
        end, column = layout.read(data, start, 0, count, arrays=True)
        if end != length:
            raise self._corrupt(f"keys of a chunk take {counted(end, 'byte')}, but have {length}")
        return keys_of(column, self._type)

    def _check_offsets(self, head: _ChunkHead, keys: Keys) -> None:
        """Check the offsets of a chunk's strings, which Java uses to read them."""
        places = places_dictionary_keys(head.num_keys, self._stored)
        start = self._index.keys_start + head.ofs_keys + places.ofs_keys
        there = self._source.read(start, head.len_offsets)
        sizes = layout_for(DICTIONARY_KEY, self._stored).sizes([keys])
        if DICTIONARY_KEYS_OFS_KEYS.pack(ofs_keys=np.cumsum(sizes) - sizes).data != there:
            raise self._corrupt("an offset of a chunk is not where its key starts")

    def keys(self, first: int, last: int) -> Iterator[tuple[int, Any]]:
        """Yield the codes from `first` up to `last`, without `last`, and their keys."""
        code = first
        while code < last:
            begin, chunk = self._chunk_with(code)
            for key in chunk[code - begin : last - begin]:
                yield code, key
                code += 1

    def keys_of(self, codes: Sequence[int]) -> list[Any]:
        """Return the keys of ascending codes."""
        begin = 0
        chunk: list[Any] = []
        keys = []
        for code in codes:
            if code >= begin + len(chunk):
                begin, chunk = self._chunk_with(code)
            keys.append(chunk[code - begin])
        return keys

    def _chunk_with(self, code: int) -> tuple[int, list[Any]]:
        """Return the first code of the chunk that contains `code`, and the chunk's keys."""
        codes, *_ = self._chunks.columns
        chunk = bisect_right(codes, code) - 1
        parts = self._chunks.keys[chunk : chunk + 1], self._keys_of(chunk)
        keys = [
            key for part in parts for key in (part if isinstance(part, list) else part.tolist())
        ]
        return int(codes[chunk]), keys

    def _rank(self, key: Any) -> int:
        chunk = bisect_right(self._chunks.keys, key) - 1
        if chunk < 0:
            return 0
        code = int(self._chunks.columns[0][chunk])
        if self._chunks.keys[chunk] == key:
            return code
        return code + 1 + bisect_left(self._keys_of(chunk), key)

    @cached_property
    def _view(self) -> DictionaryChunks:
        """The offsets and the heads of all chunks."""
        start, end = self._index.offsets_start, self._index.keys_start
        data = self._source.read(start, end - start)
        return DictionaryChunks(data, start, 0, self._index.num_chunks, self._stored)

    @cached_property
    def _chunks(self) -> _Chunks:
        """The heads of all chunks, whose codes and keys ascend."""
        view = self._view
        start, end = self._index.chunks_start, self._index.keys_start
        if view.chunks_end != end:
            raise self._corrupt(
                f"the heads of chunks take {counted(view.chunks_end - start, 'byte')}, but "
                f"have {end - start}"
            )
        name = "text_chunks" if self._is_text else "fixed_chunks"
        code, ofs_keys, num_keys, len_keys = (
            getattr(view, f"{name}_{field}") for field in _ChunkHead._fields[:-1]
        )
        offsets = view.text_chunks_len_offsets if self._is_text else [0] * view.num_chunks
        values = getattr(view, f"{name}_key")
        counts = np.append(0, np.asarray(num_keys) + 1).cumsum()
        if [*code, self._num_values] != counts.tolist():
            raise self._corrupt(
                "the counts of the chunks do not add up to the values of the dictionary"
            )
        keys = keys_of(values, self._type)
        if not are_ascending(keys):
            raise self._corrupt("chunks are not in ascending order")
        layout = layout_for(TEXT_CHUNK if self._is_text else FIXED_CHUNK, self._stored)
        sizes = layout.sizes([code, values])  # the first column is the version
        if (np.cumsum(sizes) - sizes != np.asarray(view.ofs_chunks)).any():
            raise self._corrupt("an offset of a chunk is not where its head starts")
        size = layout_for(DICTIONARY_KEY, self._stored).size
        if not self._is_text and (np.asarray(view.fixed_chunks_len_key) != size).any():
            raise self._corrupt("a chunk states another key size than the type has")
        return _Chunks((code, ofs_keys, num_keys, len_keys, offsets), keys, values)

    def _claim(self, chunk: int, head: Any) -> None:
        """Check that the keys of all chunks fit in the dictionary, without shared bytes.

        Otherwise, a small file could make a reader read and keep the same keys for many chunks.
        """
        if chunk not in self._claimed:
            self._claimed.add(chunk)
            self._left -= head.len_keys + head.len_offsets
            if self._left < 0:
                raise self._corrupt("the keys of chunks overlap")

    def _keys_of(self, chunk: int) -> Keys:
        """Return the keys of a chunk after its first key."""
        if chunk not in self._keys:
            head, first = self._chunks.head(chunk), self._chunks.keys[chunk]
            # Each string follows its length, so the offsets are not read.
            places = places_dictionary_keys(head.num_keys, self._stored)
            if head.len_offsets != places.keys - places.ofs_keys:
                raise self._corrupt(
                    f"offsets of a chunk take {counted(head.len_offsets, 'byte')} for "
                    f"{counted(head.num_keys, 'key')}"
                )
            start = self._index.keys_start + head.ofs_keys + places.keys
            if start + head.len_keys > self._end:
                raise self._corrupt("keys of a chunk end after the dictionary")
            self._claim(chunk, head)
            keys = self._read_keys(start, head.len_keys, head.num_keys)
            if not are_ascending(keys) or (len(keys) and keys[0] <= first):
                raise self._corrupt("keys of a chunk are not in ascending order")
            self._keys[chunk] = keys
        return self._keys[chunk]

    def _corrupt(self, message: str) -> CorruptFileError:
        return CorruptFileError(
            message, path=self._source.name, column=self._column, offset=self._pos
        )
