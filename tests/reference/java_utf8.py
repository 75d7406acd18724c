# Generated from java_utf8.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class JavaUtf8(KaitaiStruct):
    """A string in the format of `java.io.DataOutput.writeUTF`: a length in bytes,
    then "modified UTF-8". In this encoding, NUL is the two bytes `C0 80`, and a
    character outside the basic plane is a pair of surrogates of three bytes each.
    Kaitai Struct has no decoder for it.

    .. seealso::
       Source - https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/io/DataInput.html#modified-utf-8
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(JavaUtf8, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.len_value = self._io.read_u2be()
        self.value = self._io.read_bytes(self.len_value)


    def _fetch_instances(self):
        pass
