# Generated from fm_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import compressed_block


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class FmIndex(KaitaiStruct):
    """The container of a global index of the type `fm` (`fmindex` in early versions
    of Java), which answers which texts contain a text.

    The file consists of partitions, each for a range of rows, the directory that
    lists them, and the footer. A partition consists of blocks of its wavelet
    matrix, which are bytes here, a directory that lists these blocks, and a
    footer.

    A checksum is zlib's CRC-32 of some bytes and the number of the compression
    as one more byte, which is 0 for footers and the list of partitions.

    Compared with files that pypaimon-rust 0.4.0 wrote (without compression, with
    LZ4 and with ZSTD), and with one of Paimon's Java library.

    .. seealso::
       Source - https://github.com/apache/paimon-rust/blob/main/crates/paimon/src/fm_index/format.rs
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(FmIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        pass


    def _fetch_instances(self):
        pass
        _ = self.directory
        if hasattr(self, '_m_directory'):
            pass
            _on = self.footer.directory.compression
            if _on == compressed_block.CompressedBlock.BlockCompression.none:
                pass
                self._m_directory._fetch_instances()
            else:
                pass

        _ = self.footer
        if hasattr(self, '_m_footer'):
            pass
            self._m_footer._fetch_instances()


    class BitVector(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.BitVector, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_bits = self._io.read_u4be()
            self.num_ones = self._io.read_u4be()
            self.num_blocks = self._io.read_u4be()
            self.blocks = []
            for i in range(self.num_blocks):
                self.blocks.append(FmIndex.BitsBlock(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.blocks)):
                pass
                self.blocks[i]._fetch_instances()



    class BitsBlock(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.BitsBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.first_bit = self._io.read_u4be()
            self.num_bits = self._io.read_u4be()
            self.ones_before = self._io.read_u4be()
            self.num_ones = self._io.read_u4be()
            self.place = FmIndex.BlockPlace(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.place._fetch_instances()
            _ = self.data
            if hasattr(self, '_m_data'):
                pass


        @property
        def data(self):
            """The block itself."""
            if hasattr(self, '_m_data'):
                return self._m_data

            io = self._root._io
            _pos = io.pos()
            io.seek(self.place.ofs_block)
            self._m_data = io.read_bytes(self.place.len_block)
            io.seek(_pos)
            return getattr(self, '_m_data', None)


    class BlockPlace(KaitaiStruct):
        """The place of a block of a partition, or of a directory."""
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.BlockPlace, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ofs_block = self._io.read_u8be()
            self.len_block = self._io.read_u4be()
            self.len_content = self._io.read_u4be()
            self.compression = KaitaiStream.resolve_enum(compressed_block.CompressedBlock.BlockCompression, self._io.read_u4be())
            if not  ((self.compression == compressed_block.CompressedBlock.BlockCompression.none) or (self.compression == compressed_block.CompressedBlock.BlockCompression.zstd) or (self.compression == compressed_block.CompressedBlock.BlockCompression.lz4) or (self.compression == compressed_block.CompressedBlock.BlockCompression.lzo)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.compression, self._io, u"/types/block_place/seq/3")
            self.crc32 = self._io.read_u4be()


        def _fetch_instances(self):
            pass


    class DigitCounts(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.DigitCounts, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.zeros = self._io.read_u4be()
            self.ones = self._io.read_u4be()
            self.twos = self._io.read_u4be()
            self.threes = self._io.read_u4be()


        def _fetch_instances(self):
            pass


    class DigitsBlock(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.DigitsBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.first_digit = self._io.read_u4be()
            self.num_digits = self._io.read_u4be()
            self.counts_before = FmIndex.DigitCounts(self._io, self, self._root)
            self.counts = FmIndex.DigitCounts(self._io, self, self._root)
            self.place = FmIndex.BlockPlace(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.counts_before._fetch_instances()
            self.counts._fetch_instances()
            self.place._fetch_instances()
            _ = self.data
            if hasattr(self, '_m_data'):
                pass


        @property
        def data(self):
            """The block itself."""
            if hasattr(self, '_m_data'):
                return self._m_data

            io = self._root._io
            _pos = io.pos()
            io.seek(self.place.ofs_block)
            self._m_data = io.read_bytes(self.place.len_block)
            io.seek(_pos)
            return getattr(self, '_m_data', None)


    class FmDirectory(KaitaiStruct):
        """The partitions of a file. `_INDEX_META` in the index manifest has the same
        bytes, without compression.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.FmDirectory, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.magic = self._io.read_bytes(4)
            if not self.magic == b"\x46\x4D\x4D\x45":
                raise kaitaistruct.ValidationNotEqualError(b"\x46\x4D\x4D\x45", self.magic, self._io, u"/types/fm_directory/seq/0")
            self.version = self._io.read_u4be()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/fm_directory/seq/1")
            self.first_row = self._io.read_u8be()
            self.num_rows = self._io.read_u8be()
            self.num_partitions = self._io.read_u4be()
            self.partitions = []
            for i in range(self.num_partitions):
                self.partitions.append(FmIndex.FmPartition(self._io, self, self._root))

            self.crc32 = self._io.read_u4be()


        def _fetch_instances(self):
            pass
            for i in range(len(self.partitions)):
                pass
                self.partitions[i]._fetch_instances()



    class FmFooter(KaitaiStruct):
        """The last bytes of a file."""
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.FmFooter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.directory = FmIndex.BlockPlace(self._io, self, self._root)
            self.first_row = self._io.read_u8be()
            self.num_rows = self._io.read_u8be()
            self.num_partitions = self._io.read_u4be()
            self.flags = self._io.read_u4be()
            if not self.flags == 7:
                raise kaitaistruct.ValidationNotEqualError(7, self.flags, self._io, u"/types/fm_footer/seq/4")
            self.reserved = self._io.read_bytes(4)
            if not self.reserved == b"\x00\x00\x00\x00":
                raise kaitaistruct.ValidationNotEqualError(b"\x00\x00\x00\x00", self.reserved, self._io, u"/types/fm_footer/seq/5")
            self.version = self._io.read_u4be()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/fm_footer/seq/6")
            self.magic = self._io.read_bytes(4)
            if not self.magic == b"\x46\x4D\x49\x58":
                raise kaitaistruct.ValidationNotEqualError(b"\x46\x4D\x49\x58", self.magic, self._io, u"/types/fm_footer/seq/7")
            self.crc32 = self._io.read_u4be()


        def _fetch_instances(self):
            pass
            self.directory._fetch_instances()


    class FmPartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.FmPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ofs_start = self._io.read_u8be()
            self.ofs_end = self._io.read_u8be()
            self.first_row = self._io.read_u8be()
            self.num_rows = self._io.read_u4be()


        def _fetch_instances(self):
            pass
            _ = self.footer
            if hasattr(self, '_m_footer'):
                pass
                self._m_footer._fetch_instances()


        @property
        def footer(self):
            """Its last bytes."""
            if hasattr(self, '_m_footer'):
                return self._m_footer

            io = self._root._io
            _pos = io.pos()
            io.seek(self.ofs_end - 64)
            self._m_footer = FmIndex.FmPartitionFooter(io, self, self._root)
            io.seek(_pos)
            return getattr(self, '_m_footer', None)


    class FmPartitionDirectory(KaitaiStruct):
        """The content of a partition, and the places of its blocks."""
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.FmPartitionDirectory, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_rows = self._io.read_u4be()
            self.len_text = self._io.read_u4be()
            self.sample_rate = self._io.read_u4be()
            self.num_levels = self._io.read_u4be()
            self.num_symbols = self._io.read_u4be()
            if not self.num_symbols >= 2:
                raise kaitaistruct.ValidationLessThanError(2, self.num_symbols, self._io, u"/types/fm_partition_directory/seq/4")
            if not self.num_symbols <= 258:
                raise kaitaistruct.ValidationGreaterThanError(258, self.num_symbols, self._io, u"/types/fm_partition_directory/seq/4")
            self.num_words = self._io.read_u4be()
            if not self.num_words == 4096:
                raise kaitaistruct.ValidationNotEqualError(4096, self.num_words, self._io, u"/types/fm_partition_directory/seq/5")
            self.symbols = []
            for i in range(256):
                self.symbols.append(self._io.read_s4be())

            self.cumulative_counts = []
            for i in range(self.num_symbols + 1):
                self.cumulative_counts.append(self._io.read_u4be())

            self.levels = []
            for i in range(self.num_levels):
                self.levels.append(FmIndex.WaveletLevel(self._io, self, self._root))

            self.sampled_rows = FmIndex.BitVector(self._io, self, self._root)
            self.samples = FmIndex.IntVector(self._io, self, self._root)
            self.null_rows = FmIndex.BitVector(self._io, self, self._root)
            self.row_ends = FmIndex.BitVector(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.symbols)):
                pass

            for i in range(len(self.cumulative_counts)):
                pass

            for i in range(len(self.levels)):
                pass
                self.levels[i]._fetch_instances()

            self.sampled_rows._fetch_instances()
            self.samples._fetch_instances()
            self.null_rows._fetch_instances()
            self.row_ends._fetch_instances()


    class FmPartitionFooter(KaitaiStruct):
        """The last bytes of a partition."""
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.FmPartitionFooter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.directory = FmIndex.BlockPlace(self._io, self, self._root)
            self.first_row = self._io.read_u8be()
            self.num_rows = self._io.read_u4be()
            self.len_text = self._io.read_u4be()
            self.sample_rate = self._io.read_u4be()
            self.flags = self._io.read_u4be()
            if not self.flags == 7:
                raise kaitaistruct.ValidationNotEqualError(7, self.flags, self._io, u"/types/fm_partition_footer/seq/5")
            self.reserved = self._io.read_bytes(4)
            if not self.reserved == b"\x00\x00\x00\x00":
                raise kaitaistruct.ValidationNotEqualError(b"\x00\x00\x00\x00", self.reserved, self._io, u"/types/fm_partition_footer/seq/6")
            self.version = self._io.read_u4be()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/fm_partition_footer/seq/7")
            self.magic = self._io.read_bytes(4)
            if not self.magic == b"\x46\x4D\x49\x50":
                raise kaitaistruct.ValidationNotEqualError(b"\x46\x4D\x49\x50", self.magic, self._io, u"/types/fm_partition_footer/seq/8")
            self.crc32 = self._io.read_u4be()


        def _fetch_instances(self):
            pass
            self.directory._fetch_instances()
            _ = self.content
            if hasattr(self, '_m_content'):
                pass
                _on = self.directory.compression
                if _on == compressed_block.CompressedBlock.BlockCompression.none:
                    pass
                    self._m_content._fetch_instances()
                else:
                    pass


        @property
        def content(self):
            """The directory itself."""
            if hasattr(self, '_m_content'):
                return self._m_content

            _pos = self._io.pos()
            self._io.seek(self.directory.ofs_block)
            _on = self.directory.compression
            if _on == compressed_block.CompressedBlock.BlockCompression.none:
                pass
                self._raw__m_content = self._io.read_bytes(self.directory.len_block)
                _io__raw__m_content = KaitaiStream(BytesIO(self._raw__m_content))
                self._m_content = FmIndex.FmPartitionDirectory(_io__raw__m_content, self, self._root)
            else:
                pass
                self._m_content = self._io.read_bytes(self.directory.len_block)
            self._io.seek(_pos)
            return getattr(self, '_m_content', None)


    class IntVector(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.IntVector, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_values = self._io.read_u4be()
            self.num_blocks = self._io.read_u4be()
            self.blocks = []
            for i in range(self.num_blocks):
                self.blocks.append(FmIndex.ValuesBlock(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.blocks)):
                pass
                self.blocks[i]._fetch_instances()



    class LzBlock(KaitaiStruct):
        """A block that is compressed by LZ4 or LZO."""
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.LzBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_data = self._io.read_s4le()
            if not self.len_data >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.len_data, self._io, u"/types/lz_block/seq/0")
            self.len_content = self._io.read_s4le()
            self.data = self._io.read_bytes(self.len_data)


        def _fetch_instances(self):
            pass


    class ValuesBlock(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.ValuesBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.first_value = self._io.read_u4be()
            self.num_values = self._io.read_u4be()
            self.place = FmIndex.BlockPlace(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.place._fetch_instances()
            _ = self.data
            if hasattr(self, '_m_data'):
                pass


        @property
        def data(self):
            """The block itself."""
            if hasattr(self, '_m_data'):
                return self._m_data

            io = self._root._io
            _pos = io.pos()
            io.seek(self.place.ofs_block)
            self._m_data = io.read_bytes(self.place.len_block)
            io.seek(_pos)
            return getattr(self, '_m_data', None)


    class WaveletLevel(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(FmIndex.WaveletLevel, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.digit_starts = []
            for i in range(4):
                self.digit_starts.append(self._io.read_u4be())

            self.len_digits = self._io.read_u4be()
            self.digit_counts = []
            for i in range(4):
                self.digit_counts.append(self._io.read_u4be())

            self.num_blocks = self._io.read_u4be()
            self.blocks = []
            for i in range(self.num_blocks):
                self.blocks.append(FmIndex.DigitsBlock(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.digit_starts)):
                pass

            for i in range(len(self.digit_counts)):
                pass

            for i in range(len(self.blocks)):
                pass
                self.blocks[i]._fetch_instances()



    @property
    def directory(self):
        """The partitions, also if they are compressed."""
        if hasattr(self, '_m_directory'):
            return self._m_directory

        _pos = self._io.pos()
        self._io.seek(self.footer.directory.ofs_block)
        _on = self.footer.directory.compression
        if _on == compressed_block.CompressedBlock.BlockCompression.none:
            pass
            self._raw__m_directory = self._io.read_bytes(self.footer.directory.len_block)
            _io__raw__m_directory = KaitaiStream(BytesIO(self._raw__m_directory))
            self._m_directory = FmIndex.FmDirectory(_io__raw__m_directory, self, self._root)
        else:
            pass
            self._m_directory = self._io.read_bytes(self.footer.directory.len_block)
        self._io.seek(_pos)
        return getattr(self, '_m_directory', None)

    @property
    def footer(self):
        """The place of the directory, and the rows of the file."""
        if hasattr(self, '_m_footer'):
            return self._m_footer

        _pos = self._io.pos()
        self._io.seek(self._io.size() - 64)
        self._m_footer = FmIndex.FmFooter(self._io, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_footer', None)
