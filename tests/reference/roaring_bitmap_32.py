# Generated from roaring_bitmap_32.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import position


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class RoaringBitmap32(KaitaiStruct):
    """A compressed set of unsigned 32-bit integers, in the format that all Roaring
    libraries support. The integers are grouped by their upper 16 bits, the key.
    Each group has a container for the lower 16 bits: a sorted array, a bitset,
    or runs.

    Writers may use runs if they are smaller, so both kinds of header occur.

    .. seealso::
       Source - https://github.com/RoaringBitmap/RoaringFormatSpec/blob/5177ad987c5f6f920179ec81f764438d4451357c/README.md#standard-32-bit-roaring-bitmap
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(RoaringBitmap32, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.bitmap_start = position.Position(self._io.pos(), self._io)
        self.header = RoaringBitmap32.RoaringHeader(self._io, self, self._root)
        self.containers = []
        for i in range(self.header.num_containers):
            self.containers.append(RoaringBitmap32.RoaringContainer( ((self.header.has_runs) and (KaitaiStream.byte_array_index(self.header.run_flags, i // 8) >> i % 8 & 1 == 1)) , self.header.descriptors[i].cardinality, self._io, self, self._root))

        self.bitmap_end = position.Position(self._io.pos(), self._io)


    def _fetch_instances(self):
        pass
        self.bitmap_start._fetch_instances()
        self.header._fetch_instances()
        for i in range(len(self.containers)):
            pass
            self.containers[i]._fetch_instances()

        self.bitmap_end._fetch_instances()

    class RoaringContainer(KaitaiStruct):
        def __init__(self, is_run, cardinality, _io, _parent=None, _root=None):
            super(RoaringBitmap32.RoaringContainer, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.is_run = is_run
            self.cardinality = cardinality
            self._read()

        def _read(self):
            if self.is_run:
                pass
                self.num_runs = self._io.read_u2le()

            if self.is_run:
                pass
                self.runs = []
                for i in range(self.num_runs):
                    self.runs.append(RoaringBitmap32.RoaringRun(self._io, self, self._root))


            if  (((not (self.is_run))) and (self.cardinality <= self.max_values)) :
                pass
                self.values = []
                for i in range(self.cardinality):
                    self.values.append(self._io.read_u2le())


            if  (((not (self.is_run))) and (self.cardinality > self.max_values)) :
                pass
                self.words = []
                for i in range(self.len_words // 8):
                    self.words.append(self._io.read_u8le())




        def _fetch_instances(self):
            pass
            if self.is_run:
                pass

            if self.is_run:
                pass
                for i in range(len(self.runs)):
                    pass
                    self.runs[i]._fetch_instances()


            if  (((not (self.is_run))) and (self.cardinality <= self.max_values)) :
                pass
                for i in range(len(self.values)):
                    pass


            if  (((not (self.is_run))) and (self.cardinality > self.max_values)) :
                pass
                for i in range(len(self.words)):
                    pass



        @property
        def len_words(self):
            """Size of `words` in bytes."""
            if hasattr(self, '_m_len_words'):
                return self._m_len_words

            self._m_len_words = 8192
            return getattr(self, '_m_len_words', None)

        @property
        def max_values(self):
            """The most integers that are stored as `values`."""
            if hasattr(self, '_m_max_values'):
                return self._m_max_values

            self._m_max_values = 4096
            return getattr(self, '_m_max_values', None)


    class RoaringDescriptor(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(RoaringBitmap32.RoaringDescriptor, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.key = self._io.read_u2le()
            self.cardinality_minus_1 = self._io.read_u2le()


        def _fetch_instances(self):
            pass

        @property
        def cardinality(self):
            """The number of integers in the container."""
            if hasattr(self, '_m_cardinality'):
                return self._m_cardinality

            self._m_cardinality = (self.cardinality_minus_1 + 1)
            return getattr(self, '_m_cardinality', None)


    class RoaringHeader(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(RoaringBitmap32.RoaringHeader, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.cookie = self._io.read_u2le()
            if not  ((self.cookie == 12346) or (self.cookie == 12347)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.cookie, self._io, u"/types/roaring_header/seq/0")
            self.num_containers_minus_1 = self._io.read_u2le()
            if not self.num_containers_minus_1 <= (65535 if self.has_runs else 0):
                raise kaitaistruct.ValidationGreaterThanError((65535 if self.has_runs else 0), self.num_containers_minus_1, self._io, u"/types/roaring_header/seq/1")
            if (not (self.has_runs)):
                pass
                self.num_containers_without_runs = self._io.read_u4le()
                if not self.num_containers_without_runs <= 65536:
                    raise kaitaistruct.ValidationGreaterThanError(65536, self.num_containers_without_runs, self._io, u"/types/roaring_header/seq/2")

            if self.has_runs:
                pass
                self.run_flags = self._io.read_bytes((self.num_containers + 7) // 8)

            self.descriptors = []
            for i in range(self.num_containers):
                self.descriptors.append(RoaringBitmap32.RoaringDescriptor(self._io, self, self._root))

            if self.has_offsets:
                pass
                self.ofs_containers = []
                for i in range(self.num_containers):
                    self.ofs_containers.append(self._io.read_u4le())




        def _fetch_instances(self):
            pass
            if (not (self.has_runs)):
                pass

            if self.has_runs:
                pass

            for i in range(len(self.descriptors)):
                pass
                self.descriptors[i]._fetch_instances()

            if self.has_offsets:
                pass
                for i in range(len(self.ofs_containers)):
                    pass



        @property
        def has_offsets(self):
            if hasattr(self, '_m_has_offsets'):
                return self._m_has_offsets

            self._m_has_offsets =  (((not (self.has_runs))) or (self.num_containers >= 4))
            return getattr(self, '_m_has_offsets', None)

        @property
        def has_runs(self):
            if hasattr(self, '_m_has_runs'):
                return self._m_has_runs

            self._m_has_runs = self.cookie == 12347
            return getattr(self, '_m_has_runs', None)

        @property
        def num_containers(self):
            """The number of containers, wherever it is stored."""
            if hasattr(self, '_m_num_containers'):
                return self._m_num_containers

            self._m_num_containers = ((self.num_containers_minus_1 + 1) if self.has_runs else self.num_containers_without_runs)
            return getattr(self, '_m_num_containers', None)


    class RoaringRun(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(RoaringBitmap32.RoaringRun, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.first = self._io.read_u2le()
            self.len_minus_1 = self._io.read_u2le()


        def _fetch_instances(self):
            pass

        @property
        def last(self):
            """Lower 16 bits of the last integer."""
            if hasattr(self, '_m_last'):
                return self._m_last

            self._m_last = self.first + self.len_minus_1
            return getattr(self, '_m_last', None)
