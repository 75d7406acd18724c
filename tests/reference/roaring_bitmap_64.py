# Generated from roaring_bitmap_64.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import roaring_bitmap_32


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class RoaringBitmap64(KaitaiStruct):
    """A compressed set of integers up to 9,223,372,030,412,324,864. Iceberg and
    Paimon store deleted positions in this format. The integers are grouped by
    their upper 32 bits, the key. Each group has a Roaring bitmap of the lower 32
    bits.

    Java writes all keys from 0 to the largest. Keys without integers have an
    empty bitmap. Readers accept any ascending keys.

    .. seealso::
       Source - https://github.com/RoaringBitmap/RoaringFormatSpec/blob/5177ad987c5f6f920179ec81f764438d4451357c/README.md#extension-for-64-bit-implementations
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(RoaringBitmap64, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.num_bitmaps = self._io.read_s8le()
        if not self.num_bitmaps >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_bitmaps, self._io, u"/seq/0")
        if not self.num_bitmaps <= 2147483647:
            raise kaitaistruct.ValidationGreaterThanError(2147483647, self.num_bitmaps, self._io, u"/seq/0")
        self.bitmaps = []
        for i in range(self.num_bitmaps):
            self.bitmaps.append(RoaringBitmap64.KeyedBitmap(self._io, self, self._root))



    def _fetch_instances(self):
        pass
        for i in range(len(self.bitmaps)):
            pass
            self.bitmaps[i]._fetch_instances()


    class KeyedBitmap(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(RoaringBitmap64.KeyedBitmap, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_s4le()
            if not self.key >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.key, self._io, u"/types/keyed_bitmap/seq/0")
            if not self.key <= 2147483646:
                raise kaitaistruct.ValidationGreaterThanError(2147483646, self.key, self._io, u"/types/keyed_bitmap/seq/0")
            self.bitmap = roaring_bitmap_32.RoaringBitmap32(self._io)


        def _fetch_instances(self):
            pass
            self.bitmap._fetch_instances()


    class KeyedBitmapStart(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(RoaringBitmap64.KeyedBitmapStart, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_s4le()
            self.bitmap_start = self._io.read_bytes(8)


        def _fetch_instances(self):
            pass


    class KeyedBitmapStarts(KaitaiStruct):
        """Starts of several keyed bitmaps; all but the last one are empty."""
        def __init__(self, num_starts, _io, _parent=None, _root=None):
            super(RoaringBitmap64.KeyedBitmapStarts, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.num_starts = num_starts
            self._read()

        def _read(self):
            self.starts = []
            for i in range(self.num_starts):
                self.starts.append(RoaringBitmap64.KeyedBitmapStart(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.starts)):
                pass
                self.starts[i]._fetch_instances()
