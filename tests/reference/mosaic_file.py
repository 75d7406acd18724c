# Generated from mosaic_file.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class MosaicFile(KaitaiStruct):
    """The last bytes of a data file in the format Mosaic. Its columns are not
    described.

    Compared with files that pypaimon-rust 0.4.0 wrote.

    .. seealso::
       Source - https://crates.io/crates/paimon-mosaic-core/0.2.0
    """

    class MosaicCompression(IntEnum):
        none = 0
        zstd = 1
    def __init__(self, _io, _parent=None, _root=None):
        super(MosaicFile, self).__init__(_io)
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


    class MosaicFooter(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(MosaicFile.MosaicFooter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ofs_index = self._io.read_u8be()
            self.ofs_schema = self._io.read_u8be()
            self.num_buckets = self._io.read_u4be()
            self.num_row_groups = self._io.read_u4be()
            self.compression = KaitaiStream.resolve_enum(MosaicFile.MosaicCompression, self._io.read_u1())
            self.version = self._io.read_u1()
            self.reserved = self._io.read_bytes(2)
            if not self.reserved == b"\x00\x00":
                raise kaitaistruct.ValidationNotEqualError(b"\x00\x00", self.reserved, self._io, u"/types/mosaic_footer/seq/6")
            self.magic = self._io.read_bytes(4)
            if not self.magic == b"\x4D\x4F\x53\x41":
                raise kaitaistruct.ValidationNotEqualError(b"\x4D\x4F\x53\x41", self.magic, self._io, u"/types/mosaic_footer/seq/7")


        def _fetch_instances(self):
            pass


    @property
    def footer(self):
        """The places of the metadata."""
        if hasattr(self, '_m_footer'):
            return self._m_footer

        _pos = self._io.pos()
        self._io.seek(self._io.size() - 32)
        self._m_footer = MosaicFile.MosaicFooter(self._io, self, self._root)
        self._io.seek(_pos)
        return getattr(self, '_m_footer', None)
