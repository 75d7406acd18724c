"""The runner for this project: `python -m tools.conformance.runners.ours`."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from pyroaring import BitMap

import paimon_ksy as pk
from conformance.run import integers
from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.global_index.metadata import read_metadata
from paimon_ksy.global_index.source_metadata import read_source_metadata
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.verify import verify_as
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.file_kind import NAMED
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.answers import to_json
from paimon_ksy.messages.findings import ERROR
from paimon_ksy.roaring.bitmap_32 import BadBitmapError, read_first
from paimon_ksy.roaring.bitmap_64 import read_bitmaps, write_bitmaps
from paimon_ksy.table.engine import local_engine
from paimon_ksy.table_index.bucket_index import BucketIndex, problems, read_bucket_index
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import read_vector, write_vectors
from tools.conformance import global_indexes
from tools.conformance.cases import Case
from tools.conformance.runners.protocol import (
    Answer,
    Request,
    in_base64,
    rows_as_json,
    serve,
)


def evaluate(request: Request) -> Answer:
    """Answer a predicate from a file index."""
    columns = request["columns"]
    with pk.FileIndex.open(request["file"], Case.of(columns).schema) as index:
        selection = index.evaluate(_predicate(columns, request), top_n=_top_n(request))
        if selection.kind == "skip":
            return {"rows": []}
        return {"rows": "all" if selection.matching is None else list(selection.matching)}


def _predicate(columns: list[dict[str, str]], request: Request) -> pk.Predicate | None:
    node = request["predicate"]
    return None if node is None else Case.of(columns).predicate(node)


def _top_n(request: Request) -> pk.TopN | None:
    order = request.get("order")
    if order is None:
        return None
    return pk.TopN(order["col"], request["limit"], order["descending"], order["nulls_first"])


def _build_file_index(request: Request) -> Answer:
    case = Case.of(request["columns"], request["rows"])
    made = pk.build_file_index(case.table(), case.schema, request["options"])
    return {"bytes": in_base64(made)}


def _read_vector(request: Request) -> Answer:
    places = request["offset"], request["length"], request["cardinality"]
    return {"rows": list(read_vector(request["file"], *places))}


def _write_vectors(request: Request) -> Answer:
    vectors = {
        vector["name"]: DeletionVector.of(list(integers(vector["rows"])), vector["bits"])
        for vector in request["vectors"]
    }
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "vectors")
        written = write_vectors(path, vectors)
        places = [
            {
                "name": meta.data_file,
                "offset": meta.offset,
                "length": meta.length,
                "cardinality": meta.cardinality,
            }
            for meta in written.vectors
        ]
        return {"bytes": in_base64(path.read_bytes()), "vectors": places}


def _read_roaring(request: Request) -> Answer:
    data = Path(request["file"]).read_bytes()
    if request["bits"] == 64:
        parts = read_bitmaps(data)
        return {"values": [(key << 32) + low for key in sorted(parts) for low in parts[key]]}
    values, end = read_first(data)
    if end != len(data):
        raise BadBitmapError(f"{len(data) - end} bytes follow the bitmap", end)
    return {"values": list(values)}


def _write_roaring(request: Request) -> Answer:
    parts: dict[int, list[int]] = {}
    for value in integers(request["values"]):
        parts.setdefault(value >> 32, []).append(value & 0xFFFF_FFFF)
    stored = {key: _stored(lows) for key, lows in parts.items()}
    made = b"".join(write_bitmaps(stored)) if request["bits"] == 64 else stored.get(0, _stored([]))
    return {"bytes": in_base64(made)}


def _stored(values: list[int]) -> bytes:
    bitmap = BitMap(values)
    bitmap.run_optimize()
    return bitmap.serialize()


def _read_bucket_index(request: Request) -> Answer:
    index = read_bucket_index(request["file"])
    for severity, offset, message in problems(index):
        if severity == ERROR:
            raise pk.CorruptFileError(message, path=request["file"], offset=offset)
    return {"hashes": index.hashes.tolist()}


def _write_bucket_index(request: Request) -> Answer:
    return {"bytes": in_base64(BucketIndex(np.array(request["hashes"], np.int32)).to_bytes())}


def _hash_keys(request: Request) -> Answer:
    case = Case.of(request["columns"], request["rows"])
    return {"hashes": pk.key_hashes(case.table(), case.schema).tolist()}


def _query_table(request: Request) -> Answer:
    columns, top_n = request["columns"], _top_n(request)
    limit = request.get("limit") if top_n is None else None
    where = _predicate(columns, request)
    rows = pk.query(request["path"], where, order_by=top_n, limit=limit, engine=local_engine(1))
    return {"rows": rows_as_json(rows, columns)}


def _read_global_index(request: Request) -> Answer:
    return {"keys": global_indexes.read_keys(request)}


def _evaluate_global_index(request: Request) -> Answer:
    rows = global_indexes.selected(request)
    return {"rows": "all" if rows is None else rows}


def _build_global_index(request: Request) -> Answer:
    content = {key: one for key, one in request.items() if key != "op"}
    made, metadata = global_indexes.written(**content)
    return {"bytes": in_base64(made), "metadata": None if metadata is None else metadata.hex()}


_METADATA: dict[str, Callable[[bytes], Any]] = {
    "index-metadata": lambda data: read_metadata(data)._asdict(),
    "source-metadata": read_source_metadata,
}
"""What reads the bytes of formats that have no files of their own."""


def _read_file(request: Request) -> Answer:
    kind = request["format"]
    with open_source(request["file"]) as source:
        if kind in _METADATA:
            with CorruptErrors(source):
                return {"content": to_json(_METADATA[kind](source.read(0, source.size)))}
        report = inspect_file(Subject(source), top=None, kind=NAMED[kind])
        for finding in verify_as(NAMED[kind], Subject(source)):
            if finding.severity == ERROR:
                raise pk.CorruptFileError(finding.message, path=request["file"])
        return {"content": to_json(report.content)}


def class_of(error: BaseException) -> str | None:
    """The class of one of our errors."""
    if isinstance(error, BadBitmapError):
        return pk.CorruptFileError.code
    return error.code if isinstance(error, PaimonKsyError) else "bug"


if __name__ == "__main__":
    serve(
        "paimon-ksy",
        pk.__version__,
        {
            "evaluate": evaluate,
            "build_file_index": _build_file_index,
            "read_vector": _read_vector,
            "write_vectors": _write_vectors,
            "read_roaring": _read_roaring,
            "write_roaring": _write_roaring,
            "read_bucket_index": _read_bucket_index,
            "write_bucket_index": _write_bucket_index,
            "hash_keys": _hash_keys,
            "query_table": _query_table,
            "read_global_index": _read_global_index,
            "evaluate_global_index": _evaluate_global_index,
            "build_global_index": _build_global_index,
            "read_file": _read_file,
        },
        class_of,
    )
