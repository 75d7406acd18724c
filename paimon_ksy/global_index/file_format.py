"""The records of files of global indexes."""

from __future__ import annotations

from functools import partial

from ksykit.runtime.late import LateFunction

from paimon_ksy.io.file_format import FileFormat
from paimon_ksy.io.file_kind import NAMED

_btree, _bitmap, _fm = (
    partial(LateFunction, f"{__package__}.{name}") for name in ("btree", "bitmap", "fm")
)


_OF_VECTORS = ("ivf-flat", "ivf-pq", "ivf-sq", "ivf-rq", "diskann")

FORMATS = (
    FileFormat(
        kind=NAMED["bitmap"],
        spec="global_bitmap_index",
        inspect=_bitmap("inspect.inspect"),
        check=_bitmap("check.check"),
        parts=_bitmap("byte_map.parts"),
        takes=("schema",),
        check_schema=_bitmap("inspect.check_schema"),
        limits="bitmaps have no checksum: only a comparison with the column finds all changes",
    ),
    FileFormat(
        kind=NAMED["old-bitmap"],
        spec="old_global_bitmap_index",
        inspect=LateFunction(__package__, "old_bitmap.inspect"),
        check=LateFunction(__package__, "old_bitmap.check"),
        parts=LateFunction(__package__, "old_bitmap.parts"),
        takes=("schema", "cardinality"),
        check_schema=LateFunction(__package__, "old_bitmap.check_schema"),
        describe=LateFunction(__package__, "old_bitmap.describe"),
        limits="bitmaps have no checksum: only a comparison with the column finds all changes",
    ),
    FileFormat(
        kind=NAMED["btree"],
        spec="btree_index",
        inspect=_btree("inspect.inspect"),
        check=_btree("check.check"),
        parts=_btree("inspect.parts"),
        takes=("schema",),
        check_schema=_btree("inspect.check_schema"),
    ),
    FileFormat(
        kind=NAMED["fm"],
        spec="fm_index",
        inspect=_fm("inspect.inspect"),
        check=_fm("check.check"),
        parts=_fm("byte_map.parts"),
    ),
    # Of these, only the header is read.
    *(FileFormat(NAMED[kind], "vector_index", only_header=True) for kind in _OF_VECTORS),
    FileFormat(
        kind=NAMED["full-text"],
        spec="full_text_index",
        inspect=LateFunction(__package__, "full_text.inspect"),
        only_header=True,
    ),
)
