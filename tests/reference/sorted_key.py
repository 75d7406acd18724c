# Generated from sorted_key.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import varint
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class SortedKey(KaitaiStruct):
    """A value of a column in a BTree or bitmap global index. Its type determines
    the layout. Neither the index nor its metadata stores the type, so it is a
    parameter, which comes from the table's schema.

    Keys ascend by their values, not by their bytes. Floating-point numbers
    ascend as by `Float.compare` (-0.0 before 0.0, NaN last), texts by their
    unsigned bytes, and timestamps by milliseconds, then nanoseconds.

    Compared with Paimon's Java library and pypaimon-rust 0.4.0 for INT, BIGINT,
    STRING, DATE and composite keys, and with pypaimon 2.1.0 for all types but
    composite keys.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/globalindex/btree/KeySerializer.java
    """

    class KeyType(IntEnum):
        boolean = 1
        tinyint = 2
        smallint = 3
        integer = 4
        bigint = 5
        float = 6
        double = 7
        text = 8
        decimal = 9
        timestamp_millis = 10
        timestamp_nanos = 11
        binary = 12
    def __init__(self, key_type, _io, _parent=None, _root=None):
        super(SortedKey, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.key_type = key_type
        self._read()

    def _read(self):
        if  ((self.named_type != SortedKey.KeyType.text) and (self.named_type != SortedKey.KeyType.decimal)) :
            pass
            self.fixed = SortedKey.FixedKey(self.key_type, self._io, self, self._root)

        if self.named_type == SortedKey.KeyType.timestamp_nanos:
            pass
            self.nanos = varint.Varint(self._io)

        if self.named_type == SortedKey.KeyType.decimal:
            pass
            self.unscaled = self._io.read_bytes_full()

        if self.named_type == SortedKey.KeyType.text:
            pass
            self.text = self._io.read_bytes_full()



    def _fetch_instances(self):
        pass
        if  ((self.named_type != SortedKey.KeyType.text) and (self.named_type != SortedKey.KeyType.decimal)) :
            pass
            self.fixed._fetch_instances()

        if self.named_type == SortedKey.KeyType.timestamp_nanos:
            pass
            self.nanos._fetch_instances()

        if self.named_type == SortedKey.KeyType.decimal:
            pass

        if self.named_type == SortedKey.KeyType.text:
            pass


    class CompositeKey(KaitaiStruct):
        """The key of an index over several columns: a row of their values. Keys
        ascend by the first column, then by the second one, and so on; null comes
        before all values. A row that contains nothing but nulls is a key, too.
        """
        def __init__(self, num_columns, _io, _parent=None, _root=None):
            super(SortedKey.CompositeKey, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.num_columns = num_columns
            self._read()

        def _read(self):
            self.row_kind = self._io.read_u1()
            if not self.row_kind == 0:
                raise kaitaistruct.ValidationNotEqualError(0, self.row_kind, self._io, u"/types/composite_key/seq/0")
            self.null_bits = self._io.read_bytes((self.num_columns + 7) // 8)
            self.components = self._io.read_bytes_full()


        def _fetch_instances(self):
            pass


    class FixedKey(KaitaiStruct):
        def __init__(self, key_type, _io, _parent=None, _root=None):
            super(SortedKey.FixedKey, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.key_type = key_type
            self._read()

        def _read(self):
            if self.named_type == SortedKey.KeyType.boolean:
                pass
                self.bool8 = self._io.read_u1()
                if not  ((self.bool8 == 0) or (self.bool8 == 1)) :
                    raise kaitaistruct.ValidationNotAnyOfError(self.bool8, self._io, u"/types/fixed_key/seq/0")

            if self.named_type == SortedKey.KeyType.tinyint:
                pass
                self.int8 = self._io.read_s1()

            if self.named_type == SortedKey.KeyType.smallint:
                pass
                self.int16 = self._io.read_s2le()

            if self.named_type == SortedKey.KeyType.integer:
                pass
                self.int32 = self._io.read_s4le()

            if  ((self.named_type == SortedKey.KeyType.bigint) or (self.named_type == SortedKey.KeyType.timestamp_millis) or (self.named_type == SortedKey.KeyType.timestamp_nanos)) :
                pass
                self.int64 = self._io.read_s8le()

            if self.named_type == SortedKey.KeyType.float:
                pass
                self.float32 = self._io.read_f4le()

            if self.named_type == SortedKey.KeyType.double:
                pass
                self.float64 = self._io.read_f8le()



        def _fetch_instances(self):
            pass
            if self.named_type == SortedKey.KeyType.boolean:
                pass

            if self.named_type == SortedKey.KeyType.tinyint:
                pass

            if self.named_type == SortedKey.KeyType.smallint:
                pass

            if self.named_type == SortedKey.KeyType.integer:
                pass

            if  ((self.named_type == SortedKey.KeyType.bigint) or (self.named_type == SortedKey.KeyType.timestamp_millis) or (self.named_type == SortedKey.KeyType.timestamp_nanos)) :
                pass

            if self.named_type == SortedKey.KeyType.float:
                pass

            if self.named_type == SortedKey.KeyType.double:
                pass


        @property
        def named_type(self):
            if hasattr(self, '_m_named_type'):
                return self._m_named_type

            self._m_named_type = KaitaiStream.resolve_enum(SortedKey.KeyType, self.key_type)
            return getattr(self, '_m_named_type', None)


    class KeyComponent(KaitaiStruct):
        """A value in a composite key."""
        def __init__(self, key_type, _io, _parent=None, _root=None):
            super(SortedKey.KeyComponent, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self.key_type = key_type
            self._read()

        def _read(self):
            if  ((self.named_type != SortedKey.KeyType.text) and (self.named_type != SortedKey.KeyType.decimal) and (self.named_type != SortedKey.KeyType.binary)) :
                pass
                self.fixed = SortedKey.FixedKey(self.key_type, self._io, self, self._root)

            if self.named_type == SortedKey.KeyType.timestamp_nanos:
                pass
                self.nanos = varint.Varint(self._io)

            if  ((self.named_type == SortedKey.KeyType.text) or (self.named_type == SortedKey.KeyType.decimal) or (self.named_type == SortedKey.KeyType.binary)) :
                pass
                self.len_data = varint.Varint(self._io)

            if  ((self.named_type == SortedKey.KeyType.text) or (self.named_type == SortedKey.KeyType.decimal) or (self.named_type == SortedKey.KeyType.binary)) :
                pass
                self.data = self._io.read_bytes(self.len_data.value)



        def _fetch_instances(self):
            pass
            if  ((self.named_type != SortedKey.KeyType.text) and (self.named_type != SortedKey.KeyType.decimal) and (self.named_type != SortedKey.KeyType.binary)) :
                pass
                self.fixed._fetch_instances()

            if self.named_type == SortedKey.KeyType.timestamp_nanos:
                pass
                self.nanos._fetch_instances()

            if  ((self.named_type == SortedKey.KeyType.text) or (self.named_type == SortedKey.KeyType.decimal) or (self.named_type == SortedKey.KeyType.binary)) :
                pass
                self.len_data._fetch_instances()

            if  ((self.named_type == SortedKey.KeyType.text) or (self.named_type == SortedKey.KeyType.decimal) or (self.named_type == SortedKey.KeyType.binary)) :
                pass


        @property
        def named_type(self):
            if hasattr(self, '_m_named_type'):
                return self._m_named_type

            self._m_named_type = KaitaiStream.resolve_enum(SortedKey.KeyType, self.key_type)
            return getattr(self, '_m_named_type', None)


    @property
    def named_type(self):
        if hasattr(self, '_m_named_type'):
            return self._m_named_type

        self._m_named_type = KaitaiStream.resolve_enum(SortedKey.KeyType, self.key_type)
        return getattr(self, '_m_named_type', None)
