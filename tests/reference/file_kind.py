# Generated from file_kind.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class FileKind(KaitaiStruct):
    """The first and the last bytes of a file in a table. In most files, some of
    them are a magic number, which identifies the kind of the file.

    Other kinds have no magic number, such as bucket indexes, and bitmap global
    indexes of Paimon 1.4. Only the table's index manifest identifies them. In a
    vector file (`deletion_vectors`), the first magic number is at byte 5.

    .. seealso::
       Source - https://github.com/apache/paimon/tree/5dacde516bf6e29b583aff8b32bab321bfc6e64f/docs/docs/concepts/spec
    """

    class EndMagic(IntEnum):
        video = 21972292
        old_btree = 198732882
        mosaic = 1095978829
        lance = 1129201996
        vortex = 1180193878
        btree = 1346524233
        row = 1380931411
        bitmap = 1481197378
        fm = 1481198918
        lookup = 1481571681

    class StartMagic(IntEnum):
        orc = 4411983
        avro = 23749199
        parquet = 827474256
        sidecar = 1129532752
        full_text = 1230259792
        ivf_flat = 1230390860
        ivf_pq = 1230393425
        ivf_rq = 1230393937
        ivf_sq = 1230394193
        file_index = 1313735936
        diskann = 1313751364
        blobref = 1380729424
        blob = 1481511375
    def __init__(self, _io, _parent=None, _root=None):
        super(FileKind, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.start = FileKind.FileStart(self._io, self, self._root)
        self.content = self._io.read_bytes(self._io.size() - 12)
        self.last = FileKind.FileEnd(self._io, self, self._root)


    def _fetch_instances(self):
        pass
        self.start._fetch_instances()
        self.last._fetch_instances()

    class FileEnd(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(FileKind.FileEnd, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number_before = self._io.read_u4le()
            self.number = self._io.read_u4le()


        def _fetch_instances(self):
            pass

        @property
        def len_end(self):
            """Size of both numbers in bytes."""
            if hasattr(self, '_m_len_end'):
                return self._m_len_end

            self._m_len_end = 8
            return getattr(self, '_m_len_end', None)

        @property
        def magic(self):
            """The kind of the file, if the enum lists the number."""
            if hasattr(self, '_m_magic'):
                return self._m_magic

            self._m_magic = KaitaiStream.resolve_enum(FileKind.EndMagic, self.number)
            return getattr(self, '_m_magic', None)

        @property
        def magic_before(self):
            """The magic number of FM indexes."""
            if hasattr(self, '_m_magic_before'):
                return self._m_magic_before

            self._m_magic_before = KaitaiStream.resolve_enum(FileKind.EndMagic, self.number_before)
            return getattr(self, '_m_magic_before', None)


    class FileStart(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(FileKind.FileStart, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.number = self._io.read_u4le()


        def _fetch_instances(self):
            pass

        @property
        def len_start(self):
            """Size of the magic number in bytes."""
            if hasattr(self, '_m_len_start'):
                return self._m_len_start

            self._m_len_start = 4
            return getattr(self, '_m_len_start', None)

        @property
        def magic(self):
            """The kind of the file, if the enum lists the number."""
            if hasattr(self, '_m_magic'):
                return self._m_magic

            self._m_magic = KaitaiStream.resolve_enum(FileKind.StartMagic, self.number)
            return getattr(self, '_m_magic', None)

        @property
        def short_magic(self):
            """The magic number of ORC files, which has only three bytes."""
            if hasattr(self, '_m_short_magic'):
                return self._m_short_magic

            self._m_short_magic = KaitaiStream.resolve_enum(FileKind.StartMagic, self.number & 16777215)
            return getattr(self, '_m_short_magic', None)
