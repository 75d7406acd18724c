# Generated from specs/file_index.ksy by `python -m tools.ksy generate`. Do not edit.
"""Arrays of the records of file_index, and what is packed at once.

Apache Paimon file index.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from ..arrays import Layout, RecordArray, fresh, wide
from ..parsers.file_index import FileIndex
from ..parsers.java_utf8 import JavaUtf8


class FileIndexEntryArray(RecordArray):
    """Records of type `file_index_entry` as columns.

    One index of a column.
    """

    __slots__ = ()

    _layouts: ClassVar[Mapping[int | None, Layout]] = {
        None: Layout(
            [("len(index_type)", ">u2"), ("ofs_body", ">i4"), ("len_body", ">i4")],
            inner={"index_type": ("len_value", "value")},
            text="index_type",
            length="len(index_type)",
            before=2,
            checks=(("ofs_body", lambda a: a < -1),),
        ),
    }

    def _record(self, index: int, values: tuple[Any, ...]) -> Any:
        record = fresh(FileIndex.FileIndexEntry, self, self._parent)
        record._root = self._root
        index_type = fresh(JavaUtf8, self, None)
        inner = self._layout.inner["index_type"]
        index_type.__dict__[inner[0]] = values[0]
        if self._text is not None and len(inner) == 2:
            index_type.__dict__[inner[1]] = self._text[index]
        record.index_type = index_type
        record.ofs_body = values[1]
        record.len_body = values[2]
        return record

    @property
    def is_empty(self) -> Any:
        return wide(self.ofs_body) == -1
