# Generated from global_index_source.ksy by `ksykit generate`. Do not edit.
"""Views of global_index_source: Source of a global index of a Paimon table."""

from enum import IntEnum
from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers, RecordLayout

SourceKind = IntEnum("SourceKind", {"primary_key": 1, "data_evolution": 1145391448})
_GLOBAL_INDEX_SOURCE_KIND = Numbers(
    ">I", Field("kind", "global_index_source/seq/0", ">I", any_of=[1, 1145391448])
)
_SOURCE_FILE_LIST_LEVEL = Numbers(
    ">ii",
    Field("level", "global_index_source/types/source_file_list/seq/0", ">i", least=1),
    Field("num_files", "global_index_source/types/source_file_list/seq/1", ">i", least=1),
)
SOURCE_FILE = RecordLayout(
    Field("len_value", "java_utf8/seq/0", ">H"),
    Field("value", "java_utf8/seq/1", column="name"),
    Field("num_rows", "global_index_source/types/source_file/seq/1", ">q", least=0),
)
_SOURCE_SNAPSHOT_VERSION = Numbers(
    ">iq",
    Field("version", "global_index_source/types/source_snapshot/seq/0", ">i", equal=1),
    Field("snapshot_id", "global_index_source/types/source_snapshot/seq/1", ">q"),
)


class SourceFileList:
    """A `source_file_list`."""

    __slots__ = ("end", "files_name", "files_num_rows", "level", "num_files")

    def __init__(self, d: Buffer, start: int, p: int, arrays: bool = False) -> None:
        if not 0 <= p <= len(d) - 8:
            raise _SOURCE_FILE_LIST_LEVEL.broken(d, start, p, self)
        (self.level, self.num_files) = _SOURCE_FILE_LIST_LEVEL.unpack_from(d, p)
        if self.level < 1 or self.num_files < 1:
            raise _SOURCE_FILE_LIST_LEVEL.broken(d, start, p, self)
        p += 8
        (
            p, self.files_name, self.files_num_rows,
        ) = SOURCE_FILE.read(d, start, p, self.num_files, arrays)  # fmt: skip
        self.end = start + p


class SourceSnapshot:
    """A `source_snapshot`."""

    __slots__ = ("end", "snapshot_id", "version")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 12:
            raise _SOURCE_SNAPSHOT_VERSION.broken(d, start, p, self)
        (self.version, self.snapshot_id) = _SOURCE_SNAPSHOT_VERSION.unpack_from(d, p)
        if self.version != 1:
            raise _SOURCE_SNAPSHOT_VERSION.broken(d, start, p, self)
        p += 12
        self.end = start + p


class GlobalIndexSource:
    """The field `_SOURCE_META` of an index manifest states from what a global index was
    built."""

    __slots__ = ("data_evolution", "end", "kind", "primary_key")

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _GLOBAL_INDEX_SOURCE_KIND.broken(d, start, p, self)
        (self.kind,) = _GLOBAL_INDEX_SOURCE_KIND.unpack_from(d, p)
        if self.kind not in (1, 1145391448):
            raise _GLOBAL_INDEX_SOURCE_KIND.broken(d, start, p, self)
        p += 4
        self.primary_key: Any = None
        if self.kind == 1:
            self.primary_key = SourceFileList(d, start, p)
            p = self.primary_key.end - start
        self.data_evolution: Any = None
        if self.kind == 1145391448:
            self.data_evolution = SourceSnapshot(d, start, p)
            p = self.data_evolution.end - start
        self.end = start + p
