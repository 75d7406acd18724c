"""The manifests, manifest lists and index manifests that a commit writes, in Avro as Java does."""

from __future__ import annotations

import io
import json
import math
import pkgutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.errors import CorruptFileError, OptionError
from paimon_ksy.rows.binary_row import read_row, write_row
from paimon_ksy.table.manifests.avro_columns import encoded
from paimon_ksy.table.manifests.containers import read_containers
from paimon_ksy.table.manifests.entries import ADD, DELETE
from paimon_ksy.table.store.errors import translated_errors
from paimon_ksy.table.store.table import Table
from paimon_ksy.types.arrays import Numbers, bytes_of, distinct, to_numpy

Record = Mapping[str, Any]
"""A record of a manifest, a list or an index manifest, by the field names that Java writes."""

_CODECS = {
    **{codec: codec for codec in ("null", "deflate", "snappy", "bzip2", "xz")},
    "zstd": "zstandard",
}
"""The names of Avro's codecs by those of `manifest.compression`."""


class ManifestWriter:
    """Writes the metadata of one commit, in all its attempts.

    Attributes:
        written: The paths of all files, also of one that could not be written completely.
    """

    def __init__(self, table: Table) -> None:
        """Write in the table's codec.

        Raises:
            OptionError: There is no such codec.
        """
        self.written: list[str] = []
        self._table = table
        self._codec = codec_of(table)

    def manifest(self, parts: Sequence[pa.RecordBatch]) -> Record:
        """Write a manifest of entries, and return its record for a list."""
        name = f"manifest-{uuid.uuid4()}-0"
        size = self._write(name, "manifest", parts)

        def column(field: str) -> Numbers:
            return np.concatenate([to_numpy(field_of(part, field)) for part in parts])

        kinds, totals = column("_KIND"), distinct(column("_TOTAL_BUCKETS"))
        rows = [row for part in parts for row in part.column("_PARTITION").to_pylist()]
        return {
            "_VERSION": 2,
            "_FILE_NAME": name,
            "_FILE_SIZE": size,
            "_NUM_ADDED_FILES": int((kinds == ADD).sum()),
            "_NUM_DELETED_FILES": int((kinds == DELETE).sum()),
            "_PARTITION_STATS": self._statistics(rows),
            "_SCHEMA_ID": int(column("_SCHEMA_ID").max()),
            **_bounds("BUCKET", column("_BUCKET")),
            **_bounds("LEVEL", column("_LEVEL")),
            **_bounds("ROW_ID", _row_ids(parts)),
            "_TOTAL_BUCKETS": int(totals[0]) if len(totals) == 1 and totals[0] > 0 else None,
        }

    def manifest_list(self, manifests: Iterable[Record], name: str) -> int:
        """Write a list of manifests of this name, and return its size in bytes."""
        return self._write(name, "manifest_list", manifests)

    def index_manifest(self, files: Iterable[Record]) -> str | None:
        """Write an index manifest, and return its name; None if there are no index files."""
        rest = iter(files)
        if (first := next(rest, None)) is None:
            return None
        name = f"index-manifest-{uuid.uuid4()}"
        self._write(name, "index_manifest", chain([first], rest))
        return name

    def _write(
        self, name: str, kind: str, records: Iterable[Record] | Sequence[pa.RecordBatch]
    ) -> int:
        import fastavro

        data, path = io.BytesIO(), self._table.manifests.path(name)
        if kind == "manifest":
            writer = fastavro.write.Writer(data, _schemas()[kind], self._codec)
            for part in records:
                writer.write_block(_block(part, _schemas()[kind], path))
            writer.flush()
        else:
            fastavro.writer(data, _schemas()[kind], records, codec=self._codec)
        self.written.append(path)
        self._table.storage.write(path, data.getvalue())
        return data.tell()

    def _statistics(self, rows: Sequence[bytes]) -> Record:
        """Return the bounds and null counts of partitions."""
        types = [column.type for column in self._table.schema.partition_schema]
        decoded = {row: read_row(row, types) for row in {*rows}}
        columns = [*zip(*(decoded[row] for row in rows), strict=True)] if types else []
        there = [[value for value in column if value is not None] for column in columns]
        return {
            "_MIN_VALUES": write_row([min(v, key=_rank, default=None) for v in there], types),
            "_MAX_VALUES": write_row([max(v, key=_rank, default=None) for v in there], types),
            "_NULL_COUNTS": [len(rows) - len(values) for values in there],
        }


@cache
def _schemas() -> Any:
    """Return Java's Avro schemas of manifests, their lists, and index manifests."""
    return json.loads(pkgutil.get_data(__name__, "avro_schemas.json") or b"")


def _block(part: pa.RecordBatch, schema: Any, path: str) -> Any:
    """Return entries as a block of `fastavro`."""
    records = encoded(schema, part.to_struct_array(), len(part))
    if records.null_count:
        raise CorruptFileError("an entry lacks a field", path=path)
    data, ends = bytes_of(records)
    return SimpleNamespace(
        bytes_=io.BytesIO(data[ends[0] : ends[-1]].tobytes()), num_records=len(part)
    )


def field_of(records: pa.RecordBatch, name: str) -> pa.Array:
    """Return a field of entries, or of their files; nulls if they lack it."""
    if name in records.schema.names:
        return records.column(name)
    files = records.column("_FILE")
    at = files.type.get_field_index(name)
    return pa.nulls(len(records)) if at < 0 else files.field(at)


def _bounds(name: str, values: Numbers) -> Record:
    """Return the least and the greatest value as fields of a manifest's record."""
    ends = (int(values.min()), int(values.max())) if len(values) else (None, None)
    return dict(zip((f"_MIN_{name}", f"_MAX_{name}"), ends, strict=True))


def _row_ids(parts: Iterable[pa.RecordBatch]) -> Numbers:
    """Return the first and the last row id of each file; nothing if a file has none."""
    ids = [np.empty(0, np.int64)]
    for part in parts:
        first = field_of(part, "_FIRST_ROW_ID")
        if first.null_count:
            return ids[0]
        numbers = to_numpy(first)
        ids += (numbers, numbers + to_numpy(field_of(part, "_ROW_COUNT")) - 1)
    return np.concatenate(ids)


def codec_of(table: Table) -> str:
    """Return Avro's name of the codec of a table's manifests.

    Raises:
        OptionError: There is no such codec.
    """
    name = "manifest.compression"
    text = table.options.get(name, "zstd").strip().lower()
    if text not in _CODECS:
        codecs = ", ".join(sorted(_CODECS))
        message = f"option {name!r}: {text!r} is malformed: it must be one of {codecs}"
        raise OptionError(message, path=table.location)
    return _CODECS[text]


def _rank(value: Any) -> Any:
    """Return a key that sorts as Java does: -0.0 before 0.0, and NaN last."""
    if not isinstance(value, float):
        return value
    return (True, 0.0, 0.0) if math.isnan(value) else (False, value, math.copysign(1.0, value))


def batches_of(table: Table, name: str) -> Iterator[pa.RecordBatch]:
    """Yield the records of a manifest, a list or an index manifest, at most 1,000 at a time."""
    path = table.manifests.path(name)
    with translated_errors(path):
        for part in read_containers([(table.storage.read(path), path)]):
            for at in range(0, part.batch.num_rows, 1000):
                yield part.batch[at : at + 1000]


def records_of(table: Table, name: str) -> Iterator[Record]:
    """Yield the records of `batches_of`."""
    return (record for batch in batches_of(table, name) for record in batch.to_pylist())
