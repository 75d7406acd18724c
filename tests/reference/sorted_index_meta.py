# Generated from sorted_index_meta.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class SortedIndexMeta(KaitaiStruct):
    """The field `_INDEX_META` of a BTree, bitmap or multivalue index in the index
    manifest: the least and greatest key of one index file.

    Compared with the index manifests of pypaimon 2.1.0, pypaimon-rust 0.4.0 and
    Paimon's Java library.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/globalindex/btree/BTreeIndexMeta.java
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(SortedIndexMeta, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.len_first_key = self._io.read_s4le()
        if not self.len_first_key >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.len_first_key, self._io, u"/seq/0")
        self.first_key = self._io.read_bytes(self.len_first_key)
        self.len_last_key = self._io.read_s4le()
        if not self.len_last_key >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.len_last_key, self._io, u"/seq/2")
        self.last_key = self._io.read_bytes(self.len_last_key)
        self.has_nulls = self._io.read_u1()
        if not  ((self.has_nulls == 0) or (self.has_nulls == 1)) :
            raise kaitaistruct.ValidationNotAnyOfError(self.has_nulls, self._io, u"/seq/4")
        if (not (self._io.is_eof())):
            pass
            self.null_keys = SortedIndexMeta.NullKeys(self._io, self, self._root)



    def _fetch_instances(self):
        pass
        if (not (self._io.is_eof())):
            pass
            self.null_keys._fetch_instances()


    class NullKeys(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(SortedIndexMeta.NullKeys, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.format_version = self._io.read_u1()
            if not self.format_version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.format_version, self._io, u"/types/null_keys/seq/0")
            self.reserved = self._io.read_bits_int_be(6)
            if not self.reserved == 0:
                raise kaitaistruct.ValidationNotEqualError(0, self.reserved, self._io, u"/types/null_keys/seq/1")
            self.is_last_null = self._io.read_bits_int_be(1) != 0
            self.is_first_null = self._io.read_bits_int_be(1) != 0


        def _fetch_instances(self):
            pass
