"""The record of file indexes."""

from __future__ import annotations

from functools import partial

from ksykit.runtime.late import LateFunction

from paimon_ksy.io.file_format import FileFormat
from paimon_ksy.io.file_kind import FILE_INDEX

_late = partial(LateFunction, __package__)

FORMATS = (
    FileFormat(
        kind=FILE_INDEX,
        spec="file_index",
        inspect=_late("inspect.inspect"),
        check=_late("verify.check"),
        parts=_late("file_parts.parts"),
        takes=("schema", "options"),
        limits="the format has no checksum: only --data FILE detects changed values",
        compare=_late("compare.compare"),
        check_schema=_late("inspect.check_schema"),
        describe=_late("describe.describe"),
    ),
)
