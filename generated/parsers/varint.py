# Generated from specs/varint.ksy by `paimon-ksy generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, BytesIO
from paimon_ksy.runtime.stream import KaitaiStream


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class Varint(KaitaiStruct):
    """An unsigned integer of up to 64 bits, in as few bytes as possible. Each byte
    contains seven bits, the lowest bits first. The upper bit of a byte is 1 if
    more bytes follow. Protocol Buffers and Thrift's compact protocol use such
    integers. Each sum and product is cast, because some languages otherwise
    compute it in 32 bits.

    .. seealso::
       Source - https://protobuf.dev/programming-guides/encoding/#varints
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(Varint, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
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
            self.more = Varint.VarintEnd(self._io, self, self._root)



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


    class VarintEnd(KaitaiStruct):
        """The bytes from the fifth on."""
        def __init__(self, _io, _parent=None, _root=None):
            super(Varint.VarintEnd, self).__init__(_io)
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
                    raise kaitaistruct.ValidationGreaterThanError(1, self.b9, self._io, u"/types/varint_end/seq/5")



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
            """The bits of these bytes."""
            if hasattr(self, '_m_value'):
                return self._m_value

            self._m_value = ((self.b4 & 127) + (0 if self.b4 < 128 else (((self.b5 & 127) * 128) + (0 if self.b5 < 128 else (((self.b6 & 127) * 16384) + (0 if self.b6 < 128 else (((self.b7 & 127) * 2097152) + (0 if self.b7 < 128 else (((self.b8 & 127) * 268435456) + (0 if self.b8 < 128 else (self.b9 * 34359738368)))))))))))
            return getattr(self, '_m_value', None)


    @property
    def half(self):
        """The integer without its lowest bit."""
        if hasattr(self, '_m_half'):
            return self._m_half

        self._m_half = (((self.b0 & 127) // 2) + (0 if self.b0 < 128 else (((self.b1 & 127) * 64) + (0 if self.b1 < 128 else (((self.b2 & 127) * 8192) + (0 if self.b2 < 128 else (((self.b3 & 127) * 1048576) + (0 if self.b3 < 128 else (self.more.value * 134217728)))))))))
        return getattr(self, '_m_half', None)

    @property
    def value(self):
        """The integer itself."""
        if hasattr(self, '_m_value'):
            return self._m_value

        self._m_value = ((self.half * 2) + (self.b0 & 1))
        return getattr(self, '_m_value', None)

    @property
    def zigzag(self):
        """The value as a signed integer whose sign is in the lowest bit."""
        if hasattr(self, '_m_zigzag'):
            return self._m_zigzag

        self._m_zigzag = (self.half if self.b0 & 1 == 0 else (-(self.half) - 1))
        return getattr(self, '_m_zigzag', None)
