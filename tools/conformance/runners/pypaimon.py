"""The runner for pypaimon: deletion vectors, bucket indexes, key hashes, Roaring bitmaps, tables.

pypaimon reads tables without their file indexes, and has no class for a file of vectors or hash
codes alone. So this calls the functions, some of them private, that its tables use.
"""

from __future__ import annotations

import logging
import struct
import tempfile
from collections.abc import Iterator
from functools import cmp_to_key
from importlib.metadata import version
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
from pypaimon import CatalogFactory
from pypaimon.common.file_io import FileIO
from pypaimon.common.options import Options
from pypaimon.deletionvectors.bitmap_deletion_vector import BitmapDeletionVector
from pypaimon.deletionvectors.deletion_vector import DeletionVector
from pypaimon.globalindex.bitmap.bitmap_index_reader import BitmapIndexReader
from pypaimon.globalindex.bitmap.bitmap_index_writer import BitmapIndexWriter
from pypaimon.globalindex.btree.btree_index_reader import BTreeIndexReader, _deserialize_row_ids
from pypaimon.globalindex.btree.btree_index_writer import BTreeIndexWriter
from pypaimon.globalindex.global_index_meta import GlobalIndexIOMeta
from pypaimon.globalindex.key_serializer import KeySerializer, create_serializer
from pypaimon.globalindex.sorted_index_file_meta import SortedIndexFileMeta
from pypaimon.index.dynamic_bucket import _iter_hashes, to_signed_int32
from pypaimon.index.pk.primary_key_index_source_meta import PrimaryKeyIndexSourceMeta
from pypaimon.manifest.manifest_sidecar import select
from pypaimon.read.reader.format_blob_reader import FormatBlobReader
from pypaimon.read.reader.format_row_reader import FormatRowReader
from pypaimon.schema.data_types import AtomicType, DataField
from pypaimon.table.source.deletion_file import DeletionFile
from pypaimon.utils.roaring_bitmap import RoaringBitmap, RoaringBitmap64
from pypaimon.write.row_key_extractor import RowKeyExtractor

from conformance.run import integers
from paimon_ksy.types.arrow import to_arrow
from paimon_ksy.types.parse import parse_type
from tools.conformance.runners.protocol import (
    Answer,
    NotSupportedError,
    Request,
    in_base64,
    python_value,
    rows_as_json,
    serve,
)

_FILES = FileIO.get("file:///", Options({}))
_OF_64_BITS = struct.pack("<I", 1681511377)


def _read_vector(request: Request) -> Answer:
    data = Path(request["file"]).read_bytes()
    kind = request["offset"] + 4
    if data[kind : kind + 4] == _OF_64_BITS:
        raise NotSupportedError("deletion vectors of 64 bits")
    places = request["offset"], request["length"], request["cardinality"]
    vector = DeletionVector.read(_FILES, DeletionFile(request["file"], *places))
    return {"rows": list(vector.bit_map())}


def _write_vectors(request: Request) -> Answer:
    """The bytes of each vector are pypaimon's; it writes files of them only within a table."""
    data, places = b"\x01", []
    for wanted in request["vectors"]:
        if wanted["bits"] == 64:
            raise NotSupportedError("deletion vectors of 64 bits")
        vector = BitmapDeletionVector()
        for row in integers(wanted["rows"]):
            vector.delete(row)
        stored = vector.serialize()
        [length] = struct.unpack_from(">i", stored)
        place = {"name": wanted["name"], "offset": len(data), "length": length}
        places.append({**place, "cardinality": vector.get_cardinality()})
        data += stored
    return {"bytes": in_base64(data), "vectors": places}


def _read_roaring(request: Request) -> Answer:
    kind: Any = RoaringBitmap64 if request["bits"] == 64 else RoaringBitmap
    return {"values": list(kind.deserialize(Path(request["file"]).read_bytes()))}


def _write_roaring(request: Request) -> Answer:
    bitmap: Any = RoaringBitmap64() if request["bits"] == 64 else RoaringBitmap()
    for value in integers(request["values"]):
        bitmap.add(value)
    return {"bytes": in_base64(bitmap.serialize())}


def _read_bucket_index(request: Request) -> Answer:
    def bucket_index_path(*_: object) -> str:
        return str(request["file"])

    paths = SimpleNamespace(bucket_index_path=bucket_index_path)
    table = SimpleNamespace(path_factory=lambda: paths, file_io=_FILES)
    entry = SimpleNamespace(index_file=None, partition=SimpleNamespace(values=()), bucket=0)
    return {"hashes": list(_iter_hashes(table, entry))}


def _hash_keys(request: Request) -> Answer:
    columns = request["columns"]
    fields = [DataField(at, c["name"], AtomicType(c["type"])) for at, c in enumerate(columns)]
    hashes = []
    for row in request["rows"]:
        pairs = zip(columns, row, strict=True)
        values = tuple(python_value(column["type"], value) for column, value in pairs)
        hashes.append(to_signed_int32(RowKeyExtractor._binary_row_hash_code(values, fields)))
    return {"hashes": hashes}


def _query_table(request: Request) -> Answer:
    path = Path(request["path"])
    catalog = CatalogFactory.create({"warehouse": str(path.parents[1])})
    table = catalog.get_table(f"{path.parent.stem}.{path.name}")
    if "order" in request:
        raise NotSupportedError("ORDER BY")
    builder = table.new_read_builder()
    if "limit" in request:
        builder = builder.with_limit(request["limit"])
    if request["predicate"] is not None:
        types = {column["name"]: column["type"] for column in request["columns"]}
        made = _predicate(builder.new_predicate_builder(), types, request["predicate"])
        builder = builder.with_filter(made)
    rows = builder.new_read().to_arrow(builder.new_scan().plan().splits())
    return {"rows": rows_as_json(rows, request["columns"])}


# Global indexes ---------------------------------------------------------------------------------


def _serializer(request: Request) -> KeySerializer:
    """What writes and compares keys; NotSupportedError for an index that pypaimon does not have."""
    columns = request["columns"]
    if request["metadata"] is None:
        raise NotSupportedError("bitmap indexes of Paimon 1.4")
    if request["index_type"] == "multivalue" or len(columns) > 1:
        raise NotSupportedError("multivalue indexes, and indexes of several columns")
    return create_serializer(AtomicType(columns[0]["type"]))


def _opened(request: Request) -> Any:
    serializer = _serializer(request)
    kind = {"btree": BTreeIndexReader, "bitmap": BitmapIndexReader}[request["index_type"]]
    path, metadata = Path(request["file"]), bytes.fromhex(request["metadata"])
    meta = GlobalIndexIOMeta(path.name, path.stat().st_size, metadata)
    return kind(serializer, _FILES, str(path.parent), meta)


def _read_global_index(request: Request) -> Answer:
    serializer, reader = _serializer(request), _opened(request)
    stored = dict((_pairs_of_bitmap if request["index_type"] == "bitmap" else _pairs)(reader))
    [column] = request["columns"]
    keys = [serializer.deserialize(key) for key in stored]
    arrow_type = to_arrow(parse_type(column["type"]))
    listed = rows_as_json(pa.table({column["name"]: pa.array(keys, arrow_type)}), [column])
    pairs = [list(pair) for pair in zip(listed, stored.values(), strict=True)]
    nulls = list(reader.visit_is_null().results())
    return {"keys": pairs + ([[[None], nulls]] if nulls else [])}


def _pairs(reader: BTreeIndexReader) -> Iterator[tuple[bytes, list[int]]]:
    blocks = reader.reader.create_iterator()
    if reader.min_key is None:
        return
    blocks.seek_to(reader.key_serializer.serialize(reader.min_key))
    while (block := blocks.read_batch()) is not None:
        while block.has_next():
            entry = next(block)
            yield entry.key, _deserialize_row_ids(entry.value)


def _pairs_of_bitmap(reader: BitmapIndexReader) -> Iterator[tuple[bytes, list[int]]]:
    for block in reader._get_dictionary_blocks():
        for entry in reader._get_dictionary_block(block):
            yield entry.key, list(reader._read_bitmap(entry.bitmap_block))


def _evaluate_global_index(request: Request) -> Answer:
    node, column = request["predicate"], request["columns"][0]
    method = getattr(_opened(request), f"visit_{_VISITS[node['op']]}")
    result = method(*_arguments(node, column["type"]))
    return {"rows": "all" if result is None else list(result.results())}


def _build_global_index(request: Request) -> Answer:
    serializer, options = _serializer(request), request["options"]
    by_key: Any = cmp_to_key(serializer.create_comparator())
    if any("compression" in option or "file-version" in option for option in options):
        raise NotSupportedError("compressed blocks and version 2 of BTree indexes")
    [column] = request["columns"]
    values = [
        None if row[0] is None else python_value(column["type"], row[0]) for row in request["rows"]
    ]
    order = [row for row, value in enumerate(values) if value is None]
    others = [row for row, value in enumerate(values) if value is not None]
    order += sorted(others, key=lambda row: by_key(values[row]))

    def size(option: str, default: int) -> int:
        return int(options.get(option, f"{default} b").removesuffix(" b"))

    with tempfile.TemporaryDirectory() as folder:
        if request["index_type"] == "bitmap":
            block_size = size("bitmap-index.dictionary-block-size", 16384)
            writer = BitmapIndexWriter(_FILES, folder, serializer, block_size)
        else:
            block_size = size("btree-index.block-size", 65536)
            has_filter = "btree-index.bloom-filter.enabled" in options
            writer = BTreeIndexWriter(_FILES, folder, serializer, block_size, has_filter)
        for row in order:
            writer.write(values[row], row)
        writer.finish()
        [path] = Path(folder).iterdir()
        return {"bytes": in_base64(path.read_bytes())}


_VISITS = {
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less_than",
    "le": "less_or_equal",
    "gt": "greater_than",
    "ge": "greater_or_equal",
    "in": "in",
    "notin": "not_in",
    "between": "between",
    "startswith": "starts_with",
    "isnull": "is_null",
    "isnotnull": "is_not_null",
}


# Other files ------------------------------------------------------------------------------------


def _read_file(request: Request) -> Answer:
    if request["format"] not in _CONTENTS:
        raise NotSupportedError(f"files of the format {request['format']}")
    return {"content": _CONTENTS[request["format"]](request)}


def _blob(request: Request) -> Answer:
    field = DataField(0, "x", AtomicType("BLOB"))
    reader = FormatBlobReader(_FILES, request["file"], ["x"], [field], None, False)
    batches = iter(reader.read_arrow_batch, None)
    values = [value for batch in batches for value in batch.column(0).to_pylist()]
    places = zip(reader.blob_lengths, reader.blob_offsets, values, strict=True)
    return {
        "rows": len(values),
        "values": [
            {"row": row}
            if length < 0
            else {"row": row, "byte": offset, "bytes": len(value), "starts": value[:16].hex()}
            for row, (length, offset, value) in enumerate(places)
        ],
    }


def _row(request: Request) -> Answer:
    columns = request["columns"]
    fields = [DataField(at, c["name"], AtomicType(c["type"])) for at, c in enumerate(columns)]
    names = [column["name"] for column in columns]
    reader = FormatRowReader(_FILES, request["file"], names, fields, None)
    blocks = []
    for at, batch in enumerate(iter(reader.read_arrow_batch, None)):
        block = {"first_row": reader._block_row_starts[at], "rows": batch.num_rows}
        block |= {"byte": reader._block_offsets[at], "bytes": reader._block_compressed_sizes[at]}
        blocks.append({**block, "decoded_bytes": reader._block_uncompressed_sizes[at]})
    return {"rows": reader._total_row_count, "num_blocks": reader._block_count, "blocks": blocks}


def _sidecar(request: Request) -> Answer:
    """Its function for one block answers only whether that can match."""
    data, size = Path(request["file"]).read_bytes(), request["manifest_bytes"]
    entries = {"num_added_files": request["manifest_entries"], "num_deleted_files": 0}
    manifest = SimpleNamespace(file_size=size, **entries)
    select(data, manifest, None, bucket_filter=lambda *_: False)
    selected = select(data, manifest, None)
    return {
        "header_bytes": len(selected.header),
        "num_entries": sum(block.record_count for block in selected.blocks),
        "blocks": [
            {"byte": block.offset, "bytes": block.length, "entries": block.record_count}
            for block in selected.blocks
        ],
    }


def _source_metadata(request: Request) -> Answer:
    data = Path(request["file"]).read_bytes()
    if data[:4] == b"DEIX":
        raise NotSupportedError("the snapshot of a global index")
    meta = PrimaryKeyIndexSourceMeta.deserialize(data)
    files = [{"file": one.file_name, "rows": one.row_count} for one in meta.source_files]
    return {"level": meta.data_level, "files": files}


def _index_metadata(request: Request) -> Answer:
    meta = SortedIndexFileMeta.deserialize(Path(request["file"]).read_bytes())
    first, last = (key if key is None else key.hex() for key in (meta.first_key, meta.last_key))
    return {"first_key": first, "last_key": last, "has_nulls": meta.has_nulls}


_CONTENTS = {
    "blob": _blob,
    "row": _row,
    "sidecar": _sidecar,
    "source-metadata": _source_metadata,
    "index-metadata": _index_metadata,
}


# Tables -----------------------------------------------------------------------------------------


def _predicate(builder: Any, types: dict[str, str], node: dict[str, Any]) -> Any:
    op = node["op"]
    if op in ("and", "or"):
        parts = [_predicate(builder, types, child) for child in node["args"]]
        return builder.and_predicates(parts) if op == "and" else builder.or_predicates(parts)
    column = node["col"]
    if column not in types:
        raise NotSupportedError("predicates on keys of a MAP")
    name = {"in": "is_in", "notin": "is_not_in", "startswith": op}.get(op, _VISITS[op])
    return getattr(builder, name)(column, *_arguments(node, types[column]))


def _arguments(node: dict[str, Any], kind: str) -> list[Any]:
    """The arguments of a method for a leaf: its values, which are one list for IN."""
    given = node["values"] if "values" in node else [node["value"]] if "value" in node else []
    values = [python_value(kind, value) for value in given]
    return [values] if node["op"] in ("in", "notin") else values


if __name__ == "__main__":
    logging.disable(logging.WARNING)
    serve(
        "pypaimon",
        version("pypaimon"),
        {
            "read_vector": _read_vector,
            "write_vectors": _write_vectors,
            "read_roaring": _read_roaring,
            "write_roaring": _write_roaring,
            "read_bucket_index": _read_bucket_index,
            "hash_keys": _hash_keys,
            "query_table": _query_table,
            "read_global_index": _read_global_index,
            "evaluate_global_index": _evaluate_global_index,
            "build_global_index": _build_global_index,
            "read_file": _read_file,
        },
    )
