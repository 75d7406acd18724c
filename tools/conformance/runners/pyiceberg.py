"""The runner for pyiceberg: deletion vectors of 64 bits, which Iceberg has in Puffin files.

A vector has the same bytes in both, so each one is put into a Puffin file in memory.
"""

from __future__ import annotations

import json
import struct
import zlib
from importlib.metadata import version
from pathlib import Path

from pyiceberg.table.deletion_vector import deletion_vectors_from_puffin_file
from pyiceberg.table.puffin import MAGIC_BYTES, PuffinFile

from tools.conformance.runners.protocol import Answer, NotSupportedError, Request, serve

_KIND = struct.pack("<I", 1681511377)
_KIND_OF_32_BITS = struct.pack(">I", 1581511376)


def _read_vector(request: Request) -> Answer:
    start, length = request["offset"], request["length"]
    data = Path(request["file"]).read_bytes()[start : start + length]
    if data[4:8] == _KIND_OF_32_BITS:
        raise NotSupportedError("deletion vectors of 32 bits")
    return {"rows": _rows(data, request["cardinality"])}


def _read_roaring(request: Request) -> Answer:
    if request["bits"] == 32:
        raise NotSupportedError("Roaring bitmaps of 32 bits alone")
    data = _KIND + Path(request["file"]).read_bytes()
    framed = struct.pack(">I", len(data)) + data + struct.pack(">I", zlib.crc32(data))
    return {"values": _rows(framed, 0)}


def _rows(vector: bytes, cardinality: int) -> list[int]:
    blob = {
        "type": "deletion-vector-v1",
        "fields": [],
        "snapshot-id": 1,
        "sequence-number": 1,
        "offset": len(MAGIC_BYTES),
        "length": len(vector),
        "properties": {"referenced-data-file": "f", "cardinality": str(cardinality)},
    }
    footer = json.dumps({"blobs": [blob]}).encode()
    end = struct.pack("<II", len(footer), 0) + MAGIC_BYTES
    file = PuffinFile(MAGIC_BYTES + vector + MAGIC_BYTES + footer + end)
    [deletions] = deletion_vectors_from_puffin_file(file)
    return [int(row) for row in deletions.to_vector().to_pylist()]


if __name__ == "__main__":
    serve(
        "pyiceberg",
        version("pyiceberg"),
        {"read_vector": _read_vector, "read_roaring": _read_roaring},
    )
