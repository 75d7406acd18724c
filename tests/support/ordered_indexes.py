"""Indexes of ordered values, BSIs and range bitmaps, and what reading them takes."""

from functools import cache
from typing import Any

import numpy as np
import pyarrow as pa

from paimon_ksy.file_index.builder import build_file_index
from paimon_ksy.file_index.container import FileIndex
from paimon_ksy.file_index.registry import INDEX_TYPES
from paimon_ksy.io.source import open_source
from paimon_ksy.types.data_type import DataType
from paimon_ksy.types.parse import parse_type
from paimon_ksy.types.schema import Schema
from tests.reference.file_index import FileIndex as Container
from tests.support.strategies import arrow_column


def opened(kind: str, data_type: DataType, column: list[Any], options: dict[str, str]) -> bytes:
    table = pa.table({"c": arrow_column(data_type, column)})
    named = {f"file-index.{kind}.c.{key}": value for key, value in options.items()}
    schema = Schema.parse(f"c {data_type}")
    return build_file_index(table, schema, {f"file-index.{kind}.columns": "c", **named})


ROWS = 300_000


@cache
def large(kind: str) -> bytes:
    values = np.random.default_rng(1).permutation(ROWS).astype(np.int32) - ROWS // 3
    return build_file_index(pa.table({"c": values}), None, {f"file-index.{kind}.columns": "c"})


INT = parse_type("INT")


def bytes_read(kind: str, sql: str) -> int:
    with FileIndex.open(large(kind), Schema.parse("c INT")) as index:
        selection = index.evaluate(sql)
        assert selection.exact
        return index.bytes_read


def reader(data: bytes, data_type: DataType, kind: str = "range-bitmap") -> Any:
    entry = Container.from_bytes(data).head.columns[0].indexes[0]
    return INDEX_TYPES[kind].reader(
        open_source(data), entry.ofs_body, "c", data_type, entry.len_body
    )
