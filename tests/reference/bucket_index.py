# Generated from bucket_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BucketIndex(KaitaiStruct):
    """The hash codes of all primary keys in one bucket, in any order. The table's
    index manifest names the bucket. The format has no magic number.

    A hash code is that of the key as a `binary_row`, without partition columns.

    .. seealso::
       Source - https://paimon.apache.org/docs/1.4/concepts/spec/tableindex/#dynamic-bucket-index
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(BucketIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.hashes = []
        for i in range(self._io.size() // 4):
            self.hashes.append(self._io.read_s4be())

        if (not (self._io.is_eof())):
            pass
            self.trailing = self._io.read_bytes_full()



    def _fetch_instances(self):
        pass
        for i in range(len(self.hashes)):
            pass

        if (not (self._io.is_eof())):
            pass
