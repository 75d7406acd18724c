"""The manifests, manifest lists and index manifests that a commit writes, in Avro as Java does."""

from __future__ import annotations

import io
import json
import math
import pkgutil
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from itertools import chain
from typing import Any

from paimon_ksy.errors import OptionError
from paimon_ksy.rows.binary_row import read_row, write_row
from paimon_ksy.table.manifests.containers import read_containers
from paimon_ksy.table.manifests.entries import ADD, DELETE
from paimon_ksy.table.store.errors import translated_errors
from paimon_ksy.table.store.table import Table

Record = Mapping[str, Any]
"""A record of a manifest, a list or an index manifest, by the field names that Java writes."""

_CODECS = {
    **{codec: codec for codec in ("null", "deflate", "snappy", "bzip2", "xz")},
    "zstd": "zstandard",
}
"""The names of Avro's codecs by those of `manifest.compression`."""

_MILLI = 1000


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

    def manifest(self, entries: Sequence[Record]) -> Record:
        """Write a manifest of entries, and return its record for a list."""
        name = f"manifest-{uuid.uuid4()}-0"
        size = self._write(name, "manifest", map(_with_millis, entries))
        files = [entry["_FILE"] for entry in entries]
        totals = {entry["_TOTAL_BUCKETS"] for entry in entries}
        return {
            "_VERSION": 2,
            "_FILE_NAME": name,
            "_FILE_SIZE": size,
            "_NUM_ADDED_FILES": sum(entry["_KIND"] == ADD for entry in entries),
            "_NUM_DELETED_FILES": sum(entry["_KIND"] == DELETE for entry in entries),
            "_PARTITION_STATS": self._statistics([entry["_PARTITION"] for entry in entries]),
            "_SCHEMA_ID": max(file["_SCHEMA_ID"] for file in files),
            **_bounds("BUCKET", [entry["_BUCKET"] for entry in entries]),
            **_bounds("LEVEL", [file["_LEVEL"] for file in files]),
            **_bounds("ROW_ID", _row_ids(files)),
            "_TOTAL_BUCKETS": totals.pop() if len(totals) == 1 and min(totals) > 0 else None,
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

    def _write(self, name: str, kind: str, records: Iterable[Record]) -> int:
        import fastavro

        data = io.BytesIO()
        fastavro.writer(data, _schemas()[kind], records, codec=self._codec)
        path = self._table.manifests.path(name)
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


def _bounds(name: str, values: Sequence[int]) -> Record:
    """Return the least and the greatest value as fields of a manifest's record."""
    return {f"_MIN_{name}": min(values, default=None), f"_MAX_{name}": max(values, default=None)}


def _row_ids(files: Iterable[Record]) -> Sequence[int]:
    """Return the first and the last row id of each file; nothing if a file has none."""
    ids: list[int] = []
    for file in files:
        if (first := file.get("_FIRST_ROW_ID")) is None:
            return ()
        ids += (first, first + file["_ROW_COUNT"] - 1)
    return ids


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


def _with_millis(entry: Record) -> Record:
    """Return an entry whose time of creation is a number, as Avro stores it."""
    created = entry["_FILE"].get("_CREATION_TIME")
    if not isinstance(created, datetime):
        return entry
    seconds = created.replace(tzinfo=UTC).timestamp()
    return {**entry, "_FILE": {**entry["_FILE"], "_CREATION_TIME": round(seconds * _MILLI)}}


def records_of(table: Table, name: str) -> Iterator[Record]:
    """Yield the records of a manifest, a list or an index manifest."""
    path = table.manifests.path(name)
    with translated_errors(path):
        for part in read_containers([(table.storage.read(path), path)]):
            for at in range(0, part.batch.num_rows, 1000):
                yield from part.batch[at : at + 1000].to_pylist()
