# Generated from file_kind.ksy by `ksykit generate`. Do not edit.
"""Views of file_kind: Kind of a file in a Paimon table."""

from enum import IntEnum
from typing import Any

from ksykit.runtime.records import Buffer, Field, Numbers

StartMagic = IntEnum(
    "StartMagic",
    {
        "orc": 4411983,
        "parquet": 827474256,
        "avro": 23749199,
        "file_index": 1313735936,
        "blob": 1481511375,
        "blobref": 1380729424,
        "sidecar": 1129532752,
        "ivf_flat": 1230390860,
        "ivf_pq": 1230393425,
        "ivf_sq": 1230394193,
        "ivf_rq": 1230393937,
        "diskann": 1313751364,
        "full_text": 1230259792,
    },
)
EndMagic = IntEnum(
    "EndMagic",
    {
        "btree": 1346524233,
        "old_btree": 198732882,
        "bitmap": 1481197378,
        "fm": 1481198918,
        "lookup": 1481571681,
        "row": 1380931411,
        "mosaic": 1095978829,
        "vortex": 1180193878,
        "lance": 1129201996,
        "video": 21972292,
    },
)
_FILE_START_NUMBER = Numbers("<I", Field("number", "file_kind/types/file_start/seq/0", "<I"))
_FILE_END_NUMBER_BEFORE = Numbers(
    "<II",
    Field("number_before", "file_kind/types/file_end/seq/0", "<I"),
    Field("number", "file_kind/types/file_end/seq/1", "<I"),
)


class FileStart:
    """A `file_start`."""

    __slots__ = ("end", "number")
    len_start = 4
    """Size of the magic number in bytes."""

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 4:
            raise _FILE_START_NUMBER.broken(d, start, p, self)
        (self.number,) = _FILE_START_NUMBER.unpack_from(d, p)
        p += 4
        self.end = start + p

    @property
    def magic(self) -> Any:
        """The kind of the file, if the enum lists the number."""
        return self.number

    @property
    def short_magic(self) -> Any:
        """The magic number of ORC files, which has only three bytes."""
        return self.number & 16777215


class FileEnd:
    """A `file_end`."""

    __slots__ = ("end", "number", "number_before")
    len_end = 8
    """Size of both numbers in bytes."""

    def __init__(self, d: Buffer, start: int, p: int) -> None:
        if not 0 <= p <= len(d) - 8:
            raise _FILE_END_NUMBER_BEFORE.broken(d, start, p, self)
        (self.number_before, self.number) = _FILE_END_NUMBER_BEFORE.unpack_from(d, p)
        p += 8
        self.end = start + p

    @property
    def magic(self) -> Any:
        """The kind of the file, if the enum lists the number."""
        return self.number

    @property
    def magic_before(self) -> Any:
        """The magic number of FM indexes."""
        return self.number_before
