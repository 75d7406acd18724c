"""The quick look at a bitmap index says that it is right only where the careful one does."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from paimon_ksy.errors import PaimonKsyError
from paimon_ksy.file_index import check as index_check
from paimon_ksy.file_index.bitmap.check import is_right
from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.options import IndexSpec, parse_options
from paimon_ksy.io.corrupt import CorruptErrors
from paimon_ksy.types.schema import Schema

ROUNDS = 60  # of damage to each index


def numbers(count: int, of: int, *, nulls: int = 0) -> pa.Table:
    rng = np.random.default_rng(count)
    held = rng.integers(0, of, count)
    mask = rng.random(count) < 0.1 if nulls > 1 else np.arange(count) < nulls
    return pa.table({"v": pa.array(held.astype(np.int32), mask=mask)})


def texts(count: int, of: int, *, nulls: int = 0) -> pa.Table:
    held = numbers(count, of, nulls=nulls)["v"].to_pylist()
    return pa.table({"v": pa.array([None if v is None else f"t{v}" for v in held])})


def built(data: pa.Table, kind: str, version: str) -> tuple[bytes, Schema]:
    schema = Schema.parse(f"v {kind}")
    options = {
        "file-index.bitmap.columns": "v",
        "file-index.bitmap.v.version": version,
        "file-index.bitmap.v.index-block-size": "256b",
    }
    return bytes(build_file_index(data, schema, parse_options(options))), schema


def verdicts(data_of_index: bytes, schema: Schema, data: pa.Table) -> tuple[bool, bool]:
    """Of the quick look, and of all that is known of the index row by row."""
    spec = IndexSpec("bitmap", "v")
    found = []
    for look in (_quick, _careful):
        try:
            with FileIndex.open(data_of_index) as opened:
                [(_, _, entry)] = index_check.entries_of(opened)
                with CorruptErrors(opened.source, "v"):
                    index = index_check._Index(opened, spec, entry, data.num_rows, schema)
                    found.append(look(index, data))
        except PaimonKsyError:
            found.append(False)
    return found[0], found[1]


def _quick(index: index_check._Index, data: pa.Table) -> bool:
    index_check.check_extent(index.opened, index.entry)
    place = index.start, index.end
    return is_right(index.reader(), index.opened.source, *place, data["v"], index.data_type)


def _careful(index: index_check._Index, data: pa.Table) -> bool:
    content = index.check()
    return content is not None and content.has(data["v"], index.data_type)


MADE = [
    (numbers, "INT", 3000, 400, 0),
    (numbers, "INT", 3000, 400, 1),
    (numbers, "INT", 3000, 400, 2),
    (numbers, "INT", 400, 4000, 0),
    (numbers, "INT", 70_000, 3, 2),
    (texts, "STRING", 2000, 300, 2),
    (texts, "STRING", 50, 3, 0),
]


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize(("make", "kind", "count", "of", "nulls"), MADE)
def test_damage(make: Any, kind: str, count: int, of: int, nulls: int, version: str) -> None:
    data = make(count, of, nulls=nulls)
    index, schema = built(data, kind, version)
    assert verdicts(index, schema, data) == (True, True)
    rng = random.Random(count)
    for _ in range(ROUNDS):
        damaged = bytearray(index)
        for _ in range(rng.choice([1, 1, 2])):
            # Often in the head and the dictionary.
            most = len(damaged) if rng.random() < 0.6 else min(600, len(damaged))
            at = rng.randrange(most)
            if rng.random() < 0.5:
                damaged[at] ^= 1 << rng.randrange(8)
            elif rng.random() < 0.5 and at + 8 < len(damaged):  # postings or offsets change places
                damaged[at : at + 2], damaged[at + 4 : at + 6] = (
                    damaged[at + 4 : at + 6],
                    damaged[at : at + 2],
                )
            else:
                damaged[at] = rng.randrange(256)
        quick, careful = verdicts(bytes(damaged), schema, data)
        assert careful or not quick


@pytest.mark.parametrize("version", ["1", "2"])
@pytest.mark.parametrize(("make", "kind", "count", "of", "nulls"), MADE)
def test_sound_index_of_other_data(
    make: Any, kind: str, count: int, of: int, nulls: int, version: str
) -> None:
    data = make(count, of, nulls=nulls)
    index, schema = built(data, kind, version)
    values = data["v"].to_pylist()
    changes = []
    for row in (0, count // 2, count - 1):
        other = values.copy()
        other[row] = None if values[row] is not None else values[count // 3]
        changes.append(other)
        other = values.copy()
        other[row] = next(v for v in values if v is not None and v != values[row])
        changes.append(other)
    swapped = values.copy()
    a, b = 1, next(i for i in range(2, count) if values[i] != values[1])
    swapped[a], swapped[b] = swapped[b], swapped[a]
    changes += [swapped, values[:-1], [*values, values[-1]]]
    for other in changes:
        rows = pa.table({"v": pa.array(other, data["v"].type)})
        quick, careful = verdicts(index, schema, rows)
        assert not quick
        assert not careful or len(other) != count
