# Generated from vector_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import file_kind
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class VectorIndex(KaitaiStruct):
    """The first bytes of a global index of vectors, of one of the types `ivf-flat`,
    `ivf-pq`, `ivf-sq`, `ivf-rq` and `diskann`. The lists or graph after them are
    not described.

    Compared with files of each type that pypaimon-rust 0.4.0 wrote.

    .. seealso::
       Source - https://crates.io/crates/paimon-vindex-core/0.5.0
    """

    class Metric(IntEnum):
        l2 = 0
        inner_product = 1
        cosine = 2
    def __init__(self, _io, _parent=None, _root=None):
        super(VectorIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.magic = KaitaiStream.resolve_enum(file_kind.FileKind.StartMagic, self._io.read_u4le())
        if not  ((self.magic == file_kind.FileKind.StartMagic.ivf_flat) or (self.magic == file_kind.FileKind.StartMagic.ivf_pq) or (self.magic == file_kind.FileKind.StartMagic.ivf_sq) or (self.magic == file_kind.FileKind.StartMagic.ivf_rq) or (self.magic == file_kind.FileKind.StartMagic.diskann)) :
            raise kaitaistruct.ValidationNotAnyOfError(self.magic, self._io, u"/seq/0")
        self.version = self._io.read_u4le()
        if self.version == 1:
            pass
            _on = self.magic
            if _on == file_kind.FileKind.StartMagic.diskann:
                pass
                self.header = VectorIndex.Diskann(self._io, self, self._root)
            elif _on == file_kind.FileKind.StartMagic.ivf_flat:
                pass
                self.header = VectorIndex.IvfFlat(self._io, self, self._root)
            elif _on == file_kind.FileKind.StartMagic.ivf_pq:
                pass
                self.header = VectorIndex.IvfPq(self._io, self, self._root)
            elif _on == file_kind.FileKind.StartMagic.ivf_rq:
                pass
                self.header = VectorIndex.IvfRq(self._io, self, self._root)
            elif _on == file_kind.FileKind.StartMagic.ivf_sq:
                pass
                self.header = VectorIndex.IvfSq(self._io, self, self._root)



    def _fetch_instances(self):
        pass
        if self.version == 1:
            pass
            _on = self.magic
            if _on == file_kind.FileKind.StartMagic.diskann:
                pass
                self.header._fetch_instances()
            elif _on == file_kind.FileKind.StartMagic.ivf_flat:
                pass
                self.header._fetch_instances()
            elif _on == file_kind.FileKind.StartMagic.ivf_pq:
                pass
                self.header._fetch_instances()
            elif _on == file_kind.FileKind.StartMagic.ivf_rq:
                pass
                self.header._fetch_instances()
            elif _on == file_kind.FileKind.StartMagic.ivf_sq:
                pass
                self.header._fetch_instances()


    class Diskann(KaitaiStruct):
        """A graph of vectors."""
        def __init__(self, _io, _parent=None, _root=None):
            super(VectorIndex.Diskann, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_header = self._io.read_u4le()
            if not self.len_header == 256:
                raise kaitaistruct.ValidationNotEqualError(256, self.len_header, self._io, u"/types/diskann/seq/0")
            self.flags = self._io.read_u4le()
            self.dimension = self._io.read_u4le()
            self.metric = KaitaiStream.resolve_enum(VectorIndex.Metric, self._io.read_u4le())
            self.num_vectors = self._io.read_u8le()
            self.first_vector = self._io.read_u4le()
            self.max_degree = self._io.read_u4le()
            self.search_size = self._io.read_u4le()
            self.alpha = self._io.read_f4le()
            self.seed = self._io.read_u8le()
            self.num_parts = self._io.read_u4le()
            self.num_bits = self._io.read_u4le()
            self.len_page = self._io.read_u4le()
            self.len_locator = self._io.read_u4le()
            self.locator_encoding = self._io.read_u4le()
            self.vector_encoding = self._io.read_u4le()
            self.len_vector = self._io.read_u4le()
            self.num_sections = self._io.read_u4le()
            if not self.num_sections == 7:
                raise kaitaistruct.ValidationNotEqualError(7, self.num_sections, self._io, u"/types/diskann/seq/17")
            self.len_file = self._io.read_u8le()
            self.codebook = VectorIndex.Section(self._io, self, self._root)
            self.row_ids = VectorIndex.Section(self._io, self, self._root)
            self.codes = VectorIndex.Section(self._io, self, self._root)
            self.row_id_order = VectorIndex.Section(self._io, self, self._root)
            self.neighbour_places = VectorIndex.Section(self._io, self, self._root)
            self.neighbours = VectorIndex.Section(self._io, self, self._root)
            self.vectors = VectorIndex.Section(self._io, self, self._root)
            self.reserved = self._io.read_bytes(48)


        def _fetch_instances(self):
            pass
            self.codebook._fetch_instances()
            self.row_ids._fetch_instances()
            self.codes._fetch_instances()
            self.row_id_order._fetch_instances()
            self.neighbour_places._fetch_instances()
            self.neighbours._fetch_instances()
            self.vectors._fetch_instances()


    class IvfFlat(KaitaiStruct):
        """Whole vectors in lists."""
        def __init__(self, _io, _parent=None, _root=None):
            super(VectorIndex.IvfFlat, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.dimension = self._io.read_u4le()
            self.num_lists = self._io.read_u4le()
            self.metric = KaitaiStream.resolve_enum(VectorIndex.Metric, self._io.read_u4le())
            self.num_vectors = self._io.read_u8le()
            self.flags = self._io.read_u4le()
            self.reserved = self._io.read_bytes(32)


        def _fetch_instances(self):
            pass


    class IvfPq(KaitaiStruct):
        """Vectors in lists. Each part of a vector is the number of a centroid."""
        def __init__(self, _io, _parent=None, _root=None):
            super(VectorIndex.IvfPq, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.dimension = self._io.read_u4le()
            self.num_lists = self._io.read_u4le()
            self.num_parts = self._io.read_u4le()
            self.num_centroids = self._io.read_u4le()
            self.len_part = self._io.read_u4le()
            self.metric = KaitaiStream.resolve_enum(VectorIndex.Metric, self._io.read_u4le())
            self.num_vectors = self._io.read_u8le()
            self.flags = self._io.read_u4le()
            self.reserved = self._io.read_bytes(20)


        def _fetch_instances(self):
            pass


    class IvfRq(KaitaiStruct):
        """Rotated vectors in lists. Each of their components has only a few bits."""
        def __init__(self, _io, _parent=None, _root=None):
            super(VectorIndex.IvfRq, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.dimension = self._io.read_u4le()
            self.padded_dimension = self._io.read_u4le()
            self.num_lists = self._io.read_u4le()
            self.metric = KaitaiStream.resolve_enum(VectorIndex.Metric, self._io.read_u4le())
            self.flags = self._io.read_u4le()
            self.num_bits = self._io.read_u4le()
            self.num_vectors = self._io.read_u8le()
            self.rotation_seed = self._io.read_u8le()
            self.num_rotations = self._io.read_u4le()
            self.len_plane = self._io.read_u4le()
            self.rotation = self._io.read_u4le()
            self.factor_layout = self._io.read_u4le()


        def _fetch_instances(self):
            pass


    class IvfSq(KaitaiStruct):
        """Vectors in lists. Each of their components has only a few bits."""
        def __init__(self, _io, _parent=None, _root=None):
            super(VectorIndex.IvfSq, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.dimension = self._io.read_u4le()
            self.num_lists = self._io.read_u4le()
            self.metric = KaitaiStream.resolve_enum(VectorIndex.Metric, self._io.read_u4le())
            self.num_vectors = self._io.read_u8le()
            self.num_bits = self._io.read_u4le()
            self.flags = self._io.read_u4le()
            self.least = self._io.read_f4le()
            self.greatest = self._io.read_f4le()
            self.reserved = self._io.read_bytes(20)


        def _fetch_instances(self):
            pass


    class Section(KaitaiStruct):
        """The place of a section."""
        def __init__(self, _io, _parent=None, _root=None):
            super(VectorIndex.Section, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ofs_section = self._io.read_u8le()
            self.len_section = self._io.read_u8le()


        def _fetch_instances(self):
            pass
