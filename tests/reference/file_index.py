# Generated from file_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import java_utf8
from . import position


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class FileIndex(KaitaiStruct):
    """The indexes of one data file. The head lists the indexes of each column and
    their positions. The bodies of the indexes follow, one after another. Paimon
    stores this file next to the data file as `<data file>.index`. If it is not
    larger than `file-index.in-manifest-threshold`, it is embedded in the
    manifest entry instead.

    The file contains the names of columns and index types, but not the column
    types. A reader needs the table's schema to interpret a body. The format has
    no checksum.

    The Java reader uses `len_head` only to find the end of the head. It ignores
    bytes after the listed columns, and bytes after the last body. If a column is
    listed twice, the indexes of both entries count. If an index type is listed
    twice for a column, only the last entry counts.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md


    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/FileIndexFormat.java
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(FileIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.magic = self._io.read_bytes(8)
        if not self.magic == b"\x00\x05\x4E\x4E\xD0\x1A\x35\xAE":
            raise kaitaistruct.ValidationNotEqualError(b"\x00\x05\x4E\x4E\xD0\x1A\x35\xAE", self.magic, self._io, u"/seq/0")
        self.version = self._io.read_s4be()
        if not self.version == 1:
            raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/seq/1")
        self.len_head = self._io.read_s4be()
        if not self.len_head >= 20:
            raise kaitaistruct.ValidationLessThanError(20, self.len_head, self._io, u"/seq/2")
        self.head_start = position.Position(self._io.pos(), self._io)
        self._raw_head = self._io.read_bytes(self.len_head - self.head_start.at)
        _io__raw_head = KaitaiStream(BytesIO(self._raw_head))
        self.head = FileIndex.FileIndexHead(_io__raw_head, self, self._root)
        self.head_end = position.Position(self._io.pos(), self._io)


    def _fetch_instances(self):
        pass
        self.head_start._fetch_instances()
        self.head._fetch_instances()
        self.head_end._fetch_instances()

    class FileIndexColumn(KaitaiStruct):
        """A column of the table, or one key of a MAP column, which is named
        `column[key]`.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(FileIndex.FileIndexColumn, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = java_utf8.JavaUtf8(self._io)
            self.num_indexes = self._io.read_s4be()
            if not self.num_indexes >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_indexes, self._io, u"/types/file_index_column/seq/1")
            self.indexes = []
            for i in range(self.num_indexes):
                self.indexes.append(FileIndex.FileIndexEntry(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.name._fetch_instances()
            for i in range(len(self.indexes)):
                pass
                self.indexes[i]._fetch_instances()



    class FileIndexEntry(KaitaiStruct):
        """One index of a column."""
        def __init__(self, _io, _parent=None, _root=None):
            super(FileIndex.FileIndexEntry, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.index_type = java_utf8.JavaUtf8(self._io)
            self.ofs_body = self._io.read_s4be()
            if not self.ofs_body >= -1:
                raise kaitaistruct.ValidationLessThanError(-1, self.ofs_body, self._io, u"/types/file_index_entry/seq/1")
            self.len_body = self._io.read_s4be()


        def _fetch_instances(self):
            pass
            self.index_type._fetch_instances()
            _ = self.body
            if hasattr(self, '_m_body'):
                pass


        @property
        def body(self):
            """The index itself, in the layout of its index type."""
            if hasattr(self, '_m_body'):
                return self._m_body

            if (not (self.is_empty)):
                pass
                io = self._root._io
                _pos = io.pos()
                io.seek(self.ofs_body)
                self._m_body = io.read_bytes(self.len_body)
                io.seek(_pos)

            return getattr(self, '_m_body', None)

        @property
        def is_empty(self):
            if hasattr(self, '_m_is_empty'):
                return self._m_is_empty

            self._m_is_empty = self.ofs_body == -1
            return getattr(self, '_m_is_empty', None)


    class FileIndexHead(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(FileIndex.FileIndexHead, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_columns = self._io.read_s4be()
            if not self.num_columns >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_columns, self._io, u"/types/file_index_head/seq/0")
            self.columns = []
            for i in range(self.num_columns):
                self.columns.append(FileIndex.FileIndexColumn(self._io, self, self._root))

            if (not (self._io.is_eof())):
                pass
                self.len_redundant = self._io.read_s4be()
                if not self.len_redundant >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.len_redundant, self._io, u"/types/file_index_head/seq/2")

            if (not (self._io.is_eof())):
                pass
                self.redundant = self._io.read_bytes(self.len_redundant)



        def _fetch_instances(self):
            pass
            for i in range(len(self.columns)):
                pass
                self.columns[i]._fetch_instances()

            if (not (self._io.is_eof())):
                pass

            if (not (self._io.is_eof())):
                pass
