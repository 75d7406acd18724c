# Generated from deletion_vectors.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import roaring_bitmap_32
from . import roaring_bitmap_64
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class DeletionVectors(KaitaiStruct):
    """The deleted rows of data files: one vector for each data file. The file does
    not contain the names of the data files. Instead, the table's index manifest
    lists the data file, offset, length and number of rows of each vector.

    A file may contain vectors of both kinds. The meaning of the length in the
    index manifest depends on the kind. For 32 bits, it is `len_data`. For 64
    bits, it is the length of the whole vector, `len_data` + 8.

    .. seealso::
       Source - https://paimon.apache.org/docs/1.4/concepts/spec/tableindex/#deletion-vectors
    """

    class VectorKind(IntEnum):
        bits_32 = 1581511376
        bits_64 = 3520280932
    def __init__(self, _io, _parent=None, _root=None):
        super(DeletionVectors, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.version = self._io.read_u1()
        if not self.version == 1:
            raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/seq/0")
        self.vectors = []
        i = 0
        while not self._io.is_eof():
            self.vectors.append(DeletionVectors.DeletionVector(self._io, self, self._root))
            i += 1



    def _fetch_instances(self):
        pass
        for i in range(len(self.vectors)):
            pass
            self.vectors[i]._fetch_instances()


    class DeletionVector(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(DeletionVectors.DeletionVector, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_data = self._io.read_s4be()
            if not self.len_data >= 12:
                raise kaitaistruct.ValidationLessThanError(12, self.len_data, self._io, u"/types/deletion_vector/seq/0")
            self._raw_data = self._io.read_bytes(self.len_data)
            _io__raw_data = KaitaiStream(BytesIO(self._raw_data))
            self.data = DeletionVectors.DeletionVectorData(_io__raw_data, self, self._root)
            self.crc32 = self._io.read_u4be()


        def _fetch_instances(self):
            pass
            self.data._fetch_instances()


    class DeletionVectorData(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(DeletionVectors.DeletionVectorData, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.kind = KaitaiStream.resolve_enum(DeletionVectors.VectorKind, self._io.read_u4be())
            if not  ((self.kind == DeletionVectors.VectorKind.bits_32) or (self.kind == DeletionVectors.VectorKind.bits_64)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.kind, self._io, u"/types/deletion_vector_data/seq/0")
            if self.kind == DeletionVectors.VectorKind.bits_32:
                pass
                self.bitmap_32 = roaring_bitmap_32.RoaringBitmap32(self._io)

            if self.kind == DeletionVectors.VectorKind.bits_64:
                pass
                self.bitmap_64 = roaring_bitmap_64.RoaringBitmap64(self._io)



        def _fetch_instances(self):
            pass
            if self.kind == DeletionVectors.VectorKind.bits_32:
                pass
                self.bitmap_32._fetch_instances()

            if self.kind == DeletionVectors.VectorKind.bits_64:
                pass
                self.bitmap_64._fetch_instances()
