"""Index manifests: which index files a snapshot has, of whatever version of Paimon."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from paimon_ksy.errors import CorruptFileError
from paimon_ksy.table.io.paths import file_name
from paimon_ksy.table.manifests.containers import read_containers
from paimon_ksy.table.manifests.entries import ADD
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.files import GlobalIndex, IndexFile, VectorRange
from paimon_ksy.types.schema import Schema

_VERSION = 1
"""The only version of entries, in all versions of Paimon since 0.5."""

_NAMES = (
    *("_VERSION", "_KIND", "_PARTITION", "_BUCKET", "_INDEX_TYPE", "_FILE_NAME"),
    *("_FILE_SIZE", "_ROW_COUNT"),
)
"""The fields of all versions. Vectors came with 0.8, external paths with 1.3, and global indexes
with 1.4."""


def read_index_files(data: bytes, path: str, partition_schema: Schema) -> Iterator[IndexFile]:
    """Yield the index files that an index manifest adds, in the file's order.

    Args:
        data: The file.
        path: Its path, for errors.
        partition_schema: The partition columns.

    Raises:
        CorruptFileError: It is broken, lacks a field, or names a file that is elsewhere.
    """
    partitions = Partitions(partition_schema)
    for records in read_containers([(data, path)]):
        for record in records.batch.to_pylist():
            try:
                _check(record)
                if record["_KIND"] != ADD:  # which no version writes
                    continue
                number = partitions.number(record["_PARTITION"])
                index_file = _index_file(record, partitions.values[number], partitions.rows[number])
            except (KeyError, TypeError) as error:
                raise CorruptFileError(f"an index file has no {error}", path=path) from error
            except CorruptFileError as error:
                error.path = path
                raise
            file_name(index_file.file_name, "index file", path)
            yield index_file


def _check(record: dict[str, Any]) -> None:
    """Check that a record has what all versions have.

    Raises:
        KeyError: It lacks a field.
        CorruptFileError: It is of another version.
    """
    for name in _NAMES:
        if record[name] is None:
            raise KeyError(name)
    if record["_VERSION"] != _VERSION:
        raise CorruptFileError(
            f"its entries have version {record['_VERSION']}, but Paimon reads only version "
            f"{_VERSION}"
        )


def _index_file(record: dict[str, Any], partition: tuple[Any, ...], row: bytes) -> IndexFile:
    ranges = record.get("_DELETIONS_VECTORS_RANGES") or ()
    return IndexFile(
        partition=partition,
        partition_row=row,
        bucket=record["_BUCKET"],
        index_type=record["_INDEX_TYPE"],
        file_name=record["_FILE_NAME"],
        file_size=record["_FILE_SIZE"],
        row_count=record["_ROW_COUNT"],
        vectors={
            each["f0"]: VectorRange(each["f1"], each["f2"], each.get("_CARDINALITY"))  # since 1.0
            for each in ranges
        },
        external_path=record.get("_EXTERNAL_PATH"),
        global_index=_global_index(record.get("_GLOBAL_INDEX")),
    )


def _global_index(record: dict[str, Any] | None) -> GlobalIndex | None:
    if record is None:
        return None
    extra = record.get("_EXTRA_FIELD_IDS")
    return GlobalIndex(
        row_range_start=record["_ROW_RANGE_START"],
        row_range_end=record["_ROW_RANGE_END"],
        index_field_id=record["_INDEX_FIELD_ID"],
        extra_field_ids=None if extra is None else tuple(extra),
        index_meta=record.get("_INDEX_META"),
        source_meta=record.get("_SOURCE_META"),
    )
