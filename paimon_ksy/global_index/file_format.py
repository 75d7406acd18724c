"""The records of files of global indexes."""

from __future__ import annotations

from paimon_ksy.global_index import full_text, old_bitmap
from paimon_ksy.global_index.bitmap import byte_map as bitmap_byte_map
from paimon_ksy.global_index.bitmap import check as bitmap_check
from paimon_ksy.global_index.bitmap import inspect as bitmap_inspect
from paimon_ksy.global_index.btree import check as btree_check
from paimon_ksy.global_index.btree import inspect as btree_inspect
from paimon_ksy.global_index.fm import byte_map as fm_byte_map
from paimon_ksy.global_index.fm import check as fm_check
from paimon_ksy.global_index.fm import inspect as fm_inspect
from paimon_ksy.io.file_format import FileFormat
from paimon_ksy.io.file_kind import NAMED

_OF_VECTORS = ("ivf-flat", "ivf-pq", "ivf-sq", "ivf-rq", "diskann")

FORMATS = (
    FileFormat(
        kind=NAMED["bitmap"],
        spec="global_bitmap_index",
        inspect=bitmap_inspect.inspect,
        check=bitmap_check.check,
        parts=bitmap_byte_map.parts,
        takes=("schema",),
        check_schema=bitmap_inspect.check_schema,
        limits="bitmaps have no checksum: only a comparison with the column finds all changes",
    ),
    FileFormat(
        kind=NAMED["old-bitmap"],
        spec="old_global_bitmap_index",
        inspect=old_bitmap.inspect,
        check=old_bitmap.check,
        parts=old_bitmap.parts,
        takes=("schema", "cardinality"),
        check_schema=old_bitmap.check_schema,
        describe=old_bitmap.describe,
        limits="bitmaps have no checksum: only a comparison with the column finds all changes",
    ),
    FileFormat(
        kind=NAMED["btree"],
        spec="btree_index",
        inspect=btree_inspect.inspect,
        check=btree_check.check,
        parts=btree_inspect.parts,
        takes=("schema",),
        check_schema=btree_inspect.check_schema,
    ),
    FileFormat(
        kind=NAMED["fm"],
        spec="fm_index",
        inspect=fm_inspect.inspect,
        check=fm_check.check,
        parts=fm_byte_map.parts,
    ),
    # Of these, only the header is read.
    *(FileFormat(NAMED[kind], "vector_index", only_header=True) for kind in _OF_VECTORS),
    FileFormat(
        kind=NAMED["full-text"],
        spec="full_text_index",
        inspect=full_text.inspect,
        only_header=True,
    ),
)
