# Generated from old_global_bitmap_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class OldGlobalBitmapIndex(KaitaiStruct):
    """A file of a global index of the type `bitmap` that Paimon 1.4 wrote. It is a
    whole `bitmap_index`, without a container. These fields are the first ones of
    both of its versions. Its parameter, the type of the column, is not in the
    file, and neither is a magic number. An entry of such a file
    in the index manifest has no `_INDEX_META`. Since Paimon 2.0, an entry has
    it, and the file is a `global_bitmap_index`.

    Row 0 is the first row of the row range in the index manifest. There is one
    file for each row range.

    Compared with files that Paimon's Java library 1.4.2 wrote.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/globalindex/bitmap/BitmapGlobalIndex.java
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(OldGlobalBitmapIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.version = self._io.read_u1()
        if not  ((self.version == 1) or (self.version == 2)) :
            raise kaitaistruct.ValidationNotAnyOfError(self.version, self._io, u"/seq/0")
        self.num_rows = self._io.read_s4be()
        if not self.num_rows >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_rows, self._io, u"/seq/1")
        self.num_values = self._io.read_s4be()
        if not self.num_values >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_values, self._io, u"/seq/2")
        self.has_null = self._io.read_u1()
        if not  ((self.has_null == 0) or (self.has_null == 1)) :
            raise kaitaistruct.ValidationNotAnyOfError(self.has_null, self._io, u"/seq/3")
        self.rest = self._io.read_bytes_full()


    def _fetch_instances(self):
        pass
