# Generated from compressed_block.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import varint
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class CompressedBlock(KaitaiStruct):
    """A block of an SST file, such as a BTree global index, or of the dictionary of
    a bitmap global index. The place that names the block states the length of
    its payload, without the trailer of five bytes.

    A writer compresses each block by itself, and keeps the compressed form only
    if it saves more than an eighth, so a file may contain blocks of both forms.

    Compared with files that Paimon's Java library, pypaimon 2.1.0 and
    pypaimon-rust 0.4.0 wrote: without compression, with LZ4 and with ZSTD. LZO
    follows Java's source.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/sst/BlockTrailer.java
    """

    class BlockCompression(IntEnum):
        none = 0
        zstd = 1
        lz4 = 2
        lzo = 3
    def __init__(self, len_payload, _io, _parent=None, _root=None):
        super(CompressedBlock, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.len_payload = len_payload
        self._read()

    def _read(self):
        self.payload = self._io.read_bytes(self.len_payload)
        self.compression = KaitaiStream.resolve_enum(CompressedBlock.BlockCompression, self._io.read_u1())
        if not  ((self.compression == CompressedBlock.BlockCompression.none) or (self.compression == CompressedBlock.BlockCompression.zstd) or (self.compression == CompressedBlock.BlockCompression.lz4) or (self.compression == CompressedBlock.BlockCompression.lzo)) :
            raise kaitaistruct.ValidationNotAnyOfError(self.compression, self._io, u"/seq/1")
        self.crc32 = self._io.read_u4le()


    def _fetch_instances(self):
        pass

    class LzPayload(KaitaiStruct):
        """A payload that is compressed by LZ4 or LZO."""
        def __init__(self, _io, _parent=None, _root=None):
            super(CompressedBlock.LzPayload, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_content = varint.Varint(self._io)
            self.len_data = self._io.read_s4le()
            if not self.len_data >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.len_data, self._io, u"/types/lz_payload/seq/1")
            self.len_content_again = self._io.read_s4le()
            self.data = self._io.read_bytes(self.len_data)


        def _fetch_instances(self):
            pass
            self.len_content._fetch_instances()


    class ZstdPayload(KaitaiStruct):
        """A payload that is compressed by ZSTD."""
        def __init__(self, _io, _parent=None, _root=None):
            super(CompressedBlock.ZstdPayload, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_content = varint.Varint(self._io)
            self.data = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass
            self.len_content._fetch_instances()
