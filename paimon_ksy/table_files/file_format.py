"""The records of blob files, lists of them, row files and sidecars of manifests."""

from __future__ import annotations

from functools import partial

from ksykit.runtime.late import LateFunction

from paimon_ksy.io.file_format import FileFormat
from paimon_ksy.io.file_kind import BLOB, BLOB_REFERENCES, ROW, SIDECAR

_late = partial(LateFunction, __package__)

FORMATS = (
    FileFormat(
        kind=BLOB,
        spec="blob_file",
        inspect=_late("blob_file.inspect"),
        check=_late("blob_file.check"),
        matches=_late("blob_file.matches"),
        parts=_late("blob_file.parts"),
    ),
    FileFormat(
        kind=BLOB_REFERENCES,
        spec="blob_references",
        inspect=_late("blob_references.inspect"),
        check=_late("blob_references.check"),
    ),
    FileFormat(
        kind=ROW,
        spec="row_file",
        inspect=_late("row_file.inspect"),
        check=_late("row_file.check"),
        limits="the format has no checksum: changed values are not detected",
    ),
    FileFormat(
        kind=SIDECAR,
        spec="manifest_sidecar",
        inspect=_late("manifest_sidecar.inspect"),
        check=_late("manifest_sidecar.check"),
    ),
)
