# Generated from range_bitmap_index.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import bit_slice_index
from . import chunked_dictionary
from . import position
from . import typed_value


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class RangeBitmapIndex(KaitaiStruct):
    """The body of an index of type `range-bitmap`. A dictionary contains the
    distinct values in ascending order. The index stores, bit by bit, the
    position of each row's value in the dictionary. A range of values is a range
    of positions, so it takes a few set operations for each bit to find its rows.

    A DECIMAL is stored as its unscaled value, like a BIGINT.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/docs/content/concepts/spec/fileindex.md


    .. seealso::
       Source - https://github.com/apache/paimon/blob/release-1.4.2/paimon-common/src/main/java/org/apache/paimon/fileindex/rangebitmap/RangeBitmap.java
    """
    def __init__(self, column_type, _io, _parent=None, _root=None):
        super(RangeBitmapIndex, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self.column_type = column_type
        self._read()

    def _read(self):
        self.len_head = self._io.read_s4be()
        if not self.len_head >= 13:
            raise kaitaistruct.ValidationLessThanError(13, self.len_head, self._io, u"/seq/0")
        self.head_start = position.Position(self._io.pos(), self._io)
        self.version = self._io.read_u1()
        if not self.version == 1:
            raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/seq/2")
        self.num_rows = self._io.read_s4be()
        if not self.num_rows >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_rows, self._io, u"/seq/3")
        self.num_values = self._io.read_s4be()
        if not self.num_values >= 0:
            raise kaitaistruct.ValidationLessThanError(0, self.num_values, self._io, u"/seq/4")
        if self.num_values > 0:
            pass
            self.min = typed_value.TypedValue(self.column_type, self._io)

        if self.num_values > 0:
            pass
            self.max = typed_value.TypedValue(self.column_type, self._io)

        if self.column_type != 0:
            pass
            self.len_dictionary = self._io.read_s4be()
            if not self.len_dictionary >= 17:
                raise kaitaistruct.ValidationLessThanError(17, self.len_dictionary, self._io, u"/seq/7")

        self.head_end = position.Position(self._io.pos(), self._io)


    def _fetch_instances(self):
        pass
        self.head_start._fetch_instances()
        if self.num_values > 0:
            pass
            self.min._fetch_instances()

        if self.num_values > 0:
            pass
            self.max._fetch_instances()

        if self.column_type != 0:
            pass

        self.head_end._fetch_instances()
        _ = self.dictionary
        if hasattr(self, '_m_dictionary'):
            pass
            self._m_dictionary._fetch_instances()

        _ = self.slices
        if hasattr(self, '_m_slices'):
            pass
            self._m_slices._fetch_instances()


    @property
    def dictionary(self):
        if hasattr(self, '_m_dictionary'):
            return self._m_dictionary

        _pos = self._io.pos()
        self._io.seek(self.head_start.at + self.len_head)
        self._m_dictionary = chunked_dictionary.ChunkedDictionary(self.column_type, self._io)
        self._io.seek(_pos)
        return getattr(self, '_m_dictionary', None)

    @property
    def slices(self):
        """The position of each row's value in the dictionary."""
        if hasattr(self, '_m_slices'):
            return self._m_slices

        _pos = self._io.pos()
        self._io.seek((self.head_start.at + self.len_head) + self.len_dictionary)
        self._m_slices = bit_slice_index.BitSliceIndex(self._io)
        self._io.seek(_pos)
        return getattr(self, '_m_slices', None)
