# Generated from full_text_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class FullTextIndex(KaitaiStruct):
    """The first bytes of a global index of the type `full-text`, which is an
    archive of the files of one version of Tantivy. These are not described.

    Compared with files that pypaimon-rust 0.4.0 wrote.

    .. seealso::
       Source - https://crates.io/crates/paimon-ftindex-core/0.1.0
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(FullTextIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.magic = self._io.read_bytes(8)
        if not self.magic == b"\x50\x46\x54\x49\x44\x58\x30\x31":
            raise kaitaistruct.ValidationNotEqualError(b"\x50\x46\x54\x49\x44\x58\x30\x31", self.magic, self._io, u"/seq/0")
        self.version = self._io.read_u4be()
        if self.version == 1:
            pass
            self.len_header = self._io.read_u4be()

        if self.version == 1:
            pass
            self.header = self._io.read_bytes(self.len_header)



    def _fetch_instances(self):
        pass
        if self.version == 1:
            pass

        if self.version == 1:
            pass
