"""Files of deletion vectors and of dynamic buckets that the Java library (1.4.2) wrote.

From `vectors.tar.xz`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from tests.golden import members_of

ARCHIVE = Path(__file__).with_name("vectors.tar.xz")


@dataclass(frozen=True, eq=False)
class GoldenVectors:
    """A file of deletion vectors.

    `vectors` are what was written: `{"name", "bits", "positions", "ranges": [[from, to]],
    "steps": [[from, to, step]]}`; `ranges` is `dvRanges` of the manifest: `{"name", "offset",
    "length", "cardinality"}`.
    """

    name: str
    data: bytes
    vectors: Sequence[Mapping[str, Any]]
    ranges: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, eq=False)
class BadVectors:
    """A broken or odd file: `ranges` as given to Java, `result` what it made of it."""

    name: str
    data: bytes
    ranges: Sequence[Mapping[str, Any]]
    result: Mapping[str, Any]


@dataclass(frozen=True, eq=False)
class DynamicTable:
    """A table with dynamic buckets: all rows ever written, and the hash codes by bucket.

    `rows` are `(kind, values)`; `files` are `(partition, bucket, rowCount, data)`.
    """

    spec: Mapping[str, Any]
    rows: Sequence[tuple[str, Sequence[Any]]]
    files: Sequence[tuple[Sequence[Any], int, int, bytes]]


@cache
def golden_vectors() -> tuple[GoldenVectors, ...]:
    members = members_of(ARCHIVE)
    names = sorted({path.split("/")[1] for path in members if path.endswith("/file.dv")})
    found = []
    for name in names:
        spec = json.loads(members[f"dv/{name}/spec.json"])
        all_64 = spec.get("bitmap64", False)
        vectors = [{"bits": 64 if v.get("bitmap64", all_64) else 32} | v for v in spec["files"]]
        meta = json.loads(members[f"dv/{name}/meta.json"])
        found.append(GoldenVectors(name, members[f"dv/{name}/file.dv"], vectors, meta["dvRanges"]))
    return tuple(found)


@cache
def bad_vectors() -> tuple[BadVectors, ...]:
    members = members_of(ARCHIVE)
    errors = json.loads(members["dv/errors.json"])
    return tuple(
        BadVectors(name, members[path], case["meta"]["dvRanges"], case["result"])
        for name, case in sorted(errors.items())
        if (path := f"dv/bad_{name}.dv") in members
    )


@cache
def golden_hashes() -> Mapping[str, tuple[bytes, int, Sequence[int]]]:
    """By name: the file, how many hash codes were written, and the first hundred of them."""
    members = members_of(ARCHIVE)
    found = {}
    for path, data in members.items():
        if path.endswith("/file.hash"):
            spec = json.loads(members[path.replace("file.hash", "spec.json")])
            found[path.split("/")[1]] = (data, spec["count"], spec["hashes"])
    return found


def bad_hashes() -> bytes:
    """One hash code, 1, and one byte more."""
    return members_of(ARCHIVE)["hash/bad_5bytes.hash"]


@cache
def dynamic_table(name: str) -> DynamicTable:
    members = members_of(ARCHIVE)
    spec = json.loads(members[f"tables/{name}/spec.json"])
    rows = [
        (row["kind"], row["row"]) if isinstance(row, dict) else ("+I", row)
        for step in spec["steps"]
        for row in step["write"]
    ]
    files = [
        (f["partition"], f["bucket"], f["rowCount"], members[f"tables/{name}/{f['fileName']}"])
        for f in json.loads(members[f"tables/{name}/files.json"])
    ]
    return DynamicTable(spec, rows, files)


def mixed() -> bytes:
    """Return a file of vectors of 32 and of 64 bits."""
    return next(golden.data for golden in golden_vectors() if golden.name == "dv_mixed")
