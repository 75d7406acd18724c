# Generated from blob_references.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import java_utf8


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BlobReferences(KaitaiStruct):
    """The blob files (`*.managed.blob`) that a data file of a primary-key table
    uses, in `DATAFILE.blobref` beside it. A blob file may be deleted when no
    data file uses it.

    Described by the sources of Java's Paimon. No installed writer makes such
    files, so it was compared with none.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/paimon-core/src/main/java/org/apache/paimon/blob/ManagedBlobReferenceFile.java
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(BlobReferences, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.magic = self._io.read_bytes(4)
        if not self.magic == b"\x50\x42\x4C\x52":
            raise kaitaistruct.ValidationNotEqualError(b"\x50\x42\x4C\x52", self.magic, self._io, u"/seq/0")
        self.content = BlobReferences.BlobReferenceList(self._io, self, self._root)
        self.crc32 = self._io.read_u4be()


    def _fetch_instances(self):
        pass
        self.content._fetch_instances()

    class BlobReference(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BlobReferences.BlobReference, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.root = java_utf8.JavaUtf8(self._io)
            self.name = java_utf8.JavaUtf8(self._io)


        def _fetch_instances(self):
            pass
            self.root._fetch_instances()
            self.name._fetch_instances()


    class BlobReferenceList(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BlobReferences.BlobReferenceList, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.version = self._io.read_u1()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/blob_reference_list/seq/0")
            self.num_references = self._io.read_s4be()
            if not self.num_references >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_references, self._io, u"/types/blob_reference_list/seq/1")
            self.references = []
            for i in range(self.num_references):
                self.references.append(BlobReferences.BlobReference(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.references)):
                pass
                self.references[i]._fetch_instances()
