"""The records of bitmap and multivalue indexes."""

from functools import partial

from paimon_ksy.global_index.index_type import GlobalIndexType
from paimon_ksy.io.file_format import Late

_late = partial(Late, __package__)

INDEX_TYPES = (
    GlobalIndexType(
        names=("bitmap",),
        reader=_late("reader.open_bitmap_index"),
        postings=_late("check.postings"),
        version=_late("reader.version"),
    ),
    GlobalIndexType(
        names=("multivalue",),
        reader=_late("reader.open_multivalue_index"),
        postings=_late("check.postings"),
        version=_late("reader.multivalue_version"),
    ),
)
