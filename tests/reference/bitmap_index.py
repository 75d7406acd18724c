# Generated from bitmap_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import bitmap_index_v1
from . import bitmap_index_v2


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BitmapIndex(KaitaiStruct):
    """The body of an index of type `bitmap`. It stores, for each distinct value of
    a column, the set of rows with that value.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md


    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndex.java
    """
    def __init__(self, column_type, _io, _parent=None, _root=None):
        super(BitmapIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.column_type = column_type
        self._read()

    def _read(self):
        self.version = self._io.read_u1()
        if not  ((self.version == 1) or (self.version == 2)) :
            raise kaitaistruct.ValidationNotAnyOfError(self.version, self._io, u"/seq/0")
        if self.version == 1:
            pass
            self.v1 = bitmap_index_v1.BitmapIndexV1(self.column_type, self._io)

        if self.version == 2:
            pass
            self.v2 = bitmap_index_v2.BitmapIndexV2(self.column_type, self._io)



    def _fetch_instances(self):
        pass
        if self.version == 1:
            pass
            self.v1._fetch_instances()

        if self.version == 2:
            pass
            self.v2._fetch_instances()
