# Generated from btree_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import compressed_block
from . import roaring_bitmap_64
from . import varint
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BtreeIndex(KaitaiStruct):
    """The keys of a column in ascending order, each with the ids of its rows. The
    keys are in blocks, and the directory lists the last key of each block. Row
    ids count from the start of the row range, which the index manifest lists.

    The file consists of the blocks, the null rows, the Bloom filter, the
    directory and the footer. A look-up reads the footer, the directory and one
    block.

    Compared with files of both versions that Paimon's Java library and
    pypaimon-rust 0.4.0 wrote, also with LZ4, ZSTD and composite keys, and with
    files of version 1 of pypaimon 2.1.0. Our writer writes them again byte for
    byte, also the frames of ZSTD of Java; pypaimon-rust writes other frames,
    which state the length of the content. Bloom filters were compared with those
    of pypaimon and pypaimon-rust only.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/globalindex/btree/BTreeIndexWriter.java
    """

    class BlockKind(IntEnum):
        one_size = 0
        several_sizes = 1

    class PostingForm(IntEnum):
        single = 0
        deltas = 1
        bitmap = 2
    def __init__(self, _io, _parent=None, _root=None):
        super(BtreeIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        pass


    def _fetch_instances(self):
        pass
        _ = self.bloom_filter
        if hasattr(self, '_m_bloom_filter'):
            pass

        _ = self.directory
        if hasattr(self, '_m_directory'):
            pass
            self._m_directory._fetch_instances()

        _ = self.footer
        if hasattr(self, '_m_footer'):
            pass
            self._m_footer._fetch_instances()

        _ = self.null_rows
        if hasattr(self, '_m_null_rows'):
            pass
            self._m_null_rows._fetch_instances()


    class BlockHandle(KaitaiStruct):
        def __init__(self, version, _io, _parent=None, _root=None):
            super(BtreeIndex.BlockHandle, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.ofs_block = varint.Varint(self._io)
            self.len_block = varint.Varint(self._io)


        def _fetch_instances(self):
            pass
            self.ofs_block._fetch_instances()
            self.len_block._fetch_instances()
            _ = self.keys
            if hasattr(self, '_m_keys'):
                pass
                self._m_keys._fetch_instances()


        @property
        def keys(self):
            """The block itself."""
            if hasattr(self, '_m_keys'):
                return self._m_keys

            io = self._root._io
            _pos = io.pos()
            io.seek(self.ofs_block.value)
            self._raw__m_keys = io.read_bytes(self.len_block.value + 5)
            _io__raw__m_keys = KaitaiStream(BytesIO(self._raw__m_keys))
            self._m_keys = BtreeIndex.BtreeBlock(self.version, _io__raw__m_keys, self, self._root)
            io.seek(_pos)
            return getattr(self, '_m_keys', None)


    class BlockTail(KaitaiStruct):
        """The end of a block. If all records have the same size, it has no offsets."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BtreeIndex.BlockTail, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num = self._io.read_u4le()
            self.kind = KaitaiStream.resolve_enum(BtreeIndex.BlockKind, self._io.read_u1())
            if not  ((self.kind == BtreeIndex.BlockKind.one_size) or (self.kind == BtreeIndex.BlockKind.several_sizes)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.kind, self._io, u"/types/block_tail/seq/1")


        def _fetch_instances(self):
            pass


    class BtreeBlock(KaitaiStruct):
        """A `compressed_block`, whose content is shown if it is not compressed."""
        def __init__(self, version, _io, _parent=None, _root=None):
            super(BtreeIndex.BtreeBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
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
            """A record for each key."""
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
                self._m_content = BtreeIndex.BtreeRecords(self.version, _io__raw__m_content, self, self._root)
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


    class BtreeDirectory(KaitaiStruct):
        """A `compressed_block`, whose content is shown if it is not compressed."""
        def __init__(self, version, _io, _parent=None, _root=None):
            super(BtreeIndex.BtreeDirectory, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
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
            """A record for each block."""
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
                self._m_content = BtreeIndex.DirectoryRecords(self.version, _io__raw__m_content, self, self._root)
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


    class BtreeFooter(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BtreeIndex.BtreeFooter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ofs_bloom_filter = self._io.read_u8le()
            self.len_bloom_filter = self._io.read_u4le()
            self.num_bloom_filter = self._io.read_u8le()
            self.ofs_directory = self._io.read_u8le()
            self.len_directory = self._io.read_u4le()
            self.ofs_null_rows = self._io.read_u8le()
            self.len_null_rows = self._io.read_u4le()
            self.version = self._io.read_s4le()
            if not  ((self.version == 1) or (self.version == 2)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.version, self._io, u"/types/btree_footer/seq/7")
            self.magic = self._io.read_bytes(4)
            if not self.magic == b"\x49\x54\x42\x50":
                raise kaitaistruct.ValidationNotEqualError(b"\x49\x54\x42\x50", self.magic, self._io, u"/types/btree_footer/seq/8")


        def _fetch_instances(self):
            pass


    class BtreeNullRows(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BtreeIndex.BtreeNullRows, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self._raw_rows = self._io.read_bytes(self._io.size() - 4)
            _io__raw_rows = KaitaiStream(BytesIO(self._raw_rows))
            self.rows = roaring_bitmap_64.RoaringBitmap64(_io__raw_rows)
            self.crc32 = self._io.read_u4le()


        def _fetch_instances(self):
            pass
            self.rows._fetch_instances()


    class BtreeRecord(KaitaiStruct):
        def __init__(self, version, _io, _parent=None, _root=None):
            super(BtreeIndex.BtreeRecord, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.len_key = varint.Varint(self._io)
            self.key = self._io.read_bytes(self.len_key.value)
            self.len_posting = varint.Varint(self._io)
            _on = self.version
            if _on == 1:
                pass
                self._raw_posting = self._io.read_bytes(self.len_posting.value)
                _io__raw_posting = KaitaiStream(BytesIO(self._raw_posting))
                self.posting = BtreeIndex.PostingV1(_io__raw_posting, self, self._root)
            elif _on == 2:
                pass
                self._raw_posting = self._io.read_bytes(self.len_posting.value)
                _io__raw_posting = KaitaiStream(BytesIO(self._raw_posting))
                self.posting = BtreeIndex.PostingV2(_io__raw_posting, self, self._root)
            else:
                pass
                self.posting = self._io.read_bytes(self.len_posting.value)


        def _fetch_instances(self):
            pass
            self.len_key._fetch_instances()
            self.len_posting._fetch_instances()
            _on = self.version
            if _on == 1:
                pass
                self.posting._fetch_instances()
            elif _on == 2:
                pass
                self.posting._fetch_instances()
            else:
                pass


    class BtreeRecords(KaitaiStruct):
        def __init__(self, version, _io, _parent=None, _root=None):
            super(BtreeIndex.BtreeRecords, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass
            _ = self.of_one_size
            if hasattr(self, '_m_of_one_size'):
                pass
                self._m_of_one_size._fetch_instances()

            _ = self.of_several_sizes
            if hasattr(self, '_m_of_several_sizes'):
                pass
                self._m_of_several_sizes._fetch_instances()

            _ = self.tail
            if hasattr(self, '_m_tail'):
                pass
                self._m_tail._fetch_instances()


        @property
        def of_one_size(self):
            """A key each, in ascending order."""
            if hasattr(self, '_m_of_one_size'):
                return self._m_of_one_size

            if self.tail.kind == BtreeIndex.BlockKind.one_size:
                pass
                _pos = self._io.pos()
                self._io.seek(0)
                self._raw__m_of_one_size = self._io.read_bytes(self._io.size() - 5)
                _io__raw__m_of_one_size = KaitaiStream(BytesIO(self._raw__m_of_one_size))
                self._m_of_one_size = BtreeIndex.BtreeRecordsOfOneSize(self.version, _io__raw__m_of_one_size, self, self._root)
                self._io.seek(_pos)

            return getattr(self, '_m_of_one_size', None)

        @property
        def of_several_sizes(self):
            """A key each, in ascending order."""
            if hasattr(self, '_m_of_several_sizes'):
                return self._m_of_several_sizes

            if self.tail.kind == BtreeIndex.BlockKind.several_sizes:
                pass
                _pos = self._io.pos()
                self._io.seek(0)
                self._m_of_several_sizes = BtreeIndex.BtreeRecordsOfSeveralSizes(self.tail.num, self.version, self._io, self, self._root)
                self._io.seek(_pos)

            return getattr(self, '_m_of_several_sizes', None)

        @property
        def tail(self):
            """The number of records, or their size."""
            if hasattr(self, '_m_tail'):
                return self._m_tail

            _pos = self._io.pos()
            self._io.seek(self._io.size() - 5)
            self._m_tail = BtreeIndex.BlockTail(self._io, self, self._root)
            self._io.seek(_pos)
            return getattr(self, '_m_tail', None)


    class BtreeRecordsOfOneSize(KaitaiStruct):
        def __init__(self, version, _io, _parent=None, _root=None):
            super(BtreeIndex.BtreeRecordsOfOneSize, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.records = []
            i = 0
            while not self._io.is_eof():
                self.records.append(BtreeIndex.BtreeRecord(self.version, self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.records)):
                pass
                self.records[i]._fetch_instances()



    class BtreeRecordsOfSeveralSizes(KaitaiStruct):
        def __init__(self, num_records, version, _io, _parent=None, _root=None):
            super(BtreeIndex.BtreeRecordsOfSeveralSizes, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.num_records = num_records
            self.version = version
            self._read()

        def _read(self):
            self.records = []
            for i in range(self.num_records):
                self.records.append(BtreeIndex.BtreeRecord(self.version, self._io, self, self._root))

            self.offsets = BtreeIndex.RecordOffsets(self.num_records, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.records)):
                pass
                self.records[i]._fetch_instances()

            self.offsets._fetch_instances()


    class DirectoryOfOneSize(KaitaiStruct):
        def __init__(self, version, _io, _parent=None, _root=None):
            super(BtreeIndex.DirectoryOfOneSize, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.records = []
            i = 0
            while not self._io.is_eof():
                self.records.append(BtreeIndex.DirectoryRecord(self.version, self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.records)):
                pass
                self.records[i]._fetch_instances()



    class DirectoryOfSeveralSizes(KaitaiStruct):
        def __init__(self, num_records, version, _io, _parent=None, _root=None):
            super(BtreeIndex.DirectoryOfSeveralSizes, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.num_records = num_records
            self.version = version
            self._read()

        def _read(self):
            self.records = []
            for i in range(self.num_records):
                self.records.append(BtreeIndex.DirectoryRecord(self.version, self._io, self, self._root))

            self.offsets = BtreeIndex.RecordOffsets(self.num_records, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            for i in range(len(self.records)):
                pass
                self.records[i]._fetch_instances()

            self.offsets._fetch_instances()


    class DirectoryRecord(KaitaiStruct):
        def __init__(self, version, _io, _parent=None, _root=None):
            super(BtreeIndex.DirectoryRecord, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            self.len_key = varint.Varint(self._io)
            self.key = self._io.read_bytes(self.len_key.value)
            self.len_handle = varint.Varint(self._io)
            self._raw_handle = self._io.read_bytes(self.len_handle.value)
            _io__raw_handle = KaitaiStream(BytesIO(self._raw_handle))
            self.handle = BtreeIndex.BlockHandle(self.version, _io__raw_handle, self, self._root)


        def _fetch_instances(self):
            pass
            self.len_key._fetch_instances()
            self.len_handle._fetch_instances()
            self.handle._fetch_instances()


    class DirectoryRecords(KaitaiStruct):
        def __init__(self, version, _io, _parent=None, _root=None):
            super(BtreeIndex.DirectoryRecords, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.version = version
            self._read()

        def _read(self):
            pass


        def _fetch_instances(self):
            pass
            _ = self.of_one_size
            if hasattr(self, '_m_of_one_size'):
                pass
                self._m_of_one_size._fetch_instances()

            _ = self.of_several_sizes
            if hasattr(self, '_m_of_several_sizes'):
                pass
                self._m_of_several_sizes._fetch_instances()

            _ = self.tail
            if hasattr(self, '_m_tail'):
                pass
                self._m_tail._fetch_instances()


        @property
        def of_one_size(self):
            """A block each, by its last key."""
            if hasattr(self, '_m_of_one_size'):
                return self._m_of_one_size

            if self.tail.kind == BtreeIndex.BlockKind.one_size:
                pass
                _pos = self._io.pos()
                self._io.seek(0)
                self._raw__m_of_one_size = self._io.read_bytes(self._io.size() - 5)
                _io__raw__m_of_one_size = KaitaiStream(BytesIO(self._raw__m_of_one_size))
                self._m_of_one_size = BtreeIndex.DirectoryOfOneSize(self.version, _io__raw__m_of_one_size, self, self._root)
                self._io.seek(_pos)

            return getattr(self, '_m_of_one_size', None)

        @property
        def of_several_sizes(self):
            """A block each, by its last key."""
            if hasattr(self, '_m_of_several_sizes'):
                return self._m_of_several_sizes

            if self.tail.kind == BtreeIndex.BlockKind.several_sizes:
                pass
                _pos = self._io.pos()
                self._io.seek(0)
                self._m_of_several_sizes = BtreeIndex.DirectoryOfSeveralSizes(self.tail.num, self.version, self._io, self, self._root)
                self._io.seek(_pos)

            return getattr(self, '_m_of_several_sizes', None)

        @property
        def tail(self):
            """The number of records, or their size."""
            if hasattr(self, '_m_tail'):
                return self._m_tail

            _pos = self._io.pos()
            self._io.seek(self._io.size() - 5)
            self._m_tail = BtreeIndex.BlockTail(self._io, self, self._root)
            self._io.seek(_pos)
            return getattr(self, '_m_tail', None)


    class PostingV1(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BtreeIndex.PostingV1, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_rows = varint.Varint(self._io)
            self.rows = []
            for i in range(self.num_rows.value):
                self.rows.append(varint.Varint(self._io))



        def _fetch_instances(self):
            pass
            self.num_rows._fetch_instances()
            for i in range(len(self.rows)):
                pass
                self.rows[i]._fetch_instances()



    class PostingV2(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BtreeIndex.PostingV2, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.form = KaitaiStream.resolve_enum(BtreeIndex.PostingForm, self._io.read_u1())
            if not  ((self.form == BtreeIndex.PostingForm.single) or (self.form == BtreeIndex.PostingForm.deltas) or (self.form == BtreeIndex.PostingForm.bitmap)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.form, self._io, u"/types/posting_v2/seq/0")
            _on = self.form
            if _on == BtreeIndex.PostingForm.bitmap:
                pass
                self.rows = roaring_bitmap_64.RoaringBitmap64(self._io)
            elif _on == BtreeIndex.PostingForm.deltas:
                pass
                self.rows = BtreeIndex.RowDeltas(self._io, self, self._root)
            elif _on == BtreeIndex.PostingForm.single:
                pass
                self.rows = BtreeIndex.SingleRow(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            _on = self.form
            if _on == BtreeIndex.PostingForm.bitmap:
                pass
                self.rows._fetch_instances()
            elif _on == BtreeIndex.PostingForm.deltas:
                pass
                self.rows._fetch_instances()
            elif _on == BtreeIndex.PostingForm.single:
                pass
                self.rows._fetch_instances()


    class RecordOffsets(KaitaiStruct):
        def __init__(self, num_offsets, _io, _parent=None, _root=None):
            super(BtreeIndex.RecordOffsets, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.num_offsets = num_offsets
            self._read()

        def _read(self):
            self.offsets = []
            for i in range(self.num_offsets):
                self.offsets.append(self._io.read_u4le())



        def _fetch_instances(self):
            pass
            for i in range(len(self.offsets)):
                pass



    class RowDeltas(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BtreeIndex.RowDeltas, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_rows = varint.Varint(self._io)
            self.first_row = varint.Varint(self._io)
            self.deltas = []
            for i in range(self.num_rows.value - 1):
                self.deltas.append(varint.Varint(self._io))



        def _fetch_instances(self):
            pass
            self.num_rows._fetch_instances()
            self.first_row._fetch_instances()
            for i in range(len(self.deltas)):
                pass
                self.deltas[i]._fetch_instances()



    class SingleRow(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BtreeIndex.SingleRow, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.row = varint.Varint(self._io)


        def _fetch_instances(self):
            pass
            self.row._fetch_instances()


    @property
    def bloom_filter(self):
        """The bits of the filter, without a head or a checksum. Bit i is bit i % 8
        of byte i / 8, the lowest bit first.
        """
        if hasattr(self, '_m_bloom_filter'):
            return self._m_bloom_filter

        if self.footer.len_bloom_filter != 0:
            pass
            _pos = self._io.pos()
            self._io.seek(self.footer.ofs_bloom_filter)
            self._m_bloom_filter = self._io.read_bytes(self.footer.len_bloom_filter)
            self._io.seek(_pos)

        return getattr(self, '_m_bloom_filter', None)

    @property
    def directory(self):
        """The place and the last key of each block."""
        if hasattr(self, '_m_directory'):
            return self._m_directory

        _pos = self._io.pos()
        self._io.seek(self.footer.ofs_directory)
        self._raw__m_directory = self._io.read_bytes(self.footer.len_directory + 5)
        _io__raw__m_directory = KaitaiStream(BytesIO(self._raw__m_directory))
        self._m_directory = BtreeIndex.BtreeDirectory(self.footer.version, _io__raw__m_directory, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_directory', None)

    @property
    def footer(self):
        """The places of all other parts."""
        if hasattr(self, '_m_footer'):
            return self._m_footer

        _pos = self._io.pos()
        self._io.seek(self._io.size() - 52)
        self._m_footer = BtreeIndex.BtreeFooter(self._io, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_footer', None)

    @property
    def null_rows(self):
        """The rows whose value is null."""
        if hasattr(self, '_m_null_rows'):
            return self._m_null_rows

        if self.footer.len_null_rows != 0:
            pass
            _pos = self._io.pos()
            self._io.seek(self.footer.ofs_null_rows)
            self._raw__m_null_rows = self._io.read_bytes(self.footer.len_null_rows + 4)
            _io__raw__m_null_rows = KaitaiStream(BytesIO(self._raw__m_null_rows))
            self._m_null_rows = BtreeIndex.BtreeNullRows(_io__raw__m_null_rows, self, self._root)
            self._io.seek(_pos)

        return getattr(self, '_m_null_rows', None)
