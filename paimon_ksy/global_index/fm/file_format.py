"""The record of FM indexes."""

from __future__ import annotations

from functools import partial

from paimon_ksy.io.file_format import FileFormat, Late
from paimon_ksy.io.file_kind import NAMED

_late = partial(Late, __package__)

FORMATS = (
    FileFormat(
        kind=NAMED["fm"],
        spec="fm_index",
        inspect=_late("inspect.inspect"),
        check=_late("check.check"),
        parts=_late("byte_map.parts"),
    ),
)
