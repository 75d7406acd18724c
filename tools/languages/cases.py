"""What the readers read: golden, bad, example and made files, and damaged copies of small ones."""

from __future__ import annotations

import io
import json
import random
import tarfile
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from paimon_ksy import Schema
from paimon_ksy.file_index.index_type import text
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.generated.structs.file_index import FileIndex
from paimon_ksy.io.corrupt import MALFORMED
from tests.golden import bad_files, golden_indexes
from tests.golden.vectors import bad_hashes, bad_vectors, golden_hashes, golden_vectors
from tests.support.golden_json import schema_from_spec
from tools.jvm import ROOT
from tools.languages.specs import parameters, raw_specs
from tools.languages.trees import Case

SMALL = 2_000
"""Bytes of a file that damaged copies are made of."""


def all_cases() -> list[Case]:
    """Return all cases except the damaged ones, always in the same order."""
    parts = (_golden, _bad, _examples, _vectors, _rows, _data_files, _kit, _made, _documented)
    return [case for part in parts for case in part()]


def share(count: int, seed: int) -> list[Case]:
    """Return small cases of each type, chosen at random, and as many damaged ones."""
    cases = all_cases()
    small = [case for case in cases if len(case.data) <= SMALL]
    random.Random(seed).shuffle(small)
    first = {case.type: case for case in small}
    return [*first.values(), *small[:count], *damaged(cases, count, seed)]


def damaged(cases: Sequence[Case], count: int, seed: int) -> Iterator[Case]:
    """Yield copies of small cases with a bit flipped, or without their end."""
    chosen = random.Random(seed)
    small = [case for case in cases if 0 < len(case.data) <= SMALL]
    for number in range(count):
        case = chosen.choice(small)
        data = bytearray(case.data)
        place = chosen.randrange(len(data))
        if number % 4 == 0:
            del data[place:]
            how = f"cut at {place}"
        else:
            data[place] ^= 1 << chosen.randrange(8)
            how = f"byte {place} is {data[place]}"
        yield Case(f"{case.name}, {how}", case.type, bytes(data), case.arguments)


def _golden() -> Iterator[Case]:
    indexes = {case.name: case for case in golden_indexes()}
    indexes |= {case.name: case for case in golden_indexes(*INDEX_TYPES)}
    for name, golden in sorted(indexes.items()):
        yield from _parts(f"golden/{name}", golden.data, schema_from_spec(golden.spec))


def _bad() -> Iterator[Case]:
    for bad in bad_files():
        yield from _parts(f"bad/{bad.name}", bad.data, Schema.parse("a INT"))


def _examples() -> Iterator[Case]:
    for path in sorted((ROOT / "examples").rglob("*.index")):
        schema = path.with_name("orders.schema.json")
        if schema.exists():
            parsed = Schema.from_paimon_json(schema.read_text("utf-8"))
            yield from _parts(f"examples/{path.parent.name}", path.read_bytes(), parsed)


def _parts(name: str, data: bytes, schema: Schema) -> Iterator[Case]:
    """Yield the head of a file index, and each index that the columns' types can read."""
    yield Case(name, "file_index", data)
    try:
        columns = FileIndex.from_bytes(data).head.columns
    except MALFORMED:
        return
    for column in columns:
        key = text(column.name.value)
        for entry in column.indexes:
            kind = INDEX_TYPES.get(text(entry.index_type.value))
            if kind is None or key not in schema or entry.is_empty:
                continue
            given = kind.arguments(schema[key], entry.len_body)
            if given is not None:
                body = data[entry.ofs_body : entry.ofs_body + entry.len_body]
                arguments = [given[parameter] for parameter in parameters(kind.spec)]
                yield Case(f"{name}/{key}.{kind.name}", kind.spec, body, arguments)


def _vectors() -> Iterator[Case]:
    for golden in golden_vectors():
        yield Case(f"golden/{golden.name}", "deletion_vectors", golden.data)
    for bad in bad_vectors():
        yield Case(f"bad/{bad.name}", "deletion_vectors", bad.data)
    for name, (data, _, _) in golden_hashes().items():
        yield Case(f"golden/{name}", "bucket_index", data)
    yield Case("bad/hash_5bytes", "bucket_index", bad_hashes())


def _rows() -> Iterator[Case]:
    for i, rows in enumerate(json.loads((ROOT / "tests/golden/rows.json").read_text("utf-8"))):
        for j, row in enumerate(rows["bytes"]):
            yield Case(f"golden/rows/{i}/{j}", "binary_row::serialized_row", bytes.fromhex(row))


def _data_files() -> Iterator[Case]:
    """Yield the metadata of the data files of golden tables."""
    with tarfile.open(ROOT / "tests" / "golden" / "tables.tar.xz") as archive:
        for member in archive:
            file = archive.extractfile(member)
            name, suffix = f"golden/{member.name}", Path(member.name).suffix
            if file is None or suffix not in (".parquet", ".orc"):
                continue
            data = file.read()
            yield Case(f"{name}/kind", "file_kind", data)
            for spec, part in metadata(suffix, data):
                yield Case(name, spec, part)


def metadata(suffix: str, data: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the specs and bytes of the metadata at the end of a data file."""
    if suffix == ".parquet":
        footer = data[-8 - int.from_bytes(data[-8:-4], "little") :]
        yield "parquet_metadata", data[:4] + footer
        return
    start = len(data) - 1 - data[-1]
    yield "protobuf", data[start:-1]
    length, _ = _varint(data, start + 1)
    yield "orc_metadata", data[start - length : start]


def _kit() -> Iterator[Case]:
    """Yield files of the conformance kit that a type without parameters reads."""
    for path in sorted((ROOT / "conformance").glob("*/*/case.json")):
        case = json.loads(path.read_text("utf-8"))
        if path.parts[-3] == "roaring":
            kind = f"roaring_bitmap_{case['bits']}"
        elif path.parts[-3] == "other_files":
            kind = case["document"]["parts"][0]["$type"]
        else:
            continue
        [data] = (file.read_bytes() for file in path.parent.glob("file.*"))
        yield Case(f"kit/{path.parts[-2]}", kind, data)


def snappy_block(data: bytes) -> bytes:
    """Return a block as Avro files have it: compressed, with a checksum."""
    return bytes(pa.compress(data, "snappy", asbytes=True)) + zlib.crc32(data).to_bytes(4, "big")


def _varint(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        value |= (data[place] & 127) << shift
        shift += 7
        place += 1
        if data[place - 1] < 128:
            return value, place


def _documented() -> Iterator[Case]:
    """Yield the examples of the pages of formats: at least one of each spec."""
    from tools.docs.example import EXAMPLES  # which needs this module, too

    for name, example in EXAMPLES.items():
        shown = example()
        if shown.type_name in raw_specs():
            arguments = [shown.arguments[each] for each in parameters(shown.type_name)]
            yield Case(f"documented/{name}", shown.type_name, shown.data, arguments)


def _made() -> Iterator[Case]:
    """Yield what golden files have too little of."""
    for bits in range(65):
        for number in {(1 << bits) - 1, (1 << bits) % (1 << 64), (1 << bits) * 2 // 3}:
            yield Case(f"made/varint/{number}", "varint", _as_varint(number))
    for size in (0, 1, 1000):
        data = bytes(i * 7 % 256 for i in range(size))
        yield Case(f"made/snappy/{size}", "snappy_block", snappy_block(data))
    for name, (kind, head, *arguments) in _EXTREMES.items():
        yield Case(f"made/extreme/{name}", kind, bytes.fromhex(head), arguments)


_EXTREMES: dict[str, tuple[str, str, *tuple[int, ...]]] = {
    # 2^30 + 1 chunks, whose offsets have 4 bytes in 32 bits
    "chunks": ("chunked_dictionary", "0000000d01400000010000000400000000", 4),
    "protobuf length 2^62": ("protobuf", "0a808080808080808040"),
    "protobuf number 2^40": ("protobuf", "8080808080800200"),
    "thrift number 2^40": ("parquet_metadata", "504152310580808080804000000900000050415231"),
    "row fields": ("binary_row::serialized_row", "7fffffff" + "00" * 16),
    "short string": ("binary_row", "00" * 8 + "6162630000000083", 1),
    "long string": ("binary_row", "00" * 8 + "0300000018000000" + "6162630000000000", 1),
}
"""Numbers that do not fit into 32 bits, or only without a sign: type, bytes and arguments."""


def _as_varint(number: int) -> bytes:
    out = io.BytesIO()
    while number > 127:
        out.write(bytes([number & 127 | 128]))
        number >>= 7
    out.write(bytes([number]))
    return out.getvalue()
