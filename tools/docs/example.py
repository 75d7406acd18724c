"""A worked example of each spec: bytes that this library writes, field by field."""

from __future__ import annotations

import io
import json
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
from pyroaring import BitMap, BitMap64

import paimon_ksy as pk
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.parsers.file_index import FileIndex
from paimon_ksy.generated.writers import type_named
from paimon_ksy.inspection.entry_point import inlined_types
from paimon_ksy.inspection.parsed_file import text
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.runtime.objects import layout
from paimon_ksy.runtime.stream import KaitaiStream

ROOT = Path(__file__).parents[2]
WORKED = ROOT / "examples" / "worked" / "orders.parquet"
MOST_ROWS = 48
MOST_BYTES = 24
"""Bytes of one field that are shown."""


@dataclass(frozen=True)
class Row:
    """Bytes of one field."""

    start: int
    hex: str
    path: str
    value: str


@dataclass(frozen=True)
class Example:
    """Bytes, and the type that reads them with these arguments, each by its name."""

    caption: str
    type_name: str
    data: bytes
    arguments: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def _rows(self) -> list[Row]:
        kind = type_named(self.type_name)
        arguments = [self.arguments[name] for name in kind.params]
        parsed = kind.cls(*arguments, KaitaiStream(io.BytesIO(self.data)))
        return [
            Row(leaf.start, _hex(self.data[leaf.start : leaf.end]), leaf.path, _shown(leaf.value))
            for leaf in layout(parsed)
        ]

    @property
    def rows(self) -> list[Row]:
        """The first fields, in the order of their bytes."""
        return self._rows[:MOST_ROWS]

    @property
    def left_out(self) -> int:
        """How many fields follow."""
        return max(0, len(self._rows) - MOST_ROWS)

    @property
    def ksy(self) -> str:
        """A spec without imports and parameters that reads the bytes."""
        spec = next(name for name in inlined_types() if name == _spec_of(self.type_name))
        needs = [spec]
        for name in needs:  # which grows
            needs += [other for other in inlined_types()[name].imports if other not in needs]
        is_spec = spec == self.type_name
        # The inlined spec of a BSI shows numbers, so it needs their type.
        params = inlined_types()[spec].params if is_spec else type_named(self.type_name).params
        values = ", ".join(str(self.arguments[name]) for name in params)
        path = spec if is_spec else f"{spec}::{self.type_name}"
        head = f"meta:\n  id: {spec}_example\n  ks-version: '0.11'\n  endian: be\n"
        seq = f"seq:\n  - id: example\n    type: {path}{f'({values})' if values else ''}\n"
        types = "".join(textwrap.indent(inlined_types()[name].text, "  ") for name in sorted(needs))
        return f"{head}{seq}types:\n{types}"


def _spec_of(type_name: str) -> str:
    return type_name if type_name in inlined_types() else type_named(type_name).spec


def _hex(data: bytes) -> str:
    return data[:MOST_BYTES].hex(" ") + (" .." if len(data) > MOST_BYTES else "")


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        try:
            decoded = value.decode()
        except UnicodeDecodeError:
            return ""
        return (
            json.dumps(decoded, ensure_ascii=False)[:60]
            if decoded.isprintable() and decoded
            else ""
        )
    return "" if value is None else str(value)


# The examples -----------------------------------------------------------------------------------


def _file_index() -> Example:
    return Example(
        "The index of `examples/worked/orders.parquet`, which has ten rows. The bodies of its two "
        "indexes are on the page of [bitmap indexes](bitmap_index.md).",
        "file_index",
        Path(f"{WORKED}.index").read_bytes(),
    )


def _index(column: str, kind: str, caption: str, **options: str) -> Example:
    """An index of a column of the worked example."""
    table = pq.read_table(WORKED)
    given = {f"file-index.{kind}.columns": column}
    given |= {f"file-index.{kind}.{column}.{key}": value for key, value in options.items()}
    schema = pk.Schema.from_arrow(table.schema)
    data = bytes(pk.build_file_index(table, schema, given))
    for one in FileIndex.from_bytes(data).head.columns:
        for entry in one.indexes:
            if text(one.name.value) == column:
                body = data[entry.ofs_body : entry.ofs_body + entry.len_body]
                record = INDEX_TYPES[kind]
                arguments = record.arguments(schema[column], len(body))
                assert arguments is not None
                return Example(caption, record.spec, body, arguments)
    raise ValueError(f"no index of {column}")


def _bitmap_v2() -> Example:
    return _index(
        "region",
        "bitmap",
        "The index of the column `region` of ten rows, with the values ASIA, EU and US.",
    )


def _bitmap_v1() -> Example:
    return _index("region", "bitmap", "The same column in version 1.", version="1")


def _bloom_filter() -> Example:
    return _index("user_id", "bloom-filter", "A filter of ten user numbers.", items="10")


def _bsi() -> Example:
    return _index("user_id", "bsi", "The numbers of the users in ten rows.")


def _range_bitmap() -> Example:
    return _index("region", "range-bitmap", "The column `region` of ten rows.")


def _typed_value() -> Example:
    arguments = INDEX_TYPES["bitmap"].arguments(pk.parse_type("STRING"), 0)
    assert arguments is not None
    data = len(b"PENDING").to_bytes(4, "big") + b"PENDING"
    return Example("A text.", "typed_value", data, arguments)


def _java_utf8() -> Example:
    data = len(b"status").to_bytes(2, "big") + b"status"
    return Example("The name of a column.", "java_utf8", data)


def _varint() -> Example:
    return Example("The number 300.", "varint", bytes([0xAC, 0x02]))


def _roaring_32() -> Example:
    bitmap = BitMap([1, 2, 3, 4, 5, 100_000])
    bitmap.run_optimize()
    return Example("The numbers 1 to 5, and 100,000.", "roaring_bitmap_32", bitmap.serialize())


def _roaring_64() -> Example:
    data = BitMap64([1, 1 << 32]).serialize()
    return Example("The numbers 1 and 4,294,967,296.", "roaring_bitmap_64", data)


def _vectors() -> Example:
    vectors = [pk.DeletionVector.of([1, 7], bits=bits).to_bytes() for bits in (32, 64)]
    caption = "Two vectors that delete rows 1 and 7, one of 32 and one of 64 bits."
    return Example(caption, "deletion_vectors", b"\x01" + b"".join(vectors))


def _bucket_index() -> Example:
    hashes = pk.key_hashes(pa.table({"id": [5, 6]}), pk.Schema.parse("id INT NOT NULL"))
    data = hashes.astype(">i4").tobytes()
    return Example("The hash codes of the keys 5 and 6.", "bucket_index", data)


def _binary_row() -> Example:
    types = [pk.parse_type("STRING"), pk.parse_type("INT"), pk.parse_type("STRING")]
    data = write_row(("a", None, "longer than seven bytes"), types)
    return Example("The row ('a', NULL, 'longer than seven bytes').", "serialized_row", data)


def _parquet() -> Example:
    file = io.BytesIO()
    pq.write_table(pa.table({"id": [1, 2]}), file, store_schema=False)
    data = file.getvalue()
    footer = data[-8 - int.from_bytes(data[-8:-4], "little") :]
    caption = "The magic number and the footer of a file with one column."
    return Example(caption, "parquet_metadata", data[:4] + footer)


def _orc() -> tuple[Example, Example]:
    """The postscript and the footer of a file."""
    file = io.BytesIO()
    pa.orc.write_table(pa.table({"id": [1, 2]}), file, compression="zstd")
    data = file.getvalue()
    start = len(data) - 1 - data[-1]
    length = data[start + 1]  # the first field of the postscript, a varint of one byte
    footer = data[start - length : start]
    return (
        Example("The postscript of an ORC file.", "protobuf", data[start:-1]),
        Example("The footer of an ORC file, which is compressed.", "orc_metadata", footer),
    )


def _snappy() -> Example:
    records = b"abcabcabc"
    import zlib

    block = pa.compress(records, codec="snappy", asbytes=True)
    data = block + zlib.crc32(records).to_bytes(4, "big")
    return Example("Nine bytes of records.", "snappy_block", data)


EXAMPLES: dict[str, Callable[[], Example]] = {
    "binary_row": _binary_row,
    "bit_slice_index": _range_bitmap,
    "bitmap_index": _bitmap_v2,
    "bitmap_index_v1": _bitmap_v1,
    "bitmap_index_v2": _bitmap_v2,
    "bloom_filter_index": _bloom_filter,
    "bsi_index": _bsi,
    "bucket_index": _bucket_index,
    "chunked_dictionary": _range_bitmap,
    "compact_thrift": _parquet,
    "deletion_vectors": _vectors,
    "file_index": _file_index,
    "file_kind": lambda: Example(
        "The start and the end of a BTree index.", "file_kind", b"\4n003\1\0\0\0ITBP"
    ),
    "java_utf8": _java_utf8,
    "orc_metadata": lambda: _orc()[1],
    "parquet_metadata": _parquet,
    "protobuf": lambda: _orc()[0],
    "range_bitmap_index": _range_bitmap,
    "roaring_bitmap_32": _roaring_32,
    "roaring_bitmap_64": _roaring_64,
    "snappy_block": _snappy,
    "typed_value": _typed_value,
    "varint": _varint,
}
"""By spec. `position` has no bytes; some specs are shown inside of another one."""
