"""File indexes whose bodies or heads were changed, and the errors that `verify` finds in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

import paimon_ksy as pk
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.options import FileIndexOptions, parse_index_spec
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.io.source import open_source
from paimon_ksy.messages.findings import ERROR, Finding
from paimon_ksy.types.schema import Schema

NUMBERS = pa.table({"v": pa.array([i % 3 for i in range(12)], pa.int32())})
TEXTS = pa.table({"v": pa.array([f"t{i % 3}" for i in range(12)])})


def build(data: pa.Table, schema: Schema, *specs: str) -> bytes:
    return bytes(build_file_index(data, schema, FileIndexOptions.of(map(parse_index_spec, specs))))


def edited(index: bytes, schema: Schema, edit: Callable[[list[Any]], object]) -> bytes:
    """The index with something changed in the JSON of its bodies; sizes stay as they are."""
    document = dump_file(open_source(index), schema)
    edit(document["parts"][1:])
    return assemble(document)


def moved(index: bytes, name: str, by: int, *, empty: bool = False) -> bytes:
    """The file with another place of a column's bitmap in its head."""
    place = pk.FileIndex.open(index).places[name]["bitmap"]
    there = place.ofs_body.to_bytes(4) + place.len_body.to_bytes(4)
    new = (place.ofs_body + by).to_bytes(4) + there[4:]
    assert index.count(there) == 1
    return index.replace(there, b"\xff" * 4 + b"\0" * 4 if empty else new)


def entries(part: dict[str, Any]) -> list[dict[str, Any]]:
    if part["version"] == 1:
        found: list[dict[str, Any]] = part["v1"]["dictionary"]["entries"]
        return found
    [block] = part["v2"]["directory"]["blocks"]
    return list(block["body"]["entries"])


def row_twice(parts: list[Any]) -> None:
    """Row 8 goes to no value, and row 9 to a second one."""
    for entry in entries(parts[0]):
        [container] = entry["bitmap"]["containers"]
        container["values"] = [9 if row == 8 else row for row in container["values"]]


def value_twice(parts: list[Any]) -> None:
    first, second, _ = entries(parts[0])
    second["key"] = first["key"]


def errors(found: list[Finding]) -> list[Finding]:
    return [one for one in found if one.severity == ERROR]
