# Generated from snappy_block.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class SnappyBlock(KaitaiStruct):
    """The bytes between the length and the sync marker of a block in an Avro object
    container file with the codec `snappy`. Paimon's manifests can be such files.

    .. seealso::
       Source - https://avro.apache.org/docs/1.12.0/specification/#optional-codecs
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(SnappyBlock, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.data = self._io.read_bytes(self._io.size() - 4)
        self.crc32 = self._io.read_u4be()


    def _fetch_instances(self):
        pass
        _ = self.len_decoded
        if hasattr(self, '_m_len_decoded'):
            pass
            self._m_len_decoded._fetch_instances()


    @property
    def len_decoded(self):
        """Length of the uncompressed records in bytes, with which `data` begins."""
        if hasattr(self, '_m_len_decoded'):
            return self._m_len_decoded

        _pos = self._io.pos()
        self._io.seek(0)
        self._m_len_decoded = varint.Varint(self._io)
        self._io.seek(_pos)
        return getattr(self, '_m_len_decoded', None)
