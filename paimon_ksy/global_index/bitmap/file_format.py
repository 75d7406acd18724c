"""The record of bitmap and multivalue indexes."""

from __future__ import annotations

from functools import partial

from paimon_ksy.io.file_format import FileFormat, Late
from paimon_ksy.io.file_kind import NAMED

_late = partial(Late, __package__)

FORMATS = (
    FileFormat(
        kind=NAMED["bitmap"],
        spec="global_bitmap_index",
        inspect=_late("inspect.inspect"),
        check=_late("check.check"),
        parts=_late("byte_map.parts"),
        takes=("schema",),
        check_schema=_late("inspect.check_schema"),
        limits="bitmaps have no checksum: only a comparison with the column finds all changes",
    ),
)
