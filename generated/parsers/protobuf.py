# Generated from specs/protobuf.ksy by `python -m tools.ksy generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, BytesIO
from ..stream import KaitaiStream


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class Protobuf(KaitaiStruct):
    """The encoded fields of a message, by their numbers. Only the schema of the
    message defines their meaning and types. The footers of ORC files are such
    messages.

    .. seealso::
       Source - https://protobuf.dev/programming-guides/encoding/
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(Protobuf, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.fields = []
        i = 0
        while not self._io.is_eof():
            self.fields.append(Protobuf.ProtobufField(self._io, self, self._root))
            i += 1



    def _fetch_instances(self):
        pass
        for i in range(len(self.fields)):
            pass
            self.fields[i]._fetch_instances()


    class ProtobufField(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(Protobuf.ProtobufField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.tag = Protobuf.ProtobufVarint(self._io, self, self._root)
            if self.wire_type == 0:
                pass
                self.varint = Protobuf.ProtobufVarint(self._io, self, self._root)

            if self.wire_type == 1:
                pass
                self.fixed_64 = self._io.read_u8le()

            if self.wire_type == 2:
                pass
                self.len_body = Protobuf.ProtobufVarint(self._io, self, self._root)

            if self.wire_type == 2:
                pass
                self.body = self._io.read_bytes(self.len_body.value)

            if self.wire_type == 5:
                pass
                self.fixed_32 = self._io.read_u4le()



        def _fetch_instances(self):
            pass
            self.tag._fetch_instances()
            if self.wire_type == 0:
                pass
                self.varint._fetch_instances()

            if self.wire_type == 1:
                pass

            if self.wire_type == 2:
                pass
                self.len_body._fetch_instances()

            if self.wire_type == 2:
                pass

            if self.wire_type == 5:
                pass


        @property
        def number(self):
            """The number of the field in the message."""
            if hasattr(self, '_m_number'):
                return self._m_number

            self._m_number = self.tag.value >> 3
            return getattr(self, '_m_number', None)

        @property
        def wire_type(self):
            """Types other than these are not in use."""
            if hasattr(self, '_m_wire_type'):
                return self._m_wire_type

            self._m_wire_type = self.tag.b0 & 7
            return getattr(self, '_m_wire_type', None)


    class ProtobufVarint(KaitaiStruct):
        """An integer, seven bits a byte, the lowest ones first. The value covers the
        first eight bytes. In languages whose integers here have 32 bits, it is
        right below 2^31.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(Protobuf.ProtobufVarint, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.b0 = self._io.read_u1()
            if self.b0 >= 128:
                pass
                self.b1 = self._io.read_u1()

            if  ((self.b0 >= 128) and (self.b1 >= 128)) :
                pass
                self.b2 = self._io.read_u1()

            if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128)) :
                pass
                self.b3 = self._io.read_u1()

            if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128)) :
                pass
                self.more = Protobuf.ProtobufVarintEnd(self._io, self, self._root)



        def _fetch_instances(self):
            pass
            if self.b0 >= 128:
                pass

            if  ((self.b0 >= 128) and (self.b1 >= 128)) :
                pass

            if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128)) :
                pass

            if  ((self.b0 >= 128) and (self.b1 >= 128) and (self.b2 >= 128) and (self.b3 >= 128)) :
                pass
                self.more._fetch_instances()


        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = (self.b0 & 127) + (0 if self.b0 < 128 else (self.b1 & 127) * 128 + (0 if self.b1 < 128 else (self.b2 & 127) * 16384 + (0 if self.b2 < 128 else (self.b3 & 127) * 2097152 + (0 if self.b3 < 128 else self.more.value * 268435456))))
            return getattr(self, '_m_value', None)


    class ProtobufVarintEnd(KaitaiStruct):
        """The bytes of an integer from the fifth on."""
        def __init__(self, _io, _parent=None, _root=None):
            super(Protobuf.ProtobufVarintEnd, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.b4 = self._io.read_u1()
            if self.b4 >= 128:
                pass
                self.b5 = self._io.read_u1()

            if  ((self.b4 >= 128) and (self.b5 >= 128)) :
                pass
                self.b6 = self._io.read_u1()

            if  ((self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128)) :
                pass
                self.b7 = self._io.read_u1()

            if  ((self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128) and (self.b7 >= 128)) :
                pass
                self.b8 = self._io.read_u1()

            if  ((self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128) and (self.b7 >= 128) and (self.b8 >= 128)) :
                pass
                self.b9 = self._io.read_u1()
                if not self.b9 <= 1:
                    raise kaitaistruct.ValidationGreaterThanError(1, self.b9, self._io, u"/types/protobuf_varint_end/seq/5")



        def _fetch_instances(self):
            pass
            if self.b4 >= 128:
                pass

            if  ((self.b4 >= 128) and (self.b5 >= 128)) :
                pass

            if  ((self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128)) :
                pass

            if  ((self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128) and (self.b7 >= 128)) :
                pass

            if  ((self.b4 >= 128) and (self.b5 >= 128) and (self.b6 >= 128) and (self.b7 >= 128) and (self.b8 >= 128)) :
                pass


        @property
        def value(self):
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = (self.b4 & 127) + (0 if self.b4 < 128 else (self.b5 & 127) * 128 + (0 if self.b5 < 128 else (self.b6 & 127) * 16384 + (0 if self.b6 < 128 else (self.b7 & 127) * 2097152)))
            return getattr(self, '_m_value', None)
