# Generated from orc_metadata.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class OrcMetadata(KaitaiStruct):
    """The chunks that contain the footer of a compressed ORC file, or the footers
    of its stripes. The messages in them, and the postscript, which is never
    compressed, are Protocol Buffers (`protobuf`). The enums list the numbers of
    the fields that contain positions. Libraries read the rest of the file.

    An ORC file ends with the stripes, their statistics, the footer, the
    postscript, and a byte with the length of the postscript.

    .. seealso::
       Source - https://orc.apache.org/specification/ORCv1/
    """

    class OrcCompression(IntEnum):
        none = 0
        zlib = 1
        snappy = 2
        lzo = 3
        lz4 = 4
        zstd = 5

    class OrcFooterField(IntEnum):
        stripes = 3
        types = 4

    class OrcKind(IntEnum):
        long = 4
        timestamp = 9
        timestamp_instant = 18

    class OrcPostscriptField(IntEnum):
        len_footer = 1
        compression = 2
        len_block = 3
        len_statistics = 5
        magic = 8000

    class OrcStripeField(IntEnum):
        ofs_stripe = 1
        len_index = 2
        len_data = 3
        len_stripe_footer = 4
        num_rows = 5

    class OrcStripeFooterField(IntEnum):
        writer_zone = 3

    class OrcTypeField(IntEnum):
        kind = 1
    def __init__(self, _io, _parent=None, _root=None):
        super(OrcMetadata, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.chunks = []
        i = 0
        while not self._io.is_eof():
            self.chunks.append(OrcMetadata.OrcChunk(self._io, self, self._root))
            i += 1



    def _fetch_instances(self):
        pass
        for i in range(len(self.chunks)):
            pass
            self.chunks[i]._fetch_instances()


    class OrcChunk(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(OrcMetadata.OrcChunk, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.low = self._io.read_u1()
            self.high = self._io.read_u2le()
            self.body = self._io.read_bytes(self.len_body)


        def _fetch_instances(self):
            pass

        @property
        def is_original(self):
            """The body is not compressed, because compression would have made it longer."""
            if hasattr(self, '_m_is_original'):
                return self._m_is_original

            self._m_is_original = self.low & 1 == 1
            return getattr(self, '_m_is_original', None)

        @property
        def len_body(self):
            if hasattr(self, '_m_len_body'):
                return self._m_len_body

            self._m_len_body = self.high * 128 + self.low // 2
            return getattr(self, '_m_len_body', None)


    class OrcEnd(KaitaiStruct):
        """The last byte of a file."""
        def __init__(self, _io, _parent=None, _root=None):
            super(OrcMetadata.OrcEnd, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_postscript = self._io.read_u1()


        def _fetch_instances(self):
            pass


    @property
    def epoch(self):
        """2015-01-01 in seconds since 1970, from which the stream DATA of timestamps counts."""
        if hasattr(self, '_m_epoch'):
            return self._m_epoch

        self._m_epoch = 1420070400
        return getattr(self, '_m_epoch', None)
