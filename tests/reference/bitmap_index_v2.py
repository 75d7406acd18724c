# Generated from bitmap_index_v2.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import position
from . import roaring_bitmap_32
from . import typed_value


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BitmapIndexV2(KaitaiStruct):
    """A bitmap index of version 2, without the version byte. It consists of a
    directory of blocks, the blocks, and the bitmaps. Together, the blocks are
    the dictionary of all values in ascending order. A look-up reads the
    directory, one block and one bitmap.

    Strings are ordered by their unsigned bytes, and floating-point numbers as by
    `Float.compare` (-0.0 before 0.0, NaN last). The bitmaps are in the iteration
    order of Java's `HashMap`.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndexMetaV2.java
    """
    def __init__(self, column_type, _io, _parent=None, _root=None):
        super(BitmapIndexV2, self).__init__(_io)
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

        if self.has_null == 1:
            pass
            self.len_null = self._io.read_s4be()

        self.num_blocks = self._io.read_s4be()
        if not self.num_blocks >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_blocks, self._io, u"/seq/5")
        self.directory_start = position.Position(self._io.pos(), self._io)


    def _fetch_instances(self):
        pass
        if self.has_null == 1:
            pass

        if self.has_null == 1:
            pass

        self.directory_start._fetch_instances()
        _ = self.directory
        if hasattr(self, '_m_directory'):
            pass
            self._m_directory._fetch_instances()

        _ = self.null_bitmap
        if hasattr(self, '_m_null_bitmap'):
            pass
            self._m_null_bitmap._fetch_instances()


    class BitmapBlockRefV2(KaitaiStruct):
        def __init__(self, column_type, _io, _parent=None, _root=None):
            super(BitmapIndexV2.BitmapBlockRefV2, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.column_type = column_type
            self._read()

        def _read(self):
            self.key = typed_value.TypedValue(self.column_type, self._io)
            self.ofs_block = self._io.read_s4be()
            if not self.ofs_block >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.ofs_block, self._io, u"/types/bitmap_block_ref_v2/seq/1")


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            _ = self.body
            if hasattr(self, '_m_body'):
                pass
                self._m_body._fetch_instances()


        @property
        def body(self):
            """The block itself."""
            if hasattr(self, '_m_body'):
                return self._m_body

            _pos = self._io.pos()
            self._io.seek(self._parent.blocks_start.at + self.ofs_block)
            self._m_body = BitmapIndexV2.BitmapBlockV2(self._parent.blocks_start.at + self._parent.len_blocks, self.column_type, self._io, self, self._root)
            self._io.seek(_pos)
            return getattr(self, '_m_body', None)


    class BitmapBlockV2(KaitaiStruct):
        """A part of the dictionary. Java adds entries to a block until it would
        exceed `index-block-size` bytes, 16 kB by default.
        """
        def __init__(self, bitmaps_start, column_type, _io, _parent=None, _root=None):
            super(BitmapIndexV2.BitmapBlockV2, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.bitmaps_start = bitmaps_start
            self.column_type = column_type
            self._read()

        def _read(self):
            self.num_entries = self._io.read_s4be()
            if not self.num_entries >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.num_entries, self._io, u"/types/bitmap_block_v2/seq/0")
            self.entries = []
            for i in range(self.num_entries):
                self.entries.append(BitmapIndexV2.BitmapEntryV2(self.column_type, self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.entries)):
                pass
                self.entries[i]._fetch_instances()



    class BitmapDirectoryV2(KaitaiStruct):
        def __init__(self, num_blocks, column_type, _io, _parent=None, _root=None):
            super(BitmapIndexV2.BitmapDirectoryV2, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.num_blocks = num_blocks
            self.column_type = column_type
            self._read()

        def _read(self):
            self.blocks = []
            for i in range(self.num_blocks):
                self.blocks.append(BitmapIndexV2.BitmapBlockRefV2(self.column_type, self._io, self, self._root))

            self.len_blocks = self._io.read_s4be()
            if not self.len_blocks >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.len_blocks, self._io, u"/types/bitmap_directory_v2/seq/1")
            self.blocks_start = position.Position(self._io.pos(), self._io)


        def _fetch_instances(self):
            pass
            for i in range(len(self.blocks)):
                pass
                self.blocks[i]._fetch_instances()

            self.blocks_start._fetch_instances()

        @property
        def bitmaps_start(self):
            """Offsets of bitmaps count from here."""
            if hasattr(self, '_m_bitmaps_start'):
                return self._m_bitmaps_start

            self._m_bitmaps_start = (self.blocks_start.at + self.len_blocks)
            return getattr(self, '_m_bitmaps_start', None)


    class BitmapEntryV2(KaitaiStruct):
        def __init__(self, column_type, _io, _parent=None, _root=None):
            super(BitmapIndexV2.BitmapEntryV2, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.column_type = column_type
            self._read()

        def _read(self):
            self.key = typed_value.TypedValue(self.column_type, self._io)
            self.ofs_bitmap = self._io.read_s4be()
            self.len_bitmap = self._io.read_s4be()


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
                self._io.seek(self._parent.bitmaps_start + self.ofs_bitmap)
                self._raw__m_bitmap = self._io.read_bytes(self.len_bitmap)
                _io__raw__m_bitmap = KaitaiStream(BytesIO(self._raw__m_bitmap))
                self._m_bitmap = roaring_bitmap_32.RoaringBitmap32(_io__raw__m_bitmap)
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
    def directory(self):
        """The first value and the position of each block."""
        if hasattr(self, '_m_directory'):
            return self._m_directory

        _pos = self._io.pos()
        self._io.seek(self.directory_start.at)
        self._m_directory = BitmapIndexV2.BitmapDirectoryV2(self.num_blocks, self.column_type, self._io, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_directory', None)

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
            self._io.seek(self.directory.bitmaps_start + self.ofs_null)
            self._raw__m_null_bitmap = self._io.read_bytes(self.len_null)
            _io__raw__m_null_bitmap = KaitaiStream(BytesIO(self._raw__m_null_bitmap))
            self._m_null_bitmap = roaring_bitmap_32.RoaringBitmap32(_io__raw__m_null_bitmap)
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
