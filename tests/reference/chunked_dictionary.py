# Generated from chunked_dictionary.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import position
from . import typed_value
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class ChunkedDictionary(KaitaiStruct):
    """The distinct values of a column in ascending order. The position of a value,
    counted from 0, is its code. Values are stored in chunks, and the head of a
    chunk contains its first value. A search reads the heads, and then the values
    of one chunk.

    Strings are ordered by their unsigned bytes, and floating-point numbers as by
    `Float.compare` (-0.0 before 0.0, NaN last).

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/rangebitmap/dictionary/chunked/ChunkedDictionary.java
    """

    class KeyType(IntEnum):
        string = 8
    def __init__(self, column_type, _io, _parent=None, _root=None):
        super(ChunkedDictionary, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.column_type = column_type
        self._read()

    def _read(self):
        self.len_head = self._io.read_s4be()
        if not self.len_head >= 13:
            raise kaitaistruct.ValidationLessThanError(13, self.len_head, self._io, u"/seq/0")
        self.head_start = position.Position(self._io.pos(), self._io)
        self.version = self._io.read_u1()
        if not self.version == 1:
            raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/seq/2")
        self.num_chunks = self._io.read_s4be()
        if not self.num_chunks >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_chunks, self._io, u"/seq/3")
        if not self.num_chunks <= 536870911:
            raise kaitaistruct.ValidationGreaterThanError(536870911, self.num_chunks, self._io, u"/seq/3")
        self.len_offsets = self._io.read_s4be()
        if not self.len_offsets == self.num_chunks * 4:
            raise kaitaistruct.ValidationNotEqualError(self.num_chunks * 4, self.len_offsets, self._io, u"/seq/4")
        self.len_chunks = self._io.read_s4be()
        if not self.len_chunks >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.len_chunks, self._io, u"/seq/5")


    def _fetch_instances(self):
        pass
        self.head_start._fetch_instances()
        _ = self.heads
        if hasattr(self, '_m_heads'):
            pass
            self._m_heads._fetch_instances()


    class DictionaryChunks(KaitaiStruct):
        def __init__(self, num_chunks, column_type, _io, _parent=None, _root=None):
            super(ChunkedDictionary.DictionaryChunks, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.num_chunks = num_chunks
            self.column_type = column_type
            self._read()

        def _read(self):
            self.ofs_chunks = []
            for i in range(self.num_chunks):
                self.ofs_chunks.append(self._io.read_s4be())

            if self.named_type != ChunkedDictionary.KeyType.string:
                pass
                self.fixed_chunks = []
                for i in range(self.num_chunks):
                    self.fixed_chunks.append(ChunkedDictionary.FixedChunk(self.column_type, self._io, self, self._root))


            if self.named_type == ChunkedDictionary.KeyType.string:
                pass
                self.text_chunks = []
                for i in range(self.num_chunks):
                    self.text_chunks.append(ChunkedDictionary.TextChunk(self.column_type, self._io, self, self._root))


            self.chunks_end = position.Position(self._io.pos(), self._io)


        def _fetch_instances(self):
            pass
            for i in range(len(self.ofs_chunks)):
                pass

            if self.named_type != ChunkedDictionary.KeyType.string:
                pass
                for i in range(len(self.fixed_chunks)):
                    pass
                    self.fixed_chunks[i]._fetch_instances()


            if self.named_type == ChunkedDictionary.KeyType.string:
                pass
                for i in range(len(self.text_chunks)):
                    pass
                    self.text_chunks[i]._fetch_instances()


            self.chunks_end._fetch_instances()

        @property
        def named_type(self):
            if hasattr(self, '_m_named_type'):
                return self._m_named_type

            self._m_named_type = KaitaiStream.resolve_enum(ChunkedDictionary.KeyType, self.column_type)
            return getattr(self, '_m_named_type', None)


    class DictionaryKey(KaitaiStruct):
        def __init__(self, column_type, _io, _parent=None, _root=None):
            super(ChunkedDictionary.DictionaryKey, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.column_type = column_type
            self._read()

        def _read(self):
            self.key = typed_value.TypedValue(self.column_type, self._io)


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()


    class DictionaryKeys(KaitaiStruct):
        def __init__(self, num_keys, column_type, _io, _parent=None, _root=None):
            super(ChunkedDictionary.DictionaryKeys, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.num_keys = num_keys
            self.column_type = column_type
            self._read()

        def _read(self):
            if self.named_type == ChunkedDictionary.KeyType.string:
                pass
                self.ofs_keys = []
                for i in range(self.num_keys):
                    self.ofs_keys.append(self._io.read_s4be())


            self.keys = []
            for i in range(self.num_keys):
                self.keys.append(ChunkedDictionary.DictionaryKey(self.column_type, self._io, self, self._root))



        def _fetch_instances(self):
            pass
            if self.named_type == ChunkedDictionary.KeyType.string:
                pass
                for i in range(len(self.ofs_keys)):
                    pass


            for i in range(len(self.keys)):
                pass
                self.keys[i]._fetch_instances()


        @property
        def named_type(self):
            if hasattr(self, '_m_named_type'):
                return self._m_named_type

            self._m_named_type = KaitaiStream.resolve_enum(ChunkedDictionary.KeyType, self.column_type)
            return getattr(self, '_m_named_type', None)


    class FixedChunk(KaitaiStruct):
        """The head of a chunk of values of a fixed size. `chunk-size`, 16 kB by
        default, limits the bytes of the keys after the first one. For BOOLEAN,
        TINYINT and SMALLINT, the limit is 0, so each value is a chunk.
        """
        def __init__(self, column_type, _io, _parent=None, _root=None):
            super(ChunkedDictionary.FixedChunk, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.column_type = column_type
            self._read()

        def _read(self):
            self.version = self._io.read_u1()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/fixed_chunk/seq/0")
            self.key = typed_value.TypedValue(self.column_type, self._io)
            self.code = self._io.read_s4be()
            if not self.code >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.code, self._io, u"/types/fixed_chunk/seq/2")
            self.ofs_keys = self._io.read_s4be()
            if not self.ofs_keys >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.ofs_keys, self._io, u"/types/fixed_chunk/seq/3")
            self.num_keys = self._io.read_s4be()
            if not self.num_keys >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_keys, self._io, u"/types/fixed_chunk/seq/4")
            self.len_keys = self._io.read_s4be()
            if not self.len_keys >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.len_keys, self._io, u"/types/fixed_chunk/seq/5")
            self.len_key = self._io.read_s4be()
            if not self.len_key >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.len_key, self._io, u"/types/fixed_chunk/seq/6")


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            _ = self.keys
            if hasattr(self, '_m_keys'):
                pass
                self._m_keys._fetch_instances()


        @property
        def keys(self):
            """The values after the first."""
            if hasattr(self, '_m_keys'):
                return self._m_keys

            _pos = self._io.pos()
            self._io.seek(self._parent.chunks_end.at + self.ofs_keys)
            self._m_keys = ChunkedDictionary.DictionaryKeys(self.num_keys, self.column_type, self._io, self, self._root)
            self._io.seek(_pos)
            return getattr(self, '_m_keys', None)


    class TextChunk(KaitaiStruct):
        """The head of a chunk of strings. `chunk-size` limits both the bytes of the
        keys after the first one, and the bytes of their offsets.
        """
        def __init__(self, column_type, _io, _parent=None, _root=None):
            super(ChunkedDictionary.TextChunk, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.column_type = column_type
            self._read()

        def _read(self):
            self.version = self._io.read_u1()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/text_chunk/seq/0")
            self.key = typed_value.TypedValue(self.column_type, self._io)
            self.code = self._io.read_s4be()
            if not self.code >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.code, self._io, u"/types/text_chunk/seq/2")
            self.ofs_keys = self._io.read_s4be()
            if not self.ofs_keys >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.ofs_keys, self._io, u"/types/text_chunk/seq/3")
            self.num_keys = self._io.read_s4be()
            if not self.num_keys >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_keys, self._io, u"/types/text_chunk/seq/4")
            self.len_offsets = self._io.read_s4be()
            if not self.len_offsets >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.len_offsets, self._io, u"/types/text_chunk/seq/5")
            self.len_keys = self._io.read_s4be()
            if not self.len_keys >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.len_keys, self._io, u"/types/text_chunk/seq/6")


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            _ = self.keys
            if hasattr(self, '_m_keys'):
                pass
                self._m_keys._fetch_instances()


        @property
        def keys(self):
            """The values after the first."""
            if hasattr(self, '_m_keys'):
                return self._m_keys

            _pos = self._io.pos()
            self._io.seek(self._parent.chunks_end.at + self.ofs_keys)
            self._m_keys = ChunkedDictionary.DictionaryKeys(self.num_keys, self.column_type, self._io, self, self._root)
            self._io.seek(_pos)
            return getattr(self, '_m_keys', None)


    @property
    def chunks_start(self):
        if hasattr(self, '_m_chunks_start'):
            return self._m_chunks_start

        self._m_chunks_start = (self.offsets_start + self.len_offsets)
        return getattr(self, '_m_chunks_start', None)

    @property
    def heads(self):
        """The heads of all chunks."""
        if hasattr(self, '_m_heads'):
            return self._m_heads

        _pos = self._io.pos()
        self._io.seek(self.offsets_start)
        self._m_heads = ChunkedDictionary.DictionaryChunks(self.num_chunks, self.column_type, self._io, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_heads', None)

    @property
    def keys_start(self):
        if hasattr(self, '_m_keys_start'):
            return self._m_keys_start

        self._m_keys_start = (self.chunks_start + self.len_chunks)
        return getattr(self, '_m_keys_start', None)

    @property
    def offsets_start(self):
        if hasattr(self, '_m_offsets_start'):
            return self._m_offsets_start

        self._m_offsets_start = (self.head_start.at + self.len_head)
        return getattr(self, '_m_offsets_start', None)
