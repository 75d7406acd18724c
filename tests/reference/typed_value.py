# Generated from typed_value.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class TypedValue(KaitaiStruct):
    """A value in the dictionary of a bitmap index. The column's type determines its
    layout. The file does not store the type, so it is a parameter, which comes
    from the table's schema. Only the field of that type is present.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/bitmap/BitmapFileIndexMeta.java
    """

    class StoredType(IntEnum):
        boolean = 1
        tinyint = 2
        smallint = 3
        integer = 4
        bigint = 5
        float = 6
        double = 7
        string = 8
        date = 9
        time = 10
        timestamp_millis = 11
        timestamp_micros = 12
    def __init__(self, column_type, _io, _parent=None, _root=None):
        super(TypedValue, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.column_type = column_type
        self._read()

    def _read(self):
        if self.named_type == TypedValue.StoredType.boolean:
            pass
            self.bool8 = self._io.read_u1()
            if not  ((self.bool8 == 0) or (self.bool8 == 1)) :
                raise kaitaistruct.ValidationNotAnyOfError(self.bool8, self._io, u"/seq/0")

        if self.named_type == TypedValue.StoredType.tinyint:
            pass
            self.int8 = self._io.read_s1()

        if self.named_type == TypedValue.StoredType.smallint:
            pass
            self.int16 = self._io.read_s2be()

        if  ((self.named_type == TypedValue.StoredType.integer) or (self.named_type == TypedValue.StoredType.date) or (self.named_type == TypedValue.StoredType.time)) :
            pass
            self.int32 = self._io.read_s4be()

        if  ((self.named_type == TypedValue.StoredType.bigint) or (self.named_type == TypedValue.StoredType.timestamp_millis) or (self.named_type == TypedValue.StoredType.timestamp_micros)) :
            pass
            self.int64 = self._io.read_s8be()

        if self.named_type == TypedValue.StoredType.float:
            pass
            self.float32 = self._io.read_f4be()

        if self.named_type == TypedValue.StoredType.double:
            pass
            self.float64 = self._io.read_f8be()

        if self.named_type == TypedValue.StoredType.string:
            pass
            self.len_text = self._io.read_s4be()
            if not self.len_text >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.len_text, self._io, u"/seq/7")

        if self.named_type == TypedValue.StoredType.string:
            pass
            self.text = self._io.read_bytes(self.len_text)



    def _fetch_instances(self):
        pass
        if self.named_type == TypedValue.StoredType.boolean:
            pass

        if self.named_type == TypedValue.StoredType.tinyint:
            pass

        if self.named_type == TypedValue.StoredType.smallint:
            pass

        if  ((self.named_type == TypedValue.StoredType.integer) or (self.named_type == TypedValue.StoredType.date) or (self.named_type == TypedValue.StoredType.time)) :
            pass

        if  ((self.named_type == TypedValue.StoredType.bigint) or (self.named_type == TypedValue.StoredType.timestamp_millis) or (self.named_type == TypedValue.StoredType.timestamp_micros)) :
            pass

        if self.named_type == TypedValue.StoredType.float:
            pass

        if self.named_type == TypedValue.StoredType.double:
            pass

        if self.named_type == TypedValue.StoredType.string:
            pass

        if self.named_type == TypedValue.StoredType.string:
            pass


    @property
    def named_type(self):
        if hasattr(self, '_m_named_type'):
            return self._m_named_type

        self._m_named_type = KaitaiStream.resolve_enum(TypedValue.StoredType, self.column_type)
        return getattr(self, '_m_named_type', None)
