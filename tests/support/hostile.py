"""Hostile input for each reader, and a process that reads it.

`CASES` has the inputs by name: "READER: WHAT". A `Process` makes and reads one after the other, and
answers how that ended, how long it took, and how much memory. It is killed if it takes too long.
"""

from __future__ import annotations

import bz2
import io
import json
import lzma
import subprocess
import sys
import threading
import time
import warnings
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any, TypeVar

import fastavro
import numpy as np
import pyarrow as pa
from pyarrow import orc, parquet

from paimon_ksy.errors import CorruptFileError, PaimonKsyError
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.inspection.inspect import inspect_file
from paimon_ksy.inspection.json import assemble, dump_file
from paimon_ksy.inspection.verify import verify
from paimon_ksy.io.file_format import Subject
from paimon_ksy.io.source import open_source
from paimon_ksy.predicates.like import like_regex
from paimon_ksy.predicates.sql import parse_predicate
from paimon_ksy.roaring.bitmap_32 import BadBitmapError, read_bitmap
from paimon_ksy.roaring.bitmap_64 import read_bitmaps
from paimon_ksy.rows.binary_row import read_row, write_row
from paimon_ksy.table.manifests import avro_blocks, containers
from paimon_ksy.table.manifests.entries import read_entries
from paimon_ksy.table.manifests.index_files import read_index_files
from paimon_ksy.table.manifests.lists import read_list
from paimon_ksy.table.manifests.partitions import Partitions
from paimon_ksy.table.model.documents import (
    columns_of,
    consumer_document,
    schema_document,
    snapshot_document,
)
from paimon_ksy.table_index.bucket_index import read_bucket_index
from paimon_ksy.table_index.deletion_vector import DeletionVector
from paimon_ksy.table_index.deletion_vector_file import read_vectors
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests import ROOT
from tests.support.manifests import (
    CODECS,
    ENTRIES,
    INDEXES,
    LISTS,
    RECORDS,
    arrow,
    avro,
    entry,
    index_entry,
    listed,
)

T = TypeVar("T")

SECONDS = 10
"""The time that reading one input may take."""

MEGABYTES = 600
"""The memory that reading one input may take, beyond what the process has."""

PATIENCE = 600.0
"""Seconds after which the process is killed, on a machine that is busy."""

MB = 1 << 20


@dataclass(frozen=True)
class Case:
    """An input, and what reads it. `refused` if that has to end with an error; None if it may."""

    make: Callable[[], Any]
    read: Callable[[Any], object]
    refused: bool | None = True


def always(value: T) -> Callable[[], T]:
    """Return what makes this value."""
    return lambda: value


# Readers ----------------------------------------------------------------------------------------

SCHEMA = Schema.parse("a INT, s STRING")
OPTIONS = {
    "file-index.bitmap.columns": "a,s",
    "file-index.bitmap.s.version": "1",
    "file-index.bsi.columns": "a",
    "file-index.range-bitmap.columns": "a",
    "file-index.bloom-filter.columns": "s",
    "file-index.bloom-filter.s.items": "10",
}


@cache
def index_file() -> bytes:
    """A file index with an index of each type."""
    table = pa.table({"a": pa.array([1, 2, None, 2] * 4, pa.int32()), "s": ["x", "y", "z", ""] * 4})
    return build_file_index(table, SCHEMA, OPTIONS)


def evaluate(data: bytes) -> None:
    with FileIndex.open(data, SCHEMA) as index:
        for where in ("a = 2", "s IN ('x', 'z')", "a > 1", "a IS NULL", "s <> 'y'"):
            index.evaluate(where)


def inspect(data: bytes) -> None:
    inspect_file(Subject(open_source(data), SCHEMA))


def check(data: bytes) -> None:
    for finding in verify(open_source(data), SCHEMA):
        raise CorruptFileError(finding.message)


def dump(data: bytes) -> None:
    dump_file(open_source(data), SCHEMA)


def vectors(data: bytes) -> None:
    list(read_vectors(open_source(data)))


def roaring_32(data: bytes) -> None:
    read_bitmap(data, 1 << 31)


def row(data: bytes) -> None:
    read_row(data, [parse_type(kind) for kind in ROW_TYPES])


def manifest(data: bytes) -> None:
    for entries in read_entries([(data, "m")]):
        assert entries.entries.num_rows >= 0


def manifest_list(data: bytes) -> None:
    read_list(data, "m")


def index_manifest(data: bytes) -> None:
    for files in read_index_files(data, "m", Partitions(Schema(()))):
        list(files)


def schema_file(text: str) -> None:
    columns_of(schema_document(text))


def sql(text: str) -> None:
    parse_predicate(text, SCHEMA)


ROW_TYPES = ("INT", "STRING", "BYTES", "DECIMAL(30, 2)", "TIMESTAMP(9)")


@cache
def sound() -> dict[str, tuple[bytes, Callable[[bytes], object]]]:
    """A small sound file of each binary format, and its reader."""
    positions = [1, 5, *range(70_000, 70_010)]
    of_32, of_64 = (DeletionVector.of(positions, bits).to_bytes() for bits in (32, 64))
    of_index = index_file()
    values = [7, "a text that is long", b"bytes that are as long", None, None]
    return {
        "file index, evaluate": (of_index, evaluate),
        "file index, inspect": (of_index, inspect),
        "file index, verify": (of_index, check),
        "file index, dump": (of_index, dump),
        "vectors of 32 bits": (b"\x01" + of_32, vectors),
        "vectors of 64 bits": (b"\x01" + of_64, vectors),
        "a vector of 32 bits": (of_32, DeletionVector.from_bytes),
        "a vector of 64 bits": (of_64, DeletionVector.from_bytes),
        "Roaring 32": (of_32[8:-4], roaring_32),
        "Roaring 64": (of_64[8:-4], read_bitmaps),
        "bucket index": (np.arange(9, dtype=">i4").tobytes(), read_bucket_index),
        "binary row": (write_row(values, [parse_type(kind) for kind in ROW_TYPES]), row),
        "manifest": (avro(ENTRIES, RECORDS[:2]), manifest),
        "manifest list": (avro(LISTS, [listed()]), manifest_list),
        "index manifest": (avro(INDEXES, [index_entry()]), index_manifest),
    }


# Numbers ----------------------------------------------------------------------------------------

HURTFUL = [
    *(b"\x7f\xff\xff\xff", b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\x80\0\0\0", b"\0\0\0\0"),
    b"\xfe\xff\xff\xff\x0f",  # 2^31 - 1 as Avro writes it
    b"\x7f\xff\xff\xff\xff\xff\xff\xff",
]
"""Counts, lengths and offsets that are far too large, in each byte order."""

PLACES = 80
"""Of all pairs of such a number and a place in a file, those that are tried, chosen by a seed."""


def any_number(data: bytes, read: Callable[[bytes], object]) -> None:
    """Read a file with such numbers in it, and raise if no reading is refused."""
    read(data)
    pairs = [(n, at) for n in HURTFUL for at in range(len(data) - len(n) + 1)]
    refused = None
    for number, at in Random(0).sample(pairs, min(PLACES, len(pairs))):
        try:
            read(data[:at] + number + data[at + len(number) :])
        except (PaimonKsyError, BadBitmapError) as error:
            refused = error
    if refused is not None:
        raise refused


def numbers() -> Iterator[tuple[str, Case]]:
    """Return each sound file, with numbers that are too large anywhere."""
    for name, (data, read) in sound().items():
        refused = name != "bucket index"  # any bytes are one
        yield (
            f"{name}: huge numbers",
            Case(always(data), partial(any_number, read=read), refused),
        )


# Depth ------------------------------------------------------------------------------------------

DEEP = 10_000


def avro_schema(text: str, codec: str = "null", blocks: bytes = b"") -> bytes:
    """Return the Avro file of a schema that need not be one."""
    file = io.BytesIO()
    meta = {"avro.schema": text.encode(), "avro.codec": codec.encode()}
    header = {"magic": b"Obj\x01", "meta": meta, "sync": bytes(16)}
    fastavro.schemaless_writer(file, fastavro.schema.parse_schema(HEADER), header)
    return file.getvalue() + blocks


HEADER = {
    "type": "record",
    "name": "org.apache.avro.file.Header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": 4}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
    ],
}


def nested(start: str, middle: str, end: str, depth: int = DEEP) -> str:
    return start * depth + middle + end * depth


def nested_avro(depth: int) -> bytes:
    field = '{"type":"record","name":"r","fields":[{"name":"f","type":'
    return avro_schema(nested(field, '"int"', "}]}", depth))


DOCUMENTS: dict[str, Callable[[Any], object]] = {
    "snapshot": snapshot_document,
    "schema file": schema_file,
    "consumer": consumer_document,
    "schema as JSON": Schema.from_paimon_json,
}
"""Files of metadata in JSON."""


def depths() -> Iterator[tuple[str, Case]]:
    """Return what is nested deeply."""
    lists, objects = nested("[", "", "]"), nested('{"a":', "1", "}")
    for name, read in DOCUMENTS.items():
        yield f"{name}: lists in lists", Case(always(lists), read)
        yield f"{name}: objects in objects", Case(always(objects), read)
    for depth in (900, DEEP):
        a_type = nested('{"type":"ARRAY","element":', '"INT"', "}", depth)
        text = f'{{"fields":[{{"id":0,"name":"a","type":{a_type}}}]}}'
        yield f"schema as JSON: {depth:,} types", Case(always(text), Schema.from_paimon_json)
        yield f"assemble: {depth:,} lists", Case(partial(deep_dump, depth), assemble)
        yield f"manifest: {depth:,} records", Case(partial(nested_avro, depth), manifest)
        for kind, end in (("ARRAY<", ">"), ("ROW<f ", ">"), ("MAP<INT, ", ">")):
            text = nested(kind, "INT", end, depth)
            yield f"type: {depth:,} of {kind}", Case(always(text), parse_type)
    for name, text in {
        "parentheses": nested("(", "a = 1", ")"),
        "NOT": "NOT " * 5_000 + "a = 1",
        "AND in OR": nested("(a = 1 OR (a = 2 AND ", "a = 3", "))", 2_000),
        "CAST": nested("CAST(", "a", " AS INT)", 2_000) + " = 1",
        "functions": nested("f(", "a", ")") + " = 1",
        "minus": "a = " + "- " * DEEP + "1",
        "comments": "/*" * DEEP + "a = 1",
        "CASE": nested("CASE WHEN a = 1 THEN ", "1", " END", 2_000) + " = 1",
        "brackets": "a" + nested("[", "1", "]") + " = 1",
        "unclosed": "(" * DEEP,
    }.items():
        yield f"SQL: {name}", Case(always(text), sql)


def deep_dump(depth: int) -> Any:
    """Return a dump whose first field is nested."""
    document = dump_file(open_source(index_file()), SCHEMA)
    inner: Any = 1
    for _ in range(depth):
        inner = [inner]
    part = document["parts"][0]
    name = next(name for name in part if not name.startswith("$") and name != "at")
    part[name] = inner
    return document


# Counts and bombs -------------------------------------------------------------------------------


def compressed(codec: str, size: int) -> bytes:
    """Return so many zeros as one block of an Avro file."""
    if codec == "deflate":
        packer = zlib.compressobj(9, wbits=-15)
        return packer.compress(bytes(size)) + packer.flush()
    if codec == "bzip2":
        return bz2.compress(bytes(size))
    if codec == "xz":
        return lzma.compress(bytes(size), preset=1)
    if codec == "snappy":
        return bytes(pa.compress(bytes(size), "snappy", asbytes=True)) + bytes(4)
    return bytes(pa.compress(bytes(size), "zstd", asbytes=True))


def avro_bomb(codec: str, size: int, count: int, text: str | None = None) -> bytes:
    """Return a file whose only block has so many zeros, and counts so many records."""
    block = io.BytesIO()
    fastavro.schemaless_writer(block, "long", count)
    fastavro.schemaless_writer(block, "bytes", compressed(codec, size))
    return avro_schema(text or json.dumps(ENTRIES), codec, block.getvalue() + bytes(16))


def large_manifest() -> bytes:
    """Return a sound manifest of one entry that almost fills a block."""
    index = Random(0).randbytes(avro_blocks.MOST_AT_ONCE - MB)
    return avro(ENTRIES, [entry(_EMBEDDED_FILE_INDEX=index)])


SHORT = json.dumps(
    {"type": "record", "name": "r", "fields": [{"name": "_VERSION", "type": "string"}]}
)
"""Records that take a byte each."""


def column_bomb(write: Callable[[pa.Table, Any], object], num_rows: int) -> bytes:
    """Return a manifest of so many equal entries, which take almost no bytes."""
    file = io.BytesIO()
    one = arrow(ENTRIES, RECORDS[:1])
    many = pa.array(np.zeros(num_rows, np.int8))
    wanted = ("_VERSION", "_KIND", "_BUCKET", "_TOTAL_BUCKETS")
    table = pa.table({n: one[n].combine_chunks().take(many) for n in wanted})
    write(table, file)
    return file.getvalue()


def counts() -> Iterator[tuple[str, Case]]:
    """Return what counts, declares or unpacks to very much."""
    for codec in CODECS[1:]:
        size = 64 * MB
        yield f"manifest: {codec} bomb", Case(partial(avro_bomb, codec, size, 1), manifest)
    most = containers.MOST_RECORDS
    yield (
        "manifest: the largest block",
        Case(partial(avro_bomb, "deflate", most, most, SHORT), manifest),
    )
    yield (
        "manifest: the largest embedded index",
        Case(large_manifest, manifest, refused=False),
    )
    for name, write in (("ORC", orc.write_table), ("Parquet", parquet.write_table)):
        bomb = partial(column_bomb, write, containers.MOST_RECORDS + 1)
        yield f"manifest: too many records of {name}", Case(bomb, manifest)
    many = [listed(f"manifest-{n}") for n in range(10_000)]
    yield "manifest list: many", Case(lambda: avro(LISTS, many), manifest_list, refused=False)
    names = ", ".join(f"c{n} INT" for n in range(20_000))
    yield "schema: many columns", Case(always(names), Schema.parse, refused=False)
    digits = "9" * 10_000
    for text in (f"VARCHAR({digits})", f"DECIMAL({digits}, 2)", "CHAR(0)", "INT " * 50_000):
        yield f"type: {text[:20]} of {len(text):,} characters", Case(always(text), parse_type)
    long = "9" * 1_000_000
    keys = ",".join(f'"a{n}":1' for n in range(100_000))
    for text in (f'{{"id": {long}}}', f'{{"nextSnapshot": 1e{long}}}', f"{{{keys}}}"):
        for name, read in DOCUMENTS.items():
            yield f"{name}: {text[:20]} of {len(text):,} characters", Case(always(text), read)
    for name, text, refused in (
        ("many values", f"a IN ({','.join(map(str, range(200_000)))})", False),
        ("many ORs", " OR ".join(f"a = {n}" for n in range(5_000)), False),
        ("digits", f"a = {long}", False),
        ("exponent", "a = 1e999999999", False),
        ("decimal exponent", "a = CAST('1e999999999' AS DECIMAL(38, 0))", True),
        ("a long text", f"s = '{long}'", False),
        ("LIKE", f"s LIKE '{'%a' * 20_000}'", False),
        ("no end", f"s = '{long}", True),
    ):
        yield f"SQL: {name}", Case(always(text), sql, refused)
    yield (
        "assemble: a gap at the end of the world",
        Case(lambda: {"parts": [], "gaps": [{"at": (1 << 31) - 1, "hex": "00"}]}, assemble),
    )
    yield (
        "assemble: many parts",
        Case(lambda: {"parts": [{"at": 0, "$type": "roaring_bitmap_32"}] * 20_000}, assemble),
    )
    for name, value in {
        "huge": 1 << 62,
        "negative": -5,
        "largest": (1 << 31) - 1,
        "wide": 10**4_000,
    }.items():
        yield f"assemble: {name} numbers", Case(partial(numbered_dump, value), any_field)
    yield "LIKE: a pattern of many %", Case(lambda: "%a" * 30 + "b", like, refused=False)


def like(pattern: str) -> None:
    """Match a text that such a pattern almost fits."""
    assert like_regex(pattern, "\\").fullmatch("a" * 3_000) is None


def numbered_dump(value: int) -> tuple[Any, int]:
    return dump_file(open_source(index_file()), SCHEMA), value


def any_field(given: tuple[Any, int]) -> None:
    """Write a dump with a number in place of each of its numbers, one after the other."""
    document, value = given
    refused: list[PaimonKsyError] = []
    places = list(_numbers_in(document))
    for owner, key in Random(0).sample(places, min(len(places), PLACES)):
        old, owner[key] = owner[key], value
        try:
            assemble(document)
        except PaimonKsyError as error:
            refused.append(error)
        owner[key] = old
    raise refused[0]


def _numbers_in(node: Any) -> Iterator[tuple[Any, Any]]:
    for key, value in node.items() if isinstance(node, dict) else enumerate(node):
        if type(value) is int:
            yield node, key
        elif isinstance(value, dict | list):
            yield from _numbers_in(value)


# Types ------------------------------------------------------------------------------------------

BASES: dict[str, tuple[Any, dict[str, Any], Callable[[bytes], object]]] = {
    "manifest": (ENTRIES, RECORDS[0], manifest),
    "manifest list": (LISTS, listed(), manifest_list),
    "index manifest": (INDEXES, index_entry(), index_manifest),
}


class Types:
    """Random types, and values of them that have as many parts as some bytes can encode."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def kind(self, depth: int) -> Any:
        """Return a type that may have lists; of many that need few bytes, or none."""
        chosen = self.random.choices(range(4), (2, 2, 3, 2))[0] if depth else 0
        if chosen == 0:
            return self.random.choice(["boolean", "long", "double", "string", "bytes"])
        inner = self.kind(depth - 1)
        if chosen == 1 and not isinstance(inner, list):
            return ["null", inner]
        if chosen == 2:
            return {"type": "array", "items": inner}
        kinds = [inner, *("string" for _ in range(self.random.choice([0, 1, 30])))]
        fields = [{"name": f"f{n}", "type": kind} for n, kind in enumerate(kinds)]
        return {"type": "record", "name": f"r{self.random.random()}"[2:], "fields": fields}

    def value(self, kind: Any, size: int) -> bytes:
        """Return a value of this many bytes if the type has lists, else a short one."""
        if isinstance(kind, list):
            is_null = size == 0 and self.random.random() < 0.6
            return b"\0" if is_null else b"\x02" + self.value(kind[1], size)
        if isinstance(kind, str):
            return bytes(8 if kind == "double" else 1)
        if kind["type"] == "record":
            return b"".join(self.value(field["type"], size) for field in kind["fields"])
        item = self.value(kind["items"], 0 if self.random.random() < 0.7 else size // 2)
        number = max(1, size // len(item)) if size else 0
        head = io.BytesIO()
        fastavro.schemaless_writer(head, "long", number)
        return head.getvalue() + item * number + bytes(number > 0)

    def file(self, schema: Any, record: Any) -> bytes:
        """Return a file with one more field, of such a type, in one large block or several."""
        kind, size = self.kind(4), self.random.choice([1 << 22, 1 << 25, 120 << 20])
        fields = [*schema["fields"], {"name": "new", "type": kind}]
        start, block = io.BytesIO(), io.BytesIO()
        fastavro.schemaless_writer(start, fastavro.parse_schema(schema), record)
        body = start.getvalue() + self.value(kind, size)
        number = max(1, (size >> 2) // len(body))
        packer = zlib.compressobj(1, wbits=-15)
        fastavro.schemaless_writer(block, "long", number)
        packed = packer.compress(body * number) + packer.flush()
        fastavro.schemaless_writer(block, "bytes", packed)
        blocks = (block.getvalue() + bytes(16)) * self.random.choice([1, 8])
        return avro_schema(json.dumps({**schema, "fields": fields}), "deflate", blocks)


def types() -> Iterator[tuple[str, Case]]:
    """Return sound manifests with one more field, whose values are as many as fit."""
    for seed in range(12):
        name = list(BASES)[seed % 3]
        schema, record, read = BASES[name]
        make = partial(Types(seed).file, schema, record)
        yield f"{name}: a field of type {seed}", Case(make, read, refused=None)


CASES: dict[str, Case] = dict([*numbers(), *depths(), *counts(), *types()])


# The process ------------------------------------------------------------------------------------

EXPECTED = PaimonKsyError, BadBitmapError, ValueError
"""What readers raise: documents and bitmaps have errors of their own, which others complete."""


class Process:
    """A process that reads cases."""

    def __init__(self) -> None:
        command = [sys.executable, "-m", "tests.support.hostile"]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            text=True,
        )

    def read(self, name: str) -> dict[str, Any]:
        """Return `error`, `seconds` and `megabytes` of a case; `error` is None if there was none.

        Raises EOFError if the process dies, or is killed because it takes too long.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        watchdog = threading.Timer(PATIENCE, self._process.kill)
        watchdog.start()
        try:
            print(name, file=self._process.stdin, flush=True)
            line = self._process.stdout.readline()
        finally:
            watchdog.cancel()
        if not line:
            raise EOFError(f"the process died, exit code {self._process.wait()}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def serve() -> None:
    """Read the cases whose names come in."""
    warnings.simplefilter("ignore")
    for line in sys.stdin:
        case = CASES[line.rstrip("\n")]
        given = case.make()
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins here
        before, start = _peak(), time.process_time()
        error = None
        try:
            case.read(given)
        except EXPECTED as caught:
            error = f"{type(caught).__name__}: {caught}"
        except BaseException as caught:
            error = f"unexpected {type(caught).__name__}: {caught}"
        seconds = time.process_time() - start
        answer = {"error": error, "seconds": seconds, "megabytes": (_peak() - before) / MB}
        print(json.dumps(answer), flush=True)


def _peak() -> int:
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


if __name__ == "__main__":
    serve()
