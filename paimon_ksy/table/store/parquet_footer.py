"""Footers of Parquet files, with decimals read as the bytes that they are stored as."""

from __future__ import annotations

from collections import deque
from collections.abc import Set
from typing import Any

from paimon_ksy.generated.views.parquet_metadata import ParquetMetadataEnd
from paimon_ksy.generated.writers.parquet_metadata import (
    PARQUET_METADATA_END_TYPE,
    PARQUET_METADATA_START_TYPE,
)
from paimon_ksy.table.store.errors import pypaimon_module


def with_raw_decimals(metadata: Any, columns: Set[str]) -> Any:
    """Return metadata of a Parquet file with decimals as the bytes that are stored.

    Arrow takes three times as long to make decimals of all values as to read their bytes. A column
    stays what it is where another one, in a nested one, has its name.

    Args:
        metadata: pyarrow's metadata of the file.
        columns: The names of columns of decimals.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    sink = pa.BufferOutputStream()
    metadata.write_metadata_file(sink)
    written = sink.getvalue().to_pybytes()
    start, stop = len(PARQUET_METADATA_START_TYPE.pack()), len(written) - _SIZE_METADATA_END
    if start + ParquetMetadataEnd(written, 0, stop).len_footer != stop:
        return metadata
    footer = written[start:stop]
    heads = _raw_head(footer, columns)
    if heads is None:
        return metadata
    head, raw = heads
    footer = raw + footer[len(head) :]
    end = PARQUET_METADATA_END_TYPE.pack(len_footer=len(footer))
    return pq.read_metadata(pa.BufferReader(written[:start] + footer + end))


_SIZE_METADATA_END = len(PARQUET_METADATA_END_TYPE.pack(len_footer=0))


def _raw_head(footer: bytes, columns: Set[str]) -> tuple[bytes, bytes] | None:
    """Return the first bytes of a footer, its version and schema, and what replaces them.

    None if they are not as libraries write them.
    """
    for asked, head, raw in tuple(_RAW_HEADS):
        if asked == columns and footer.startswith(head):
            return head, raw
    module = pypaimon_module("read.reader.parquet_page_index_reader")
    parsed = module._Compact(footer, module._MAX_FOOTER_ITEMS)

    def encoded(version: int, elements: list[Any]) -> bytes:
        fields = {1: (_I32, version), 2: (_LIST, (_STRUCT, elements))}
        without_stop: bytes = module._encode(_STRUCT, fields)[:-1]
        return without_stop

    try:
        parsed.take(1)  # the head of a field, by its number and type
        version = parsed.value(_I32)
        parsed.take(1)
        _, elements = parsed.value(_LIST)
        head = footer[: parsed.position]
        if encoded(version, elements) != head:
            return None
    except (ValueError, TypeError, AttributeError, module._PageIndexBudgetExceeded):
        return None
    names = [module._get(element, 4) for element in elements]
    known = {name for name in names if names.count(name) == 1 and name.decode() in columns}
    changed = [
        {field: value for field, value in element.items() if field not in _DECIMAL_FIELDS}
        if name in known
        else element
        for name, element in zip(names, elements, strict=True)
    ]
    raw = encoded(version, changed)
    _RAW_HEADS.append((frozenset(columns), head, raw))
    return head, raw


_RAW_HEADS: deque[tuple[frozenset[str], bytes, bytes]] = deque(maxlen=8)
"""The last ones: most files of a table begin their footers with the same bytes."""

_I32, _LIST, _STRUCT = 5, 9, 12
"""Types in Thrift's compact protocol."""

_DECIMAL_FIELDS = (6, 7, 8, 10)
"""In parquet.thrift: what makes a `SchemaElement` more than the bytes of its physical type."""
