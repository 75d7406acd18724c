"""The record of files that are one Roaring bitmap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ksykit.runtime.errors import FormatError

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.generated.views.roaring_bitmap_32 import RoaringHeader
from paimon_ksy.io.file_format import FileContent, FileFormat, Subject
from paimon_ksy.io.file_kind import ROARING
from paimon_ksy.io.source import Source, read_view
from paimon_ksy.messages.findings import Finding, corrupt

if TYPE_CHECKING:
    from pyroaring import BitMap


@dataclass(frozen=True)
class RoaringReport(FileContent):
    """A Roaring bitmap: the number of integers, and of containers of each kind."""

    cardinality: int
    containers: dict[str, int]


def read_roaring(source: Source) -> BitMap | None:
    """Return the file as a Roaring bitmap, if it is exactly one."""
    from paimon_ksy.roaring.bitmap_32 import BadBitmapError, read_first  # imports numpy

    try:
        read_view(source, RoaringHeader, 0)
        rows, size = read_first(source.read(0, source.size))
    except (FormatError, BadBitmapError):
        return None
    return rows if size == source.size else None


def inspect(subject: Subject, _: int | None) -> RoaringReport:
    """Return what a Roaring bitmap contains. Raises CorruptFileError."""
    from paimon_ksy.roaring.containers import containers

    rows = read_roaring(subject.source)
    if rows is None:
        raise CorruptFileError("this is not a Roaring bitmap", path=subject.path, offset=0)
    counts = containers([rows])
    return RoaringReport(len(rows), {kind: counts[kind] for kind in ("array", "bitset", "run")})


def check(subject: Subject, _: Any) -> Iterator[Finding]:
    """Yield a finding if the file is not exactly one bitmap."""
    try:
        inspect(subject, 0)
    except CorruptFileError as error:
        yield corrupt("roaring-bitmap", subject.path, error, remedy="restore it from a backup")


FORMATS = (
    FileFormat(
        kind=ROARING,
        spec="roaring_bitmap_32",
        inspect=inspect,
        check=check,
        matches=lambda source: read_roaring(source) is not None,
    ),
)
