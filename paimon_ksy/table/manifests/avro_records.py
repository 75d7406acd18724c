"""The records of an Avro file as Arrow batches, within bounds.

Polars decodes Avro into columns, but supports only two of the codecs that Java writes, and not its
default, zstandard. So Polars gets blocks that are already decompressed (`avro_blocks`), as the only
block of a file. Its import would add 80 ms to the 330 of `paimon-ksy table count`, so fastavro
decodes few records.

The schema may come from an attacker, too. Each type that it may have takes at least a byte in the
file, so the bytes of a part bound its values, and its values the memory that they take.
"""

from __future__ import annotations

import io
import json
import re
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from paimon_ksy.errors import UnsupportedError
from paimon_ksy.table.manifests.avro_blocks import Blocks, whole_file
from paimon_ksy.types.arrays import to_arrow_array

Names = Collection[str] | None

MOST_MEMORY = 512 << 20
"""The most bytes that the values of a part may take in memory: 32 for each byte of the largest part
(`MOST_AT_ONCE`), which texts of no bytes would take."""

_MOST_NESTED = 16  # Paimon's own types are nested 4 deep

_FEW = 1000
"""The most records that fastavro decodes, in 30 ms."""

_UNITS = {"timestamp-millis": "ms", "timestamp-micros": "us"}
"""The units of the logical types whose numbers fastavro returns for Arrow."""

_MARK = "\0end"
"""The text in the record that is appended to each part: no file has such a name."""


class RecordType:
    """An Avro schema whose records can be decoded."""

    def __init__(self, schema: bytes) -> None:
        """Create the record that marks the end of a part.

        Raises:
            UnsupportedError: Values have types that Paimon does not write.
        """
        import fastavro

        self._record = json.loads(schema)
        self._shape = _shape(self._record)
        blank = self._shape.blank
        if not isinstance(blank, dict):
            raise UnsupportedError("its values are not records")
        self._is_union = isinstance(self._record, list)
        if self._is_union:  # of null and a record, as Rust writes it: the same bytes as this record
            field = {"name": "record", "type": self._record}
            self._record = {"type": "record", "name": "of_record", "fields": [field]}
            blank = {"record": blank}
        self._schema = json.dumps(self._record).encode()
        logical = set(re.findall(r'"logicalType": "([^"]*)"', json.dumps(self._record)))
        self._is_plain = logical <= _UNITS.keys()
        self._few: tuple[Any, pa.DataType, pa.DataType] | None = None
        mark = io.BytesIO()
        fastavro.schemaless_writer(mark, self._record, blank)
        self._mark = mark.getvalue()

    def check(self, part: Blocks) -> None:
        """Raise ValueError if the values of a part could take too much memory."""
        size = sum(map(len, part.pieces))
        if part.num_records * self._shape.size + size * self._shape.of_items > MOST_MEMORY:
            raise ValueError(
                f"{size >> 20} MB of values could take more than {MOST_MEMORY >> 20} MB of memory"
            )

    def decoded(self, parts: Sequence[Blocks], names: Names) -> pa.RecordBatch:
        """Return the records of parts.

        Raises:
            Exception, PanicException: The records are broken.
        """
        count = sum(part.num_records for part in parts)
        if self._is_plain and count <= _FEW and not _polars_is_loaded():
            return self._decoded_singly(parts)
        # The first record is a mark, and so is the last one of each part, but only if its blocks
        # contain exactly as many records as their heads list, and not a byte more.
        pieces = [piece for part in parts for piece in (*part.pieces, self._mark)]
        ends = np.cumsum([part.num_records + 1 for part in parts])
        count = int(ends[-1]) + 1
        decoded = self._decoded(Blocks(count, [self._mark, *pieces]), names)
        # After a text that is that of the mark, so are the bytes.
        texts = [pa.types.is_large_string(kind) for kind in decoded.schema.types]
        before = texts.index(True) + 1 if True in texts else len(texts)
        marks = decoded.select(range(before)).take(np.append(0, ends))
        if decoded.num_rows != count or not marks.slice(1).equals(marks.slice(0, len(ends))):
            raise ValueError("its blocks do not have as many records as they count")
        if len(parts) == 1:
            return decoded.slice(1, count - 2)
        is_record = np.ones(count, np.bool_)
        is_record[[0, *ends]] = False
        return decoded.filter(is_record)

    def _decoded_singly(self, parts: Sequence[Blocks]) -> pa.RecordBatch:
        from fastavro import parse_schema, schemaless_reader

        if self._few is None:
            plain = json.loads(self._schema, object_hook=_without_logical_type)
            types = _arrow_type(plain), _arrow_type(self._record)
            self._few = parse_schema(plain), *types
        parsed, stored_type, arrow_type = self._few
        records: list[Any] = []
        for part in parts:
            data = io.BytesIO(b"".join(part.pieces))
            records += [schemaless_reader(data, parsed, None) for _ in range(part.num_records)]
            if data.read(1):
                raise ValueError("its blocks have more bytes than their records")
        rows = to_arrow_array(records, stored_type).cast(arrow_type)
        if self._is_union:
            [rows] = rows.flatten()
            if rows.null_count:
                raise ValueError("a record is null")
        return pa.RecordBatch.from_struct_array(rows)

    def _decoded(self, part: Blocks, names: Names) -> pa.RecordBatch:
        if self._is_union:
            [records] = _by_polars(whole_file(self._schema, part), None).columns
            if records.null_count:
                raise ValueError("a record is null")
            return pa.RecordBatch.from_struct_array(records)
        if names is None:
            return _by_polars(whole_file(self._schema, part), None)
        # Nested records add no bytes, but Polars cannot skip their fields, so they are inlined.
        fields = list(_inlined(self._record))
        columns = [field["name"] for field in fields if field["name"] in names]
        flat = json.dumps({**self._record, "fields": fields}).encode()
        return _by_polars(whole_file(flat, part), columns)


def _polars_is_loaded() -> bool:
    return "polars" in sys.modules


def _without_logical_type(node: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in node.items() if name != "logicalType"}


def _arrow_type(schema: Any) -> pa.DataType:
    """Return the Arrow type in which Polars returns an Avro type."""
    if isinstance(schema, list):
        return _arrow_type(next(part for part in schema if part != "null"))
    if not isinstance(schema, dict):
        names = {"int": "int32", "long": "int64", "boolean": "bool_", "float": "float32"}
        names |= {"double": "float64", "string": "large_string", "bytes": "large_binary"}
        return getattr(pa, names[schema])()
    if schema["type"] == "record":
        fields = schema["fields"]
        return pa.struct([(field["name"], _arrow_type(field["type"])) for field in fields])
    if schema["type"] == "array":
        return pa.large_list(_arrow_type(schema["items"]))
    unit = _UNITS.get(schema.get("logicalType", ""))
    return pa.timestamp(unit) if unit else _arrow_type(schema["type"])


record_type = lru_cache(maxsize=8)(RecordType)


def _by_polars(file: bytes, columns: list[str] | None) -> pa.RecordBatch:
    import polars

    frame = polars.read_avro(io.BytesIO(file), columns=columns or None)
    return pa.RecordBatch.from_struct_array(frame.to_struct().to_arrow())


def _inlined(record: Mapping[str, Any], prefix: str = "") -> Iterator[Mapping[str, Any]]:
    """Yield the fields of a record, with the fields of nested records in their places."""
    for field in record["fields"]:
        kind, name = field["type"], prefix + field["name"]
        if isinstance(kind, dict) and kind["type"] == "record":
            yield from _inlined(kind, f"{name}.")
        else:
            yield {"name": name, "type": kind}


# Bounds -----------------------------------------------------------------------------------------


class _Shape(NamedTuple):
    """What values of a type are like.

    Attributes:
        blank: A value of zeros and the text of `_MARK`.
        size: The most bytes of a value in memory, without the items of its arrays.
        least: The least bytes of a value in the file.
        of_items: The most bytes in memory for each byte of items in the file.
    """

    blank: Any
    size: int
    least: int = 1
    of_items: float = 0


_SHAPES: Mapping[str, _Shape] = {
    "boolean": _Shape(False, 8),
    "int": _Shape(0, 8),
    "long": _Shape(0, 16),
    "float": _Shape(0.0, 8, 4),
    "double": _Shape(0.0, 16, 8),
    "string": _Shape(_MARK, 32),
    "bytes": _Shape(b"", 32),
}


def _shape(schema: Any, depth: int = 0) -> _Shape:
    """Return the shape of an Avro type.

    Raises:
        UnsupportedError: Paimon does not write such values. Some need no bytes, so there could be
            any number of them; and some Polars cannot decode.
    """
    kind = schema["type"] if isinstance(schema, dict) else schema
    if depth > _MOST_NESTED:
        raise UnsupportedError(f"it has types nested more than {_MOST_NESTED} deep")
    if isinstance(kind, dict):
        return _shape(kind, depth + 1)
    if isinstance(kind, list):
        others = [part for part in kind if part != "null"]
        if len(kind) == 2 and len(others) == 1:
            # In Arrow, a null takes as much as a value: each field of a record is null.
            return _shape(others[0], depth + 1)._replace(least=1)
        raise UnsupportedError("it has a union other than of null and one type")
    if kind == "record" and schema["fields"]:
        names = [field["name"] for field in schema["fields"]]
        return _record(names, [_shape(field["type"], depth + 1) for field in schema["fields"]])
    if kind == "array":
        items = _shape(schema["items"], depth + 1)
        return _Shape([], 16, 1, items.size / items.least + items.of_items)
    if kind in _SHAPES:
        return _SHAPES[kind]
    name = "record without fields" if kind == "record" else f"{kind!s:.50}"
    raise UnsupportedError(f"it has values of type {name}, which Paimon does not write")


def _record(names: Sequence[str], fields: Sequence[_Shape]) -> _Shape:
    return _Shape(
        dict(zip(names, (field.blank for field in fields), strict=True)),
        sum(field.size for field in fields),
        sum(field.least for field in fields),
        max(field.of_items for field in fields),
    )
