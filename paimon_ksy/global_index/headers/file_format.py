"""The records of global indexes of which only the header is read."""

from __future__ import annotations

from functools import partial

from paimon_ksy.io.file_format import FileFormat, Late
from paimon_ksy.io.file_kind import NAMED

_late = partial(Late, __package__)

_OF_VECTORS = ("ivf-flat", "ivf-pq", "ivf-sq", "ivf-rq", "diskann")

FORMATS = (
    *(FileFormat(NAMED[kind], "vector_index", only_header=True) for kind in _OF_VECTORS),
    FileFormat(
        kind=NAMED["full-text"],
        spec="full_text_index",
        inspect=_late("full_text.inspect"),
        only_header=True,
    ),
)
