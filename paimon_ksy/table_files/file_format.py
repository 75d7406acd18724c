"""The records of blob files, lists of them, row files and sidecars of manifests."""

from __future__ import annotations

from paimon_ksy.io.file_format import FileFormat
from paimon_ksy.io.file_kind import BLOB, BLOB_REFERENCES, ROW, SIDECAR
from paimon_ksy.table_files import blob_file, blob_references, manifest_sidecar, row_file

FORMATS = (
    FileFormat(
        kind=BLOB,
        spec="blob_file",
        inspect=blob_file.inspect,
        check=blob_file.check,
        matches=blob_file.matches,
        parts=blob_file.parts,
    ),
    FileFormat(
        kind=BLOB_REFERENCES,
        spec="blob_references",
        inspect=blob_references.inspect,
        check=blob_references.check,
    ),
    FileFormat(
        kind=ROW,
        spec="row_file",
        inspect=row_file.inspect,
        check=row_file.check,
        limits="the format has no checksum: changed values are not detected",
    ),
    FileFormat(
        kind=SIDECAR,
        spec="manifest_sidecar",
        inspect=manifest_sidecar.inspect,
        check=manifest_sidecar.check,
    ),
)
