# Generated from bit_slice_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import position
from . import roaring_bitmap_32


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BitSliceIndex(KaitaiStruct):
    """A bit-slice index stores a number for each row that is not null. In a range
    bitmap, the number is the position of the row's value in a dictionary. Each
    bit of these numbers has a slice: the set of rows whose number has that bit
    set.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/rangebitmap/BitSliceIndexBitmap.java
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(BitSliceIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.len_head = self._io.read_s4be()
        if not self.len_head >= 10:
            raise kaitaistruct.ValidationLessThanError(10, self.len_head, self._io, u"/seq/0")
        self.head_start = position.Position(self._io.pos(), self._io)
        self.version = self._io.read_u1()
        if not self.version == 1:
            raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/seq/2")
        self.num_slices = self._io.read_u1()
        if not self.num_slices <= 64:
            raise kaitaistruct.ValidationGreaterThanError(64, self.num_slices, self._io, u"/seq/3")
        self.len_rows = self._io.read_s4be()
        if not self.len_rows >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.len_rows, self._io, u"/seq/4")
        self.len_slices = self._io.read_s4be()
        if not self.len_slices == self.num_slices * 8:
            raise kaitaistruct.ValidationNotEqualError(self.num_slices * 8, self.len_slices, self._io, u"/seq/5")
        self.slices = []
        for i in range(self.num_slices):
            self.slices.append(BitSliceIndex.BitSlice(self._io, self, self._root))

        self.head_end = position.Position(self._io.pos(), self._io)


    def _fetch_instances(self):
        pass
        self.head_start._fetch_instances()
        for i in range(len(self.slices)):
            pass
            self.slices[i]._fetch_instances()

        self.head_end._fetch_instances()
        _ = self.rows
        if hasattr(self, '_m_rows'):
            pass
            self._m_rows._fetch_instances()


    class BitSlice(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BitSliceIndex.BitSlice, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ofs_bitmap = self._io.read_s4be()
            if not self.ofs_bitmap >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.ofs_bitmap, self._io, u"/types/bit_slice/seq/0")
            self.len_bitmap = self._io.read_s4be()
            if not self.len_bitmap >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.len_bitmap, self._io, u"/types/bit_slice/seq/1")


        def _fetch_instances(self):
            pass
            _ = self.bitmap
            if hasattr(self, '_m_bitmap'):
                pass
                self._m_bitmap._fetch_instances()


        @property
        def bitmap(self):
            """Rows whose number has the bit set."""
            if hasattr(self, '_m_bitmap'):
                return self._m_bitmap

            _pos = self._io.pos()
            self._io.seek((self._parent.rows_start + self._parent.len_rows) + self.ofs_bitmap)
            self._raw__m_bitmap = self._io.read_bytes(self.len_bitmap)
            _io__raw__m_bitmap = KaitaiStream(BytesIO(self._raw__m_bitmap))
            self._m_bitmap = roaring_bitmap_32.RoaringBitmap32(_io__raw__m_bitmap)
            self._io.seek(_pos)
            return getattr(self, '_m_bitmap', None)


    @property
    def rows(self):
        """Rows that are not null."""
        if hasattr(self, '_m_rows'):
            return self._m_rows

        _pos = self._io.pos()
        self._io.seek(self.rows_start)
        self._raw__m_rows = self._io.read_bytes(self.len_rows)
        _io__raw__m_rows = KaitaiStream(BytesIO(self._raw__m_rows))
        self._m_rows = roaring_bitmap_32.RoaringBitmap32(_io__raw__m_rows)
        self._io.seek(_pos)
        return getattr(self, '_m_rows', None)

    @property
    def rows_start(self):
        if hasattr(self, '_m_rows_start'):
            return self._m_rows_start

        self._m_rows_start = (self.head_start.at + self.len_head)
        return getattr(self, '_m_rows_start', None)
