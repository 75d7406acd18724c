# Generated from global_index_source.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import java_utf8
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class GlobalIndexSource(KaitaiStruct):
    """The field `_SOURCE_META` of an index manifest states from what a global index
    was built.

    The index of a primary-key table is built from data files. Its positions count
    the rows of these files, one file after the other. It is valid only while all
    of them are live.

    `primary_key` was compared with entries that Java's Paimon 2 wrote, in
    `testdata/pkvector` of the Rust crate paimon 0.4.0. `data_evolution` is
    described by Java's sources.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/paimon-core/src/main/java/org/apache/paimon/index/pk/PrimaryKeyIndexSourceMeta.java


    .. seealso::
       Source - https://github.com/apache/paimon/blob/5dacde516bf6e29b583aff8b32bab321bfc6e64f/paimon-core/src/main/java/org/apache/paimon/index/DataEvolutionIndexSourceMeta.java
    """

    class SourceKind(IntEnum):
        primary_key = 1
        data_evolution = 1145391448
    def __init__(self, _io, _parent=None, _root=None):
        super(GlobalIndexSource, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.kind = KaitaiStream.resolve_enum(GlobalIndexSource.SourceKind, self._io.read_u4be())
        if not  ((self.kind == GlobalIndexSource.SourceKind.primary_key) or (self.kind == GlobalIndexSource.SourceKind.data_evolution)) :
            raise kaitaistruct.ValidationNotAnyOfError(self.kind, self._io, u"/seq/0")
        if self.kind == GlobalIndexSource.SourceKind.primary_key:
            pass
            self.primary_key = GlobalIndexSource.SourceFileList(self._io, self, self._root)

        if self.kind == GlobalIndexSource.SourceKind.data_evolution:
            pass
            self.data_evolution = GlobalIndexSource.SourceSnapshot(self._io, self, self._root)



    def _fetch_instances(self):
        pass
        if self.kind == GlobalIndexSource.SourceKind.primary_key:
            pass
            self.primary_key._fetch_instances()

        if self.kind == GlobalIndexSource.SourceKind.data_evolution:
            pass
            self.data_evolution._fetch_instances()


    class SourceFile(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(GlobalIndexSource.SourceFile, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.name = java_utf8.JavaUtf8(self._io)
            self.num_rows = self._io.read_s8be()
            if not self.num_rows >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_rows, self._io, u"/types/source_file/seq/1")


        def _fetch_instances(self):
            pass
            self.name._fetch_instances()


    class SourceFileList(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(GlobalIndexSource.SourceFileList, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.level = self._io.read_s4be()
            if not self.level >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.level, self._io, u"/types/source_file_list/seq/0")
            self.num_files = self._io.read_s4be()
            if not self.num_files >= 1:
                raise kaitaistruct.ValidationLessThanError(1, self.num_files, self._io, u"/types/source_file_list/seq/1")
            self.files = []
            for i in range(self.num_files):
                self.files.append(GlobalIndexSource.SourceFile(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            for i in range(len(self.files)):
                pass
                self.files[i]._fetch_instances()



    class SourceSnapshot(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(GlobalIndexSource.SourceSnapshot, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.version = self._io.read_s4be()
            if not self.version == 1:
                raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/types/source_snapshot/seq/0")
            self.snapshot_id = self._io.read_s8be()


        def _fetch_instances(self):
            pass
