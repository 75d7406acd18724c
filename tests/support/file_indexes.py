"""File indexes to read, damage and take apart without our readers."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from ksykit.runtime.objects import to_bytes

from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.options import FileIndexOptions, IndexSpec, parse_options
from paimon_ksy.generated.structs.file_index import (
    make_file_index,
    make_file_index_column,
    make_file_index_entry,
    make_file_index_head,
)
from paimon_ksy.generated.structs.java_utf8 import make_java_utf8
from paimon_ksy.java import modified_utf8 as java_utf8
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.schema import Schema
from tests.golden import GoldenIndex
from tests.reference.file_index import FileIndex
from tests.reference.file_index import FileIndex as Container
from tests.reference.roaring_bitmap_32 import RoaringBitmap32
from tests.support.golden_json import columns_from_spec, schema_from_spec
from tests.support.strategies import Table, arrow_column


def index_of(type_text: str, column: Sequence[object], version: str) -> tuple[bytes, Schema]:
    schema = Schema.parse(f"c {type_text}")
    table = Table(schema, {"c": list(column)}, len(column))
    options = {
        "file-index.bitmap.columns": "c",
        "file-index.bitmap.c.version": version,
        "file-index.bitmap.c.index-block-size": "40b",
    }
    return build_file_index(table.to_arrow(), schema, options), schema


INTS = [1, 2, 1, None, 70_000, 5, 5, 5, 2, 1, None, *[9] * 20]
TEXTS = ["a", "bc", "a", None, "bc", "d", "e", *["e"] * 9]

FILES = {
    f"{kind} V{version}": index_of(kind, column, version)
    for version in ("1", "2")
    for kind, column in (("INT", INTS), ("STRING", TEXTS))
} | {
    "three rows": index_of("INT", [1, 2, 1], "2"),
    "one null": index_of("INT", [3, None, 3], "2"),
    "no nulls": index_of("BIGINT", [3, 4, 3, 8], "2"),
}


def values_of(bitmap: RoaringBitmap32) -> list[int]:
    rows: list[int] = []
    for descriptor, container in zip(bitmap.header.descriptors, bitmap.containers, strict=True):
        base = descriptor.key * 65536
        if container.is_run:
            for run in container.runs:
                rows += range(base + run.first, base + run.last + 1)
        elif container.cardinality > 4096:
            bits = "".join(f"{word:064b}"[::-1] for word in container.words)
            rows += [base + i for i, bit in enumerate(bits) if bit == "1"]
        else:
            rows += [base + value for value in container.values]
    return rows


def flipped(data: bytes) -> Iterator[bytes]:
    """The data with two bits flipped, one at a time, of each byte."""
    for at in range(len(data)):
        for bit in (at % 8, (3 * at + 4) % 8):
            yield data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1 :]


def with_numbers(data: bytes) -> Iterator[bytes]:
    """The data with 2^31 - 1, -1 or 0 at each place."""
    for at in range(len(data) - 3):
        for number in (b"\x7f\xff\xff\xff", b"\xff" * 4, bytes(4)):
            yield data[:at] + number + data[at + 4 :]


def file_of(body: bytes, kind: bytes = b"bitmap") -> bytes:
    """A file index of one column `c` with an index of this kind."""
    entry = make_file_index_entry(index_type=make_java_utf8(value=kind), body=body)
    column = make_file_index_column(name=make_java_utf8(value=b"c"), indexes=[entry])
    return to_bytes(make_file_index(head=make_file_index_head(columns=[column])))


Bodies = list[tuple[str, list[tuple[str, bytes | None]]]]


def bodies_of(data: bytes) -> Bodies:
    """Columns of a file index and their indexes, in the file's order; None is EMPTY."""
    head = FileIndex.from_bytes(data).head
    return [
        (
            java_utf8.decode(column.name.value),
            [
                (java_utf8.decode(entry.index_type.value), None if entry.is_empty else entry.body)
                for entry in column.indexes
            ],
        )
        for column in head.columns
    ]


def specs_of(case: GoldenIndex) -> FileIndexOptions:
    if "tableOptions" in case.spec:
        return parse_options(case.spec["tableOptions"])
    return FileIndexOptions.of(
        IndexSpec(index["type"], column["name"], None, index.get("options", {}))
        for column in case.columns
        for index in column.get("indexes", [])
    )


def table_of(case: GoldenIndex) -> pa.Table:
    schema = schema_from_spec(case.spec)
    columns = columns_from_spec(case.spec)
    arrays = [
        arrow_column(field.type, columns[field.name])
        if field.type.root != "MAP"
        else pa.array(
            [value if value is None else list(value.items()) for value in columns[field.name]],
            to_arrow(field.type),
        )
        for field in schema
    ]
    return pa.table(arrays, names=list(schema.names))


def key_of(record: object) -> Any:
    key = record.key  # type: ignore[attr-defined]
    fields = ("int32", "int64", "text")
    return next(getattr(key, name) for name in fields if hasattr(key, name))


def stream_of(data: bytes):  # type: ignore[no-untyped-def]
    """At the body of the only index."""
    container = Container.from_bytes(data)
    container._io.seek(container.head.columns[0].indexes[0].ofs_body)
    return container._io


def bloom_filter_of(table: pa.Table, schema: Schema, options: Mapping[str, str]) -> bytes:
    every = {"file-index.bloom-filter.columns": "c"} | {
        f"file-index.bloom-filter.c.{name}": value for name, value in options.items()
    }
    return build_file_index(table, schema, every)
