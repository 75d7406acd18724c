"""The cases of deletion vectors, bucket indexes, and the Roaring bitmaps that all indexes have."""

from __future__ import annotations

import base64
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conformance.run import integers, pack
from paimon_ksy.generated.parsers.bucket_index import BucketIndex
from paimon_ksy.generated.parsers.roaring_bitmap_32 import RoaringBitmap32
from paimon_ksy.generated.parsers.roaring_bitmap_64 import RoaringBitmap64
from tools import jvm
from tools.conformance.kit.draft import SEED, Draft, fields_as, fields_of

VECTORS, BUCKETS, ROARING = "deletion_vectors", "bucket_index", "roaring"
KINDS = (VECTORS, BUCKETS, ROARING)

Vector = tuple[str, int, list[Any]]
"""The name of a data file, how many bits the vector has, and the deleted rows, packed."""


def drafts(java: jvm.Session) -> Iterator[Draft]:
    """All cases of these kinds."""
    for name, about, vectors in _vectors():
        yield _vector_file(name, about, vectors, java)
    for keys in _keys():
        yield _bucket_index(keys, java)
    for name, about, bits, values in _bitmaps():
        yield _bitmap(name, about, bits, values, java)


def _rng(name: str) -> random.Random:
    return random.Random(f"{SEED}:{name}")


# Deletion vectors -------------------------------------------------------------------------------


def _vectors() -> Iterator[tuple[str, str, list[Vector]]]:
    rng = _rng(VECTORS)
    scattered = pack(rng.sample(range(5000), 120))
    dense = [[0, 19_998, 2], *pack(rng.sample(range(70_000, 71_000), 40))]
    for bits in (32, 64):
        yield f"one_row_{bits}", "One deleted row.", [("f", bits, [5])]
        yield f"scattered_{bits}", "Rows here and there: arrays.", [("f", bits, scattered)]
        yield f"runs_{bits}", "Runs of deleted rows.", [("f", bits, [[10, 400], [5000, 90_000]])]
        yield f"dense_{bits}", "Every second row: a bitset, and an array.", [("f", bits, dense)]
        yield f"no_rows_{bits}", "A vector that deletes nothing.", [("f", bits, [])]
        largest = 2**31 - 1 if bits == 32 else 2**33 + 7
        about = "Rows 0 and 2^31 - 1, the last one." if bits == 32 else "Rows 0 and 2^33 + 7."
        yield f"large_{bits}", about, [("f", bits, [0, largest])]
        several = [(f"data-{at}.parquet", bits, [at, [10 * at, 20 * at]]) for at in range(1, 5)]
        yield f"several_{bits}", "Vectors of four data files.", several
    yield (
        "keys_64",
        "Rows above 2^32, with keys between that have no rows.",
        [("f", 64, [3, 2**32 + 1, [5 * 2**32, 5 * 2**32 + 99]])],
    )
    yield (
        "mixed",
        "Vectors of 32 and of 64 bits in one file.",
        [
            ("a", 32, [1, 2, 3]),
            ("b", 64, [[4, 40]]),
            ("größe-日本-😀", 32, [7]),
        ],
    )


def _vector_file(name: str, about: str, vectors: Sequence[Vector], java: jvm.Session) -> Draft:
    wanted = [{"name": file, "bits": bits, "rows": rows} for file, bits, rows in vectors]
    written = java.ask({"op": "write_vectors", "vectors": wanted})
    data = base64.b64decode(written["bytes"])
    places = [
        {"name": vector["name"], "bits": vector["bits"]} | place | {"rows": vector["rows"]}
        for vector, place in zip(wanted, written["vectors"], strict=True)
    ]
    document = {"file": "file.dv", "vectors": places}
    return Draft(VECTORS, name, about, document, {"file.dv": data}, fields_of(data))


# Bucket indexes ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Keys:
    """Keys of a bucket, or hash codes alone."""

    name: str
    about: str
    types: Sequence[str] = ()
    rows: Sequence[Sequence[Any]] = ()
    hashes: Sequence[int] = ()


def _keys() -> Iterator[Keys]:
    rng = _rng(BUCKETS)
    yield Keys("empty", "A bucket without keys: a file of no bytes.")
    limits = [0, 1, -1, 2**31 - 1, -(2**31)]
    yield Keys("limits", "Hash codes are signed, and in any order.", hashes=limits)
    integers = [[v] for v in (0, 1, -1, 42, 2**31 - 1, -(2**31))]
    yield Keys("key_int", "Keys of INT.", ["INT"], integers)
    longs = [[v] for v in (0, 1, -1, 2**63 - 1, -(2**63), 2**32)]
    yield Keys("key_bigint", "Keys of BIGINT.", ["BIGINT"], longs)
    texts = [["x" * n] for n in range(10)] + [["é日😀"], ["a text of more than sixteen bytes"]]
    yield Keys("key_string", "Texts up to 7 bytes are in the row's word, others behind it.",
               ["STRING"], texts)  # fmt: skip
    several = [[rng.randrange(-99, 99), f"k{rng.randrange(99)}", rng.randrange(10**12)]
               for _ in range(20)]  # fmt: skip
    yield Keys("key_of_three", "Keys of three columns.", ["SMALLINT", "STRING", "BIGINT"], several)
    types = ["BOOLEAN", "TINYINT", "DATE", "TIME(3)", "DECIMAL(10, 2)", "TIMESTAMP(3)"]
    row = [True, -5, 19_000, 3_600_000, "12.34", 1_700_000_000_123]
    yield Keys(
        "key_types", "Types that a word holds.", types, [row, [False, 5, -1, 0, "-0.01", -1]]
    )
    wide = ["DECIMAL(25, 3)", "TIMESTAMP(6)", "BYTES", "DOUBLE"]
    rows = [["1234567890123456789.123", 1_700_000_000_123_456, "00ff10", 0.1],
            ["-1.000", -1, "", -2.5]]  # fmt: skip
    yield Keys("key_wide_types", "Types that are stored behind the words.", wide, rows)


def _bucket_index(keys: Keys, java: jvm.Session) -> Draft:
    document: dict[str, Any] = {"file": "file.hash"}
    hashes = list(keys.hashes)
    if keys.types:
        columns = [{"name": f"k{at}", "type": text} for at, text in enumerate(keys.types)]
        rows = [list(row) for row in keys.rows]
        hashes = java.ask({"op": "hash_keys", "columns": columns, "rows": rows})["hashes"]
        document |= {"columns": columns, "keys": rows}
    document["hashes"] = hashes
    data = base64.b64decode(java.ask({"op": "write_bucket_index", "hashes": hashes})["bytes"])
    fields = fields_as(data, BucketIndex)
    return Draft(BUCKETS, keys.name, keys.about, document, {"file.hash": data}, fields)


# Roaring bitmaps --------------------------------------------------------------------------------


def _bitmaps() -> Iterator[tuple[str, str, int, list[Any]]]:
    rng = _rng(ROARING)
    bitset = [[0, 8192, 2]]
    sparse = [65_536 * at + value for at in range(6) for value in (1, 9, 70)]
    yield "empty_32", "No integers.", 32, []
    yield "one_32", "One integer.", 32, [65_536]
    yield "array_limit_32", "4,096 integers, the most that an array has.", 32, [[0, 8190, 2]]
    yield "bitset_32", "4,097 integers: a bitset.", 32, bitset
    yield "run_32", "A run.", 32, [[1000, 30_000]]
    yield "full_32", "A full container: one run of 65,536.", 32, [[65_536, 131_071]]
    yield "three_runs_32", "Fewer than four containers: runs, and no offsets.", 32, [
        [0, 99], [65_536, 65_700], *pack(rng.sample(range(131_072, 131_500), 20))
    ]  # fmt: skip
    yield "four_runs_32", "Four containers with runs: offsets are present.", 32, [
        [0, 99], [65_536, 65_700], [131_072, 131_500], [196_700, 196_800]
    ]  # fmt: skip
    yield "sparse_32", "Containers without runs: offsets are present.", 32, sparse
    yield "unsigned_32", "Integers from 2^31 up: they are unsigned.", 32, [5, 2**31, 2**32 - 1]
    mixed = [*bitset, [70_000, 90_000], *pack(rng.sample(range(131_072, 190_000), 60))]
    yield "kinds_32", "All three kinds of container.", 32, mixed
    yield "empty_64", "No integers.", 64, []
    yield "one_key_64", "Integers below 2^32: one key.", 64, [1, [50, 99]]
    yield "keys_64", "Keys 0 to 3; two of them have no integers.", 64, [7, 3 * 2**32 + 5]
    yield (
        "kinds_64",
        "All three kinds of container under key 1.",
        64,
        pack(2**32 + value for value in integers(mixed)),
    )


def _bitmap(name: str, about: str, bits: int, values: list[Any], java: jvm.Session) -> Draft:
    written = java.ask({"op": "write_roaring", "bits": bits, "values": values})
    data = base64.b64decode(written["bytes"])
    fields = fields_as(data, RoaringBitmap64 if bits == 64 else RoaringBitmap32)
    document: Mapping[str, Any] = {"file": "file.roaring", "bits": bits, "values": values}
    return Draft(ROARING, name, about, document, {"file.roaring": data}, fields)
