"""The records of data files, whose metadata or footer specs describe."""

from __future__ import annotations

from paimon_ksy.io.file_format import FileFormat
from paimon_ksy.io.file_kind import NAMED, ORC, PARQUET

FORMATS = (
    FileFormat(PARQUET, "parquet_metadata::parquet_file"),
    FileFormat(ORC, "orc_metadata::orc_file"),
    FileFormat(NAMED["mosaic"], "mosaic_file", only_header=True),
)
