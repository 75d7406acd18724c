# Generated from specs/parquet_metadata.ksy by `python -m tools.ksy generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, BytesIO
from ..stream import KaitaiStream


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class ParquetMetadata(KaitaiStruct):
    """The frame of a Parquet file's metadata. It is a Parquet file without its data,
    like Parquet's `_metadata` files. Arrow reads it instead of the end of a data
    file.

    The footer is the struct `FileMetaData` of parquet.thrift, in Thrift's compact
    protocol. Libraries read and write it.

    .. seealso::
       Source - https://github.com/apache/parquet-format/blob/c01e00313ea7f5eb60f5329b445d9bb0d5902175/README.md
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(ParquetMetadata, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.magic = self._io.read_u4le()
        if not self.magic == 827474256:
            raise kaitaistruct.ValidationNotEqualError(827474256, self.magic, self._io, u"/seq/0")
        self.footer = self._io.read_bytes(self._io.size() - 12)
        self.len_footer = self._io.read_u4le()
        self.magic_end = self._io.read_u4le()
        if not self.magic_end == 827474256:
            raise kaitaistruct.ValidationNotEqualError(827474256, self.magic_end, self._io, u"/seq/3")


    def _fetch_instances(self):
        pass

    class ParquetMetadataEnd(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(ParquetMetadata.ParquetMetadataEnd, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_footer = self._io.read_u4le()
            self.magic = self._io.read_u4le()
            if not self.magic == 827474256:
                raise kaitaistruct.ValidationNotEqualError(827474256, self.magic, self._io, u"/types/parquet_metadata_end/seq/1")


        def _fetch_instances(self):
            pass


    class ParquetMetadataStart(KaitaiStruct):
        """The field before the footer. Like `parquet_metadata_end`, it is another
        view for code that needs no object.
        """
        def __init__(self, _io, _parent=None, _root=None):
            super(ParquetMetadata.ParquetMetadataStart, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.magic = self._io.read_u4le()
            if not self.magic == 827474256:
                raise kaitaistruct.ValidationNotEqualError(827474256, self.magic, self._io, u"/types/parquet_metadata_start/seq/0")


        def _fetch_instances(self):
            pass
