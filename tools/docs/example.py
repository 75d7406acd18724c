"""A worked example of each spec: bytes that this library writes, field by field."""

from __future__ import annotations

import io
import json
import struct
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
from ksykit.runtime.objects import layout, to_bytes
from pyroaring import BitMap, BitMap64

import paimon_ksy as pk
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.structs import blob_file as blob
from paimon_ksy.generated.structs import blob_references as references
from paimon_ksy.generated.structs import type_named
from paimon_ksy.generated.structs.fm_index import make_block_place, make_fm_footer
from paimon_ksy.generated.structs.full_text_index import make_full_text_index
from paimon_ksy.generated.structs.java_utf8 import make_java_utf8
from paimon_ksy.generated.structs.mosaic_file import make_mosaic_footer
from paimon_ksy.generated.structs.row_file import make_row_footer
from paimon_ksy.generated.structs.varint import make_varint
from paimon_ksy.global_index.bitmap.writer import BitmapIndexWriter
from paimon_ksy.global_index.blocks import to_block
from paimon_ksy.global_index.btree.writer import write_index
from paimon_ksy.global_index.metadata import SortedMetadata, write_metadata
from paimon_ksy.global_index.source_metadata import (
    SourceFile,
    SourceMetadata,
    write_source_metadata,
)
from paimon_ksy.inspection.entry_point import inlined_types
from paimon_ksy.inspection.json import file_parts
from paimon_ksy.io.source import open_source
from paimon_ksy.rows.binary_row import write_row
from paimon_ksy.table_files.manifest_sidecar import Block, Sidecar, write_sidecar
from tools.languages.cases import metadata, snappy_block

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
        params = {name: self.arguments[name] for name in kind.params}
        parsed = kind.read(self.data, 0, params)
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


def _index(column: str, kind: str, caption: str, **options: str) -> Example:
    """An index of a column of the worked example."""
    table = pq.read_table(WORKED)
    given = {f"file-index.{kind}.columns": column}
    given |= {f"file-index.{kind}.{column}.{key}": value for key, value in options.items()}
    schema = pk.Schema.from_arrow(table.schema)
    source = open_source(bytes(pk.build_file_index(table, schema, given)))
    _, part = file_parts(source, schema)
    data = source.read(part.start, part.size)
    arguments = INDEX_TYPES[kind].arguments(schema[column], part.size)
    assert arguments is not None
    return Example(caption, part.type.name, data, arguments)


def _typed_value() -> Example:
    arguments = INDEX_TYPES["bitmap"].arguments(pk.parse_type("STRING"), 0)
    assert arguments is not None
    return Example("A text.", "typed_value", b"\0\0\0\7PENDING", arguments)


def _roaring_32() -> Example:
    bitmap = BitMap([1, 2, 3, 4, 5, 100_000])
    bitmap.run_optimize()
    return Example("The numbers 1 to 5, and 100,000.", "roaring_bitmap_32", bitmap.serialize())


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


def _blob_file() -> Example:
    differences = (36, 37, 38)  # to lengths of 18, -1 and 18
    values = (b"ab", None, b"cd")
    rows = [
        blob.make_blob_row(
            difference=make_varint(value=difference),
            entry=None if value is None else blob.make_blob_entry(data=value),
        )
        for difference, value in zip(differences, values, strict=True)
    ]
    index = blob.make_blob_index(rows=rows)
    data = to_bytes(blob.make_blob_file(footer=blob.make_blob_footer(), index=index))
    return Example("The values 'ab', NULL and 'cd'.", "blob_file", data)


def _blob_references() -> Example:
    pairs = make_java_utf8(value=b"file:/blobs"), make_java_utf8(value=b"a.managed.blob")
    reference = references.make_blob_reference(root=pairs[0], name=pairs[1])
    content = references.make_blob_reference_list(references=[reference])
    data = to_bytes(references.make_blob_references(content=content))
    return Example("One blob file.", "blob_references", data)


def _source() -> Example:
    files = SourceFile("data-1.parquet", 100), SourceFile("data-2.parquet", 50)
    data = write_source_metadata(SourceMetadata(None, 5, files))
    return Example("Two data files at level 5.", "global_index_source", data)


def _sidecar() -> Example:
    block = Block(22, 300, 2, np.array([0]), np.array([[0, 99], [200, 299]]), np.array([[0, 1]]))
    header = b"Obj\1\0" + bytes(17)
    data = write_sidecar(Sidecar(header, [bytes(12)], [block]))
    caption = "A block with two entries of bucket 0, and of the row ids 0 to 99 and 200 to 299."
    return Example(caption, "manifest_sidecar", data)


_METADATA = {
    "parquet_metadata": "The magic number and the footer of a Parquet file with one column.",
    "protobuf": "The postscript of an ORC file.",
    "orc_metadata": "The footer of an ORC file, which is compressed.",
}


def _metadata(spec: str) -> Example:
    """What a data file with one column has at its end."""
    file, table = io.BytesIO(), pa.table({"id": [1, 2]})
    if spec == "parquet_metadata":
        pq.write_table(table, file, store_schema=False)
    else:
        pa.orc.write_table(table, file, compression="zstd")
    suffix = ".parquet" if spec == "parquet_metadata" else ".orc"
    return Example(_METADATA[spec], spec, dict(metadata(suffix, file.getvalue()))[spec])


_bitmap_v2 = partial(
    _index,
    "region",
    "bitmap",
    "The index of the column `region` of ten rows, with the values ASIA, EU and US.",
)
_range_bitmap = partial(_index, "region", "range-bitmap", "The column `region` of ten rows.")

EXAMPLES: dict[str, Callable[[], Example]] = {
    "binary_row": _binary_row,
    "bit_slice_index": _range_bitmap,
    "bitmap_index": _bitmap_v2,
    "bitmap_index_v1": partial(
        _index, "region", "bitmap", "The same column in version 1.", version="1"
    ),
    "bitmap_index_v2": _bitmap_v2,
    "blob_file": _blob_file,
    "blob_references": _blob_references,
    "bloom_filter_index": partial(
        _index, "user_id", "bloom-filter", "A filter of ten user numbers.", items="10"
    ),
    "bsi_index": partial(_index, "user_id", "bsi", "The numbers of the users in ten rows."),
    "bucket_index": _bucket_index,
    "chunked_dictionary": _range_bitmap,
    "compact_thrift": partial(_metadata, "parquet_metadata"),
    "deletion_vectors": _vectors,
    "file_index": lambda: Example(
        "The index of `examples/worked/orders.parquet`, which has ten rows. The bodies of its two "
        "indexes are on the page of [bitmap indexes](bitmap_index.md).",
        "file_index",
        Path(f"{WORKED}.index").read_bytes(),
    ),
    "file_kind": lambda: Example(
        "The start and the end of a BTree index.", "file_kind", b"\4n003\1\0\0\0ITBP"
    ),
    "global_index_source": _source,
    "manifest_sidecar": _sidecar,
    "row_file": lambda: Example(
        "The footer of a file of 1,000 rows in one block.",
        "row_footer",
        to_bytes(
            make_row_footer(
                num_rows=1000, num_blocks=1, ofs_index=8216, len_index=10, reserved=bytes(3)
            )
        ),
    ),
    "fm_index": lambda: Example(
        "The footer of a file of four rows.",
        "fm_footer",
        to_bytes(
            make_fm_footer(
                directory=make_block_place(
                    ofs_block=1736, len_block=60, len_content=60, compression=0, crc32=479255480
                ),
                first_row=0,
                num_rows=4,
                num_partitions=1,
            )
        ),
    ),
    "global_bitmap_index": lambda: Example(
        "The values `a`, null and `a`, as Java writes them.",
        "global_bitmap_index",
        BitmapIndexWriter(pk.Schema.parse("c STRING").fields[0]).write(pa.array(["a", None, "a"]))[
            0
        ],
    ),
    "old_global_bitmap_index": lambda: Example(
        "The values `a`, null and `a`, as Java 1.4 writes them.",
        "old_global_bitmap_index",
        b"".join(
            INDEX_TYPES["bitmap"]
            .new_builder(pk.parse_type("STRING"), {})
            .build(pa.array(["a", None, "a"]))
        ),
    ),
    "full_text_index": lambda: Example(
        "A header that lists no file.",
        "full_text_index",
        to_bytes(
            make_full_text_index(
                version=1, header=b'{"metadata":{"document_count":0,..},"files":[]}'
            )
        ),
    ),
    "java_utf8": lambda: Example("The name of a column.", "java_utf8", b"\0\6status"),
    "mosaic_file": lambda: Example(
        "The footer of a file with one row group.",
        "mosaic_file",
        to_bytes(
            make_mosaic_footer(
                ofs_index=2822,
                ofs_schema=2763,
                num_buckets=5,
                num_row_groups=1,
                compression=1,
                version=1,
            )
        ),
    ),
    "orc_metadata": partial(_metadata, "orc_metadata"),
    "parquet_metadata": partial(_metadata, "parquet_metadata"),
    "protobuf": partial(_metadata, "protobuf"),
    "range_bitmap_index": _range_bitmap,
    "roaring_bitmap_32": _roaring_32,
    "roaring_bitmap_64": lambda: Example(
        "The numbers 1 and 4,294,967,296.",
        "roaring_bitmap_64",
        BitMap64([1, 1 << 32]).serialize(),
    ),
    "btree_index": lambda: Example(
        "The names `a`, null, `b` and `a` of four rows.",
        "btree_index",
        write_index(
            [pa.array(["a", None, "b", "a"])], [pk.Field("name", pk.parse_type("STRING"))]
        ).data,
    ),
    "compressed_block": lambda: Example(
        "Three bytes without compression.", "compressed_block", to_block(b"abc"), {"len_payload": 3}
    ),
    "sorted_key": lambda: Example(
        "A TIMESTAMP(6).", "sorted_key", b"\x87\xd6\x12\0\0\0\0\0\xd8\x36", {"key_type": 11}
    ),
    "sorted_index_meta": lambda: Example(
        "The keys `a` to `b`, and nulls.",
        "sorted_index_meta",
        write_metadata(SortedMetadata(b"a", b"b", has_nulls=True)),
    ),
    "snappy_block": lambda: Example(
        "Nine bytes of records.", "snappy_block", snappy_block(b"abcabcabc")
    ),
    "typed_value": _typed_value,
    "vector_index": lambda: Example(
        "An index of 200 vectors with 16 components, in 256 lists.",
        "vector_index",
        struct.pack("<4s4IQI32x", b"LFVI", 1, 16, 256, 1, 200, 1),
    ),
    "varint": lambda: Example("The number 300.", "varint", bytes([0xAC, 0x02])),
}
"""By spec. `position` has no bytes; some specs are shown inside of another one."""
