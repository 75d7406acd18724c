# Generated from bloom_filter_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import position


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BloomFilterIndex(KaitaiStruct):
    """The body of an index of type `bloom-filter`. Each value of a column sets some
    bits. If not all bits of a value are set, no row contains the value. Nulls
    set no bits.

    A value has a hash of 64 bits. Text and bytes use xxHash64 with seed 0.
    Numbers use Thomas Wang's integer hash, with shifts that keep the sign.

    h1 and h2 are the lower and upper half of the hash, each a signed 32-bit
    integer. For i from 1 to `num_hashes`, compute `h1 + i * h2` in 32 bits, and
    flip all bits if the result is negative. The bit to set is this number modulo
    the number of bits.

    Numbers are integers, the days of a DATE, the milliseconds of a TIME, and the
    bits of a FLOAT or DOUBLE as a signed integer. All NaNs have the same bits. A
    TIMESTAMP is in milliseconds up to precision 3, and in microseconds above it,
    so that precisions 7 to 9 are cut.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md


    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bloomfilter/BloomFilterFileIndex.java


    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/utils/BloomFilter64.java
    """
    def __init__(self, len_body, _io, _parent=None, _root=None):
        super(BloomFilterIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.len_body = len_body
        self._read()

    def _read(self):
        self.num_hashes = self._io.read_s4be()
        if not self.num_hashes >= 1:
            raise kaitaistruct.ValidationLessThanError(1, self.num_hashes, self._io, u"/seq/0")
        if not self.num_hashes <= 1079:
            raise kaitaistruct.ValidationGreaterThanError(1079, self.num_hashes, self._io, u"/seq/0")
        self.bits_start = position.Position(self._io.pos(), self._io)


    def _fetch_instances(self):
        pass
        self.bits_start._fetch_instances()
        _ = self.bits
        if hasattr(self, '_m_bits'):
            pass


    @property
    def bits(self):
        """Bit i is the bit of value `1 << (i % 8)` in byte `i / 8`."""
        if hasattr(self, '_m_bits'):
            return self._m_bits

        _pos = self._io.pos()
        self._io.seek(self.bits_start.at)
        self._m_bits = self._io.read_bytes(self.len_bits)
        self._io.seek(_pos)
        return getattr(self, '_m_bits', None)

    @property
    def len_bits(self):
        if hasattr(self, '_m_len_bits'):
            return self._m_len_bits

        self._m_len_bits = self.len_body - 4
        return getattr(self, '_m_len_bits', None)

    @property
    def num_bits(self):
        if hasattr(self, '_m_num_bits'):
            return self._m_num_bits

        self._m_num_bits = self.len_bits * 8
        return getattr(self, '_m_num_bits', None)
