"""A worked example of each spec: bytes that this library writes, field by field."""

from __future__ import annotations

import io
import json
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet as pq
from ksykit.runtime.objects import layout

import paimon_ksy as pk
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.structs import type_named
from paimon_ksy.global_index.blocks import to_block
from paimon_ksy.inspection.json import file_parts
from paimon_ksy.io.source import open_source
from paimon_ksy.rows.binary_row import write_row
from tools.docs.text import aligned
from tools.languages.cases import metadata, snappy_block

ROOT = Path(__file__).parents[2]
WORKED = ROOT / "examples" / "worked" / "orders.parquet"
MOST_ROWS = 48
MOST_BYTES = 16
MOST_LETTERS = 32
"""Bytes and letters of one field that are shown."""


@dataclass(frozen=True)
class Example:
    """Bytes, and the type that reads them with these arguments, each by its name."""

    caption: str
    type_name: str
    data: bytes
    arguments: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def _rows(self) -> list[tuple[str, ...]]:
        kind = type_named(self.type_name)
        params = {name: self.arguments[name] for name in kind.params}
        return [
            (str(leaf.start), _hex(self.data[leaf.start : leaf.end]), _shown(leaf.value), leaf.path)
            for leaf in layout(kind.read(self.data, 0, params))
        ]

    @property
    def lines(self) -> list[str]:
        """The first fields as columns, in the order of their bytes."""
        return aligned([("byte", "hexadecimal", "value", "field"), *self._rows[:MOST_ROWS]])

    @property
    def left_out(self) -> int:
        """How many fields follow."""
        return max(0, len(self._rows) - MOST_ROWS)


def _hex(data: bytes) -> str:
    return data[:MOST_BYTES].hex(" ") + (" .." if len(data) > MOST_BYTES else "")


def _shown(value: Any) -> str:
    if isinstance(value, bytes):
        try:
            decoded = value.decode()
        except UnicodeDecodeError:
            return ""
        return (
            json.dumps(decoded, ensure_ascii=False)[:MOST_LETTERS]
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

_KIT = {
    "blob_file": "other_files/blob_values",
    "blob_references": "other_files/blob_references",
    "btree_index": "global_index/btree_string",
    "bucket_index": "bucket_index/limits",
    "deletion_vectors": "deletion_vectors/mixed",
    "global_bitmap_index": "global_index/bitmap_empty_text",
    "global_index_source": "other_files/source_files",
    "manifest_sidecar": "other_files/sidecar_row_ids",
    "old_global_bitmap_index": "global_index/bitmap_1_4_one_row",
    "roaring_bitmap_32": "roaring/four_runs_32",
    "roaring_bitmap_64": "roaring/keys_64",
    "row_file": "other_files/row_blocks",
    "sorted_index_meta": "other_files/metadata_keys",
}
"""Specs whose example is a file of the conformance kit, which tests compare with the library."""


def _of_kit(spec: str) -> Example:
    folder = ROOT / "conformance" / _KIT[spec]
    [file] = folder.glob("file.*")
    about = json.loads((folder / "case.json").read_text(encoding="utf-8"))["about"]
    return Example(about, spec, file.read_bytes())


def _of_bytes(spec: str) -> Example:
    caption, data, arguments = _BYTES[spec]
    return Example(caption, spec, data, arguments)


_BYTES: dict[str, tuple[str, bytes, dict[str, int]]] = {
    "compressed_block": ("Three bytes without compression.", to_block(b"abc"), {"len_payload": 3}),
    "file_index": (
        "The index of `examples/worked/orders.parquet`, which has ten rows. The bodies of its two "
        "indexes are on the page of [bitmap indexes](bitmap_index.md).",
        Path(f"{WORKED}.index").read_bytes(),
        {},
    ),
    "file_kind": ("The start and the end of a BTree index.", b"\4n003\1\0\0\0ITBP", {}),
    "full_text_index": (
        "A header that lists no file.",
        b'PFTIDX01\0\0\0\1\0\0\0/{"metadata":{"document_count":0,..},"files":[]}',
        {},
    ),
    "java_utf8": ("The name of a column.", b"\0\6status", {}),
    "mosaic_file": (
        "The footer of a file with one row group.",
        struct.pack(">QQIIBB2x4s", 2822, 2763, 5, 1, 1, 1, b"MOSA"),
        {},
    ),
    "snappy_block": ("Nine bytes of records.", snappy_block(b"abcabcabc"), {}),
    "sorted_key": ("A TIMESTAMP(6).", b"\x87\xd6\x12\0\0\0\0\0\xd8\x36", {"key_type": 11}),
    "typed_value": ("A text.", b"\0\0\0\7PENDING", {"column_type": 8}),
    "varint": ("The number 300.", b"\xac\x02", {}),
    "vector_index": (
        "An index of 200 vectors with 16 components, in 256 lists.",
        struct.pack("<4s4IQI32x", b"LFVI", 1, 16, 256, 1, 200, 1),
        {},
    ),
}
EXAMPLES: dict[str, Callable[[], Example]] = {
    **{spec: partial(_of_kit, spec) for spec in _KIT},
    **{spec: partial(_of_bytes, spec) for spec in _BYTES},
    **{spec: partial(_metadata, spec) for spec in _METADATA},
    **dict.fromkeys(("bitmap_index", "bitmap_index_v2"), _bitmap_v2),
    **dict.fromkeys(("bit_slice_index", "chunked_dictionary", "range_bitmap_index"), _range_bitmap),
    "binary_row": lambda: Example(
        "The row ('a', NULL, 'longer than seven bytes').",
        "serialized_row",
        write_row(
            ("a", None, "longer than seven bytes"),
            [pk.parse_type(kind) for kind in ("STRING", "INT", "STRING")],
        ),
    ),
    "bitmap_index_v1": partial(
        _index, "region", "bitmap", "The same column in version 1.", version="1"
    ),
    "bloom_filter_index": partial(
        _index, "user_id", "bloom-filter", "A filter of ten user numbers.", items="10"
    ),
    "bsi_index": partial(_index, "user_id", "bsi", "The numbers of the users in ten rows."),
    "compact_thrift": partial(_metadata, "parquet_metadata"),
    "fm_index": lambda: Example(
        "The footer of a file of eight rows.",
        "fm_footer",
        (ROOT / "conformance/other_files/fm_two_partitions/file.fm").read_bytes()[-64:],
    ),
}
"""By spec. `position` has no bytes; some specs are shown inside of another one."""
