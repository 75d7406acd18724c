# Generated from bsi_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import position
from . import roaring_bitmap_32


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BsiIndex(KaitaiStruct):
    """The body of an index of type `bsi`. It stores the numbers of a column bit by
    bit. Each bit has a slice: the set of rows whose number has that bit set. A
    comparison therefore takes a few set operations for each bit.

    Numbers are integers, the days of a DATE, the milliseconds of a TIME, and the
    unscaled value of a DECIMAL. A TIMESTAMP is in milliseconds up to precision
    3, and in microseconds above it, so that precisions 7 to 9 are cut.

    A separate part contains the absolute values of negative numbers. A row in
    neither part is null.

    The length of a part is not stored: it ends where its content does.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bsi/BitSliceIndexBitmapFileIndex.java


    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/utils/BitSliceIndexRoaringBitmap.java
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(BsiIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.head = BsiIndex.BsiHead(self._io, self, self._root)
        self.positive = BsiIndex.BsiPart(self._io, self, self._root)
        self.negative = BsiIndex.BsiPart(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.head._fetch_instances()
        self.positive._fetch_instances()
        self.negative._fetch_instances()

    class BsiHead(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BsiIndex.BsiHead, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.version = self._io.read_u1()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/bsi_head/seq/0")
            self.num_rows = self._io.read_s4be()
            if not self.num_rows >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_rows, self._io, u"/types/bsi_head/seq/1")


        def _fetch_instances(self):
            pass


    class BsiPart(KaitaiStruct):
        """The numbers of one sign."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BsiIndex.BsiPart, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.head = BsiIndex.BsiPartHead(self._io, self, self._root)
            if self.head.has_rows == 1:
                pass
                self.rows = roaring_bitmap_32.RoaringBitmap32(self._io)

            if self.head.has_rows == 1:
                pass
                self.slices = BsiIndex.BsiSlices(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.head._fetch_instances()
            if self.head.has_rows == 1:
                pass
                self.rows._fetch_instances()

            if self.head.has_rows == 1:
                pass
                self.slices._fetch_instances()



    class BsiPartHead(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BsiIndex.BsiPartHead, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.has_rows = self._io.read_u1()
            if not  ((self.has_rows == 0) or (self.has_rows == 1)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.has_rows, self._io, u"/types/bsi_part_head/seq/0")
            if self.has_rows == 1:
                pass
                self.version = self._io.read_u1()
                if not self.version == 1:
                    raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/bsi_part_head/seq/1")

            if self.has_rows == 1:
                pass
                self.min = self._io.read_s8be()
                if not self.min >= 0:
                    raise kaitaistruct.ValidationLessThanError(0, self.min, self._io, u"/types/bsi_part_head/seq/2")

            if self.has_rows == 1:
                pass
                self.max = self._io.read_s8be()
                if not self.max >= self.min:
                    raise kaitaistruct.ValidationLessThanError(self.min, self.max, self._io, u"/types/bsi_part_head/seq/3")

            self.rows_start = position.Position(self._io.pos(), self._io)


        def _fetch_instances(self):
            pass
            if self.has_rows == 1:
                pass

            if self.has_rows == 1:
                pass

            if self.has_rows == 1:
                pass

            self.rows_start._fetch_instances()


    class BsiSlices(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BsiIndex.BsiSlices, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_bitmaps = self._io.read_s4be()
            if not self.num_bitmaps >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_bitmaps, self._io, u"/types/bsi_slices/seq/0")
            if not self.num_bitmaps <= 63:
                raise kaitaistruct.ValidationGreaterThanError(63, self.num_bitmaps, self._io, u"/types/bsi_slices/seq/0")
            self.bitmaps_start = position.Position(self._io.pos(), self._io)
            self.bitmaps = []
            for i in range(self.num_bitmaps):
                self.bitmaps.append(roaring_bitmap_32.RoaringBitmap32(self._io))



        def _fetch_instances(self):
            pass
            self.bitmaps_start._fetch_instances()
            for i in range(len(self.bitmaps)):
                pass
                self.bitmaps[i]._fetch_instances()
