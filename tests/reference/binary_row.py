# Generated from binary_row.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class BinaryRow(KaitaiStruct):
    """Paimon's form of a row in memory. Paimon hashes keys in this form, and
    manifests store partitions, keys and statistics in it. A row consists of
    words of null bits, an eight-byte word for each field, and the values that
    are too long for a word. It does not store the types of its fields.

    The word of a field contains one of these:

    * a BOOLEAN, integer, DATE, TIME, FLOAT or DOUBLE in the first bytes; the
      other bytes are zero
    * the unscaled value of a DECIMAL of up to 18 digits
    * a TIMESTAMP up to precision 3, in milliseconds
    * a string of up to 7 bytes, with its length plus 128 in the last byte

    Values of longer strings, DECIMALs and TIMESTAMPs are stored after the
    fields. The upper half of the word is the offset of the value in the row. The
    lower half is the length of the value in bytes or, for a TIMESTAMP, the
    nanoseconds within its millisecond.

    A value is padded with zeros to a multiple of eight bytes, and a DECIMAL to
    16 bytes. A DECIMAL is stored as Java's BigInteger.toByteArray of its
    unscaled value, and a TIMESTAMP as its milliseconds.

    The word of a null is zero. A null DECIMAL of more than 18 digits, or a null
    TIMESTAMP above precision 3, still has the offset and the space of a value.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/data/BinaryRow.java
    """
    def __init__(self, num_fields, _io, _parent=None, _root=None):
        super(BinaryRow, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.num_fields = num_fields
        self._read()

    def _read(self):
        self.null_words = []
        for i in range(self.num_null_words):
            self.null_words.append(self._io.read_u8le())

        self.fields = []
        for i in range(self.num_fields):
            self.fields.append(BinaryRow.BinaryRowField(self._io, self, self._root))

        if (not (self._io.is_eof())):
            pass
            self.values = self._io.read_bytes_full()



    def _fetch_instances(self):
        pass
        for i in range(len(self.null_words)):
            pass

        for i in range(len(self.fields)):
            pass
            self.fields[i]._fetch_instances()

        if (not (self._io.is_eof())):
            pass


    class BinaryRowField(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BinaryRow.BinaryRowField, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.lower = self._io.read_u4le()
            self.upper = self._io.read_u4le()


        def _fetch_instances(self):
            pass

        @property
        def is_short(self):
            """True for a string in the word itself, such as a `short_string`."""
            if hasattr(self, '_m_is_short'):
                return self._m_is_short

            self._m_is_short = self.upper >= 2147483648
            return getattr(self, '_m_is_short', None)

        @property
        def len_value(self):
            """Length of the value in bytes, or the nanoseconds of a TIMESTAMP."""
            if hasattr(self, '_m_len_value'):
                return self._m_len_value

            if (not (self.is_short)):
                pass
                self._m_len_value = self.lower

            return getattr(self, '_m_len_value', None)

        @property
        def ofs_value(self):
            """Start of the value, counted from the start of the row."""
            if hasattr(self, '_m_ofs_value'):
                return self._m_ofs_value

            if (not (self.is_short)):
                pass
                self._m_ofs_value = self.upper

            return getattr(self, '_m_ofs_value', None)


    class SerializedRow(KaitaiStruct):
        """A row in a manifest: `SerializationUtils.serializeBinaryRow`."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BinaryRow.SerializedRow, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_fields = self._io.read_s4be()
            if not self.num_fields >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.num_fields, self._io, u"/types/serialized_row/seq/0")
            self.row = BinaryRow(self.num_fields, self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.row._fetch_instances()


    class ShortString(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(BinaryRow.ShortString, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.value = self._io.read_bytes(7)
            self.mark = self._io.read_u1()
            if not self.mark >= 128:
                raise kaitaistruct.ValidationLessThanError(128, self.mark, self._io, u"/types/short_string/seq/1")
            if not self.mark <= 135:
                raise kaitaistruct.ValidationGreaterThanError(135, self.mark, self._io, u"/types/short_string/seq/1")


        def _fetch_instances(self):
            pass

        @property
        def len_value(self):
            if hasattr(self, '_m_len_value'):
                return self._m_len_value

            self._m_len_value = self.mark & 127
            return getattr(self, '_m_len_value', None)


    class ShortStrings(KaitaiStruct):
        """The fields, if all are strings in the word itself."""
        def __init__(self, _io, _parent=None, _root=None):
            super(BinaryRow.ShortStrings, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.fields = []
            i = 0
            while not self._io.is_eof():
                self.fields.append(BinaryRow.ShortString(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.fields)):
                pass
                self.fields[i]._fetch_instances()



    class UnscaledValue(KaitaiStruct):
        """The unscaled value of a DECIMAL of more than 18 digits: two's complement
        in as few bytes as possible.

        .. seealso::
           Source - https://docs.oracle.com/en/java/javase/17/docs/api/java.base/java/math/BigInteger.html#toByteArray()
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(BinaryRow.UnscaledValue, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.value = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass


    @property
    def len_field(self):
        """Size of a field in bytes. Longer values are padded to a multiple of it."""
        if hasattr(self, '_m_len_field'):
            return self._m_len_field

        self._m_len_field = 8
        return getattr(self, '_m_len_field', None)

    @property
    def len_unscaled_value(self):
        """Size in bytes of a padded DECIMAL of more than 18 digits."""
        if hasattr(self, '_m_len_unscaled_value'):
            return self._m_len_unscaled_value

        self._m_len_unscaled_value = 16
        return getattr(self, '_m_len_unscaled_value', None)

    @property
    def num_kind_bits(self):
        """Bits in the first null word before the bit of the first field."""
        if hasattr(self, '_m_num_kind_bits'):
            return self._m_num_kind_bits

        self._m_num_kind_bits = 8
        return getattr(self, '_m_num_kind_bits', None)

    @property
    def num_null_words(self):
        if hasattr(self, '_m_num_null_words'):
            return self._m_num_null_words

        self._m_num_null_words = (self.num_fields + 71) // 64
        return getattr(self, '_m_num_null_words', None)
