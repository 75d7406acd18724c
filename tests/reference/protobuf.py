# Generated from protobuf.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class Protobuf(KaitaiStruct):
    """The encoded fields of a message, by their numbers. Only the schema of the
    message defines the meaning and the types of the fields. The footers of ORC
    files are such messages.

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
            self.tag = varint.Varint(self._io)
            if self.wire_type == 0:
                pass
                self.varint = varint.Varint(self._io)

            if self.wire_type == 1:
                pass
                self.fixed_64 = self._io.read_u8le()

            if self.wire_type == 2:
                pass
                self.len_body = varint.Varint(self._io)

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

            self._m_number = (self.tag.value // 8)
            return getattr(self, '_m_number', None)

        @property
        def wire_type(self):
            """Other types are not in use."""
            if hasattr(self, '_m_wire_type'):
                return self._m_wire_type

            self._m_wire_type = self.tag.groups[0].group & 7
            return getattr(self, '_m_wire_type', None)
