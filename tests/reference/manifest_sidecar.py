# Generated from manifest_sidecar.ksy by `ksykit generate`. Do not edit.
# mypy: ignore-errors
# ruff: noqa

import kaitaistruct
from kaitaistruct import KaitaiStruct, KaitaiStream, BytesIO
from . import varint


if getattr(kaitaistruct, 'API_VERSION', (0, 9)) < (0, 11):
    raise Exception("Incompatible Kaitai Struct Python API: 0.11 or later is required, but you have %s" % (kaitaistruct.__version__))

class ManifestSidecar(KaitaiStruct):
    """Which partitions, row ids and buckets each block of a manifest contains, so
    that readers skip blocks. It is beside the manifest, which is an Avro file,
    and the manifest list names it in `_EXTRA_FILES`. Readers ignore a sidecar
    with another checksum, but skip the blocks of one that leaves out partitions.

    Compared with files of pypaimon-rust 0.4.0, and with what the writer of
    pypaimon 2.1.0 makes of the same manifests.

    .. seealso::
       Source - https://github.com/apache/paimon/blob/master/docs/docs/concepts/spec/manifest.md
    """
    def __init__(self, _io, _parent=None, _root=None):
        super(ManifestSidecar, self).__init__(_io)
        self._parent = _parent
        self._root = _root or self
        self._read()

    def _read(self):
        self.magic = self._io.read_bytes(4)
        if not self.magic == b"\x50\x4D\x53\x43":
            raise kaitaistruct.ValidationNotEqualError(b"\x50\x4D\x53\x43", self.magic, self._io, u"/seq/0")
        self.version = self._io.read_u1()
        if not self.version == 1:
            raise kaitaistruct.ValidationNotEqualError(1, self.version, self._io, u"/seq/1")
        self.len_header = varint.Varint(self._io)
        self.header = self._io.read_bytes(self.len_header.value)
        self.num_partitions = varint.Varint(self._io)
        self.partitions = []
        for i in range(self.num_partitions.value):
            self.partitions.append(ManifestSidecar.SidecarPartition(self._io, self, self._root))

        self.num_blocks = varint.Varint(self._io)
        self.blocks = []
        for i in range(self.num_blocks.value):
            self.blocks.append(ManifestSidecar.SidecarBlock(self._io, self, self._root))

        self.crc32 = self._io.read_u4be()


    def _fetch_instances(self):
        pass
        self.len_header._fetch_instances()
        self.num_partitions._fetch_instances()
        for i in range(len(self.partitions)):
            pass
            self.partitions[i]._fetch_instances()

        self.num_blocks._fetch_instances()
        for i in range(len(self.blocks)):
            pass
            self.blocks[i]._fetch_instances()


    class AscendingNumbers(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(ManifestSidecar.AscendingNumbers, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.num_numbers = varint.Varint(self._io)
            self.numbers = []
            for i in range(self.num_numbers.value):
                self.numbers.append(ManifestSidecar.NumberAfter(self._io, self, self._root))



        def _fetch_instances(self):
            pass
            self.num_numbers._fetch_instances()
            for i in range(len(self.numbers)):
                pass
                self.numbers[i]._fetch_instances()



    class BucketCoverage(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(ManifestSidecar.BucketCoverage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.encoding = self._io.read_u1()
            if self.encoding != 0:
                pass
                self.len_content = varint.Varint(self._io)

            if self.encoding != 0:
                pass
                _on = self.encoding
                if _on == 1:
                    pass
                    self._raw_content = self._io.read_bytes(self.len_content.value)
                    _io__raw_content = KaitaiStream(BytesIO(self._raw_content))
                    self.content = ManifestSidecar.BucketList(_io__raw_content, self, self._root)
                else:
                    pass
                    self.content = self._io.read_bytes(self.len_content.value)



        def _fetch_instances(self):
            pass
            if self.encoding != 0:
                pass
                self.len_content._fetch_instances()

            if self.encoding != 0:
                pass
                _on = self.encoding
                if _on == 1:
                    pass
                    self.content._fetch_instances()
                else:
                    pass



    class BucketList(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(ManifestSidecar.BucketList, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.buckets = ManifestSidecar.AscendingNumbers(self._io, self, self._root)
            self.totals = ManifestSidecar.AscendingNumbers(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.buckets._fetch_instances()
            self.totals._fetch_instances()


    class NumberAfter(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(ManifestSidecar.NumberAfter, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.difference = varint.Varint(self._io)


        def _fetch_instances(self):
            pass
            self.difference._fetch_instances()


    class PartitionCoverage(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(ManifestSidecar.PartitionCoverage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.encoding = self._io.read_u1()
            if self.encoding != 0:
                pass
                self.len_content = varint.Varint(self._io)

            if self.encoding != 0:
                pass
                _on = self.encoding
                if _on == 1:
                    pass
                    self._raw_content = self._io.read_bytes(self.len_content.value)
                    _io__raw_content = KaitaiStream(BytesIO(self._raw_content))
                    self.content = ManifestSidecar.AscendingNumbers(_io__raw_content, self, self._root)
                else:
                    pass
                    self.content = self._io.read_bytes(self.len_content.value)



        def _fetch_instances(self):
            pass
            if self.encoding != 0:
                pass
                self.len_content._fetch_instances()

            if self.encoding != 0:
                pass
                _on = self.encoding
                if _on == 1:
                    pass
                    self.content._fetch_instances()
                else:
                    pass



    class RowIdCoverage(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(ManifestSidecar.RowIdCoverage, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.encoding = self._io.read_u1()
            if self.encoding != 0:
                pass
                self.len_content = varint.Varint(self._io)

            if self.encoding != 0:
                pass
                _on = self.encoding
                if _on == 1:
                    pass
                    self._raw_content = self._io.read_bytes(self.len_content.value)
                    _io__raw_content = KaitaiStream(BytesIO(self._raw_content))
                    self.content = ManifestSidecar.RowIdRanges(_io__raw_content, self, self._root)
                else:
                    pass
                    self.content = self._io.read_bytes(self.len_content.value)



        def _fetch_instances(self):
            pass
            if self.encoding != 0:
                pass
                self.len_content._fetch_instances()

            if self.encoding != 0:
                pass
                _on = self.encoding
                if _on == 1:
                    pass
                    self.content._fetch_instances()
                else:
                    pass



    class RowIdRanges(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(ManifestSidecar.RowIdRanges, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.first = self._io.read_s8be()
            if not self.first >= 0:
                raise kaitaistruct.ValidationLessThanError(0, self.first, self._io, u"/types/row_id_ranges/seq/0")
            self.last = self._io.read_s8be()
            if not self.last >= self.first:
                raise kaitaistruct.ValidationLessThanError(self.first, self.last, self._io, u"/types/row_id_ranges/seq/1")
            self.bounds = ManifestSidecar.AscendingNumbers(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.bounds._fetch_instances()


    class SidecarBlock(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(ManifestSidecar.SidecarBlock, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.ofs_block = varint.Varint(self._io)
            self.len_block = varint.Varint(self._io)
            self.num_entries = varint.Varint(self._io)
            self.partitions = ManifestSidecar.PartitionCoverage(self._io, self, self._root)
            self.row_ids = ManifestSidecar.RowIdCoverage(self._io, self, self._root)
            self.buckets = ManifestSidecar.BucketCoverage(self._io, self, self._root)


        def _fetch_instances(self):
            pass
            self.ofs_block._fetch_instances()
            self.len_block._fetch_instances()
            self.num_entries._fetch_instances()
            self.partitions._fetch_instances()
            self.row_ids._fetch_instances()
            self.buckets._fetch_instances()


    class SidecarPartition(KaitaiStruct):
        def __init__(self, _io, _parent=None, _root=None):
            super(ManifestSidecar.SidecarPartition, self).__init__(_io)
            self._parent = _parent
            self._root = _root
            self._read()

        def _read(self):
            self.len_partition = varint.Varint(self._io)
            self.partition = self._io.read_bytes(self.len_partition.value)


        def _fetch_instances(self):
            pass
            self.len_partition._fetch_instances()
