"""The records of vector files and bucket indexes."""

from __future__ import annotations

from paimon_ksy.io.file_format import FileFormat
from paimon_ksy.io.file_kind import BUCKET_INDEX, VECTORS
from paimon_ksy.table_index import bucket_file, vector_file

FORMATS = (
    FileFormat(
        kind=VECTORS,
        spec="deletion_vectors",
        inspect=vector_file.inspect,
        check=vector_file.check,
        parts=vector_file.parts,
        takes=("offset", "cardinality"),
        describe=vector_file.describe,
    ),
    FileFormat(
        kind=BUCKET_INDEX,
        spec="bucket_index",
        inspect=bucket_file.inspect,
        check=bucket_file.check,
        parts=bucket_file.parts,
        takes=("cardinality", "key"),
        limits="the format has no checksum: only --data FILE detects changed values",
        may_be_empty=True,
    ),
)
