# Generated from bitmap_index_v1.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import position
from . import roaring_bitmap_32
from . import typed_value


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BitmapIndexV1(KaitaiStruct):
    """A bitmap index of version 1, without the version byte. It consists of a
    dictionary of all values, and the bitmaps.

    Java writes the dictionary and the bitmaps in the iteration order of its
    `HashMap`. A reader must not rely on any order.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndexMeta.java
    """
    def __init__(self, column_type, _io, _parent=None, _root=None):
        super(BitmapIndexV1, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.column_type = column_type
        self._read()

    def _read(self):
        self.num_rows = self._io.read_s4be()
        if not self.num_rows >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_rows, self._io, u"/seq/0")
        self.num_values = self._io.read_s4be()
        if not self.num_values >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_values, self._io, u"/seq/1")
        self.has_null = self._io.read_u1()
        if not  ((self.has_null == 0) or (self.has_null == 1)) :
            raise kaitaistruct.ValidationNotAnyOfError(self.has_null, self._io, u"/seq/2")
        if self.has_null == 1:
            pass
            self.ofs_null = self._io.read_s4be()

        self.dictionary_start = position.Position(self._io.pos(), self._io)


    def _fetch_instances(self):
        pass
        if self.has_null == 1:
            pass

        self.dictionary_start._fetch_instances()
        _ = self.dictionary
        if hasattr(self, '_m_dictionary'):
            pass
            self._m_dictionary._fetch_instances()

        _ = self.null_bitmap
        if hasattr(self, '_m_null_bitmap'):
            pass
            self._m_null_bitmap._fetch_instances()


    class BitmapDictionaryV1(KaitaiStruct):
        def __init__(self, num_values, column_type, _io, _parent=None, _root=None):
            super(BitmapIndexV1.BitmapDictionaryV1, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.num_values = num_values
            self.column_type = column_type
            self._read()

        def _read(self):
            self.entries = []
            for i in range(self.num_values):
                self.entries.append(BitmapIndexV1.BitmapEntryV1(self.column_type, self._io, self, self._root))

            self.bitmaps_start = position.Position(self._io.pos(), self._io)


        def _fetch_instances(self):
            pass
            for i in range(len(self.entries)):
                pass
                self.entries[i]._fetch_instances()

            self.bitmaps_start._fetch_instances()


    class BitmapEntryV1(KaitaiStruct):
        def __init__(self, column_type, _io, _parent=None, _root=None):
            super(BitmapIndexV1.BitmapEntryV1, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.column_type = column_type
            self._read()

        def _read(self):
            self.key = typed_value.TypedValue(self.column_type, self._io)
            self.ofs_bitmap = self._io.read_s4be()


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            _ = self.bitmap
            if hasattr(self, '_m_bitmap'):
                pass
                self._m_bitmap._fetch_instances()


        @property
        def bitmap(self):
            """The rows that contain the value."""
            if hasattr(self, '_m_bitmap'):
                return self._m_bitmap

            if (not (self.is_single)):
                pass
                _pos = self._io.pos()
                self._io.seek(self._parent.bitmaps_start.at + self.ofs_bitmap)
                self._m_bitmap = roaring_bitmap_32.RoaringBitmap32(self._io)
                self._io.seek(_pos)

            return getattr(self, '_m_bitmap', None)

        @property
        def is_single(self):
            if hasattr(self, '_m_is_single'):
                return self._m_is_single

            self._m_is_single = self.ofs_bitmap < 0
            return getattr(self, '_m_is_single', None)

        @property
        def row(self):
            """The only row that contains the value."""
            if hasattr(self, '_m_row'):
                return self._m_row

            if self.is_single:
                pass
                self._m_row = -1 - self.ofs_bitmap

            return getattr(self, '_m_row', None)


    @property
    def dictionary(self):
        """All values except null, and where their bitmaps are."""
        if hasattr(self, '_m_dictionary'):
            return self._m_dictionary

        _pos = self._io.pos()
        self._io.seek(self.dictionary_start.at)
        self._m_dictionary = BitmapIndexV1.BitmapDictionaryV1(self.num_values, self.column_type, self._io, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_dictionary', None)

    @property
    def is_null_single(self):
        if hasattr(self, '_m_is_null_single'):
            return self._m_is_null_single

        self._m_is_null_single =  ((self.has_null == 1) and (self.ofs_null < 0))
        return getattr(self, '_m_is_null_single', None)

    @property
    def null_bitmap(self):
        """The null rows, unless there is only one."""
        if hasattr(self, '_m_null_bitmap'):
            return self._m_null_bitmap

        if  ((self.has_null == 1) and (self.ofs_null >= 0)) :
            pass
            _pos = self._io.pos()
            self._io.seek(self.dictionary.bitmaps_start.at + self.ofs_null)
            self._m_null_bitmap = roaring_bitmap_32.RoaringBitmap32(self._io)
            self._io.seek(_pos)

        return getattr(self, '_m_null_bitmap', None)

    @property
    def null_row(self):
        """The only null row."""
        if hasattr(self, '_m_null_row'):
            return self._m_null_row

        if self.is_null_single:
            pass
            self._m_null_row = -1 - self.ofs_null

        return getattr(self, '_m_null_row', None)
