# Generated from compact_thrift.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import varint
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class CompactThrift(KaitaiStruct):
    """The encoded fields of a struct, by their numbers, up to its end. Only the
    definition of the struct names the fields. The footers and page headers of
    Parquet files are such structs.

    An element of a collection takes at least one byte, so a wrong count cannot
    make a reader create more elements than bytes follow. This spec limits the
    nesting of structs and collections to a depth of 32; the protocol has no
    limit.

    .. seealso::
       Source - https://github.com/apache/thrift/blob/054a0fa0fc851f53ea49091edc5801292bcccdb5/doc/specs/thrift-compact-protocol.md
    """

    class ThriftKind(IntEnum):
        bool_true = 1
        bool_false = 2
        i8 = 3
        i16 = 4
        i32 = 5
        i64 = 6
        double = 7
        binary = 8
        list = 9
        set = 10
        map = 11
        struct = 12
        uuid = 13
    def __init__(self, depth, _io, _parent=None, _root=None):
        super(CompactThrift, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.depth = depth
        self._read()

    def _read(self):
        self.fields = []
        i = 0
        while True:
            _ = CompactThrift.ThriftField((0 if len(self.fields) == 0 else self.fields[len(self.fields) - 1].number), self.depth, self._io, self, self._root)
            self.fields.append(_)
            if _.is_stop:
                break
            i += 1


    def _fetch_instances(self):
        pass
        for i in range(len(self.fields)):
            pass
            self.fields[i]._fetch_instances()


    class ThriftCollection(KaitaiStruct):
        """A list or a set."""
        def __init__(self, depth, _io, _parent=None, _root=None):
            super(CompactThrift.ThriftCollection, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.depth = depth
            self._read()

        def _read(self):
            self.head = self._io.read_u1()
            if not self.head <= (255 if  ((self.depth < 32) and (self.kind >= 1) and (self.kind <= 13))  else 0):
                raise kaitaistruct.ValidationGreaterThanError((255 if  ((self.depth < 32) and (self.kind >= 1) and (self.kind <= 13))  else 0), self.head, self._io, u"/types/thrift_collection/seq/0")
            if self.head >= 240:
                pass
                self.long_count = varint.Varint(self._io)

            self.elements = []
            for i in range(self.num_elements):
                self.elements.append(CompactThrift.ThriftValue(self.kind, True, self.depth, self._io, self, self._root))



        def _fetch_instances(self):
            pass
            if self.head >= 240:
                pass
                self.long_count._fetch_instances()

            for i in range(len(self.elements)):
                pass
                self.elements[i]._fetch_instances()


        @property
        def kind(self):
            """A value of the enum `thrift_kind`."""
            if hasattr(self, '_m_kind'):
                return self._m_kind

            self._m_kind = (self.head & 15)
            return getattr(self, '_m_kind', None)

        @property
        def num_elements(self):
            if hasattr(self, '_m_num_elements'):
                return self._m_num_elements

            self._m_num_elements = (self.long_count.value if self.head >= 240 else (self.head // 16))
            return getattr(self, '_m_num_elements', None)


    class ThriftField(KaitaiStruct):
        def __init__(self, previous, depth, _io, _parent=None, _root=None):
            super(CompactThrift.ThriftField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.previous = previous
            self.depth = depth
            self._read()

        def _read(self):
            self.head = CompactThrift.ThriftFieldHead(self.previous, self.depth, self._io, self, self._root)
            if (not (self.head.is_stop)):
                pass
                self.value = CompactThrift.ThriftValue(self.head.kind, False, self.depth, self._io, self, self._root)



        def _fetch_instances(self):
            pass
            self.head._fetch_instances()
            if (not (self.head.is_stop)):
                pass
                self.value._fetch_instances()


        @property
        def is_stop(self):
            if hasattr(self, '_m_is_stop'):
                return self._m_is_stop

            self._m_is_stop = self.head.is_stop
            return getattr(self, '_m_is_stop', None)

        @property
        def number(self):
            """The number of the field in the struct."""
            if hasattr(self, '_m_number'):
                return self._m_number

            self._m_number = self.head.number
            return getattr(self, '_m_number', None)


    class ThriftFieldHead(KaitaiStruct):
        def __init__(self, previous, depth, _io, _parent=None, _root=None):
            super(CompactThrift.ThriftFieldHead, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.previous = previous
            self.depth = depth
            self._read()

        def _read(self):
            self.head = self._io.read_u1()
            if not self.head <= (255 if  ((self.depth < 32) and (self.kind >= 1) and (self.kind <= 13))  else 0):
                raise kaitaistruct.ValidationGreaterThanError((255 if  ((self.depth < 32) and (self.kind >= 1) and (self.kind <= 13))  else 0), self.head, self._io, u"/types/thrift_field_head/seq/0")
            if  ((self.head != 0) and (self.head < 16)) :
                pass
                self.long_number = varint.Varint(self._io)



        def _fetch_instances(self):
            pass
            if  ((self.head != 0) and (self.head < 16)) :
                pass
                self.long_number._fetch_instances()


        @property
        def is_stop(self):
            if hasattr(self, '_m_is_stop'):
                return self._m_is_stop

            self._m_is_stop = self.head == 0
            return getattr(self, '_m_is_stop', None)

        @property
        def kind(self):
            """A value of the enum `thrift_kind`."""
            if hasattr(self, '_m_kind'):
                return self._m_kind

            self._m_kind = (self.head & 15)
            return getattr(self, '_m_kind', None)

        @property
        def number(self):
            """The number of the field in the struct."""
            if hasattr(self, '_m_number'):
                return self._m_number

            self._m_number = (self.long_number.zigzag if  ((self.head != 0) and (self.head < 16))  else (self.previous + (self.head // 16)))
            return getattr(self, '_m_number', None)


    class ThriftMapping(KaitaiStruct):
        def __init__(self, depth, _io, _parent=None, _root=None):
            super(CompactThrift.ThriftMapping, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.depth = depth
            self._read()

        def _read(self):
            self.num_pairs = varint.Varint(self._io)
            if self.num_pairs.value > 0:
                pass
                self.kinds = self._io.read_u1()
                if not self.kinds >= 17:
                    raise kaitaistruct.ValidationLessThanError(17, self.kinds, self._io, u"/types/thrift_mapping/seq/1")
                if not self.kinds <= (255 if  ((self.depth < 32) and (self.key_kind >= 1) and (self.key_kind <= 13) and (self.value_kind >= 1) and (self.value_kind <= 13))  else 0):
                    raise kaitaistruct.ValidationGreaterThanError((255 if  ((self.depth < 32) and (self.key_kind >= 1) and (self.key_kind <= 13) and (self.value_kind >= 1) and (self.value_kind <= 13))  else 0), self.kinds, self._io, u"/types/thrift_mapping/seq/1")

            if self.num_pairs.value > 0:
                pass
                self.pairs = []
                for i in range(self.num_pairs.value):
                    self.pairs.append(CompactThrift.ThriftPair(self.key_kind, self.value_kind, self.depth, self._io, self, self._root))




        def _fetch_instances(self):
            pass
            self.num_pairs._fetch_instances()
            if self.num_pairs.value > 0:
                pass

            if self.num_pairs.value > 0:
                pass
                for i in range(len(self.pairs)):
                    pass
                    self.pairs[i]._fetch_instances()



        @property
        def key_kind(self):
            """A value of the enum `thrift_kind`."""
            if hasattr(self, '_m_key_kind'):
                return self._m_key_kind

            if self.num_pairs.value > 0:
                pass
                self._m_key_kind = (self.kinds // 16)

            return getattr(self, '_m_key_kind', None)

        @property
        def value_kind(self):
            """A value of the enum `thrift_kind`."""
            if hasattr(self, '_m_value_kind'):
                return self._m_value_kind

            if self.num_pairs.value > 0:
                pass
                self._m_value_kind = (self.kinds & 15)

            return getattr(self, '_m_value_kind', None)


    class ThriftPair(KaitaiStruct):
        def __init__(self, key_kind, value_kind, depth, _io, _parent=None, _root=None):
            super(CompactThrift.ThriftPair, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.key_kind = key_kind
            self.value_kind = value_kind
            self.depth = depth
            self._read()

        def _read(self):
            self.key = CompactThrift.ThriftValue(self.key_kind, True, self.depth, self._io, self, self._root)
            self.value = CompactThrift.ThriftValue(self.value_kind, True, self.depth, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.key._fetch_instances()
            self.value._fetch_instances()


    class ThriftValue(KaitaiStruct):
        def __init__(self, kind, is_element, depth, _io, _parent=None, _root=None):
            super(CompactThrift.ThriftValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.kind = kind
            self.is_element = is_element
            self.depth = depth
            self._read()

        def _read(self):
            if  ((self.is_element) and ( ((self.named_kind == CompactThrift.ThriftKind.bool_true) or (self.named_kind == CompactThrift.ThriftKind.bool_false)) )) :
                pass
                self.truth = self._io.read_u1()
                if not self.truth <= 2:
                    raise kaitaistruct.ValidationGreaterThanError(2, self.truth, self._io, u"/types/thrift_value/seq/0")

            if self.named_kind == CompactThrift.ThriftKind.i8:
                pass
                self.int_8 = self._io.read_s1()

            if  ((self.named_kind == CompactThrift.ThriftKind.i16) or (self.named_kind == CompactThrift.ThriftKind.i32) or (self.named_kind == CompactThrift.ThriftKind.i64)) :
                pass
                self.integer = varint.Varint(self._io)

            if self.named_kind == CompactThrift.ThriftKind.double:
                pass
                self.real = self._io.read_f8le()

            if self.named_kind == CompactThrift.ThriftKind.binary:
                pass
                self.len_body = varint.Varint(self._io)

            if self.named_kind == CompactThrift.ThriftKind.binary:
                pass
                self.body = self._io.read_bytes(self.len_body.value)

            if  ((self.named_kind == CompactThrift.ThriftKind.list) or (self.named_kind == CompactThrift.ThriftKind.set)) :
                pass
                self.collection = CompactThrift.ThriftCollection(self.depth + 1, self._io, self, self._root)

            if self.named_kind == CompactThrift.ThriftKind.map:
                pass
                self.mapping = CompactThrift.ThriftMapping(self.depth + 1, self._io, self, self._root)

            if self.named_kind == CompactThrift.ThriftKind.struct:
                pass
                self.nested = CompactThrift(self.depth + 1, self._io, self, self._root)

            if self.named_kind == CompactThrift.ThriftKind.uuid:
                pass
                self.uuid = self._io.read_bytes(16)



        def _fetch_instances(self):
            pass
            if  ((self.is_element) and ( ((self.named_kind == CompactThrift.ThriftKind.bool_true) or (self.named_kind == CompactThrift.ThriftKind.bool_false)) )) :
                pass

            if self.named_kind == CompactThrift.ThriftKind.i8:
                pass

            if  ((self.named_kind == CompactThrift.ThriftKind.i16) or (self.named_kind == CompactThrift.ThriftKind.i32) or (self.named_kind == CompactThrift.ThriftKind.i64)) :
                pass
                self.integer._fetch_instances()

            if self.named_kind == CompactThrift.ThriftKind.double:
                pass

            if self.named_kind == CompactThrift.ThriftKind.binary:
                pass
                self.len_body._fetch_instances()

            if self.named_kind == CompactThrift.ThriftKind.binary:
                pass

            if  ((self.named_kind == CompactThrift.ThriftKind.list) or (self.named_kind == CompactThrift.ThriftKind.set)) :
                pass
                self.collection._fetch_instances()

            if self.named_kind == CompactThrift.ThriftKind.map:
                pass
                self.mapping._fetch_instances()

            if self.named_kind == CompactThrift.ThriftKind.struct:
                pass
                self.nested._fetch_instances()

            if self.named_kind == CompactThrift.ThriftKind.uuid:
                pass


        @property
        def named_kind(self):
            if hasattr(self, '_m_named_kind'):
                return self._m_named_kind

            self._m_named_kind = KaitaiStream.resolve_enum(CompactThrift.ThriftKind, self.kind)
            return getattr(self, '_m_named_kind', None)
