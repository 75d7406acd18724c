# Generated from varint.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


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
        self.groups = []
        i = 0
        while True:
            _ = Varint.VarintGroup((0 if len(self.groups) == 0 else (64 if len(self.groups) == 1 else (self.groups[len(self.groups) - 1].scale * 128))), (0 if len(self.groups) == 0 else self.groups[len(self.groups) - 1].half), self._io, self, self._root)
            self.groups.append(_)
            if _.group < 128:
                break
            i += 1


    def _fetch_instances(self):
        pass
        for i in range(len(self.groups)):
            pass
            self.groups[i]._fetch_instances()


    class VarintGroup(KaitaiStruct):
        def __init__(self, scale, half_before, _io, _parent=None, _root=None):
            super(Varint.VarintGroup, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.scale = scale
            self.half_before = half_before
            self._read()

        def _read(self):
            self.group = self._io.read_u1()
            if not self.group <= (255 if self.scale < 4611686018427387904 else 1):
                raise kaitaistruct.ValidationGreaterThanError((255 if self.scale < 4611686018427387904 else 1), self.group, self._io, u"/types/varint_group/seq/0")


        def _fetch_instances(self):
            pass

        @property
        def half(self):
            """The integer up to this group, without its lowest bit."""
            if hasattr(self, '_m_half'):
                return self._m_half

            self._m_half = (self.half_before + (((self.group & 127) // 2) if self.scale == 0 else ((self.group & 127) * self.scale)))
            return getattr(self, '_m_half', None)


    @property
    def half(self):
        """The integer without its lowest bit."""
        if hasattr(self, '_m_half'):
            return self._m_half

        self._m_half = self.groups[len(self.groups) - 1].half
        return getattr(self, '_m_half', None)

    @property
    def value(self):
        """The integer itself."""
        if hasattr(self, '_m_value'):
            return self._m_value

        self._m_value = ((self.half * 2) + (self.groups[0].group & 1))
        return getattr(self, '_m_value', None)

    @property
    def zigzag(self):
        """The value as a signed integer whose sign is in the lowest bit."""
        if hasattr(self, '_m_zigzag'):
            return self._m_zigzag

        self._m_zigzag = (self.half if self.groups[0].group & 1 == 0 else (-(self.half) - 1))
        return getattr(self, '_m_zigzag', None)
