"""The records of vector files and bucket indexes."""

from __future__ import annotations

from functools import partial

from ksykit.runtime.late import LateFunction

from paimon_ksy.io.file_format import FileFormat
from paimon_ksy.io.file_kind import BUCKET_INDEX, VECTORS

_late = partial(LateFunction, __package__)

FORMATS = (
    FileFormat(
        kind=VECTORS,
        spec="deletion_vectors",
        inspect=_late("vector_file.inspect"),
        check=_late("vector_file.check"),
        parts=_late("vector_file.parts"),
        takes=("offset", "cardinality"),
        compare=_late("vector_file.compare"),
        describe=_late("vector_file.describe"),
    ),
    FileFormat(
        kind=BUCKET_INDEX,
        spec="bucket_index",
        inspect=_late("bucket_file.inspect"),
        check=_late("bucket_file.check"),
        parts=_late("bucket_file.parts"),
        takes=("cardinality", "key"),
        limits="the format has no checksum: only --data FILE detects changed values",
        may_be_empty=True,
        compare=_late("bucket_file.compare"),
    ),
)
