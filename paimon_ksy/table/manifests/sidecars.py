"""The sidecar that a manifest should have, and what an audit finds in the one that it has."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

import numpy as np

from paimon_ksy.errors import CorruptFileError, MissingFileError, PaimonKsyError
from paimon_ksy.io.file_kind import IGNORED, SIDECAR
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.findings import ERROR, NOTE, WARNING, Finding
from paimon_ksy.table.manifests.avro_blocks import block_places
from paimon_ksy.table.manifests.entries import read_entries
from paimon_ksy.table.model.files import ManifestFile
from paimon_ksy.table_files.manifest_sidecar import (
    HARMLESS,
    Block,
    Sidecar,
    compare,
    damaged,
    joined,
    read_sidecar,
)
from paimon_ksy.types.arrays import Numbers


def right_sidecar(
    manifest: bytes, path: str, *, row_ids: bool = True, buckets: bool = True
) -> Sidecar:
    """Return what a manifest contains, as a sidecar states it. Raises CorruptFileError.

    Tables with data evolution state row ids, and those with fixed or dynamic buckets these.
    """
    parts = [batch.entries for batch in read_entries([(manifest, path)])]
    try:
        size, places = block_places(manifest)
    except (ValueError, EOFError) as error:
        raise CorruptFileError(f"cannot be read: {error}", path=path) from error
    columns = ("_PARTITION", "_BUCKET", "_TOTAL_BUCKETS", "_FIRST_ROW_ID", "_ROW_COUNT")
    values = {name: [each for part in parts for each in part.column(name).to_pylist()]
              for name in columns}  # fmt: skip
    partitions: dict[bytes, int] = {}
    numbers = [partitions.setdefault(each, len(partitions)) for each in values["_PARTITION"]]
    blocks, at = [], 0
    for place in places:
        of = slice(at, at := at + place.num_records)
        pairs = sorted({*zip(values["_BUCKET"][of], values["_TOTAL_BUCKETS"][of], strict=True)})
        has_buckets = buckets and all(0 <= bucket < total for bucket, total in pairs)
        ranges = _ranges(values["_FIRST_ROW_ID"][of], values["_ROW_COUNT"][of])
        blocks.append(
            Block(
                *place,
                np.unique(np.array(numbers[of], np.int64)),
                ranges if row_ids else None,
                np.array(pairs, np.int64) if has_buckets else None,
            )
        )
    return Sidecar(manifest[:size], [*partitions], blocks)


def _ranges(firsts: list[int | None], counts: list[int]) -> Numbers | None:
    """Return the row ids of entries; None if one has none."""
    pairs = [
        (first, first + count - 1)
        for first, count in zip(firsts, counts, strict=True)
        if first is not None and first >= 0 and count > 0 and first + count <= 1 << 63
    ]
    return joined(np.array(pairs, np.int64)) if len(pairs) == len(firsts) else None


def sidecar_findings(
    manifest: ManifestFile, path_of: Callable[[str], str], read: Callable[[str], bytes]
) -> Iterator[Finding]:
    """Yield what is wrong in the sidecar of a manifest, if it has one.

    `path_of` returns the path of a file in the folder of manifests, and `read` its bytes.
    """
    names = [name for name in manifest.extra_files if name.endswith(f".avro{SIDECAR.suffix}")]
    for name in names[:1]:  # readers use the first one
        path = path_of(name)
        try:
            data = read(path)
        except MissingFileError:
            message = "it is missing, so readers read the whole manifest"
            yield Finding(WARNING, "sidecar", path, None, None, message, HARMLESS)
            continue
        try:
            with open_source(data) as source:
                sidecar = read_sidecar(source)
        except CorruptFileError as error:
            error.path = path
            yield damaged(path, error)
            continue
        with suppress(PaimonKsyError):  # the audit reports a manifest that cannot be read
            place = path_of(manifest.file_name)
            right = right_sidecar(read(place), place)
            for each in compare(sidecar, right):
                effect = "readers skip rows: " if each.severity == ERROR else ""
                remedy = HARMLESS if each.severity == NOTE else IGNORED
                message = f"{effect}{each.message}"
                yield Finding(each.severity, "sidecar", path, None, None, message, remedy)
