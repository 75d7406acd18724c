# Generated from position.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class Position(KaitaiStruct):
    """A field without bytes that remembers its own position. Offsets in Paimon's
    formats count from places such as "the end of the dictionary".
    """
    def __init__(self, at, _io, _parent=None, _root=None):
        super(Position, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.at = at
        self._read()

    def _read(self):
        pass


    def _fetch_instances(self):
        pass
