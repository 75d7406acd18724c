# Generated from row_file.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class RowFile(KaitaiStruct):
    """Rows in compressed blocks, and an index with which readers read single rows.
    It is a data file, or a copy of one (`DATAFILE.row`) that is read when few
    rows are needed. It has no checksums.

    Compared with files of pypaimon 2.1.0 and pypaimon-rust 0.4.0.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/docs/docs/concepts/spec/rowformat.md
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(RowFile, self).__init__(_io)
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


    class CompressedRowBlock(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(RowFile.CompressedRowBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.frame = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass


    class RowBlock(KaitaiStruct):
        """A decompressed block.

        A row has a bit for each column, least significant first, which is 1 if
        the value is null, in as few bytes as possible. Then follow its values:
        strings, bytes and DECIMALs of more than 18 digits after their length as a
        `varint`, and others as little-endian numbers.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(RowFile.RowBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass
            _ = self.offsets
            if hasattr(self, '_m_offsets'):
                pass
                self._m_offsets._fetch_instances()

            _ = self.tail
            if hasattr(self, '_m_tail'):
                pass
                self._m_tail._fetch_instances()


        @property
        def offsets(self):
            """Where each row starts."""
            if hasattr(self, '_m_offsets'):
                return self._m_offsets

            _pos = self._io.pos()
            self._io.seek((self._io.size() - 4) - 4 * self.tail.num_rows)
            self._m_offsets = RowFile.RowOffsets(self.tail.num_rows, self._io, self, self._root)
            self._io.seek(_pos)
            return getattr(self, '_m_offsets', None)

        @property
        def tail(self):
            """The last bytes of the block."""
            if hasattr(self, '_m_tail'):
                return self._m_tail

            _pos = self._io.pos()
            self._io.seek(self._io.size() - 4)
            self._m_tail = RowFile.RowBlockTail(self._io, self, self._root)
            self._io.seek(_pos)
            return getattr(self, '_m_tail', None)


    class RowBlockIndex(KaitaiStruct):
        """Three lists of equal length."""
        def __init__(self, _io, _parent=None, _root=None):
            super(RowFile.RowBlockIndex, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_sizes = varint.Varint(self._io)
            self._raw_sizes = self._io.read_bytes(self.len_sizes.value)
            _io__raw_sizes = KaitaiStream(BytesIO(self._raw_sizes))
            self.sizes = RowFile.RowBlockSizes(_io__raw_sizes, self, self._root)
            self.len_sizes_decoded = varint.Varint(self._io)
            self._raw_sizes_decoded = self._io.read_bytes(self.len_sizes_decoded.value)
            _io__raw_sizes_decoded = KaitaiStream(BytesIO(self._raw_sizes_decoded))
            self.sizes_decoded = RowFile.ZigzagNumbers(_io__raw_sizes_decoded, self, self._root)
            self.len_first_rows = varint.Varint(self._io)
            self._raw_first_rows = self._io.read_bytes(self.len_first_rows.value)
            _io__raw_first_rows = KaitaiStream(BytesIO(self._raw_first_rows))
            self.first_rows = RowFile.ZigzagNumbers(_io__raw_first_rows, self, self._root)


        def _fetch_instances(self):
            pass
            self.len_sizes._fetch_instances()
            self.sizes._fetch_instances()
            self.len_sizes_decoded._fetch_instances()
            self.sizes_decoded._fetch_instances()
            self.len_first_rows._fetch_instances()
            self.first_rows._fetch_instances()


    class RowBlockPlace(KaitaiStruct):
        """A block by its size."""
        def __init__(self, len_before, ofs_block, _io, _parent=None, _root=None):
            super(RowFile.RowBlockPlace, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.len_before = len_before
            self.ofs_block = ofs_block
            self._read()

        def _read(self):
            self.difference = varint.Varint(self._io)


        def _fetch_instances(self):
            pass
            self.difference._fetch_instances()
            _ = self.compressed
            if hasattr(self, '_m_compressed'):
                pass
                self._m_compressed._fetch_instances()


        @property
        def compressed(self):
            """The block."""
            if hasattr(self, '_m_compressed'):
                return self._m_compressed

            if self.len_block > 0:
                pass
                io = self._root._io
                _pos = io.pos()
                io.seek(self.ofs_block)
                self._raw__m_compressed = io.read_bytes(self.len_block)
                _io__raw__m_compressed = KaitaiStream(BytesIO(self._raw__m_compressed))
                self._m_compressed = RowFile.CompressedRowBlock(_io__raw__m_compressed, self, self._root)
                io.seek(_pos)

            return getattr(self, '_m_compressed', None)

        @property
        def len_block(self):
            """Size of the block in bytes."""
            if hasattr(self, '_m_len_block'):
                return self._m_len_block

            self._m_len_block = (self.len_before + self.difference.zigzag)
            return getattr(self, '_m_len_block', None)

        @property
        def ofs_next(self):
            """End of the block in the file."""
            if hasattr(self, '_m_ofs_next'):
                return self._m_ofs_next

            self._m_ofs_next = (self.ofs_block if self.len_block < 0 else (self.ofs_block + self.len_block))
            return getattr(self, '_m_ofs_next', None)


    class RowBlockSizes(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(RowFile.RowBlockSizes, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.blocks = []
            i = 0
            while not self._io.is_eof():
                self.blocks.append(RowFile.RowBlockPlace((0 if i == 0 else self.blocks[i - 1].len_block), (0 if i == 0 else self.blocks[i - 1].ofs_next), self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.blocks)):
                pass
                self.blocks[i]._fetch_instances()



    class RowBlockTail(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(RowFile.RowBlockTail, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_rows = self._io.read_s4le()
            if not self.num_rows >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_rows, self._io, u"/types/row_block_tail/seq/0")


        def _fetch_instances(self):
            pass

        @property
        def len_tail(self):
            """Size of the number in bytes."""
            if hasattr(self, '_m_len_tail'):
                return self._m_len_tail

            self._m_len_tail = 4
            return getattr(self, '_m_len_tail', None)


    class RowFooter(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(RowFile.RowFooter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_rows = self._io.read_s8le()
            if not self.num_rows >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_rows, self._io, u"/types/row_footer/seq/0")
            self.num_blocks = self._io.read_s4le()
            if not self.num_blocks >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_blocks, self._io, u"/types/row_footer/seq/1")
            self.ofs_index = self._io.read_s8le()
            if not self.ofs_index >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.ofs_index, self._io, u"/types/row_footer/seq/2")
            self.len_index = self._io.read_s4le()
            if not self.len_index >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.len_index, self._io, u"/types/row_footer/seq/3")
            self.version = self._io.read_u1()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/row_footer/seq/4")
            self.reserved = self._io.read_bytes(3)
            self.magic = self._io.read_bytes(4)
            if not self.magic == b"\x53\x57\x4F\x52":
                raise kaitaistruct.ValidationNotEqualError(b"\x53\x57\x4F\x52", self.magic, self._io, u"/types/row_footer/seq/6")


        def _fetch_instances(self):
            pass

        @property
        def len_footer(self):
            """Size of the footer in bytes."""
            if hasattr(self, '_m_len_footer'):
                return self._m_len_footer

            self._m_len_footer = 32
            return getattr(self, '_m_len_footer', None)


    class RowOffsets(KaitaiStruct):
        def __init__(self, num_rows, _io, _parent=None, _root=None):
            super(RowFile.RowOffsets, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.num_rows = num_rows
            self._read()

        def _read(self):
            self.ofs_rows = []
            for i in range(self.num_rows):
                self.ofs_rows.append(self._io.read_s4le())



        def _fetch_instances(self):
            pass
            for i in range(len(self.ofs_rows)):
                pass


        @property
        def len_offset(self):
            """Size of the start of a row in bytes."""
            if hasattr(self, '_m_len_offset'):
                return self._m_len_offset

            self._m_len_offset = 4
            return getattr(self, '_m_len_offset', None)


    class ZigzagNumbers(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(RowFile.ZigzagNumbers, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.differences = []
            i = 0
            while not self._io.is_eof():
                self.differences.append(varint.Varint(self._io))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.differences)):
                pass
                self.differences[i]._fetch_instances()



    @property
    def footer(self):
        """The last bytes of the file."""
        if hasattr(self, '_m_footer'):
            return self._m_footer

        _pos = self._io.pos()
        self._io.seek(self._io.size() - 32)
        self._m_footer = RowFile.RowFooter(self._io, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_footer', None)

    @property
    def index(self):
        """The blocks."""
        if hasattr(self, '_m_index'):
            return self._m_index

        _pos = self._io.pos()
        self._io.seek(self.footer.ofs_index)
        self._raw__m_index = self._io.read_bytes(self.footer.len_index)
        _io__raw__m_index = KaitaiStream(BytesIO(self._raw__m_index))
        self._m_index = RowFile.RowBlockIndex(_io__raw__m_index, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_index', None)
