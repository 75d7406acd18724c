# Generated from global_bitmap_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import compressed_block
from . import roaring_bitmap_64
from . import varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class GlobalBitmapIndex(KaitaiStruct):
    """A file of a global index of the type `bitmap` or `multivalue`, since Paimon
    2.0: a bitmap of rows for each value, and a dictionary of the values in
    blocks. A look-up reads the footer, the directory, one block of the dictionary
    and one bitmap. Row ids count from the start of the row range in the index
    manifest. In Paimon 1.4, a file of the type `bitmap` is a `bitmap_index`
    instead.

    In an index of the type `multivalue`, over an ARRAY, the values are the
    elements, and a row may have several of them. Null elements leave nothing, and
    both bitmaps of null and other rows are empty.

    The values ascend: by Java and pypaimon-rust as a `sorted_key` does, by
    pypaimon by the bytes of their keys. These orders differ for all types but
    BOOLEAN, TINYINT from 0 on, and strings.

    Bitmaps have no checksum. In an index of the type `bitmap`, each row is null or
    has one value, so a changed bit contradicts another bitmap.

    Compared with files that pypaimon 2.1.0, pypaimon-rust 0.4.0 and Paimon's Java
    library wrote; compressed blocks and `multivalue` only with pypaimon-rust. Our
    writer writes them again byte for byte, except for the frames of ZSTD of
    pypaimon-rust, which state the length of the content. Its blocks of LZ4 were
    compared in one small file: it compresses them with lz4_flex, and we with the
    C library, so larger blocks may differ.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/paimon-common/src/main/java/org/apache/paimon/globalindex/bitmap/BitmapGlobalIndexFormat.java
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(GlobalBitmapIndex, self).__init__(_io)
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
            self._m_directory._fetch_instances()

        _ = self.footer
        if hasattr(self, '_m_footer'):
            pass
            self._m_footer._fetch_instances()

        _ = self.non_null_rows
        if hasattr(self, '_m_non_null_rows'):
            pass
            self._m_non_null_rows._fetch_instances()

        _ = self.null_rows
        if hasattr(self, '_m_null_rows'):
            pass
            self._m_null_rows._fetch_instances()


    class GlobalBitmapBlockRef(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(GlobalBitmapIndex.GlobalBitmapBlockRef, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_key = varint.Varint(self._io)
            self.key = self._io.read_bytes(self.len_key.value)
            self.ofs_body = varint.Varint(self._io)
            self.len_body = varint.Varint(self._io)


        def _fetch_instances(self):
            pass
            self.len_key._fetch_instances()
            self.ofs_body._fetch_instances()
            self.len_body._fetch_instances()
            _ = self.body
            if hasattr(self, '_m_body'):
                pass
                self._m_body._fetch_instances()


        @property
        def body(self):
            """The block itself."""
            if hasattr(self, '_m_body'):
                return self._m_body

            io = self._root._io
            _pos = io.pos()
            io.seek(self.ofs_body.value)
            self._raw__m_body = io.read_bytes(self.len_body.value + 5)
            _io__raw__m_body = KaitaiStream(BytesIO(self._raw__m_body))
            self._m_body = GlobalBitmapIndex.GlobalBitmapDictionaryBlock(_io__raw__m_body, self, self._root)
            io.seek(_pos)
            return getattr(self, '_m_body', None)


    class GlobalBitmapDictionary(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(GlobalBitmapIndex.GlobalBitmapDictionary, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_values = varint.Varint(self._io)
            self.values = []
            for i in range(self.num_values.value):
                self.values.append(GlobalBitmapIndex.GlobalBitmapValue(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_values._fetch_instances()
            for i in range(len(self.values)):
                pass
                self.values[i]._fetch_instances()



    class GlobalBitmapDictionaryBlock(KaitaiStruct):
        """A `compressed_block`, whose content is shown if it is not compressed.
        Writers add values until the content would exceed a size, 16 kB by
        default.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(GlobalBitmapIndex.GlobalBitmapDictionaryBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass
            _ = self.compression
            if hasattr(self, '_m_compression'):
                pass

            _ = self.content
            if hasattr(self, '_m_content'):
                pass
                _on = self.compression
                if _on == compressed_block.CompressedBlock.BlockCompression.lz4:
                    pass
                    self._m_content._fetch_instances()
                elif _on == compressed_block.CompressedBlock.BlockCompression.lzo:
                    pass
                    self._m_content._fetch_instances()
                elif _on == compressed_block.CompressedBlock.BlockCompression.none:
                    pass
                    self._m_content._fetch_instances()
                elif _on == compressed_block.CompressedBlock.BlockCompression.zstd:
                    pass
                    self._m_content._fetch_instances()
                else:
                    pass

            _ = self.crc32
            if hasattr(self, '_m_crc32'):
                pass


        @property
        def compression(self):
            """How the block is compressed."""
            if hasattr(self, '_m_compression'):
                return self._m_compression

            _pos = self._io.pos()
            self._io.seek(self._io.size() - 5)
            self._m_compression = KaitaiStream.resolve_enum(compressed_block.CompressedBlock.BlockCompression, self._io.read_u1())
            self._io.seek(_pos)
            return getattr(self, '_m_compression', None)

        @property
        def content(self):
            """A part of the dictionary."""
            if hasattr(self, '_m_content'):
                return self._m_content

            _pos = self._io.pos()
            self._io.seek(0)
            _on = self.compression
            if _on == compressed_block.CompressedBlock.BlockCompression.lz4:
                pass
                self._raw__m_content = self._io.read_bytes(self._io.size() - 5)
                _io__raw__m_content = KaitaiStream(BytesIO(self._raw__m_content))
                self._m_content = compressed_block.CompressedBlock.LzPayload(_io__raw__m_content)
            elif _on == compressed_block.CompressedBlock.BlockCompression.lzo:
                pass
                self._raw__m_content = self._io.read_bytes(self._io.size() - 5)
                _io__raw__m_content = KaitaiStream(BytesIO(self._raw__m_content))
                self._m_content = compressed_block.CompressedBlock.LzPayload(_io__raw__m_content)
            elif _on == compressed_block.CompressedBlock.BlockCompression.none:
                pass
                self._raw__m_content = self._io.read_bytes(self._io.size() - 5)
                _io__raw__m_content = KaitaiStream(BytesIO(self._raw__m_content))
                self._m_content = GlobalBitmapIndex.GlobalBitmapDictionary(_io__raw__m_content, self, self._root)
            elif _on == compressed_block.CompressedBlock.BlockCompression.zstd:
                pass
                self._raw__m_content = self._io.read_bytes(self._io.size() - 5)
                _io__raw__m_content = KaitaiStream(BytesIO(self._raw__m_content))
                self._m_content = compressed_block.CompressedBlock.ZstdPayload(_io__raw__m_content)
            else:
                pass
                self._m_content = self._io.read_bytes(self._io.size() - 5)
            self._io.seek(_pos)
            return getattr(self, '_m_content', None)

        @property
        def crc32(self):
            """zlib's CRC-32 of the bytes before."""
            if hasattr(self, '_m_crc32'):
                return self._m_crc32

            _pos = self._io.pos()
            self._io.seek(self._io.size() - 4)
            self._m_crc32 = self._io.read_u4le()
            self._io.seek(_pos)
            return getattr(self, '_m_crc32', None)


    class GlobalBitmapDirectory(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(GlobalBitmapIndex.GlobalBitmapDirectory, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_blocks = varint.Varint(self._io)
            self.blocks = []
            for i in range(self.num_blocks.value):
                self.blocks.append(GlobalBitmapIndex.GlobalBitmapBlockRef(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_blocks._fetch_instances()
            for i in range(len(self.blocks)):
                pass
                self.blocks[i]._fetch_instances()



    class GlobalBitmapDirectoryBlock(KaitaiStruct):
        """A `compressed_block`, whose content is shown if it is not compressed.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(GlobalBitmapIndex.GlobalBitmapDirectoryBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass
            _ = self.compression
            if hasattr(self, '_m_compression'):
                pass

            _ = self.content
            if hasattr(self, '_m_content'):
                pass
                _on = self.compression
                if _on == compressed_block.CompressedBlock.BlockCompression.lz4:
                    pass
                    self._m_content._fetch_instances()
                elif _on == compressed_block.CompressedBlock.BlockCompression.lzo:
                    pass
                    self._m_content._fetch_instances()
                elif _on == compressed_block.CompressedBlock.BlockCompression.none:
                    pass
                    self._m_content._fetch_instances()
                elif _on == compressed_block.CompressedBlock.BlockCompression.zstd:
                    pass
                    self._m_content._fetch_instances()
                else:
                    pass

            _ = self.crc32
            if hasattr(self, '_m_crc32'):
                pass


        @property
        def compression(self):
            """How the block is compressed."""
            if hasattr(self, '_m_compression'):
                return self._m_compression

            _pos = self._io.pos()
            self._io.seek(self._io.size() - 5)
            self._m_compression = KaitaiStream.resolve_enum(compressed_block.CompressedBlock.BlockCompression, self._io.read_u1())
            self._io.seek(_pos)
            return getattr(self, '_m_compression', None)

        @property
        def content(self):
            """The directory."""
            if hasattr(self, '_m_content'):
                return self._m_content

            _pos = self._io.pos()
            self._io.seek(0)
            _on = self.compression
            if _on == compressed_block.CompressedBlock.BlockCompression.lz4:
                pass
                self._raw__m_content = self._io.read_bytes(self._io.size() - 5)
                _io__raw__m_content = KaitaiStream(BytesIO(self._raw__m_content))
                self._m_content = compressed_block.CompressedBlock.LzPayload(_io__raw__m_content)
            elif _on == compressed_block.CompressedBlock.BlockCompression.lzo:
                pass
                self._raw__m_content = self._io.read_bytes(self._io.size() - 5)
                _io__raw__m_content = KaitaiStream(BytesIO(self._raw__m_content))
                self._m_content = compressed_block.CompressedBlock.LzPayload(_io__raw__m_content)
            elif _on == compressed_block.CompressedBlock.BlockCompression.none:
                pass
                self._raw__m_content = self._io.read_bytes(self._io.size() - 5)
                _io__raw__m_content = KaitaiStream(BytesIO(self._raw__m_content))
                self._m_content = GlobalBitmapIndex.GlobalBitmapDirectory(_io__raw__m_content, self, self._root)
            elif _on == compressed_block.CompressedBlock.BlockCompression.zstd:
                pass
                self._raw__m_content = self._io.read_bytes(self._io.size() - 5)
                _io__raw__m_content = KaitaiStream(BytesIO(self._raw__m_content))
                self._m_content = compressed_block.CompressedBlock.ZstdPayload(_io__raw__m_content)
            else:
                pass
                self._m_content = self._io.read_bytes(self._io.size() - 5)
            self._io.seek(_pos)
            return getattr(self, '_m_content', None)

        @property
        def crc32(self):
            """zlib's CRC-32 of the bytes before."""
            if hasattr(self, '_m_crc32'):
                return self._m_crc32

            _pos = self._io.pos()
            self._io.seek(self._io.size() - 4)
            self._m_crc32 = self._io.read_u4le()
            self._io.seek(_pos)
            return getattr(self, '_m_crc32', None)


    class GlobalBitmapFooter(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(GlobalBitmapIndex.GlobalBitmapFooter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ofs_null_rows = self._io.read_u8be()
            self.len_null_rows = self._io.read_u4be()
            self.ofs_non_null_rows = self._io.read_u8be()
            self.len_non_null_rows = self._io.read_u4be()
            self.ofs_directory = self._io.read_u8be()
            self.len_directory = self._io.read_u4be()
            self.num_values = self._io.read_u4be()
            self.version = self._io.read_u4be()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/global_bitmap_footer/seq/7")
            self.magic = self._io.read_bytes(4)
            if not self.magic == b"\x42\x47\x49\x58":
                raise kaitaistruct.ValidationNotEqualError(b"\x42\x47\x49\x58", self.magic, self._io, u"/types/global_bitmap_footer/seq/8")


        def _fetch_instances(self):
            pass

        @property
        def len_footer(self):
            """Length of the footer."""
            if hasattr(self, '_m_len_footer'):
                return self._m_len_footer

            self._m_len_footer = 48
            return getattr(self, '_m_len_footer', None)

        @property
        def len_trailer(self):
            """Length of the trailer of a block."""
            if hasattr(self, '_m_len_trailer'):
                return self._m_len_trailer

            self._m_len_trailer = 5
            return getattr(self, '_m_len_trailer', None)


    class GlobalBitmapValue(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(GlobalBitmapIndex.GlobalBitmapValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_key = varint.Varint(self._io)
            self.key = self._io.read_bytes(self.len_key.value)
            self.ofs_rows = varint.Varint(self._io)
            self.len_rows = varint.Varint(self._io)


        def _fetch_instances(self):
            pass
            self.len_key._fetch_instances()
            self.ofs_rows._fetch_instances()
            self.len_rows._fetch_instances()
            _ = self.rows
            if hasattr(self, '_m_rows'):
                pass
                self._m_rows._fetch_instances()


        @property
        def rows(self):
            """The rows that contain the value."""
            if hasattr(self, '_m_rows'):
                return self._m_rows

            io = self._root._io
            _pos = io.pos()
            io.seek(self.ofs_rows.value)
            self._raw__m_rows = io.read_bytes(self.len_rows.value)
            _io__raw__m_rows = KaitaiStream(BytesIO(self._raw__m_rows))
            self._m_rows = roaring_bitmap_64.RoaringBitmap64(_io__raw__m_rows)
            io.seek(_pos)
            return getattr(self, '_m_rows', None)


    @property
    def directory(self):
        """Where the blocks of the dictionary are."""
        if hasattr(self, '_m_directory'):
            return self._m_directory

        _pos = self._io.pos()
        self._io.seek(self.footer.ofs_directory)
        self._raw__m_directory = self._io.read_bytes(self.footer.len_directory + 5)
        _io__raw__m_directory = KaitaiStream(BytesIO(self._raw__m_directory))
        self._m_directory = GlobalBitmapIndex.GlobalBitmapDirectoryBlock(_io__raw__m_directory, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_directory', None)

    @property
    def footer(self):
        """The last 48 bytes."""
        if hasattr(self, '_m_footer'):
            return self._m_footer

        _pos = self._io.pos()
        self._io.seek(self._io.size() - 48)
        self._m_footer = GlobalBitmapIndex.GlobalBitmapFooter(self._io, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_footer', None)

    @property
    def non_null_rows(self):
        """All other rows."""
        if hasattr(self, '_m_non_null_rows'):
            return self._m_non_null_rows

        _pos = self._io.pos()
        self._io.seek(self.footer.ofs_non_null_rows)
        self._raw__m_non_null_rows = self._io.read_bytes(self.footer.len_non_null_rows)
        _io__raw__m_non_null_rows = KaitaiStream(BytesIO(self._raw__m_non_null_rows))
        self._m_non_null_rows = roaring_bitmap_64.RoaringBitmap64(_io__raw__m_non_null_rows)
        self._io.seek(_pos)
        return getattr(self, '_m_non_null_rows', None)

    @property
    def null_rows(self):
        """The rows that are null."""
        if hasattr(self, '_m_null_rows'):
            return self._m_null_rows

        _pos = self._io.pos()
        self._io.seek(self.footer.ofs_null_rows)
        self._raw__m_null_rows = self._io.read_bytes(self.footer.len_null_rows)
        _io__raw__m_null_rows = KaitaiStream(BytesIO(self._raw__m_null_rows))
        self._m_null_rows = roaring_bitmap_64.RoaringBitmap64(_io__raw__m_null_rows)
        self._io.seek(_pos)
        return getattr(self, '_m_null_rows', None)
