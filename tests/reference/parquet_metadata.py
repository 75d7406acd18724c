# Generated from parquet_metadata.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import compact_thrift
from enum import IntEnum


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class ParquetMetadata(KaitaiStruct):
    """The frame of a Parquet file's metadata. This is a Parquet file without data,
    like Parquet's `_metadata` files. Arrow reads it instead of the end of a data
    file.

    The footer is the struct `FileMetaData` of parquet.thrift, in Thrift's
    compact protocol. In data files, each page starts with the struct
    `PageHeader`. The enums list the numbers of the fields that readers use.

    .. seealso::
       Source - https://github.com/apache/parquet-format/blob/c01e00313ea7f5eb60f5329b445d9bb0d5902175/README.md


    .. seealso::
       Source - https://github.com/apache/parquet-format/blob/010f49b89eab98b498986709be5fedaaf2ea916f/src/main/thrift/parquet.thrift
    """

    class ParquetDataPageField(IntEnum):
        encoding = 2

    class ParquetDataPageV2Field(IntEnum):
        encoding_v2 = 4

    class ParquetEncoding(IntEnum):
        plain = 0
        plain_dictionary = 2
        rle = 3
        bit_packed = 4
        delta_binary_packed = 5
        delta_length_byte_array = 6
        delta_byte_array = 7
        rle_dictionary = 8
        byte_stream_split = 9

    class ParquetFileField(IntEnum):
        version = 1
        schema = 2

    class ParquetLogicalType(IntEnum):
        string = 1
        map = 2
        list = 3
        enumeration = 4
        decimal = 5
        date = 6
        time = 7
        timestamp = 8
        integer = 10
        null_type = 11
        json = 12
        bson = 13
        uuid = 14
        float16 = 15

    class ParquetPageField(IntEnum):
        data_page_header = 5
        data_page_header_v2 = 8

    class ParquetSchemaField(IntEnum):
        physical_type = 1
        len_type = 2
        name = 4
        converted_type = 6
        scale = 7
        precision = 8
        logical_type = 10

    class ParquetType(IntEnum):
        int96 = 3
        fixed_len_byte_array = 7
    def __init__(self, _io, _parent=None, _root=None):
        super(ParquetMetadata, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.magic = self._io.read_u4le()
        if not self.magic == 827474256:
            raise kaitaistruct.ValidationNotEqualError(827474256, self.magic, self._io, u"/seq/0")
        self._raw_footer = self._io.read_bytes(self._io.size() - 12)
        _io__raw_footer = KaitaiStream(BytesIO(self._raw_footer))
        self.footer = compact_thrift.CompactThrift(0, _io__raw_footer)
        self.len_footer = self._io.read_u4le()
        self.magic_end = self._io.read_u4le()
        if not self.magic_end == 827474256:
            raise kaitaistruct.ValidationNotEqualError(827474256, self.magic_end, self._io, u"/seq/3")


    def _fetch_instances(self):
        pass
        self.footer._fetch_instances()

    class ParquetTimestamp(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(ParquetMetadata.ParquetTimestamp, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.nanos = self._io.read_s8le()
            self.day = self._io.read_s4le()


        def _fetch_instances(self):
            pass


    class ParquetTimestamps(KaitaiStruct):
        """Values of the physical type INT96, each a timestamp."""
        def __init__(self, _io, _parent=None, _root=None):
            super(ParquetMetadata.ParquetTimestamps, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.values = []
            i = 0
            while not self._io.is_eof():
                self.values.append(ParquetMetadata.ParquetTimestamp(self._io, self, self._root))
                i += 1



        def _fetch_instances(self):
            pass
            for i in range(len(self.values)):
                pass
                self.values[i]._fetch_instances()


        @property
        def first_day(self):
            """The Julian day that begins at noon on 1970-01-01."""
            if hasattr(self, '_m_first_day'):
                return self._m_first_day

            self._m_first_day = 2440588
            return getattr(self, '_m_first_day', None)
