# Generated from blob_file.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import varint
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BlobFile(KaitaiStruct):
    """The values of one BLOB column: an entry for each value, and an index of the
    entries' lengths. A null has no entry, and neither has a placeholder, for
    which the value in an older file is valid.

    Compared with files of pypaimon 2.1.0, and with the files in `testdata/blob`
    of the Rust crate paimon 0.4.0. No other known reader checks the checksums.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/docs/docs/concepts/spec/fileformat.md
    """

    class CollectionKind(IntEnum):
        array = 1094861634
        map = 1296188226
    def __init__(self, _io, _parent=None, _root=None):
        super(BlobFile, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        pass


    def _fetch_instances(self):
        pass
        _ = self.footer
        if hasattr(self, '_m_footer'):
            pass
            self._m_footer._fetch_instances()

        _ = self.index
        if hasattr(self, '_m_index'):
            pass
            self._m_index._fetch_instances()


    class BlobCollection(KaitaiStruct):
        """A value of an array or a map, whose elements are BLOBs.

        The content of an array is its elements, their lengths as in `blob_index`,
        and the size of these lengths. The content of a map is its keys, its
        values, the lengths of both, and the sizes of both lengths.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(BlobFile.BlobCollection, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.kind = KaitaiStream.resolve_enum(BlobFile.CollectionKind, self._io.read_u4le())
            if not  ((self.kind == BlobFile.CollectionKind.array) or (self.kind == BlobFile.CollectionKind.map)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.kind, self._io, u"/types/blob_collection/seq/0")
            self.version = self._io.read_u1()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/blob_collection/seq/1")
            self.num_values = self._io.read_s4le()
            if not self.num_values >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_values, self._io, u"/types/blob_collection/seq/2")
            self.content = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass


    class BlobEntry(KaitaiStruct):
        def __init__(self, len_data, _io, _parent=None, _root=None):
            super(BlobFile.BlobEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.len_data = len_data
            self._read()

        def _read(self):
            self.magic = self._io.read_bytes(4)
            if not self.magic == b"\xCF\x11\x4E\x58":
                raise kaitaistruct.ValidationNotEqualError(b"\xCF\x11\x4E\x58", self.magic, self._io, u"/types/blob_entry/seq/0")
            self.data = self._io.read_bytes(self.len_data)
            self.len_entry = self._io.read_s8le()
            self.crc32 = self._io.read_u4le()


        def _fetch_instances(self):
            pass

        @property
        def null_length(self):
            """The length in the index of a null."""
            if hasattr(self, '_m_null_length'):
                return self._m_null_length

            self._m_null_length = -1
            return getattr(self, '_m_null_length', None)

        @property
        def placeholder_length(self):
            """The length in the index of a placeholder."""
            if hasattr(self, '_m_placeholder_length'):
                return self._m_placeholder_length

            self._m_placeholder_length = -2
            return getattr(self, '_m_placeholder_length', None)


    class BlobFooter(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BlobFile.BlobFooter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_index = self._io.read_s4le()
            if not self.len_index >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.len_index, self._io, u"/types/blob_footer/seq/0")
            self.version = self._io.read_u1()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/blob_footer/seq/1")


        def _fetch_instances(self):
            pass

        @property
        def len_footer(self):
            """Size of the footer in bytes."""
            if hasattr(self, '_m_len_footer'):
                return self._m_len_footer

            self._m_len_footer = 5
            return getattr(self, '_m_len_footer', None)


    class BlobIndex(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BlobFile.BlobIndex, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.rows = []
            i = 0
            while not self._io.is_eof():
                self.rows.append(BlobFile.BlobRow((0 if i == 0 else self.rows[i - 1].len_entry), (0 if i == 0 else self.rows[i - 1].ofs_next), self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.rows)):
                pass
                self.rows[i]._fetch_instances()



    class BlobRow(KaitaiStruct):
        """The value in a row, by the length of its entry."""
        def __init__(self, len_before, ofs_entry, _io, _parent=None, _root=None):
            super(BlobFile.BlobRow, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.len_before = len_before
            self.ofs_entry = ofs_entry
            self._read()

        def _read(self):
            self.difference = varint.Varint(self._io)


        def _fetch_instances(self):
            pass
            self.difference._fetch_instances()
            _ = self.entry
            if hasattr(self, '_m_entry'):
                pass
                self._m_entry._fetch_instances()


        @property
        def entry(self):
            """The value, unless it is null or a placeholder."""
            if hasattr(self, '_m_entry'):
                return self._m_entry

            if self.len_entry >= 16:
                pass
                io = self._root._io
                _pos = io.pos()
                io.seek(self.ofs_entry)
                self._m_entry = BlobFile.BlobEntry(self.len_entry - 16, io, self, self._root)
                io.seek(_pos)

            return getattr(self, '_m_entry', None)

        @property
        def len_entry(self):
            """The length of the entry in bytes, or a negative number (`blob_entry`)."""
            if hasattr(self, '_m_len_entry'):
                return self._m_len_entry

            self._m_len_entry = (self.len_before + self.difference.zigzag)
            return getattr(self, '_m_len_entry', None)

        @property
        def ofs_next(self):
            """The end of the entry in the file."""
            if hasattr(self, '_m_ofs_next'):
                return self._m_ofs_next

            self._m_ofs_next = (self.ofs_entry if self.len_entry < 0 else (self.ofs_entry + self.len_entry))
            return getattr(self, '_m_ofs_next', None)


    @property
    def footer(self):
        """The last bytes of the file."""
        if hasattr(self, '_m_footer'):
            return self._m_footer

        _pos = self._io.pos()
        self._io.seek(self._io.size() - 5)
        self._m_footer = BlobFile.BlobFooter(self._io, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_footer', None)

    @property
    def index(self):
        """The length of each entry."""
        if hasattr(self, '_m_index'):
            return self._m_index

        _pos = self._io.pos()
        self._io.seek((self._io.size() - 5) - self.footer.len_index)
        self._raw__m_index = self._io.read_bytes(self.footer.len_index)
        _io__raw__m_index = KaitaiStream(BytesIO(self._raw__m_index))
        self._m_index = BlobFile.BlobIndex(_io__raw__m_index, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_index', None)
